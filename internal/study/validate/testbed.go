package validate

import (
	"weft/internal/base/topology"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
)

// Models are what a test may change in a case, to show that the case can fail. A field of another
// part of the program is nil.
type Models struct {
	*network.Devices
	Link  *scenario.Link
	DCQCN *cc.DCQCNParams
	IBCC  *cc.IBCCParams
}

// change lets a test change a case.
func (e *Env) change(m Models) {
	if e.Change != nil {
		e.Change(&m)
	}
}

const ns = units.Nanosecond

// The values that most cases share. They have no common divisor with other
// values. A reference writes these numbers out again.
const (
	signal10m  = 50_500 // ps: 10 m at 5.05 ns/m
	nicDelay   = 300 * ns
	ibDelay    = 130 * ns
	ethDelay   = 500 * ns
	ibPeriod   = 100 * ns
	ibLatency  = 50 * ns
	ibBlocks   = 2048
	mtu        = 4096
	pfcDelay   = 100 * ns
	ethBuffer  = 64 << 20
	ethReserve = 4096
)

// testbed is the network of a case: the fabric of a scenario, whose values the case sets, on a
// graph of the case.
type testbed struct {
	*scenario.Fabric
	scenario *scenario.Resolved
	// prepare, if not nil, sets what the fabric has no field for.
	prepare func(*network.Plan)
}

// testbedOf is a fabric of a preset with a link of the catalog and a congestion control.
func testbedOf(preset, link, control string, changes ...scenario.Override) (*testbed, error) {
	file, err := scenario.New("validate", &scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-b300", GPUs: 1, NICs: 1, NIC: scenario.NIC{Model: "connectx-8", Rate: 800 * units.Gbps}}},
		Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabric:   scenario.Fabric{Preset: preset, Link: scenario.Link{Generation: link}, CC: scenario.CC{Preset: control}},
		Workload: scenario.Workload{Pattern: scenario.Flows, Flows: []scenario.Flow{{Src: 0, Dst: 1, Bytes: units.MiB}}},
	})
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve(changes...)
	if err != nil {
		return nil, err
	}
	r.Run.Limit.Events = 0
	t := &testbed{Fabric: &r.Fabrics[0], scenario: r}
	t.MTU, t.Routing.Mode = mtu, scenario.Deterministic
	t.setSignal(signal10m)
	t.NIC.AckPipeline, t.NIC.PacketGap, t.NIC.OutOfOrder = nicDelay, 0, false
	t.Transport.AckEvery, t.Transport.Timeout, t.Transport.Window, t.Transport.PacketWindow = 1, units.Forever, 0, 0
	t.Transport.Retransmission = scenario.FixedRetransmission
	return t, nil
}

// setSignal sets the time of a signal through each cable.
func (t *testbed) setSignal(signal units.Time) { t.Link.PerMetre, t.Link.FECLatency = 0, signal }

// infiniband is an InfiniBand fabric of a generation.
func infiniband(generation string) (*testbed, error) {
	return controlledInfiniBand(generation, "none")
}

// controlledInfiniBand is the same with a congestion control.
func controlledInfiniBand(generation, control string) (*testbed, error) {
	preset := "infiniband-ndr"
	if generation == "xdr" {
		preset = "infiniband-xdr"
	}
	t, err := testbedOf(preset, generation, control)
	if err != nil {
		return nil, err
	}
	t.Switch.Latency = ibDelay
	ib := &t.IB
	ib.Buffer, ib.NICBuffer = ibBlocks*credit.Block, ibBlocks*credit.Block
	ib.CreditUpdate, ib.CreditThreshold = ibPeriod, ib.Buffer
	ib.Speedup, ib.Queueing = scenario.Ratio{Num: 2, Den: 1}, scenario.VOQ
	ib.HOQLifetime, ib.LeafHOQLifetime = units.Forever, units.Forever
	return t, nil
}

// roce is a RoCE v2 fabric on an Ethernet.
func roce(link string) (*testbed, error) { return controlledRoCE(link, "none") }

