package control

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/fabric"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
	"weft/units"
)

func managedPlan(t *testing.T, text string) *network.Plan {
	t.Helper()
	r := simtest.Resolve(t, text)
	p, err := NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestInfiniBandIsRoutedByTheManagersTables(t *testing.T) {
	for _, name := range []string{"minhop", "updn", "ftree", "sssp", "lash"} {
		p := managedPlan(t, strings.Replace(simtest.Managed, "ENGINE", name, 1))
		sub, nodes, err := network.SubnetOf(p.Fabric, p.Graph, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := sub.AssignLIDs(0); err != nil {
			t.Fatal(err)
		}
		want, err := route.Compute(sub, route.Name(name), route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for dense, at := range want.Switch {
			for dst := range p.Graph.Endpoints {
				lid := sub.Nodes[dst].Ports[1].LID
				got := p.Tables.Static(int(nodes[at])-p.Graph.Endpoints, dst)
				if port := want.LFT[dense][lid]; uint16(port) != got+1 {
					t.Fatalf("%s: %s sends packets for endpoint %d to port %d, its table says %d", name, p.Graph.Nodes[nodes[at]].Name, dst, got+1, port)
				}
			}
		}
	}
}

func TestEachPlaneIsASubnetOfItsOwn(t *testing.T) {
	p := managedPlan(t, `
cluster: {nodes: 8, node: {preset: dgx-h100, nic: {model: connectx-7, ports: 2}}}
topology: {shape: dual-plane, plane-shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, ib: {engine: ftree}}]
workload: {pattern: permutation, sizes: [4KiB]}
`)
	if err := routing.CheckReachable(p.Graph, p.Tables); err != nil {
		t.Error(err)
	}
	ends := 0
	for plane := range p.Graph.Planes {
		sub, nodes, err := network.SubnetOf(p.Fabric, p.Graph, plane)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sub.Nodes {
			if int(nodes[i]) < p.Graph.Endpoints {
				ends++
			}
			for port := range sub.Nodes[i].Ports {
				if peer := sub.Nodes[i].Ports[port].Peer; peer.Exists() && sub.Nodes[peer.Node].Ports[peer.Port].Peer.Node != int32(i) {
					t.Fatalf("plane %d: the cable at %s port %d has one end", plane, sub.Nodes[i].Name, port)
				}
			}
		}
	}
	if p.Graph.Planes != 2 || ends < p.Graph.Endpoints {
		t.Errorf("%d planes with %d ends, the graph has %d", p.Graph.Planes, ends, p.Graph.Endpoints)
	}
}

func TestEnginesThatDoNotFitAreRefusedBeforeTheRun(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"rings": {`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: torus, dims: [4, 4]}
fabrics: [{preset: infiniband-hdr, routing: {mode: deterministic}, ib: {engine: minhop}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, "can come to a standstill"},
		"adaptive on a ring": {`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}
fabrics: [{preset: infiniband-hdr, routing: {mode: adaptive}, ib: {engine: dfsssp, vls: 8}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, "take routing.mode deterministic"},
		"too few lanes": {`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: torus, dims: [4, 4]}
fabrics: [{preset: infiniband-hdr, routing: {mode: deterministic}, ib: {engine: torus-2QoS, vls: 2, sl2vl: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], vlarb-high: [], vlarb-low: [{vl: 0, weight: 64}]}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, "needs 4 virtual lanes"},
		"levels of the scenario's own": {`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: torus, dims: [4, 4]}
fabrics: [{preset: infiniband-hdr, routing: {mode: deterministic}, ib: {service-levels: [{sl: 1}]}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, "needs the service levels for itself"},
	} {
		r := simtest.Resolve(t, c.text)
		_, err := NewPlan(r, &r.Fabrics[0])
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A dragonfly of any size runs on the manager's tables, even if its groups have one or two
// switches, which the cabling alone does not tell apart.
func TestDragonfliesWithSmallGroupsRunOnTheManagersTables(t *testing.T) {
	for _, mode := range []string{"deterministic", "adaptive"} {
		for group := 1; group <= 3; group++ {
			for links := 1; links <= 3; links++ {
				for groups := 2; groups <= group*links+1; groups++ {
					p := managedPlan(t, fmt.Sprintf(`
cluster: {nodes: 1, node: dgx-h100}
topology: {shape: dragonfly, hosts-per-leaf: 8, switches-per-group: %d, global-links: %d, groups: %d, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: %s}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, group, links, groups, mode))
					if p.Routed.Used != "dragonfly" {
						t.Errorf("%s, %d groups of %d, %d links: the tables come from %q", mode, groups, group, links, p.Routed.Used)
					}
				}
			}
		}
	}
}

// At each switch a packet takes the lane of the tables' proof: the engine's level of
// (source, destination) through its SL2VL tables.
func TestPacketsHaveTheLevelsOfTheirPaths(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: torus, dims: [5, 5, 2], hosts-per-leaf: 3}
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: torus-2QoS}}]
workload: {pattern: permutation, sizes: [4KiB]}`)
	p, err := NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	if loop := routing.CreditLoop(p.Graph, p.Tables, nil, false); loop == nil {
		t.Fatal("the routes need no lanes, so that nothing is tested")
	}
	seen := map[units.SL]bool{}
	for a := range int32(p.Graph.Endpoints) {
		for b := range int32(p.Graph.Endpoints) {
			if a == b {
				continue
			}
			var atA, atB fabric.Connection
			p.ByPath(a, b, &atA, &atB)
			if want := p.Paths[0].Of(p.Paths[0].LID[b], p.Paths[0].LID[a]); atB.SL != want {
				t.Fatalf("answers from %d to %d have level %d, their path has %d", b, a, atB.SL, want)
			}
			if int(atA.Class) >= p.Lanes.Count || atA.Reply != atA.Class {
				t.Fatalf("from %d to %d: lanes %d and %d of %d", a, b, atA.Class, atA.Reply, p.Lanes.Count)
			}
			seen[atA.SL] = true
		}
	}
	if len(seen) < 4 {
		t.Errorf("paths have %d service levels; rings crossed in two dimensions ask for four", len(seen))
	}
}

// With adaptive routing a dragonfly runs on the manager's tables, too: packets prefer the
// tables' port, and otherwise take a minimal port, on lanes on which minimal paths have no
// credit loop.
func TestAnAdaptiveDragonflyRunsOnTheManagersTables(t *testing.T) {
	p := managedPlan(t, `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: adaptive}}]
workload: {pattern: permutation, sizes: [4KiB]}
`)
	if p.Routed.Used != "dragonfly" || p.Lanes == nil || p.Lanes.Count != 2 {
		t.Fatalf("the tables come from %q, lanes %+v", p.Routed.Used, p.Lanes)
	}
	if loop := routing.CreditLoop(p.Graph, p.Tables, p.Lanes, true); loop != nil {
		t.Errorf("packets that choose among ports wait in a circle: %v", loop)
	}
}

// A fault may leave a fabric that the engine of the scenario refuses. A running manager then
// takes another engine, so that hosts keep their ways.
func TestAnEngineThatRefusesTheFabricAfterAFaultIsReplaced(t *testing.T) {
	p := managedPlan(t, `
cluster: {nodes: 16}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, ib: {engine: ftree}}]
workload: {pattern: permutation, sizes: [4KiB]}
`)
	sub, _, err := network.SubnetOf(p.Fabric, p.Graph, 0)
	if err == nil {
		err = sub.AssignLIDs(0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, instead, err := reroute(p, sub); err != nil || instead != "" {
		t.Fatalf("the fabric without a fault is routed by another engine: %q, %v", instead, err)
	}
	for i := range sub.Nodes {
		n := &sub.Nodes[i]
		far := n.Ports[len(n.Ports)-1].Peer
		if n.Kind == subnet.Switch && far.Exists() && sub.Nodes[far.Node].Kind == subnet.Switch {
			sub.Port(far).Peer, n.Ports[len(n.Ports)-1].Peer = subnet.None, subnet.None
			break
		}
	}
	res, instead, err := reroute(p, sub)
	if err != nil {
		t.Fatal(err)
	}
	if res.Report.Used != "minhop" || !strings.HasPrefix(instead, "ftree cannot route this fabric") {
		t.Errorf("%s, because %q", res.Report.Used, instead)
	}
	if err := prove(sub, res.Tables, "minhop"); err != nil {
		t.Error(err)
	}
}
