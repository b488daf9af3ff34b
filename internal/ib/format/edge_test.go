package format

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
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

// A file that is cut off anywhere is read up to the cut, or refused; it never yields a
// cable that the whole file does not have.
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
		// A file cut behind the last line of a table lacks only whole tables, and a
		// note says so; any other cut is an error.
		if _, report, err := ReadLFTs("cut", bytes.NewReader(tables[:n]), s); err == nil && len(report.Notes) == 0 {
			t.Fatalf("tables that are cut off after %d bytes, at %q, were read without an error or a note", n, tables[max(0, n-30):n])
		}
	}
}

// cables lists the cables of a subnet by the names and numbers of their ends.
func cables(s *subnet.Subnet) map[string]bool {
	all := map[string]bool{}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
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
	_, _, err = ReadTopo("device", endless{}, Options{}) // a device that never ends
	if err == nil || !strings.Contains(err.Error(), "device:1: the line is longer than 65536 bytes") {
		t.Errorf("a line without end: %v", err)
	}
	many := strings.Repeat("Switch none\n", 10_000)
	_, _, err = ReadTopo("many", strings.NewReader(many), Options{})
	if err == nil || strings.Count(err.Error(), "\n") != maxProblems || !strings.HasSuffix(err.Error(), "and 9950 more") {
		t.Errorf("10,000 problems are reported in %d lines", strings.Count(err.Error(), "\n"))
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

func TestFilesThatClaimMorePortsThanASubnetHasAreRefused(t *testing.T) {
	var net, list strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&net, "Switch 254 \"s%d\"\n", i)
		fmt.Fprintf(&list, "SW %d 254 0x%016x 4x NDR - CA 1 1 0x1 ( 'a' - 'b' )\n", i, i+2)
	}
	for name, read := range map[string]func() error{
		"net": func() error { _, _, err := ReadTopo("net", strings.NewReader(net.String()), Options{}); return err },
		"list": func() error {
			_, _, err := readPortList("list", strings.NewReader(list.String()), Options{})
			return err
		},
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "more than 4194304 ports together") {
			t.Errorf("%s: 40,000 switches of 254 ports: %.300v", name, err)
		}
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

// What ibnetdiscover -g adds (seen in its source): headings, comments behind
// the lines of identifiers, numbers on the housing.
func TestGroupingIsNoPartOfTheTopology(t *testing.T) {
	const grouped = `#
# Topology file: generated on Tue Jun  5 14:15:10 2007
#
# Reported max hops discovered: 3
# Total MADs used: 146
# Initiated from node 0008f10403960558 port 0008f10403960559

Chassis 1 (guid 0x8f10400411a09)

# Spine Nodes
vendid=0x8f1
devid=0x5a31
sysimgguid=0x8f10400411a09		# Chassis 1
switchguid=0x8f10400411a08(8f10400411a08)	# ISR9288 Spine 1 Chip 1
Switch	24 "S-0008f10400411a08"		# "ISR9288 Voltaire sFB-12D" base port 0 lid 7 lmc 0
[2]	"S-0008f10400412000"[13][ext 5]		# "ISR9288 Voltaire sLB-24D" lid 8 4xDDR

# Line Nodes
vendid=0x8f1
devid=0x5a33
sysimgguid=0x8f10400411a09		# Chassis 1
switchguid=0x8f10400412000(8f10400412000)	# ISR9288 Line 3 Chip 1
Switch	24 "S-0008f10400412000"		# "ISR9288 Voltaire sLB-24D" base port 0 lid 8 lmc 0
[13][ext 5]	"S-0008f10400411a08"[2]		# "ISR9288 Voltaire sFB-12D" lid 7 4xDDR
[1][ext 24]	"H-0008f10403960558"[1](8f10403960559) 		# "x1 HCA-1" lid 4 4xDDR s=2 w=2 v=4 (scp)

Non-Chassis Nodes

vendid=0x8f1
devid=0x5a06
sysimgguid=0x8f10403960558
caguid=0x8f10403960558
Ca	2 "H-0008f10403960558"		# "x1 HCA-1" (scp)
[1](8f10403960559) 	"S-0008f10400412000"[1][ext 24]		# lid 4 lmc 0 "ISR9288 Voltaire sLB-24D" lid 8 4xDDR
`
	plain := grouped
	for _, cut := range []string{
		"Chassis 1 (guid 0x8f10400411a09)\n\n", "# Spine Nodes\n", "# Line Nodes\n", "\t\t# Chassis 1", "\t# ISR9288 Spine 1 Chip 1", "\t# ISR9288 Line 3 Chip 1",
		"[ext 5]", "[ext 24]", "Non-Chassis Nodes\n\n", " s=2 w=2 v=4 (scp)", " (scp)",
	} {
		plain = strings.ReplaceAll(plain, cut, "")
	}
	got, report, err := ReadTopo("grouped", strings.NewReader(grouped), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped)+len(report.Notes) > 0 {
		t.Errorf("remarks: %+v", report)
	}
	want, _, err := ReadTopo("plain", strings.NewReader(plain), Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "grouped", got, want, keeps{node: true, lmc: true, idle: true})
	if got.EndName(got.Origin) != `"x1 HCA-1" port 1` {
		t.Errorf("discovered from %s", got.EndName(got.Origin))
	}
}

// Old ibnetdiscover: no port GUID of switches, no widths and speeds, and
// identifiers that are not the NodeGUID.
func TestOldFilesAreRead(t *testing.T) {
	const old = `vendid=0x8f1
devid=0x5a30
sysimgguid=0x8f10400411a09
switchguid=0x8f10400411a08
Switch	24 "S-0008f104003f1e29"		# ISR2012 Voltaire base port 0 lid 742 lmc 0
[24]	"H-0002c90200247010"[1]		# "atlas35" lid 1252

caguid=0x2c90200247010
Hca	2 "H-0002c90200247010"		# "atlas35"
[1]	"S-0008f104003f1e29"[24]		# lid 1252 lmc 0 "ISR2012 Voltaire" lid 742
`
	s, report, err := ReadTopo("old", strings.NewReader(old), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0].Text, "0x0008f10400411a08") {
		t.Errorf("remarks: %v; expected one on the two GUIDs", report.Notes)
	}
	sw, host := &s.Nodes[0], &s.Nodes[1]
	if sw.Name != "ISR2012 Voltaire" || sw.GUID != 0x8f10400411a08 || sw.Ports[0].LID != 742 || host.Ports[1].LID != 1252 || host.Ports[1].GUID != 0x2c90200247011 {
		t.Errorf("read as %+v and %+v", sw, host)
	}
	if link := sw.Ports[24].Link; link != (subnet.Link{}) {
		t.Errorf("a link without width and speed in the file is %v", link)
	}
}
