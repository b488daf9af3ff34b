package control

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

const (
	us = units.Microsecond
	ms = units.Millisecond
)

func faultyPlan(t *testing.T, text string, fabric int) *network.Plan {
	t.Helper()
	r := simtest.Resolve(t, text)
	p, err := NewPlan(r, &r.Fabrics[fabric])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func recovery(t *testing.T, p *network.Plan) results.Recovery {
	t.Helper()
	if n := len(p.Faults.Control.Recoveries); n != 1 {
		t.Fatalf("%d recoveries, want 1", n)
	}
	return p.Faults.Control.Recoveries[0]
}

// TestTheManagersTablesEqualThePlans: the tables that the simulated manager writes at
// bring-up equal the tables of a run without faults.
func TestTheManagersTablesEqualThePlans(t *testing.T) {
	for _, engine := range []string{"ftree", "updn", "minhop"} {
		text := strings.Replace(simtest.LeafSpine+simtest.BothFabrics, "preset: infiniband-ndr", "preset: infiniband-ndr, ib: {engine: "+engine+"}", 1)
		without := faultyPlan(t, text, 0)
		with := faultyPlan(t, text+"faults: [{at: 5us, link: leaf0 port 9}]", 0)
		if !slices.Equal(without.Tables.Port, with.Tables.Port) {
			t.Errorf("%s: the manager's tables differ from the tables of a run without faults", engine)
		}
	}
}

// TestWaysWithoutFaultsAreTheMinimalOnes compares the ways without faults with the
// minimal ports of the tables, on every shape.
func TestWaysWithoutFaultsAreTheMinimalOnes(t *testing.T) {
	for _, text := range []string{
		simtest.LeafSpine + simtest.BothFabrics,
		`
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 3, radix: 8}
fabrics: [roce-v2-400g]
workload: {pattern: permutation, sizes: [1MiB]}`,
		`
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [roce-v2-400g]
workload: {pattern: permutation, sizes: [1MiB]}`,
		simtest.Ringed("torus, dims: [5, 4, 2], hosts-per-leaf: 2"),
		simtest.Ringed("dragonfly, hosts-per-leaf: 2, switches-per-group: 4, global-links: 2, groups: 5, radix: 16"),
		simtest.Ringed("dragonfly-plus"),
	} {
		p := faultyPlan(t, text, 0)
		r := routing.NewDetours(p.Graph, make([]bool, len(p.Graph.Cables)))
		for sw := range p.Tables.Switches {
			for dst := range p.Tables.Endpoints {
				if got, want := r.Set(sw, dst), p.Tables.Minimal(sw, dst); !slices.Equal(got, want) {
					t.Fatalf("%s: from %s to %s by ports %v, minimal are %v", p.Fabric.Topology.Shape, p.Graph.Nodes[p.Graph.Endpoints+sw].Name, p.Graph.Nodes[dst].Name, got, want)
				}
			}
		}
	}
}

// TestWaysAroundFaultsNeverGoUpAgain breaks cables and follows every way to its end.
func TestWaysAroundFaultsNeverGoUpAgain(t *testing.T) {
	p := faultyPlan(t, simtest.LeafSpine+simtest.BothFabrics, 0)
	down := make([]bool, len(p.Graph.Cables))
	for c := range down {
		down[c] = c%7 == 3
	}
	r := routing.NewDetours(p.Graph, down)
	for sw := range p.Tables.Switches {
		for dst := range p.Tables.Endpoints {
			for _, port := range r.Set(sw, dst) {
				follow(t, p, r, down, sw, dst, port, true)
			}
		}
	}
}

// follow takes a port and then every way that is left, which must end at dst.
func follow(t *testing.T, p *network.Plan, r *routing.Detours, down []bool, sw, dst int, port uint16, mayRise bool) {
	t.Helper()
	at := topology.End{Node: topology.NodeID(p.Graph.Endpoints + sw), Port: int32(port)}
	far, cable, _ := p.Graph.Peer(at)
	if down[cable] {
		t.Fatalf("%s sends by port %d, whose cable is out", p.Graph.Nodes[at.Node].Name, port)
	}
	if int(far.Node) == dst {
		return
	}
	rises := p.Graph.Nodes[far.Node].Level > p.Graph.Nodes[at.Node].Level
	if rises && !mayRise {
		t.Fatalf("a way to %s goes down and up again at %s", p.Graph.Nodes[dst].Name, p.Graph.Nodes[at.Node].Name)
	}
	next := r.Set(int(far.Node)-p.Graph.Endpoints, dst)
	if len(next) == 0 {
		t.Fatalf("%s sends to %s for %s, which knows no way", p.Graph.Nodes[at.Node].Name, p.Graph.Nodes[far.Node].Name, p.Graph.Nodes[dst].Name)
	}
	for _, port := range next {
		follow(t, p, r, down, int(far.Node)-p.Graph.Endpoints, dst, port, rises)
	}
}

// TestBGPTakesItsTimers: leaf 0 repairs its own groups after detection. Spine 0 has no
// other way to leaf 0, and advertises that to the other leaves, a hop away, which write
// 8 entries each.
func TestBGPTakesItsTimers(t *testing.T) {
	const timers = "{repair: 2ms, update: 5ms, advertisement: 1ms, entry: 100us, bfd-interval: 50ms"
	for detection, detected := range map[string]units.Time{"loss-of-signal": 10 * us, "bfd": 150 * ms} {
		p := faultyPlan(t, strings.Replace(simtest.LeafSpine, "control: {", "control: {bgp: "+timers+", detection: "+detection+"}, ", 1)+
			simtest.BothFabrics+"faults: [{at: 1ms, link: leaf0 port 9}]", 2)
		got := recovery(t, p)
		want := results.Recovery{
			What: "leaf0 port 9", At: ms, How: detection, Detected: detected, Swept: results.Never, Computed: results.Never,
			First: detected + 2*ms, Open: detected + 2*5*ms + ms + 8*100*us, Last: detected + 2*5*ms + ms + 8*100*us,
			Switches: 5,            // both ends and three leaves
			Entries:  24 + 8 + 3*8, // to other leaves' hosts; to leaf 0's; the same
		}
		if got != want {
			t.Errorf("%s:\n%+v, want\n%+v", detection, got, want)
		}
	}
}

// TestTheManagerTakesItsTime compares a recovery with its terms: the port's detection,
// one trap, a sweep whose datagrams are handled one by one, and the model of computing.
func TestTheManagerTakesItsTime(t *testing.T) {
	p := faultyPlan(t, simtest.LeafSpine+simtest.BothFabrics+"faults: [{at: 1ms, link: leaf0 port 9}]", 0)
	c := simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics).Control
	got := recovery(t, p)
	// An agent makes a trap, which crosses at most four cables, and the manager takes it.
	least := c.LossOfSignal + c.SM.Agent + c.SM.Datagram
	if got.How != "trap" || got.Detected <= least || got.Detected > least+10*us {
		t.Errorf("noticed by %s after %v, want by trap a few microseconds after %v", got.How, got.Detected, least)
	}
	// 12 switches and 32 adapters, 44 LIDs; a datagram for each port that answers, and two or
	// three for each device.
	if compute := got.Computed - got.Swept; compute != 12*44*c.SM.Entry {
		t.Errorf("tables take %v, want %v for 12 switches and 44 LIDs", compute, 12*44*c.SM.Entry)
	}
	datagrams := units.Time(12*(17+2) + 32*3)
	if sweep := got.Swept - got.Detected; sweep < datagrams*c.SM.Datagram || sweep > datagrams*(c.SM.Datagram+c.SM.Agent) {
		t.Errorf("a sweep takes %v, want from %v to %v", sweep, datagrams*c.SM.Datagram, datagrams*(c.SM.Datagram+c.SM.Agent))
	}
	if got.First < got.Computed || got.Open < got.First || got.Last < got.Open || got.Switches < 2 || got.Cut > 0 {
		t.Errorf("%d switches get tables from %v to %v, computed at %v; ways are open at %v, %d stay closed", got.Switches, got.First, got.Last, got.Computed, got.Open, got.Cut)
	}
	up := p.Faults.Control.BringUp
	if sum := up.Discovery + up.Compute + up.Tables + up.Activate; sum != up.Time {
		t.Errorf("the phases of bring-up take %v together, bring-up %v", sum, up.Time)
	}
}

