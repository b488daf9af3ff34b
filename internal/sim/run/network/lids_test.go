package network_test

import (
	"errors"
	"strings"
	"testing"

	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
)

// A subnet has 49,151 unicast LIDs, and a fabric with more ports is refused before it is
// routed.
func TestAFabricWithMorePortsThanLIDsIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	r := simtest.Resolve(t, "cluster: {nodes: 6000, node: dgx-h100}\ntopology: {shape: rail-optimised}\nfabrics: [infiniband-ndr]\n")
	_, err := network.NewPlan(r, &r.Fabrics[0])
	if err == nil || !strings.Contains(err.Error(), "the most is 49151, its unicast LIDs: take topology.shape dual-plane") {
		t.Errorf("48,000 NICs and their switches: %v", err)
	}
	var refused *network.Refusal
	if !errors.As(err, &refused) || refused.Field != "topology.shape" {
		t.Errorf("the refusal is of %+v, want the shape", refused)
	}
}
