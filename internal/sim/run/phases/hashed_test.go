package phases

import (
	"context"
	"testing"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/units"
)

// underLeaves is a plan of RoCE v2 with ECMP, four nodes under the leaves of a unit.
func underLeaves(t *testing.T, nodes, more string) (*scenario.Resolved, *network.Plan) {
	t.Helper()
	r := simtest.Resolve(t, "cluster: {nodes: "+nodes+", node: dgx-h100}\ntopology: {shape: rail-optimised, nodes-per-unit: 4}\nfabrics: [roce-v2-400g]\n"+more)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return r, p
}

// carried runs a phase whole.
func carried(t *testing.T, p *network.Plan, r *scenario.Resolved, phase *workload.Phase) *IslandRun {
	t.Helper()
	run, err := RunIsland(context.Background(), p, r, phase, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// An island of messages that collide, and are marked, takes the same time alone and beside
// the others.
func TestIslandsOfHashedWaysTakeTheSameTimeAlone(t *testing.T) {
	r, p := underLeaves(t, "12", "")
	phase := passes(12, 4)
	for i := range phase.Bytes {
		phase.Bytes[i] = 8 * units.MiB
	}
	whole := carried(t, p, r, &phase)
	s := shoreOf(p, r, executor.NewPlanner(r, p.Fabric), &phase)
	if !s.hashed || len(s.groups) != 8 || whole.Counts.Marks == 0 {
		t.Fatalf("%d islands by hashed ways (%v), %d marks: want one for each rail, and marks", len(s.groups), s.hashed, whole.Counts.Marks)
	}
	for _, groups := range s.groups {
		var f Folding
		f.add(&phase, 0, groups)
		own := carried(t, p, r, &f.Islands[0].Phase)
		for _, g := range groups {
			if rank := phase.Groups[g][0]; own.times[rank] != whole.times[rank] {
				t.Errorf("rank %d: %v alone, %v beside the others", rank, own.times[rank], whole.times[rank])
			}
		}
	}
}

// A phase of many messages is simulated in parts of whole islands, and takes the time of the
// whole phase.
func TestPhasesAreDividedByHashedWays(t *testing.T) {
	r, p := underLeaves(t, "80", "")
	phase := passes(80, 4)
	for i := range phase.Bytes {
		phase.Bytes[i] = 128 * units.KiB
	}
	run, whole := alone(t, p, r, &phase), carried(t, p, r, &phase)
	if run.Parts != 2 || run.Groups != len(phase.Groups) {
		t.Errorf("%d of %d messages in %d parts, want all in 2", run.Groups, len(phase.Groups), run.Parts)
	}
	for _, g := range phase.Groups {
		if run.Took[g[0]] != whole.times[g[0]] {
			t.Errorf("rank %d: %v in parts, %v as a whole", g[0], run.Took[g[0]], whole.times[g[0]])
		}
	}
}

// A message's time depends on more than its way if anything is drawn or breaks, if ways are
// chosen packet by packet, or if messages share a node.
func TestOnlyKnownWaysDivideMessages(t *testing.T) {
	across, within := passes(8, 4), passes(8, 4)
	within.Groups[0] = []int32{0, 1}
	for _, c := range []struct {
		name, more string
		mode       scenario.RoutingMode
		phase      workload.Phase
	}{
		{"jitter", "run: {jitter: true}\n", scenario.ECMP, across},
		{"faults", "faults: [{link: node0/nic0 port 1, at: 10us, until: 20us}]\n", scenario.ECMP, across},
		{"spraying", "", scenario.Spray, across},
		{"a message in a node", "", scenario.ECMP, within},
	} {
		r, p := underLeaves(t, "8", c.more)
		p.Fabric.Routing.Mode = c.mode
		if s := hashedShore(p, r, executor.NewPlanner(r, p.Fabric), &c.phase); len(s.groups) > 0 {
			t.Errorf("%s: divided into %d islands", c.name, len(s.groups))
		}
	}
}

// idle is an application that does nothing.
type idle struct{}

func (idle) Complete(*fabric.Partition, int32, *transport.Completion) {}

func (idle) Timer(*fabric.Partition, uint32) {}

// The computed way is the way that the network takes.
func TestHashedWaysAreTaken(t *testing.T) {
	r, p := underLeaves(t, "32", "run: {seed: 7}\n")
	phase := passes(32, 4)
	net, err := p.Build(idle{}, r.Cluster.Nodes, network.ScaleUp{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range phase.Groups {
		k := executor.Pair{From: g[0], To: g[1], A: g[0], B: g[1], Group: executor.MessageGroup}
		end, _, err := net.ConnectNICs(k.A, k.B, k.Entropy(0), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		way, _ := hashedWay(p, k.Entropy(0), k.A, k.B)
		links := net.Path(k.A, end)[1:]
		if len(links) != len(way) {
			t.Fatalf("from %d to %d: %d ports of switches, the network takes %d", g[0], g[1], len(way), len(links))
		}
		for i, link := range links {
			from, to := net.LinkEnds(link)
			if cable := p.Graph.Nodes[way[i].at].Cables[way[i].port]; from != way[i].at || to != far(p, cable, from) {
				t.Errorf("from %d to %d: at %d by port %d, the network goes from %d to %d", g[0], g[1], way[i].at, way[i].port, from, to)
			}
		}
	}
}
