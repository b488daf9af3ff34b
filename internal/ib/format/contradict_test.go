package format

import (
	"os"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
)

// In a real list of ports two switches name one port of an aggregation node: an error, or,
// with Options.Contradictions, the fabric without this cable.
func TestContradictionsAreNamedAndNotResolved(t *testing.T) {
	text, err := os.ReadFile("testdata/plafrim/ibnetdiscover-p-test2.out")
	if err != nil {
		t.Fatal(err)
	}
	s, _, report, err := ReadSubnet("list", strings.NewReader(string(text)), Options{Contradictions: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Contradictions) != 1 || !strings.Contains(report.Contradictions[0].Text, "Aggregation Node") {
		t.Errorf("contradictions are %v, want the aggregation node's port", report.Contradictions)
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for p := range n.Ports {
			if strings.Contains(n.Name, "Aggregation") && n.Ports[p].Peer.Exists() {
				t.Errorf("%s is cabled, and the file names two switches for it", s.EndName(subnet.End{Node: int32(i), Port: uint16(p)}))
			}
		}
	}
}

// In every format a port that two lines cable differently has no cable, and all other
// cables stay.
func TestOnlyContradictedCablesAreLeftOut(t *testing.T) {
	const net = `Switch 3 "s1"
[1] "s2"[1]
[2] "h1"[1]
[2] "h2"[1]
Switch 3 "s2"
[1] "s1"[1]
[2] "h2"[1]
Hca 1 "h1"
[1] "s1"[2]
Hca 1 "h2"
[1] "s2"[2]
`
	const list = `SW 1 1 0x0000000000000001 4x EDR - SW 2 1 0x0000000000000002 ( 's1' - 's2' )
SW 2 1 0x0000000000000002 4x EDR - SW 1 1 0x0000000000000001 ( 's2' - 's1' )
SW 1 2 0x0000000000000001 4x EDR - CA 3 1 0x0000000000000003 ( 's1' - 'h1' )
SW 1 2 0x0000000000000001 4x EDR - CA 4 1 0x0000000000000004 ( 's1' - 'h2' )
SW 2 2 0x0000000000000002 4x EDR - CA 4 1 0x0000000000000004 ( 's2' - 'h2' )
`
	for name, text := range map[string]string{"net": net, "list": list} {
		if _, _, _, err := ReadSubnet(name, strings.NewReader(text), Options{}); err == nil {
			t.Errorf("%s: a port with two cables was read without an error", name)
		}
		s, _, report, err := ReadSubnet(name, strings.NewReader(text), Options{Contradictions: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cables := 0
		for i := range s.Nodes {
			for p := range s.Nodes[i].Ports {
				if s.Nodes[i].Ports[p].Peer.Exists() {
					cables++
				}
			}
		}
		if cables != 2 || len(report.Contradictions) != 2 {
			t.Errorf("%s: %d ends of cables and %v; want the cable between the switches, and two ports named", name, cables, report.Contradictions)
		}
	}
}

// A file is no net just because it begins with words that nets also use.
func TestOtherFilesAreNoNets(t *testing.T) {
	for _, text := range []string{"module weft\n\ngo 1.26\n", "include <stdio.h>\n", "modules: 3\n"} {
		if f := Detect([]byte(text)); f != Unknown {
			t.Errorf("%q is taken for %s", text, f)
		}
	}
	for _, text := range []string{"module= \"a\"\n", "module = \"a\"\n", "include \"other.net\"\n"} {
		if f := Detect([]byte(text)); f != Topo {
			t.Errorf("%q is taken for %q", text, f)
		}
	}
}
