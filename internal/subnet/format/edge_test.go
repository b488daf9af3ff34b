package format

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"weft/internal/subnet"
)

func TestFilesAreReadWhateverTheirLinesEndIn(t *testing.T) {
	for _, file := range []string{"testdata/live/ibnetdiscover.topo", "testdata/live/line.txt", "testdata/plafrim/ibnetdiscover-p-test.out"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, _, _, err := ReadSubnet(file, bytes.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, changed := range map[string][]byte{
			"CR LF":             bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")),
			"a byte order mark": append([]byte("\xef\xbb\xbf"), text...),
			"no last line end":  bytes.TrimSuffix(text, []byte("\n")),
			"remarks of the tool": append([]byte("ibwarn: [6931] sim_connect: attached as client 1 at node \"Switch1\"\nsrc/query_smp.c:196; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out\n"),
				text...),
		} {
			got, _, _, err := ReadSubnet(file, bytes.NewReader(changed), Options{})
			if err != nil {
				t.Errorf("%s with %s: %v", file, name, err)
				continue
			}
			same(t, file+" with "+name, got, want, keeps{})
		}
	}
}

// A file that is cut off anywhere is read as what is left, or refused; it never
// has cables that the whole file has not.
func TestFilesThatAreCutOffHaveNoNewCables(t *testing.T) {
	text, err := os.ReadFile("testdata/ft2-16/ibnetdiscover.topo")
	if err != nil {
		t.Fatal(err)
	}
	whole := cables(ft216(t))
	for n := 0; n < len(text); n += 7 {
		s, _, err := ReadTopo("cut", bytes.NewReader(text[:n]), Options{})
		if err != nil {
			continue
		}
		for cable := range cables(s) {
			if !whole[cable] {
				t.Fatalf("cut after %d bytes there is a cable that is not in the file: %s", n, cable)
			}
		}
	}
	s := ft216(t)
	tables, err := os.ReadFile("testdata/ft2-16/opensm-lfts.dump")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(tables)-1; n += 31 {
		// What ends behind the last line of a table is whole but for the tables
		// that are missing, which is noted; all else is an error.
		if _, report, err := ReadLFTs("cut", bytes.NewReader(tables[:n]), s); err == nil && len(report.Notes) == 0 {
			t.Fatalf("tables that are cut off after %d bytes, at %q, were read without a word", n, tables[max(0, n-30):n])
		}
	}
}

// cables lists the cables of a subnet by the names and numbers of their ends.
func cables(s *subnet.Subnet) map[string]bool {
	all := map[string]bool{}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint8(p)}
			if far := s.Peer(e); far.Exists() {
				all[s.EndName(e)+" to "+s.EndName(far)] = true
			}
		}
	}
	return all
}

func TestEndlessLinesAndEndlessProblemsAreBounded(t *testing.T) {
	_, report, err := ReadTopo("long", io.MultiReader(strings.NewReader("Switch 4 \"a\"\n[1] \""), io.LimitReader(endless{}, 100<<20), strings.NewReader("\n")), Options{})
	if err == nil || !strings.Contains(err.Error(), "long:2: the line is longer than 65536 bytes") {
		t.Errorf("a line of 100 MB: %v", err)
	}
	if report.Lines != 2 {
		t.Errorf("%d lines, want 2", report.Lines)
	}
	many := strings.Repeat("Switch none\n", 10_000)
	_, _, err = ReadTopo("many", strings.NewReader(many), Options{})
	if err == nil || strings.Count(err.Error(), "\n") != maxProblems || !strings.HasSuffix(err.Error(), "and 9950 more") {
		t.Errorf("10,000 problems are told in %d lines", strings.Count(err.Error(), "\n"))
	}
	var words strings.Builder
	words.WriteString("Switch 4 \"a\"\n")
	for i := range 10_000 {
		words.WriteString(strings.Repeat("x", i%50) + "y\n")
	}
	_, report, err = ReadTopo("words", strings.NewReader(words.String()), Options{})
	if err != nil || len(report.Skipped) > maxSkipped+1 {
		t.Errorf("%d kinds of unknown lines are named: %v", len(report.Skipped), err)
	}
	_, _, err = ReadTopo("loop", strings.NewReader("include \"loop\"\n"), Options{Open: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("include \"loop\"\n")), nil
	}})
	if err == nil || !strings.Contains(err.Error(), "does \"loop\" include itself?") {
		t.Errorf("a net that includes itself: %v", err)
	}
}

// endless is a file of one letter.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestNetsHaveModulesAliasesAndGUIDBases(t *testing.T) {
	const net = `
module "left"
hcaguids=0x500000
Switch 4 "leaf"
[1] "h"[1]
@[4] "up"

Hca 2 "h"
[1] "leaf"[1]

module "right"
switchguid=0x600000
hcaguids+0x100
width=8
Switch 4 "leaf"
[1] "h"[2] s=2
[4] "left@up"

Ca 2 "h"
[2] "leaf"[1] s=3
Rt 1 "r"
`
	s, report, err := ReadTopo("modules", strings.NewReader(net), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notes)+len(report.Skipped) != 1 {
		t.Errorf("remarks: %+v; the width of the two modules has nothing in common", report)
	}
	find := func(name string) int32 {
		t.Helper()
		for i := range s.Nodes {
			if s.Nodes[i].Name == name {
				return int32(i)
			}
		}
		t.Fatalf("no node %q", name)
		return 0
	}
	left, right, host := find("left#leaf"), find("right#leaf"), find("right#h")
	if far := s.Peer(subnet.End{Node: right, Port: 4}); far != (subnet.End{Node: left, Port: 4}) {
		t.Errorf("the alias leads to %v", far)
	}
	if got := s.Nodes[right].Ports[1].Link; got != (subnet.Link{Width: 12, Speed: subnet.DDR}) {
		t.Errorf("the link of a port with widths 8 and speeds 2 and one with speeds 3 is %v, want 12xDDR", got)
	}
	for _, c := range []struct {
		node int32
		guid uint64
	}{{left, 0x200000}, {find("left#h"), 0x500000}, {right, 0x600000}, {host, 0x500100}, {find("right#r"), 0x300000}} {
		if got := uint64(s.Nodes[c.node].GUID); got != c.guid {
			t.Errorf("%s has GUID %#x, want %#x", s.NodeName(c.node), got, c.guid)
		}
	}
	if got := uint64(s.Nodes[host].Ports[2].GUID); got != 0x500102 {
		t.Errorf("port 2 of the host has GUID %#x, want 0x500102", got)
	}
}
