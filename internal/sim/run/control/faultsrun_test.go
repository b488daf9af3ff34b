package control_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// TestFaultsMayOverlap lays faults of a cable over each other in every way: a fault for
// ever stays, and a cable with two faults works when both are over.
func TestFaultsMayOverlap(t *testing.T) {
	for _, faults := range []string{
		"{at: 5us, link: leaf0 port 9}, {at: 50us, link: leaf0 port 9, until: 90us}",
		"{at: 50us, link: leaf0 port 9, until: 90us}, {at: 5us, switch: spine0}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 50us, link: leaf0 port 9, until: 90us}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 75us, link: leaf0 port 9, until: 90us}",
		"{at: 5us, link: leaf0 port 9, until: 70us}, {at: 5us, link: leaf0 port 9, until: 70us}",
	} {
		results := runtest.Run(t, simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics+"faults: ["+faults+"]"), 1)
		for _, f := range results.Fabrics {
			if p := &f.Points[0]; !p.Measured() || p.Counts.DroppedFault == 0 {
				t.Errorf("%s: %s: %d packets lost at cables, want some, and a time", faults, f.Name, p.Counts.DroppedFault)
			}
		}
	}
}

func TestAutoTakesFtreeOnAFatTreeAndSaysSo(t *testing.T) {
	r := simtest.Resolve(t, strings.Replace(simtest.Managed, "ENGINE", "auto", 1))
	out := runtest.Run(t, r, 1)
	if f := out.Fabrics[0]; f.Engine != "ftree" || !strings.Contains(f.EngineWhy, "proven") {
		t.Errorf("routed by %q because %q, want ftree, whose tables are proven", f.Engine, f.EngineWhy)
	}
}

