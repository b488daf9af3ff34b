package format

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"weft/internal/ib/subnet"
)

// seeds adds the smaller files of testdata.
func seeds(f *testing.F) {
	for _, pattern := range []string{"testdata/problems/*.net", "testdata/live/*", "testdata/plafrim/*.out", "testdata/ft2-16/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text[:min(len(text), 6000)])
		}
	}
}

// FuzzReadSubnet: no file makes a reader panic or invent cables, and a subnet that
// can be written is read back unchanged.
func FuzzReadSubnet(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		loose, _, _, errLoose := ReadSubnet("fuzz", bytes.NewReader(text), Options{Contradictions: true})
		s, _, report, err := ReadSubnet("fuzz", bytes.NewReader(text), Options{})
		if err == nil {
			if errLoose != nil {
				t.Fatalf("a file without contradictions is refused when contradictions are allowed: %v", errLoose)
			}
			same(t, "without contradictions", loose, s, keeps{node: true, lmc: true, idle: true})
		}
		if (s == nil) != (err != nil) || report == nil {
			t.Fatalf("subnet %v, report %v, error %v", s != nil, report, err)
		}
		if err != nil {
			return
		}
		for _, fault := range s.Check() {
			if fault.Kind == subnet.OneEnded {
				t.Fatalf("a reader made %s", fault.Text)
			}
		}
		var out bytes.Buffer
		if WriteTopo(&out, s) != nil {
			return
		}
		again, _, err := ReadTopo("again", &out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		// A node's name may end in characters that are trimmed from the end of a line.
		same(t, "topology", again, s, keeps{})
	})
}

// FuzzReadTables: no file makes a reader of tables panic, and a reader reports a table
// that leads to a port that the switch does not have.
func FuzzReadTables(f *testing.F) {
	seeds(f)
	text, err := os.ReadFile("testdata/ft2-16/ibnetdiscover.topo")
	if err != nil {
		f.Fatal(err)
	}
	s, _, err := ReadTopo("topo", bytes.NewReader(text), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in := func() io.Reader { return bytes.NewReader(text) }
		if l, _, report, err := ReadTables("fuzz", in(), s); err == nil {
			for i, row := range l.Tables.LFT {
				for lid, port := range row {
					if ports := s.Nodes[l.Tables.Switch[i]].NumPorts(); int(port) > ports && port != subnet.NoPort && len(report.Notes) == 0 {
						t.Fatalf("LID %d goes to port %d of %d, and no note says so", lid, port, ports)
					}
				}
			}
			c := s.Clone()
			l.Assign(c)
			c.Check()
		}
		readers := map[string]error{}
		_, _, readers["matrix"] = ReadLIDMatrix("fuzz", in(), s)
		_, _, readers["sl2vl"] = ReadSL2VL("fuzz", in(), s)
		_, _, readers["mcfdbs"] = ReadMFTs("fuzz", in(), s)
		_, _, readers["lfts"] = ReadLFTs("fuzz", in(), s)
		_, _, readers["fdbs"] = readFDBs("fuzz", in(), s)
		for name, err := range readers {
			if err != nil && err.Error() == "" {
				t.Fatalf("%s: an error without text", name)
			}
		}
		if ranges, _, err := ReadGUID2LID("fuzz", in()); err == nil {
			AssignLIDs(s.Clone(), ranges)
		}
	})
}