// TestAdaptiveRoutingMendsItselfAtTheFault: the switches at the ends of the cable leave the
// port out before the manager knows.
func TestAdaptiveRoutingMendsItselfAtTheFault(t *testing.T) {
	p := faultyPlan(t, simtest.LeafSpine+simtest.BothFabrics+"faults: [{at: 1ms, link: leaf0 port 9}]", 1)
	if got := recovery(t, p); got.First != 10*us || got.Last <= got.Computed {
		t.Errorf("the first switch leaves the port out after %v, want 10 us; the last gets its table after %v, computed after %v", got.First, got.Last, got.Computed)
	}
}

// TestAManagerWithoutACableHearsOfNothing until its next light sweep, which nobody answers.
// Nobody repairs faults elsewhere: the old tables' ways over the second cable stay closed.
func TestAManagerWithoutACableHearsOfNothing(t *testing.T) {
	p := faultyPlan(t, simtest.LeafSpine+simtest.BothFabrics+"faults: [{at: 1ms, link: node0/nic0 port 1}, {at: 2ms, link: leaf1 port 9}]", 0)
	all := p.Faults.Control.Recoveries
	if got := all[0]; got.Last != results.Never || got.How != "not noticed" {
		t.Errorf("a manager without a cable notices by %s and writes tables: %+v", got.How, got)
	}
	got := all[1]
	if sweep := simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics).Control.SM.Sweep; got.How != "light sweep" || got.Detected < sweep-2*ms {
		t.Errorf("it notices by %s after %v, want by the light sweep after %v", got.How, got.Detected, sweep)
	}
	cut, dead := 0, p.Graph.Nodes[p.Graph.Endpoints+1].Cables[8]
	for leaf := range 4 {
		for dst := 1; dst < p.Graph.Endpoints; dst++ {
			for at := leaf; ; {
				end := topology.End{Node: topology.NodeID(p.Graph.Endpoints + at), Port: int32(p.Tables.Static(at, dst))}
				far, cable, _ := p.Graph.Peer(end)
				if cable == dead {
					cut++
				}
				if cable == dead || int(far.Node) == dst {
					break
				}
				at = int(far.Node) - p.Graph.Endpoints
			}
		}
	}
	if got.Cut != cut || cut == 0 {
		t.Errorf("%d ways stay closed, want %d", got.Cut, cut)
	}
}

