package inspect_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/units"
)

// ethernet is two leaves with two hosts each and two spines; edit changes the cables of leaf and spine.
func ethernet(t *testing.T, edit func(leaf, spine int, rate *units.Rate) (cabled bool)) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	add := func(kind subnet.Kind, name string, ports ...string) int32 {
		at := s.Add(subnet.Node{Kind: kind, Name: name}, len(ports))
		for i, p := range ports {
			s.Nodes[at].NamePort(uint16(i+1), p)
		}
		return at
	}
	var leaves, spines [3]int32
	for i := range leaves {
		leaves[i] = add(subnet.Switch, fmt.Sprintf("leaf%d", i), "Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12", "Ethernet16")
		spines[i] = add(subnet.Switch, fmt.Sprintf("spine%d", i), "Ethernet0", "Ethernet4", "Ethernet8")
	}
	add(subnet.Router, "oob-server", "eth0")
	for i, leaf := range leaves {
		for k := range 2 {
			host := add(subnet.Adapter, fmt.Sprintf("gpu%d", 2*i+k), "eth0")
			s.Connect(subnet.End{Node: host, Port: 1}, subnet.End{Node: leaf, Port: uint16(k + 1)}, subnet.Bare(100*units.Gbps))
		}
		for k, spine := range spines {
			rate := 400 * units.Gbps
			if edit(i, k, &rate) {
				s.Connect(subnet.End{Node: leaf, Port: uint16(3 + k)}, subnet.End{Node: spine, Port: uint16(i + 1)}, subnet.Bare(rate))
			}
		}
	}
	return s
}

// TestEthernetIsDescribedInItsOwnTerms: ports by name, bare rates, no LIDs and no GUIDs. Ports to hosts are slower than those
// to spines by design; one uplink that is slower than the others is a finding, and so is one that is missing.
func TestEthernetIsDescribedInItsOwnTerms(t *testing.T) {
	whole := inspect.Ethernet(ethernet(t, func(int, int, *units.Rate) bool { return true }), nil, nil)
	if len(whole.Findings) > 0 || whole.Islands[0].Family != inspect.FatTree || whole.Hosts != 6 || whole.Routers != 0 {
		t.Errorf("a whole fabric: %+v, %v", whole, whole.Findings)
	}
	slow := inspect.Ethernet(ethernet(t, func(leaf, spine int, rate *units.Rate) bool {
		if leaf == 1 && spine == 2 {
			*rate = 100 * units.Gbps
		}
		return true
	}), nil, nil)
	if len(slow.Findings) != 1 || slow.Findings[0].Kind != "slow-link" || !slices.Equal(slow.Findings[0].Ports, []string{`"leaf1" Ethernet16`, `"spine2" Ethernet4`}) {
		t.Errorf("one slow uplink: %+v", slow.Findings)
	}
	lacks := inspect.Ethernet(ethernet(t, func(leaf, spine int, _ *units.Rate) bool { return leaf != 1 || spine != 2 }), nil, nil)
	if !slices.ContainsFunc(lacks.Findings, func(f inspect.Finding) bool { return f.Kind == "missing-cable" || f.Kind == "few-uplinks" }) {
		t.Errorf("one missing uplink: %+v", lacks.Findings)
	}
}
