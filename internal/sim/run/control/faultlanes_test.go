package control

import (
	"testing"

	"weft/internal/test/simtest"
)

// TestLanesFollowTheNewEngine applies all tables that the manager writes after a fault of
// a dragonfly: dfsssp has taken over, and every level is on the lane of its number
// wherever a cable works. The run has as many lanes as its levels use.
func TestLanesFollowTheNewEngine(t *testing.T) {
	p := faultyPlan(t, simtest.LanesByPath(simtest.SmallDragonfly, "auto", "{at: 5us, link: group0/switch0 port 3}"), 0)
	if p.Routed.Used != "dragonfly" || p.Lanes.Count != 2 {
		t.Fatalf("before the fault the engine is %s, with %d lanes; want dragonfly with 2", p.Routed.Used, p.Lanes.Count)
	}
	ports := map[int]int{}
	for sw := range p.Graph.Switches() {
		ports[sw] = len(p.Graph.Nodes[p.Graph.Endpoints+sw].Cables)
	}
	lanes := p.Lanes.WithTables(ports)
	for i := range p.Faults.Lanes {
		c := &p.Faults.Lanes[i]
		lanes.Map(int(c.Row)).Set(c.In, c.Out, &c.Lanes)
	}
	down := p.Faults.Turns[0].Down
	for sw := range p.Graph.Switches() {
		cables := p.Graph.Nodes[p.Graph.Endpoints+sw].Cables
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
