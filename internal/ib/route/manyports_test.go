package route_test

import (
	"strings"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// A switch of Ethernet with more ports than tables number is refused by every engine and by the proof, and does not wrap.
func TestMorePortsThanTablesNumberAreRefused(t *testing.T) {
	s := &subnet.Subnet{Origin: subnet.None}
	s.Add(subnet.Node{Kind: subnet.Switch, Name: "leaf", GUID: 1}, 300)
	for i := range 300 {
		at := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: 1000}, 1)
		s.Connect(subnet.End{Node: at, Port: 1}, subnet.End{Node: 0, Port: uint16(i + 1)}, subnet.Link{})
	}
	const want = `"leaf" has 300 ports: forwarding tables number at most 254`
	for _, name := range []route.Name{"minhop", "updn", route.Auto} {
		if _, err := route.Compute(s, name, route.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := proof.Check(s, subnet.NewTables(s), proof.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("proof: %v, want %s", err, want)
	}
}
