package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
)

// hang connects a port of an adapter to a new port of a switch.
func hang(s *subnet.Subnet, adapter int32, port uint8, sw int32) {
	s.Connect(subnet.End{Node: adapter, Port: uint16(port)}, grow(s, sw), ndr)
}

// railsOf adds hosts of a family with an adapter on each of the first four leaves.
func railsOf(s *subnet.Subnet, family string, hosts int) {
	for h := range hosts {
		for rail, leaf := range named(s, "leaf")[:4] {
			hang(s, add(s, subnet.Adapter, fmt.Sprintf("%s%02d mlx5_%d", family, h, rail), 1), 1, leaf)
		}
	}
}

// bare is a tree of two levels without hosts.
func bare(leaves, spines int) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	var lower []int32
	for i := range leaves {
		lower = append(lower, add(s, subnet.Switch, fmt.Sprintf("leaf%02d", i), 0))
	}
	for i := range spines {
		spine := add(s, subnet.Switch, fmt.Sprintf("spine%02d", i), 0)
		for _, leaf := range lower {
			for range 2 {
				s.Connect(grow(s, leaf), grow(s, spine), ndr)
			}
		}
	}
	return s
}

// adapterOf is the first port of the adapter of a name.
func adapterOf(t *testing.T, s *subnet.Subnet, name string) subnet.End {
	t.Helper()
	at := slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return n.Name == name })
	if at < 0 {
		t.Fatalf("no node %q", name)
	}
	return subnet.End{Node: int32(at), Port: 1}
}

func TestSwappedRailsAreNamedInEveryFamily(t *testing.T) {
	for _, c := range []struct {
		name  string
		host  string
		hosts func(s *subnet.Subnet)
	}{
		{"the smaller of two families on rails", "store03", func(s *subnet.Subnet) {
			railsOf(s, "gpu", 16)
			railsOf(s, "store", 8)
		}},
		{"a family on rails beside more login nodes", "gpu03", func(s *subnet.Subnet) {
			railsOf(s, "gpu", 16)
			for i := range 20 {
				hang(s, add(s, subnet.Adapter, fmt.Sprintf("login%02d mlx5_0", i), 1), 1, named(s, "leaf")[i%4])
			}
		}},
		{"a family of four hosts", "big03", func(s *subnet.Subnet) {
			railsOf(s, "gpu", 16)
			railsOf(s, "big", 4)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := bare(4, 4)
			c.hosts(s)
			if r := Subnet(s); r.Rails == nil || r.Rails.Count != 4 || len(warnings(r)) > 0 {
				t.Fatalf("sound: rails %+v, %q", r.Rails, warnings(r))
			}
			a, b := adapterOf(t, s, c.host+" mlx5_0"), adapterOf(t, s, c.host+" mlx5_1")
			cross(s, a, b)
			r := Subnet(s)
			f := finding(r, "wrong-rail")
			if f == nil || len(warnings(r)) != 2 || countOf(r, "wrong-rail") != 2 || !strings.Contains(f.Text, c.host) {
				t.Errorf("%q", warnings(r))
			}
		})
	}
}

// Gateways with two ports are no rails of a fabric of hosts with one.
func TestAFewGatewaysMakeNoRails(t *testing.T) {
	for _, c := range []struct {
		name     string
		gateways int
		own      bool // on leaves of their own
	}{{"one", 1, false}, {"two", 2, false}, {"two on leaves of their own", 2, true}} {
		t.Run(c.name, func(t *testing.T) {
			s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
			leaves := named(s, "leaf")
			if c.own {
				for range 2 {
					leaf := add(s, subnet.Switch, "border", 0)
					for _, spine := range named(s, "spine") {
						for range s.Nodes[leaves[0]].NumPorts() / 2 / len(named(s, "spine")) {
							s.Connect(grow(s, leaf), grow(s, spine), ndr)
						}
					}
				}
				leaves = named(s, "border")
			}
			for i := range c.gateways {
				gw := add(s, subnet.Adapter, fmt.Sprintf("gw%d mlx5_0", i), 2)
				hang(s, gw, 1, leaves[0])
				hang(s, gw, 2, leaves[1])
			}
			if r := Subnet(s); r.Rails != nil {
				t.Errorf("%+v", r.Rails)
			}
		})
	}
}

// A host above the leaves is one host, whatever the number of its ports there.
func TestAHostWithTwoPortsAboveTheLeavesIsOneHost(t *testing.T) {
	for name, attach := range map[string]func(s *subnet.Subnet, a, b int32){
		"one adapter": func(s *subnet.Subnet, a, b int32) {
			gw := add(s, subnet.Adapter, "gw0 mlx5_0", 2)
			hang(s, gw, 1, a)
			hang(s, gw, 2, b)
		},
		"two adapters": func(s *subnet.Subnet, a, b int32) {
			hang(s, add(s, subnet.Adapter, "gw0 mlx5_0", 1), 1, a)
			hang(s, add(s, subnet.Adapter, "gw0 mlx5_1", 1), 1, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
			spines := named(s, "spine")
			attach(s, spines[0], spines[1])
			r := Subnet(s)
			f := finding(r, "stray-host")
			if !slices.Equal(r.Islands[0].But, []string{"1 host above the leaves"}) || countOf(r, "stray-host") != 1 || len(f.Ports) != 4 {
				t.Errorf("but for %q: %q", r.Islands[0].But, warnings(r))
			}
			for _, spine := range spines[:2] {
				if !strings.Contains(f.Text, s.NodeName(spine)) {
					t.Errorf("%s is not in %q", s.NodeName(spine), f.Text)
				}
			}
		})
	}
}

// The same rail of two units, exchanged: each adapter is on a leaf of its rail, but apart from the
// other adapters of its host.
func TestAnAdapterInAnotherUnitThanItsHostIsNamed(t *testing.T) {
	for _, rails := range []int{2, 4, 8} {
		t.Run(fmt.Sprintf("%d rails", rails), func(t *testing.T) {
			s := bare(2*rails, 4)
			for h := range 16 {
				for rail := range rails {
					name := fmt.Sprintf("n%02d mlx5_%d", h, rail)
					hang(s, add(s, subnet.Adapter, name, 1), 1, named(s, "leaf")[h/8*rails+rail])
				}
			}
			if r := Subnet(s); len(warnings(r)) > 0 {
				t.Fatalf("sound: %q", warnings(r))
			}
			cross(s, adapterOf(t, s, "n03 mlx5_0"), adapterOf(t, s, "n12 mlx5_0"))
			r := Subnet(s)
			text := strings.Join(warnings(r), "\n")
			if len(warnings(r)) != 2 || countOf(r, "wrong-unit") != 2 || !strings.Contains(text, `mlx5_0 of "n03"`) || !strings.Contains(text, `mlx5_0 of "n12"`) {
				t.Errorf("%s", text)
			}
		})
	}
}
