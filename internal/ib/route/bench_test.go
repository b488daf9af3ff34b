package route_test

import (
	"fmt"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// fatTree is the full fat tree of three levels of switches with k ports: k pods
// of k/2 leaves and k/2 spines, k²/4 cores, k³/4 hosts.
func fatTree(tb testing.TB, k int) *subnet.Subnet {
	tb.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	node := func(kind subnet.Kind, ports int) int32 {
		guid := units.GUID(0x0002_c900_0000_0000 + 4*len(s.Nodes) + 4)
		i := s.Add(subnet.Node{Kind: kind, GUID: guid, SystemGUID: guid}, ports)
		port := 0
		if kind != subnet.Switch {
			port = 1
		}
		s.Nodes[i].Ports[port].GUID = guid + units.GUID(port)
		return i
	}
	join := func(a int32, pa int, b int32, pb int) {
		s.Connect(subnet.End{Node: a, Port: uint16(pa)}, subnet.End{Node: b, Port: uint16(pb)}, subnet.Link{Width: 4, Speed: subnet.NDR})
	}
	half := k / 2
	cores := make([]int32, half*half)
	for i := range cores {
		cores[i] = node(subnet.Switch, k)
	}
	for pod := range k {
		spines := make([]int32, half)
		for i := range spines {
			spines[i] = node(subnet.Switch, k)
			for c := range half {
				join(spines[i], half+c+1, cores[i*half+c], pod+1)
			}
		}
		for l := range half {
			leaf := node(subnet.Switch, k)
			for i, spine := range spines {
				join(leaf, half+i+1, spine, l+1)
			}
			for h := range half {
				join(leaf, h+1, node(subnet.Adapter, 1), 1)
			}
		}
	}
	s.Origin = subnet.End{Node: int32(len(s.Nodes) - 1), Port: 1}
	if err := s.AssignLIDs(0); err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkRoute times engines on full fat trees of three levels, by the number
// of their hosts. The time is from a subnet with LIDs to complete tables; MB is
// the memory of the tables and of their computation.
func BenchmarkRoute(b *testing.B) {
	for _, name := range []route.Name{"minhop", "ftree", "updn"} {
		for _, k := range []int{16, 32, 40, 56} {
			b.Run(fmt.Sprintf("%s/ft3-%d", name, k*k*k/4), func(b *testing.B) {
				if testing.Short() && k > 16 {
					b.Skip("more than a second each")
				}
				s := fatTree(b, k)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := route.Compute(s, name, route.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