// controlledRoCE is the same with a congestion control.
func controlledRoCE(link, control string, changes ...scenario.Override) (*testbed, error) {
	t, err := ethernet("roce-v2-", link, control, changes...)
	if err == nil {
		t.Ethernet.ECN = scenario.ECN{}
	}
	return t, err
}

// ethernet is a fabric of presets by rate. All packets have one priority.
func ethernet(presets, link, control string, changes ...scenario.Override) (*testbed, error) {
	preset := presets + "400g"
	if link == "800g" {
		preset = presets + link
	}
	t, err := testbedOf(preset, link, control, changes...)
	if err != nil {
		return nil, err
	}
	t.Switch.Latency, t.Switch.Forwarding = ethDelay, scenario.CutThrough
	e := &t.Ethernet
	e.DataPriority, e.AckPriority, e.CNPPriority = 0, 0, 0
	e.Queues, e.EgressAlpha, e.Shared = nil, scenario.Ratio{}, ethBuffer
	e.PFC = scenario.PFC{
		Enabled: e.PFC.Enabled, Priorities: []int{0}, Response: pfcDelay, Alpha: scenario.Ratio{Num: 1, Den: 8},
		Reserve: ethReserve, Headroom: 256 << 10, XONOffset: 18 << 10,
	}
	return t, nil
}

// build makes the network on a graph.
func (t *testbed) build(e *Env, spec topology.Spec, a fabric.App) (*network.Network, error) {
	p, err := network.OnGraph(t.scenario, t.Fabric, spec)
	if err != nil {
		return nil, err
	}
	if t.prepare != nil {
		t.prepare(p)
	}
	amend := p.Amend
	p.Amend = func(d *network.Devices) {
		if p.InfiniBand() {
			d.NIC.Credits.Latency, d.InfiniBandSwitch.Credits.Latency = ibLatency, ibLatency
		}
		if amend != nil {
			amend(d)
		}
		e.change(Models{Devices: d, Link: &t.Link})
	}
	return p.Build(a, t.scenario.Cluster.Nodes, network.ScaleUp{}, 1)
}

// pair is two NICs on one cable.
func (t *testbed) pair(e *Env, a fabric.App) (*network.Network, error) {
	return t.build(e, topology.Chain{}, a)
}

// star is n NICs on one switch.
func (t *testbed) star(e *Env, n int, a fabric.App) (*network.Network, error) {
	return t.build(e, topology.SingleSwitch{Endpoints: n}, a)
}

// app is an application of two functions.
type app struct {
	complete func(*fabric.Partition, int32, *transport.Completion)
	timer    func(*fabric.Partition, uint32)
}

func (a *app) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if a.complete != nil {
		a.complete(p, nic, c)
	}
}

func (a *app) Timer(p *fabric.Partition, source uint32) { a.timer(p, source) }

// arrivals is an application that reports the arrival of messages.
func arrivals(at func(units.Time)) *app {
	return &app{complete: func(p *fabric.Partition, _ int32, c *transport.Completion) {
		if c.Recv {
			at(p.Now())
		}
	}}
}

// unreliable is a connection without acknowledgements: nothing goes the other
// way.
var unreliable = fabric.Connection{Service: transport.UC}

// post connects two NICs and posts one message before the run.
func post(n *network.Network, from, to int32, c fabric.Connection, wr transport.WorkRequest) error {
	qp, _, err := n.Connect(from, to, c, fabric.Connection{Service: c.Service, Class: c.Class, Reply: c.Reply})
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, wr)
}

// postControlled is the same on a connection with the fabric's congestion control.
func postControlled(n *network.Network, from, to int32, wr transport.WorkRequest) error {
	qp, _, err := n.ConnectNICs(from, to, uint32(from)<<8|uint32(to), 0, 0)
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, wr)
}

// run runs a network until it has no more events, for at most limit.
func run(e *Env, n *network.Network, limit units.Time) error {
	stop, release := engine.NewStop(e.Ctx)
	defer release()
	if err := n.Run(limit, 1, stop); err != nil {
		return err
	}
	return e.Ctx.Err()
}
