package sim

import (
	"strings"
	"testing"

	"weft/internal/routing"
	"weft/internal/routing/engine"
	"weft/scenario"
)

const managed = `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: ENGINE}}]
workload: {pattern: permutation, sizes: [4KiB]}
`

func managedPlan(t *testing.T, text string) *plan {
	t.Helper()
	r := resolve(t, text)
	p, err := newPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestInfiniBandIsRoutedByTheManagersTables(t *testing.T) {
	for _, name := range []string{"minhop", "updn", "ftree", "sssp", "lash"} {
		p := managedPlan(t, strings.Replace(managed, "ENGINE", name, 1))
		sub, nodes, err := subnetOf(p.fabric, p.graph, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := sub.AssignLIDs(0); err != nil {
			t.Fatal(err)
		}
		want, err := engine.Route(sub, engine.Name(name), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for dense, at := range want.Switch {
			for dst := range p.graph.Endpoints {
				lid := sub.Nodes[dst].Ports[1].LID
				got := p.tables.Static(int(nodes[at])-p.graph.Endpoints, dst)
				if port := want.LFT[dense][lid]; uint16(port) != got+1 {
					t.Fatalf("%s: %s sends packets for endpoint %d to port %d, its table says %d", name, p.graph.Nodes[nodes[at]].Name, dst, got+1, port)
				}
			}
		}
	}
}

func TestAutoTakesFtreeOnAFatTreeAndSaysSo(t *testing.T) {
	r := resolve(t, strings.Replace(managed, "ENGINE", "auto", 1))
	out := run(t, r, 1)
	if f := out.Fabrics[0]; f.Engine != "ftree" || !strings.Contains(f.EngineWhy, "fat tree") {
		t.Errorf("routed by %q because %q, want ftree, because the fabric is a fat tree", f.Engine, f.EngineWhy)
	}
}

func TestEachPlaneIsASubnetOfItsOwn(t *testing.T) {
	p := managedPlan(t, `
cluster: {nodes: 8, node: {preset: dgx-h100, nic: {model: connectx-7, ports: 2}}}
topology: {shape: dual-plane, plane-shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, ib: {engine: ftree}}]
workload: {pattern: permutation, sizes: [4KiB]}
`)
	if err := routing.CheckReachable(p.graph, p.tables); err != nil {
		t.Error(err)
	}
	ends := 0
	for plane := range p.graph.Planes {
		sub, nodes, err := subnetOf(p.fabric, p.graph, plane)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sub.Nodes {
			if int(nodes[i]) < p.graph.Endpoints {
				ends++
			}
			for port := range sub.Nodes[i].Ports {
				if peer := sub.Nodes[i].Ports[port].Peer; peer.Exists() && sub.Nodes[peer.Node].Ports[peer.Port].Peer.Node != int32(i) {
					t.Fatalf("plane %d: the cable at %s port %d has one end", plane, sub.Nodes[i].Name, port)
				}
			}
		}
	}
	if p.graph.Planes != 2 || ends < p.graph.Endpoints {
		t.Errorf("%d planes with %d ends, the graph has %d", p.graph.Planes, ends, p.graph.Endpoints)
	}
}

func TestEnginesThatDoNotFitAreRefusedBeforeTheRun(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"rings": {`
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: torus, dims: [4, 4]}
fabrics: [{preset: infiniband-hdr, routing: {mode: deterministic}, ib: {engine: minhop}}]
workload: {pattern: permutation, sizes: [4KiB]}
`, "take auto"},
	} {
		r := resolve(t, c.text)
		_, err := newPlan(r, &r.Fabrics[0])
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAScenarioMayAskForEveryEngine(t *testing.T) {
	for _, e := range engine.Engines() {
		if _, err := scenario.Decode("test.yaml", []byte(strings.Replace(managed, "ENGINE", string(e.Name), 1))); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
