package format

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// gunzip is the text of a compressed file of testdata, nil where there is none.
func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sameText fails the test if weft's file differs from the tool's.
func sameText(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s: line %d of %d and %d\n got %s\nwant %s", what, i+1, len(g), len(w), a, b)
			return
		}
	}
}

// Each folder of testdata/opensm holds the files of OpenSM 3.3.23 about a subnet
// that ibsim served, with one engine.
func TestOpenSMsDumpsAreWrittenAsTheyWereRead(t *testing.T) {
	folders, err := filepath.Glob("testdata/opensm/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no folders in testdata/opensm: %v", err)
	}
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s, _, err := ReadTopo("topo", bytes.NewReader(gunzip(t, dir+"/ibnetdiscover.topo.gz")), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			raw := gunzip(t, dir+"/opensm-lfts.dump.gz")
			lfts, _, err := ReadLFTs("lfts", bytes.NewReader(raw), s)
			if err != nil {
				t.Fatal(err)
			}
			ranges, _, err := ReadGUID2LID("guid2lid", bytes.NewReader(gunzip(t, dir+"/guid2lid.gz")))
			if err != nil {
				t.Fatal(err)
			}
			if n := lfts.Assign(s.Clone()) + AssignLIDs(s, ranges); n > 0 {
				t.Errorf("%d LIDs of ports that are not in the subnet", n)
			}
			if err := WriteLFTs(&out, s, lfts.Tables); err != nil {
				t.Fatal(err)
			}
			sameText(t, "opensm-lfts.dump", out.Bytes(), raw)
			matrix(t, dir, s)
			lanes(t, dir, s)
			list(t, dir)
		})
	}
}

