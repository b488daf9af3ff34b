package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"weft/internal/runstore"
	"weft/units"
)

const smallDragonfly = "dragonfly, hosts-per-leaf: 2, switches-per-group: 4, global-links: 2, groups: 5, radix: 16"

// lanesByPath is a scenario on a shape on which paths have service levels.
func lanesByPath(shape, engine, faults string) string {
	return strings.Replace(ringed(shape), "roce-v2-400g",
		"{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: "+engine+"}, transport: {timeout: 2ms}}", 1) + "\nfaults: [" + faults + "]"
}

// TestLanesChangeWithTheTables breaks what an engine cannot route around, so that
// another takes over, and what it can: a cable of a group of a dragonfly, two of one
// ring of a torus, one of a torus, and one of a torus on dfsssp, whose levels are their
// lanes. SL2VL tables that change do so after the last block of the tables has been
// sent, and results are the same on any number of cores.
func TestLanesChangeWithTheTables(t *testing.T) {
	const ring = "{at: 5us, link: 'switch(0,0) port 3'}, {at: 5us, link: 'switch(2,0) port 3'}"
	for _, c := range []struct {
		name, text string
		change     bool
	}{
		{"dragonfly", lanesByPath(smallDragonfly, "auto", "{at: 5us, link: group0/switch0 port 3}"), true},
		{"broken ring", lanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "auto", ring), true},
		{"torus", lanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "torus-2QoS", "{at: 5us, link: 'switch(0,0) port 3'}"), false},
		{"dfsssp", lanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "dfsssp, vls: 8", "{at: 5us, switch: 'switch(1,2)'}, {at: 5us, link: 'switch(3,0) port 3'}"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve(t, c.text)
			var want []byte
			for _, workers := range []int{1, 2, 9} {
				out := run(t, r, workers)
				got, err := json.Marshal(out)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if string(got) != string(want) {
					t.Errorf("%d cores give another result", workers)
				}
				all := out.Fabrics[0].Control.Recoveries
				rec := all[len(all)-1]
				if rec.Entries == 0 || (rec.LaneTables > 0) != c.change || rec.LaneTables > 0 && rec.LastLanes <= rec.Last {
					t.Errorf("%d entries change, the last %v after the fault, and %d SL2VL tables, the last after %v", rec.Entries, rec.Last, rec.LaneTables, rec.LastLanes)
				}
			}
		})
	}
}

// TestLanesAreThoseOfTheNewEngine applies all that the manager writes after a fault of
// a dragonfly: dfsssp has taken over, and every level is on the lane of its number
// wherever a cable works. The run has as many lanes as its levels get into.
func TestLanesAreThoseOfTheNewEngine(t *testing.T) {
	p := faultyPlan(t, lanesByPath(smallDragonfly, "auto", "{at: 5us, link: group0/switch0 port 3}"), 0)
	if p.routed.Used != "dragonfly" || p.lanes.Count != 2 {
		t.Fatalf("before the fault the engine is %s, with %d lanes; want dragonfly with 2", p.routed.Used, p.lanes.Count)
	}
	ports := map[int]int{}
	for sw := range p.graph.Switches() {
		ports[sw] = len(p.graph.Nodes[p.graph.Endpoints+sw].Cables)
	}
	lanes := p.lanes.Own(ports)
	for i := range p.faults.lanes {
		c := &p.faults.lanes[i]
		lanes.Map(int(c.Row)).Set(c.In, c.Out, &c.Lanes)
	}
	down := p.faults.turns[0].down
	for sw := range p.graph.Switches() {
		cables := p.graph.Nodes[p.graph.Endpoints+sw].Cables
		for in, a := range cables {
			for out, b := range cables {
				if a < 0 || b < 0 || down[a] || down[b] {
					continue
				}
				for sl := range uint8(8) {
					if got := lanes.Next(sw, uint16(in), uint16(out), 0, sl); got != sl {
						t.Fatalf("switch %d, port %d to %d: level %d is on lane %d after the fault, want %d", sw, in+1, out+1, sl, got, sl)
					}
				}
			}
		}
	}
}

// TestTheLifetimeBreaksACreditLoop fills a dragonfly whose connections keep level 0
// while dfsssp's tables take over. The tables then have a credit loop; packets in it
// are discarded when they have waited for the head-of-queue lifetime, and the run
// ends. Without the fault none is.
func TestTheLifetimeBreaksACreditLoop(t *testing.T) {
	const text = `
cluster: {nodes: 10, node: dgx-h100}
topology: {shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 4, global-links: 1, groups: 5, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, transport: {timeout: 1ms}, ib: {buffer: 8KiB, hoq-lifetime: 200us, leaf-hoq-lifetime: 200us}}]
workload: {pattern: permutation, sizes: [2MiB]}
control: {loss-of-signal: 1us, sm: {agent: 100ns, datagram: 50ns, entry: 1ns, window: 64}}
`
	discarded := func(text string) (int64, *runstore.FabricResult) {
		f := &run(t, resolve(t, text), 2).Fabrics[0]
		return f.Points[0].Counts.DroppedLifetime, f
	}
	if n, _ := discarded(text); n > 0 {
		t.Errorf("without a fault %d packets wait for longer than the lifetime", n)
	}
	n, f := discarded(text + "faults: [{at: 5us, link: group0/switch0 port 5}]")
	rec := f.Control.Recoveries[0]
	if n == 0 || rec.Circle == "" || f.Points[0].Time <= 0 || f.Points[0].Time > units.Second {
		t.Errorf("%d packets are discarded in the loop of %q, the run takes %v", n, rec.Circle, f.Points[0].Time)
	}
}