// TestTheLossOfAHostIsTrapped by its leaf.
func TestTheLossOfAHostIsTrapped(t *testing.T) {
	text := simtest.LeafSpine + simtest.BothFabrics + "faults: [{at: 1ms, link: node3/nic7 port 1}]"
	if got := recovery(t, faultyPlan(t, text, 0)); got.How != "trap" || got.Open != 0 {
		t.Errorf("the loss of a host is noticed by %s, and opens ways after %v; want by a trap, and none", got.How, got.Open)
	}
}

// TestAStandbyTakesOver: the standby polls three times, a second apart, with four attempts
// each and no answer. Then it sweeps, and asks the old master four times whether it is
// still there.
func TestAStandbyTakesOver(t *testing.T) {
	text := strings.Replace(simtest.LeafSpine, "control: {", "control: {sm: {standby: true, poll: 1s, timeout: 100ms}, ", 1) + simtest.BothFabrics
	got := recovery(t, faultyPlan(t, text+"faults: [{at: 1ms, sm: true}]", 0))
	if least, most := 2*units.Second+4*4*100*ms, 3*units.Second+4*4*100*ms+20*ms; got.How != "standby" || got.Detected < least || got.Detected > most {
		t.Errorf("noticed by %q after %v, want by the standby after %v to %v", got.How, got.Detected, least, most)
	}
	without := strings.Replace(text, "standby: true, ", "", 1)
	if got := recovery(t, faultyPlan(t, without+"faults: [{at: 1ms, sm: true}]", 0)); got.Detected != results.Never {
		t.Errorf("without a standby the end of the manager is noticed after %v, by %s", got.Detected, got.How)
	}
}