// Engines whose paths have lanes of their own run where one lane would stand still: small
// buffers that keep packets for ever, and more packets than the rings hold.
func TestEnginesWithLanesByPathRunWithoutStandstill(t *testing.T) {
	for _, c := range []struct {
		engine, shape string
		vls           int
	}{
		{"auto", "{shape: torus, dims: [16], hosts-per-leaf: 8, radix: 12}", 4},
		{"torus-2QoS", "{shape: torus, dims: [5, 5], hosts-per-leaf: 6, radix: 12}", 4},
		{"torus-2QoS", "{shape: torus, dims: [3, 2, 4], hosts-per-leaf: 6, radix: 12}", 8},
		{"dfsssp", "{shape: torus, dims: [5, 5], hosts-per-leaf: 6, radix: 12}", 8},
		{"lash", "{shape: torus, dims: [5, 5], hosts-per-leaf: 6, radix: 12}", 8},
		{"dragonfly", "{shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}", 4},
		{"dfsssp", "{shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}", 8},
		{"lash", "{shape: fat-tree, levels: 2, radix: 16}", 4},
	} {
		out := runtest.Run(t, simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: 16, node: dgx-h100}
topology: %s
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: %s, vls: %d, buffer: 8KiB, hoq-lifetime: forever, leaf-hoq-lifetime: forever}}]
workload: {pattern: permutation, sizes: [256KiB]}`, c.shape, c.engine, c.vls)), 2)
		f := &out.Fabrics[0]
		if p := f.Points[0]; p.Time <= 0 || p.Counts.Drops() > 0 {
			t.Errorf("%s on %s: %v, %d drops", c.engine, c.shape, p.Time, p.Counts.Drops())
		}
		want := c.engine
		if want == "auto" {
			want = "torus-2QoS"
		}
		if f.Engine != want {
			t.Errorf("%s runs on the tables of %q, want %q", c.shape, f.Engine, want)
		}
	}
}

// TestFaultsDoNotDependOnCores runs faults of every kind, on any number of cores. Every
// run checks that packets, bytes and credits add up.
func TestFaultsDoNotDependOnCores(t *testing.T) {
	for name, faults := range map[string]string{
		"link":            "faults: [{at: 5us, link: leaf0 port 9}]",
		"link for a time": "faults: [{at: 5us, link: leaf0 port 9, until: 30ms}]",
		"NIC for a time":  "faults: [{at: 5us, link: node0/nic0 port 1, until: 4ms}]",
		"spine":           "faults: [{at: 5us, switch: spine3, until: 20ms}]",
		"two":             "faults: [{at: 5us, switch: spine3}, {at: 15us, link: spine1 port 2}]",
	} {
		t.Run(name, func(t *testing.T) {
			r := simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics+faults)
			out, err := runtest.SameOnCores(t, r, 1, 2, 9)
			if err != nil {
				t.Error(err)
			}
			for _, f := range out.Fabrics {
				p := f.Points[0]
				if p.Counts.DroppedFault == 0 || p.Fault.LastLoss < 5*units.Microsecond {
					t.Errorf("%s loses %d packets, the last at %v: want some, from 5 us on", f.Name, p.Counts.DroppedFault, p.Fault.LastLoss)
				}
				checkArrivals(t, f.Name, &p)
				if p.Time < p.Fault.Clean || p.Fault.Clean == 0 {
					t.Errorf("%s takes %v, and %v without faults", f.Name, p.Time, p.Fault.Clean)
				}
			}
		})
	}
}

// checkArrivals holds what arrived at NICs over time against the packets and the time of a run.
func checkArrivals(t *testing.T, name string, p *results.Point) {
	t.Helper()
	sum := int64(0)
	for _, bytes := range p.Fault.Arrived {
		sum += bytes
	}
	if payload := p.Bytes * p.Flows.N; sum < payload || sum > 2*payload {
		t.Errorf("%s: %d bytes arrived, of messages of %d together", name, sum, payload)
	}
	if end := units.Time(len(p.Fault.Arrived)) * p.Fault.Slice; end < p.Time || end > p.Time+p.Fault.Slice {
		t.Errorf("%s: arrivals until %v in a run of %v", name, end, p.Time)
	}
}

// TestRingsAreMendedOnBothFabrics breaks a cable and a switch of a torus and of a
// dragonfly: in the end every way that has cables is open, and the run ends.
func TestRingsAreMendedOnBothFabrics(t *testing.T) {
	const torus, dragonfly = "torus, dims: [4, 4], hosts-per-leaf: 2", "dragonfly, hosts-per-leaf: 2, switches-per-group: 4, global-links: 2, groups: 5, radix: 16"
	for _, c := range []struct{ shape, engine, fault string }{
		{torus, "auto", "link: 'switch(0,0) port 3'"},
		{torus, "auto", "switch: 'switch(1,2)'"},
		{torus, "dfsssp, vls: 8", "link: 'switch(0,0) port 5'"},
		{torus, "updn", "switch: 'switch(3,2)'"},
		{dragonfly, "dfsssp, vls: 8", "link: group0/switch0 port 3"},
		{dragonfly, "updn", "link: group0/switch0 port 6"},
	} {
		text := strings.Replace(simtest.Ringed(c.shape), "fabrics: [roce-v2-400g]", "fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: "+c.engine+"}, transport: {timeout: 2ms}}, {preset: roce-v2-400g, transport: {timeout: 4ms}}]", 1)
		out, err := sim.Run(context.Background(), simtest.Resolve(t, text+"\nfaults: [{at: 5us, "+c.fault+"}]"), sim.Options{Workers: 2})
		if cut := strings.HasPrefix(c.fault, "switch"); (err != nil) != cut { // the switch's hosts are cut off for good
			t.Errorf("%s, %s: the run ends with %v; want an error: %v", c.fault, c.engine, err, cut)
		}
		for _, f := range out.Fabrics {
			rec := f.Control.Recoveries[0]
			if rec.Entries == 0 || rec.Open <= 0 || rec.Open > units.Second || rec.Last < rec.Open {
				t.Errorf("%s, %s on %s: %+v", c.fault, c.engine, f.Name, rec)
			}
			if hosts := 2; strings.HasPrefix(c.fault, "link") && rec.Cut > 0 || rec.Cut > hosts*20 {
				t.Errorf("%s, %s on %s: %d ways stay closed", c.fault, c.engine, f.Name, rec.Cut)
			}
		}
	}
}

// TestLanesChangeWithTheTables has faults that an engine cannot route around, so that
// another engine takes over, and faults that it can: a cable of a group of a dragonfly, two
// of one ring of a torus, one of a torus, and one of a torus on dfsssp, whose levels are
// their lanes. SL2VL tables change after the last block of the tables has been sent, and
// results are the same on any number of cores.
func TestLanesChangeWithTheTables(t *testing.T) {
	const ring = "{at: 5us, link: 'switch(0,0) port 3'}, {at: 5us, link: 'switch(2,0) port 3'}"
	for _, c := range []struct {
		name, text string
		change     bool
	}{
		{"dragonfly", simtest.LanesByPath(simtest.SmallDragonfly, "auto", "{at: 5us, link: group0/switch0 port 3}"), true},
		{"broken ring", simtest.LanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "auto", ring), true},
		{"torus", simtest.LanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "torus-2QoS", "{at: 5us, link: 'switch(0,0) port 3'}"), false},
		{"dfsssp", simtest.LanesByPath("torus, dims: [4, 4], hosts-per-leaf: 2", "dfsssp, vls: 8", "{at: 5us, switch: 'switch(1,2)'}, {at: 5us, link: 'switch(3,0) port 3'}"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := simtest.Resolve(t, c.text)
			out, err := runtest.SameOnCores(t, r, 1, 2, 9)
			if cut := c.name == "dfsssp"; (err != nil) != cut { // its switch's hosts are cut off for good
				t.Errorf("the run ends with %v; want an error: %v", err, cut)
			}
			all := out.Fabrics[0].Control.Recoveries
			rec := all[len(all)-1]
			if rec.Entries == 0 || (rec.LaneTables > 0) != c.change || rec.LaneTables > 0 && rec.LastLanes <= rec.Last {
				t.Errorf("%d entries change, the last %v after the fault, and %d SL2VL tables, the last after %v", rec.Entries, rec.Last, rec.LaneTables, rec.LastLanes)
			}
		})
	}
}

// TestTheLifetimeBreaksACreditLoop fills a dragonfly whose connections keep level 0 while
// dfsssp's tables take over. The tables then have a credit loop. Packets in it are discarded
// after the head-of-queue lifetime, so that nothing stands still, and queue pairs that lose
// too many give up. Without the fault no packet is discarded.
func TestTheLifetimeBreaksACreditLoop(t *testing.T) {
	const text = `
