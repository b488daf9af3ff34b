package network

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/test/simtest"
	"weft/scenario"
)

// TestAddressesAloneGiveTwoNICsOnePath: of the flow each connection has its own entropy; of the addresses all connections of a
// pair have one, there and back, and pairs differ.
func TestAddressesAloneGiveTwoNICsOnePath(t *testing.T) {
	p := &Plan{Fabric: &scenario.Fabric{}}
	if p.Hashed(3, 5, 17) != 17 {
		t.Errorf("the flow's entropy 17 is hashed as %d", p.Hashed(3, 5, 17))
	}
	p.Fabric.Routing.Hash = scenario.HashAddresses
	there := p.Hashed(3, 5, 17)
	if again := p.Hashed(3, 5, 18); again != there {
		t.Errorf("two connections of a pair are hashed as %d and %d", there, again)
	}
	if back := p.Hashed(5, 3, 99); back != OtherEnd(there) {
		t.Errorf("the way back is hashed as %d, want %d", back, OtherEnd(there))
	}
	if p.Hashed(3, 6, 17) == there {
		t.Error("two pairs are hashed alike")
	}
}

// switched is a plan of four leaves with four hosts' NICs each and four spines, and settings of some switches.
func switched(t *testing.T, switches string) *Plan {
	t.Helper()
	r := simtest.Resolve(t, `
cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 8, spines: 4}
fabrics: [{preset: roce-v2-400g, routing: {mode: ecmp}, switches: [`+switches+`]}]
workload: {collective: all-reduce, sizes: [1KiB]}
`)
	p, err := NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// uplinks are the ports by which the connections from one NIC to another leave a leaf, by number of connection.
func (p *Plan) uplinks(from, to int32, leaf, connections int) (ports []uint16) {
	set := p.Tables.Minimal(leaf, int(to))
	for i := range connections {
		ports = append(ports, p.Choice(p.Graph.Endpoints+leaf, p.Hashed(from, to, uint32(i)*0x9e3779b1), set))
	}
	return ports
}

func different(ports []uint16) int {
	ports = slices.Clone(ports)
	slices.Sort(ports)
	return len(slices.Compact(ports))
}

// TestASwitchThatHashesAddressesGivesTwoNICsOnePath while those of other switches take all: leaf0 hashes the addresses, leaf1 the
// flow.
func TestASwitchThatHashesAddressesGivesTwoNICsOnePath(t *testing.T) {
	p := switched(t, "{names: [leaf0], set: [routing.hash=addresses]}")
	if got := different(p.uplinks(0, 14, 0, 64)); got != 1 {
		t.Errorf("the connections of two NICs leave leaf0 by %d ports, want 1", got)
	}
	if got := different(p.uplinks(5, 14, 1, 64)); got != 4 {
		t.Errorf("the connections of two NICs leave leaf1 by %d ports, want 4", got)
	}
	var pairs []uint16
	for to := int32(4); to < 16; to++ {
		pairs = append(pairs, p.uplinks(0, to, 0, 1)[0], p.uplinks(1, to, 0, 1)[0])
	}
	if different(pairs) < 3 {
		t.Errorf("24 pairs of NICs leave leaf0 by the ports %v", pairs)
	}
	for _, entropy := range []uint32{0, 5 << 16, 77} {
		there, back := p.Hashed(1, 14, entropy), p.Hashed(14, 1, entropy)
		if there == back || there&1 == back&1 {
			t.Errorf("both directions have the entropy %d and %d", there, back)
		}
	}
	if p := switched(t, "{names: ['leaf[0-3]', 'spine[0-3]'], set: [routing.hash=flow]}"); p.Hashed(0, 6, 4711) != 4711 {
		t.Error("switches that hash alike change the entropy")
	}
}

// TestSwitchesOfOneFunctionChooseAlike: leaf0 and leaf1 hash as crc/10, leaf2 in a way of its own, and leaf3 as crc/25.
func TestSwitchesOfOneFunctionChooseAlike(t *testing.T) {
	p := switched(t, "{names: ['leaf[0-1]'], set: [routing.hash-function=crc/10]}, {names: [leaf3], set: [routing.hash-function=crc/25]}")
	var ports [4][]uint16
	for leaf := range ports {
		set := p.Tables.Minimal(0, 14)
		for i := range 64 {
			ports[leaf] = append(ports[leaf], p.Choice(p.Graph.Endpoints+leaf, uint32(i)*0x9e3779b1, set))
		}
	}
	if !slices.Equal(ports[0], ports[1]) {
		t.Error("leaf0 and leaf1 choose differently")
	}
	if slices.Equal(ports[0], ports[2]) || slices.Equal(ports[0], ports[3]) || slices.Equal(ports[2], ports[3]) {
		t.Error("leaves with different functions choose alike")
	}
}

// TestPacketsGoAsThePlanSays for switches that hash in different ways.
func TestPacketsGoAsThePlanSays(t *testing.T) {
	p := switched(t, "{names: [leaf0], set: [routing.hash=addresses, routing.hash-function=xor/1]}, {names: [leaf1], set: [routing.max-paths=2]}")
	net, err := p.Build(nil, 0, ScaleUp{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(32) {
		for _, pair := range [][2]int32{{0, 6}, {5, 15}, {6, 1}} {
			entropy := i * 0x9e3779b1
			end, _, err := net.ConnectNICs(pair[0], pair[1], entropy, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			leaf := int(pair[0]) / 4
			set := p.Tables.Minimal(leaf, int(pair[1]))
			want := p.Choice(p.Graph.Endpoints+leaf, p.Hashed(pair[0], pair[1], entropy), set)
			link := net.LinkName(net.Path(pair[0], end)[1])
			if name := fmt.Sprintf("leaf%d port %d to", leaf, want+1); !strings.HasPrefix(link, name) {
				t.Fatalf("from %d to %d: over %s, want %s", pair[0], pair[1], link, name)
			}
			if leaf == 1 && (len(set) != 2 || !slices.Contains(set, want)) {
				t.Fatalf("leaf1 chooses %d of %v", want, set)
			}
		}
	}
}
