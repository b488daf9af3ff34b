package proof_test

import (
	"strings"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
	"weft/units"
)

// triangle is three switches in a ring, each with a host on port 3; ports 1 and 2 lead on and back.
func triangle() *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range 3 {
		s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(1 + i), Name: string(rune('a' + i))}, 4)
	}
	for i := range int32(3) {
		s.Connect(subnet.End{Node: i, Port: 1}, subnet.End{Node: (i + 1) % 3, Port: 2}, subnet.Link{})
		host := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(11 + i)}, 1)
		s.Connect(subnet.End{Node: i, Port: 3}, subnet.End{Node: host, Port: 1}, subnet.Link{})
	}
	return s
}

// TestAMulticastGroupIsATreeOrItsFaultIsNamed.
func TestAMulticastGroupIsATreeOrItsFaultIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		ports [3][]uint8 // by switch
		want  string     // in the verdict
	}{
		"a chain":               {[3][]uint8{{0, 1, 3}, {1, 2, 3}, {2, 3}}, "1 of 1 groups are trees that join all their members, 3 ports"},
		"two of three":          {[3][]uint8{{1, 3}, {2, 3}, nil}, "1 of 1 groups are trees that join all their members, 2 ports"},
		"a circle":              {[3][]uint8{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, "0 of 1 groups are trees; the first fault: LID 0xc001: packets go round"},
		"a table without entry": {[3][]uint8{{1, 3}, nil, nil}, "whose table does not lead back"},
		"two parts":             {[3][]uint8{{3}, {3}, nil}, "its members are in 2 parts"},
		"a port without cable":  {[3][]uint8{{3, 4}, nil, nil}, "port 4 has no cable"},
	} {
		tables := make([]map[units.LID]subnet.PortMask, 3)
		for i, ports := range c.ports {
			if ports == nil {
				continue
			}
			var mask subnet.PortMask
			for _, p := range ports {
				mask.Add(p)
			}
			tables[i] = map[units.LID]subnet.PortMask{0xc001: mask}
		}
		m, err := proof.CheckMulticast(triangle(), tables)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(m.Verdict(), "[4]", " port 4"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
