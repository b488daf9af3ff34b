package route_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// built is the subnet of a graph, with LIDs.
func built(tb testing.TB, spec topology.Spec) *subnet.Subnet {
	tb.Helper()
	s := routetest.Build(tb, spec, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err := s.AssignLIDs(0); err != nil {
		tb.Fatal(err)
	}
	return s
}
