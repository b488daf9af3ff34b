package network

import (
	"testing"

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