// TestFaultsThatCannotBeAreRefused finds the reason in each error.
func TestFaultsThatCannotBeAreRefused(t *testing.T) {
	for want, fault := range map[string]string{
		"no node":                "{at: 1ms, switch: leaf99}",
		"no cable":               "{at: 1ms, link: leaf0 port 17}",
		"has no cable at port x": "{at: 1ms, link: leaf0 port x}",
		"a port, such":           "{at: 1ms, link: leaf0}",
		"no switch":              "{at: 1ms, switch: node0/nic0}",
	} {
		r := simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics+"faults: ["+fault+"]")
		if _, err := NewPlan(r, &r.Fabrics[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fault, err, want)
		}
	}
	for want, text := range map[string]string{
		"take routing.mode deterministic": "{preset: infiniband-ndr, routing: {mode: adaptive}}",
		"its paths are not BGP's":         "{preset: roce-v2-400g, routing: {mode: up-down}}",
	} {
		text = strings.Replace(simtest.Ringed("dragonfly, hosts-per-leaf: 2, switches-per-group: 4, global-links: 2, groups: 5, radix: 16"), "roce-v2-400g", text, 1)
		r := simtest.Resolve(t, text+"\nfaults: [{at: 1ms, link: group0/switch0 port 3}]")
		if _, err := NewPlan(r, &r.Fabrics[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCreditLoopsOfConnectionsThatKeepTheirLevelsAreFound: new trees of dfsssp around a
// cable, with the levels of the old trees, have a credit loop; torus-2QoS never has.
func TestCreditLoopsOfConnectionsThatKeepTheirLevelsAreFound(t *testing.T) {
	circle := func(engine, fault string) string {
		text := strings.Replace(simtest.Ringed("torus, dims: [4, 4], hosts-per-leaf: 2"), "roce-v2-400g", "{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: "+engine+"}}", 1)
		return recovery(t, faultyPlan(t, text+"\nfaults: [{at: 5us, "+fault+"}]", 0)).Circle
	}
	if got := circle("dfsssp, vls: 8", "link: 'switch(0,0) port 3'"); got == "" {
		t.Error("new trees with the levels of the old ones have no credit loop")
	}
	for _, fault := range []string{"link: 'switch(0,0) port 3'", "link: 'switch(3,1) port 4'", "switch: 'switch(1,2)'"} {
		if got := circle("torus-2QoS", fault); got != "" {
			t.Errorf("%s: torus-2QoS has a credit loop by old levels: %s", fault, got)
		}
	}
}

// TestBGPKnowsOnlyDetectedFaults: an outage that is over before its detection is none for
// BGP, and a cable has not worked before its session is back.
func TestBGPKnowsOnlyDetectedFaults(t *testing.T) {
	r := simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics+"faults: [{at: 1ms, until: 2ms, link: leaf0 port 9, times: 3, period: 10ms}, {at: 1ms, until: 1010us, link: leaf1 port 9}]")
	p, err := NewPlan(r, &r.Fabrics[2])
	if err != nil {
		t.Fatal(err)
	}
	b := &bgpPlan{Plan: p, spec: &r.Control}
	cable := func(span network.Span) string { return p.Graph.Nodes[p.Graph.Cables[span.Cable].A.Node].Name }
	known := b.known(p.Faults.Outages)
	if len(known) != 1 || cable(known[0]) != "leaf0" || known[0].From != ms || known[0].Until != 22*ms {
		t.Errorf("known are %+v, want one outage of leaf0's cable from 1 to 22 ms", known)
	}
	var told []string
	for _, rec := range p.Faults.Control.Recoveries {
		if rec.Entries > 0 {
			told = append(told, rec.What)
		}
	}
	if len(told) != 2 {
		t.Errorf("tables change %d times, want at the first fault and after the last repair", len(told))
	}
}

// TestOutagesOfACableAreJoined: a switch that goes dark while one of its cables is
// out already.
func TestOutagesOfACableAreJoined(t *testing.T) {
	out := func(cable int32, from, until units.Time) network.Span {
		return network.Span{Cable: cable, From: from, Until: until}
	}
	got := joined([]network.Span{out(3, 10*us, 50*us), out(1, us, 2*us), out(3, 30*us, 90*us), out(3, 300*us, units.Forever), out(3, 95*us, 99*us), out(3, 400*us, 500*us)}, 10*us)
	want := []network.Span{out(1, us, 2*us), out(3, 10*us, 99*us), out(3, 300*us, units.Forever)} // an outage for ever stays
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAManagerThatCannotKeepUpIsReported: agents that take longer than the timeout of a
// request, and sweeps without end.
func TestAManagerThatCannotKeepUpIsReported(t *testing.T) {
	text := strings.Replace(simtest.LeafSpine, "control: {", "control: {sm: {agent: 1s}, ", 1) + simtest.BothFabrics
	if _, err := BringUp(simtest.Resolve(t, text)); err == nil || !strings.Contains(err.Error(), "does not bring the subnet up") {
		t.Errorf("agents slower than the timeout: %v, want that the subnet does not come up", err)
	}
	p := faultyPlan(t, simtest.LeafSpine+simtest.BothFabrics, 0)
	m, err := newManagedSubnet(p, &simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics).Control, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.events = maxControlEvents
	if _, err := m.bringUp(); err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("more events than are allowed: %v", err)
	}
}

// TestPlanesAreMendedEachForItself breaks a cable of one of two planes: the switches of
// the other plane change nothing, and all ways of the first open again.
func TestPlanesAreMendedEachForItself(t *testing.T) {
	r := simtest.Resolve(t, simtest.BrokenPlane)
	for i := range r.Fabrics {
		p, err := NewPlan(r, &r.Fabrics[i])
		if err != nil {
			t.Fatal(err)
		}
		rec := recovery(t, p)
		if rec.Entries == 0 || rec.Open <= 0 || rec.Cut > 0 {
			t.Errorf("%s: %+v", p.Fabric.Name, rec)
		}
		for _, c := range p.Faults.Changes {
			if n := &p.Graph.Nodes[p.Graph.Endpoints+int(c.Row)]; n.Plane != 1 {
				t.Fatalf("%s: %s of plane %d changes its table", p.Fabric.Name, n.Name, n.Plane)
			}
		}
	}
}

// The chips of a director have one short name: it means none of them.
func TestAFaultOfAnAmbiguousNameIsRefused(t *testing.T) {
	g := &topology.Graph{Nodes: []topology.Node{
		{Name: "MF0;dir:MCS8500/L01/U1", Kind: topology.Switch, Cables: []int32{0}},
		{Name: "MF0;dir:MCS8500/L01/U2", Kind: topology.Switch, Cables: []int32{1}},
	}}
	for _, f := range []scenario.Fault{{Switch: "dir"}, {Link: "dir port 1"}} {
		if cables, err := cablesOf(g, &f); err == nil || !strings.Contains(err.Error(), `"dir" is the name of 2 nodes`) {
			t.Errorf("%+v: cables %v, %v", f, cables, err)
		}
	}
	if cables, err := cablesOf(g, &scenario.Fault{Switch: "dir:MCS8500/L01/U2"}); err != nil || len(cables) != 1 || cables[0] != 1 {
		t.Errorf("the second chip has cables %v, %v", cables, err)
	}
}