func matrix(t *testing.T, dir string, s *subnet.Subnet) {
	raw := gunzip(t, dir+"/opensm-lid-matrix.dump.gz")
	hops, _, err := ReadLIDMatrix("matrix", bytes.NewReader(raw), s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteLIDMatrix(&out, s, hops); err != nil {
		t.Fatal(err)
	}
	sameText(t, "opensm-lid-matrix.dump", out.Bytes(), raw)
	if strings.Contains(dir, "minhop") && !reflect.DeepEqual(hops.At, subnet.LeastHops(s).At) {
		t.Error("the least hops along the cables differ from OpenSM's minhop")
	}
}

func lanes(t *testing.T, dir string, s *subnet.Subnet) {
	raw := gunzip(t, dir+"/opensm-sl2vl.dump.gz")
	if raw == nil {
		return // OpenSM writes it only with QoS or if the engine sets lanes
	}
	tables, _, err := ReadSL2VL("sl2vl", bytes.NewReader(raw), s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteSL2VL(&out, s, tables); err != nil {
		t.Fatal(err)
	}
	sameText(t, "opensm-sl2vl.dump", out.Bytes(), raw)
}

func list(t *testing.T, dir string) {
	raw := gunzip(t, dir+"/opensm-subnet.lst.gz")
	s, _, err := readSubnetList("lst", bytes.NewReader(raw), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteSubnetList(&out, s); err != nil {
		t.Fatal(err)
	}
	sameText(t, "opensm-subnet.lst", out.Bytes(), raw)
}

// testdata/live is one subnet as each of the tools saw it, under ibsim 0.10.
func TestTheToolsDescribeOneSubnet(t *testing.T) {
	read := func(file string) *subnet.Subnet {
		t.Helper()
		raw, err := os.ReadFile("testdata/live/" + file)
		if err != nil {
			t.Fatal(err)
		}
		s, _, report, err := ReadSubnet(file, bytes.NewReader(raw), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Skipped) > 0 {
			t.Errorf("%s: unknown lines %+v", file, report.Skipped)
		}
		return s
	}
	want := read("ibnetdiscover.topo")
	for _, file := range []string{"g.topo", "f.topo"} {
		same(t, file, read(file), want, keeps{node: true, lmc: true, idle: true})
	}
	for _, file := range []string{"plain.txt", "line.txt", "additional.txt"} {
		same(t, "iblinkinfo "+file, read(file), want, keeps{idle: true})
	}
}

func TestDumpsOfOpenSMAndOfLiveSwitchesHaveTheSameTables(t *testing.T) {
	file := func(name string) *os.File {
		t.Helper()
		f, err := os.Open("testdata/live/" + name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	s, _, err := ReadTopo("topo", file("ibnetdiscover.topo"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var tables []*LFTs
	for _, name := range []string{"opensm-lfts.dump", "dump_fts.txt", "opensm.fdbs"} {
		l, _, _, err := ReadTables(name, file(name), s)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, l)
	}
	for i := 1; i < len(tables); i++ {
		if !reflect.DeepEqual(tables[0].Tables.LFT, tables[i].Tables.LFT) {
			t.Errorf("file %d has other tables than the first", i)
		}
	}
	raw, err := io.ReadAll(file("opensm.fdbs"))
	if err != nil {
		t.Fatal(err)
	}
	hops, _, err := ReadLIDMatrix("matrix", file("opensm-lid-matrix.dump"), s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteFDBs(&out, s, tables[0].Tables, hops); err != nil {
		t.Fatal(err)
	}
	sameText(t, "opensm.fdbs", out.Bytes(), raw)
}

// testdata/multicast is one group as OpenSM dumped it and as dump_fts -M read
// it from the switches.
func TestMulticastTablesOfOpenSMAndOfLiveSwitchesAreTheSame(t *testing.T) {
	s := ft216(t)
	var tables [2][]map[units.LID]subnet.PortMask
	for i, name := range []string{"opensm.mcfdbs", "dump_fts-M.txt"} {
		raw, err := os.ReadFile("testdata/multicast/" + name)
		if err != nil {
			t.Fatal(err)
		}
		mft, report, err := ReadMFTs(name, bytes.NewReader(raw), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Skipped) > 0 || Detect(raw) != MCFDBs {
			t.Errorf("%s: unknown lines %+v, format %q", name, report.Skipped, Detect(raw))
		}
		tables[i] = mft
		if i > 0 {
			continue
		}
		var out bytes.Buffer
		if err := WriteMFTs(&out, s, mft); err != nil {
			t.Fatal(err)
		}
		sameText(t, name, out.Bytes(), raw)
	}
	groups := 0
	for _, mft := range tables[0] {
		groups += len(mft)
	}
	if groups != 5 || !reflect.DeepEqual(tables[0], tables[1]) {
		t.Errorf("%d switches have the group, want 5; tables\n%v and\n%v", groups, tables[0], tables[1])
	}
}

// The cluster plafrim, from hwloc's history: ibnetdiscover's output, and the tables of
// the site's own Subnet Manager.
func TestARealClusterIsRead(t *testing.T) {
	s, format, report, err := ReadSubnet("ib-subnet.txt", bytes.NewReader(gunzip(t, "testdata/plafrim/ib-subnet.txt.gz")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if format != PortList || len(s.Nodes) != 134 || s.Switches() != 9 || len(report.Notes)+len(report.Skipped) > 0 {
		t.Errorf("%s with %d nodes, %d switches, remarks %+v; want ports with 134, 9, none", format, len(s.Nodes), s.Switches(), report)
	}
	if faults := s.Check(); len(faults) > 0 {
		t.Errorf("faults: %v", faults)
	}
	lfts, _, err := ReadLFTs("ibroutes.txt", bytes.NewReader(gunzip(t, "testdata/plafrim/ibroutes.txt.gz")), s)
	if err != nil {
		t.Fatal(err)
	}
	byTables := s.Clone()
	if n := lfts.Assign(byTables); n > 0 {
		t.Errorf("%d LIDs of ports that are not in the subnet", n)
	}
	for i := range s.Nodes {
		base := s.Nodes[i].Base()
		if a, b := s.Nodes[i].Ports[base].LID, byTables.Nodes[i].Ports[base].LID; a != b {
			t.Errorf("%s has LID %d in the list and %d in the tables", s.NodeName(int32(i)), a, b)
		}
	}
}

func TestListsOfPortsHoldTheSwitchNamesOfSites(t *testing.T) {
	for _, c := range []struct {
		file                   string
		nodes, switches, notes int
		err                    string
	}{
		// Made of lines of two clusters: an aggregation node with one GUID is cabled
		// to two switches.
		{file: "ibnetdiscover-p-test2.out", err: "ibnetdiscover-p-test2.out:5: the ends of a cable disagree"},
		{file: "ibnetdiscover-p-test.out", nodes: 7, switches: 4, notes: 2},
		{file: "ibnetdiscover-p-test3.out", nodes: 1, switches: 1},
	} {
		f, err := os.Open("testdata/plafrim/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		s, report, err := readPortList(c.file, f, Options{})
		f.Close()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v; want %s", c.file, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if len(s.Nodes) != c.nodes || s.Switches() != c.switches || len(report.Notes) != c.notes {
			t.Errorf("%s: %d nodes, %d switches, %d notes; want %d, %d, %d", c.file, len(s.Nodes), s.Switches(), len(report.Notes), c.nodes, c.switches, c.notes)
		}
	}
}