cluster: {nodes: 10, node: dgx-h100}
topology: {shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 4, global-links: 1, groups: 5, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, transport: {timeout: 1ms}, ib: {buffer: 8KiB, hoq-lifetime: 200us, leaf-hoq-lifetime: 200us}}]
workload: {pattern: permutation, sizes: [2MiB]}
control: {loss-of-signal: 1us, sm: {agent: 100ns, datagram: 50ns, entry: 1ns, window: 64}}
`
	discarded := func(text string) (int64, *results.FabricResult) {
		out, _ := sim.Run(context.Background(), simtest.Resolve(t, text), sim.Options{Workers: 2})
		return out.Fabrics[0].Points[0].Counts.DroppedLifetime, &out.Fabrics[0]
	}
	if n, f := discarded(text); n > 0 || !f.Points[0].Measured() {
		t.Errorf("without a fault %d packets wait for longer than the lifetime; %s", n, f.Points[0].Failure)
	}
	n, f := discarded(text + "faults: [{at: 5us, link: group0/switch0 port 5}]")
	rec, p := f.Control.Recoveries[0], &f.Points[0]
	if n == 0 || rec.Circle == "" || p.Flows.N == 0 || !strings.Contains(p.Failure, "RETRY_EXC_ERR") {
		t.Errorf("%d packets are discarded in the loop of %q, %d messages arrive, the run ends with %q; want some, and RETRY_EXC_ERR of others", n, rec.Circle, p.Flows.N, p.Failure)
	}
}

// TestTrafficGoesOnWhenAPlaneLosesACable: every message arrives.
func TestTrafficGoesOnWhenAPlaneLosesACable(t *testing.T) {
	for _, f := range runtest.Run(t, simtest.Resolve(t, simtest.BrokenPlane), 2).Fabrics {
		if p := f.Points[0]; p.Time <= 0 || p.Counts.MessagesLost > 0 {
			t.Errorf("%s: %v, %d messages lost", f.Name, p.Time, p.Counts.MessagesLost)
		}
	}
}
