package hpccrun

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/formats/hpcc"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// Constants in that simulator's code. Source of all:
// alibaba-edu/High-Precision-Congestion-Control and astra-sim/astra-network-ns3
// (src/point-to-point/model: switch-mmu.cc, switch-node.cc, qbb-net-device.cc,
// rdma-hw.cc), as replayed to the nanosecond by internal/formats/hpcc's tests.
const (
	// A data packet has PPP 2, IPv4 20, UDP 8, sequence number and priority 6 bytes in addition to
	// its payload. There is neither preamble nor gap.
	hpccOverhead = 36
	hpccAckBytes = 48
	// A PFC frame is PPP 2, IPv4 20 and its own 9 bytes.
	hpccPFCBytes = 31
	// Parameters of an ingress port: its reserve, the distance below the threshold at which it
	// resumes, and its headroom in bandwidth-delay products of its link.
	hpccReserve         = 4096
	hpccResumeOffset    = 3 * 1024
	hpccHeadroomFactor  = 3
	hpccAlphaShift      = 3 // alpha is 1/8 at the slowest ports, and doubles with the rate
	hpccClasses         = 8
	hpccNAKInterval     = 500 * units.Microsecond
	hpccUnpausedClasses = 1 // bit of priority 0
)

// hpccRefusals are features of a case that weft's models do not have.
func hpccRefusals(c *hpcc.Case) error {
	var all []error
	refuse := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	g := &c.Config
	refuse(g.CC != hpcc.CCDCQCN, "CC_MODE %d (%v): weft runs these cases with DCQCN, CC_MODE 1", int(g.CC), g.CC)
	refuse(g.AckInterval == 0, "L2_ACK_INTERVAL 0: without acknowledgements no flow ends; 1 acknowledges every packet")
	refuse(!g.RateBound, "RATE_BOUND 0: weft paces packets at the rate of DCQCN; RATE_BOUND 1 does so")
	refuse(g.NICPauses != 0, "NIC_TOTAL_PAUSE_TIME %d: weft's NICs make up no pauses", g.NICPauses)
	refuse(g.LinkDown.After != 0, "LINK_DOWN: weft takes no link down in these cases")
	lossy := g.LossPerLink.Num != 0
	for _, l := range c.Topology.Links {
		lossy = lossy || l.Loss.Num != 0
	}
	refuse(lossy, "a link that loses packets: weft's links lose none")
	for i := range c.Flows {
		if c.Flows[i].Priority == 0 {
			refuse(true, "flow %d has priority 0, which that simulator's switches neither account nor pause: take 1 to 7", i+1)
			break
		}
	}
	return errors.Join(all...)
}

// newHPCCRun builds the network of a case, in at most the given number of partitions.
func newHPCCRun(c *hpcc.Case, seed uint64, parts int) (*hpccRun, error) {
	if err := hpccRefusals(c); err != nil {
		return nil, err
	}
	routes, err := hpcc.NextHops(&c.Topology, c.Config.Payload)
	if err != nil {
		return nil, err
	}
	m := &hpccModels{c: c, routes: routes, r: &hpccRun{c: c}}
	m.number()
	if err := m.build(seed, parts); err != nil {
		return nil, err
	}
	return m.r, m.connect()
}

// hpccModels builds a case's network.
type hpccModels struct {
	c      *hpcc.Case
	routes *hpcc.Routes
	r      *hpccRun

	hosts []int        // in the network's order
	ports [][]hpccPort // by node of the case, by port from 0
	ids   []int        // of a row of the tables: the switch
}

// hpccPort is an interface.
type hpccPort struct {
	rate  units.Rate
	delay units.Time
}

// number gives each node its number in the network: hosts first.
func (m *hpccModels) number() {
	t := &m.c.Topology
	m.ports = make([][]hpccPort, t.Nodes)
	for _, l := range t.Links { // interfaces count in the order of the links
		m.ports[l.A] = append(m.ports[l.A], hpccPort{l.Rate, l.Delay})
		m.ports[l.B] = append(m.ports[l.B], hpccPort{l.Rate, l.Delay})
	}
	m.hosts = t.Hosts()
	for id := range t.Nodes {
		if t.IsSwitch(id) {
			m.ids = append(m.ids, id)
		}
	}
	m.r.node = make([]int32, t.Nodes)
	for i, id := range slices.Concat(m.hosts, m.ids) {
		m.r.node[id] = int32(i)
		for port := range m.ports[id] {
			m.r.links = append(m.r.links, hpccLink{int32(id), int32(port + 1)})
		}
	}
	m.r.frames = make([][]hpcc.PFC, len(m.r.links))
}

// graph is the topology. A picosecond of delay is a millimetre of cable.
func (m *hpccModels) graph() *topology.Graph {
	g := &topology.Graph{Endpoints: len(m.hosts), NodeNICs: 1, Planes: 1, Family: topology.FamilyListed}
	for i, id := range slices.Concat(m.hosts, m.ids) {
		nd := topology.Node{
			Kind: topology.Endpoint, Name: fmt.Sprintf("host %d", id), Group: -1, Rail: -1, Plane: -1,
			Cables: make([]int32, len(m.ports[id])),
		}
		if i >= g.Endpoints {
			nd.Kind, nd.Name, nd.Level = topology.Switch, fmt.Sprintf("switch %d", id), 1
		}
		g.Nodes = append(g.Nodes, nd)
	}
	end := func(id, port, cable int) topology.End {
		e := topology.End{Node: topology.NodeID(m.r.node[id]), Port: int32(port - 1)}
		g.Nodes[e.Node].Cables[e.Port] = int32(cable)
		return e
	}
	for i, l := range m.c.Topology.Links {
		g.Cables = append(g.Cables, topology.Cable{
			A: end(l.A, l.APort, i), B: end(l.B, l.BPort, i), Rate: l.Rate, Length: units.Length(l.Delay) * units.Millimetre,
		})
	}
	return g
}

// build makes the network.
func (m *hpccModels) build(seed uint64, parts int) error {
	r, err := hpccScenario(seed)
	if err != nil {
		return err
	}
	p := network.PlanOf(r, &r.Fabrics[0], m.graph(), m.tables())
	p.Class.Used = nil
	for class := range hpccClasses {
		p.Class.Used = append(p.Class.Used, class)
	}
	p.Hash, p.Trace = m.hash(), m.r
	p.Amend = func(d *network.Devices) {
		d.NIC = m.nic()
		for row, id := range m.ids {
			d.EthernetSwitches[row] = m.ethernet(id)
		}
	}
	net, err := p.Build(m.r, len(m.hosts), network.ScaleUp{}, min(parts, max(1, len(m.ids))))
	if err != nil {
		return err
	}
	m.r.net = net
	return nil
}

// hpccScenario is a fabric of RoCE v2 with ECMP; its NICs and switches are replaced. The delays of
// cables are their own.
func hpccScenario(seed uint64) (*scenario.Resolved, error) {
	file, err := scenario.New("hpcc", &scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-h100", GPUs: 1, NICs: 1}},
		Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabric:   scenario.Fabric{Preset: "roce-v2-400g", Routing: scenario.Routing{Mode: scenario.ECMP}},
		Workload: scenario.Workload{Pattern: scenario.Flows, Flows: []scenario.Flow{{Src: 0, Dst: 1, Bytes: units.MiB}}},
	})
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	r.Run.Seed, r.Run.Limit.Events = seed, 0
	f := &r.Fabrics[0]
	f.Link.PerMetre, f.Link.FECLatency, f.Routing.HashSeed = units.Nanosecond, 0, 0
	return r, nil
}

// nic is a host: no time in the NIC, an acknowledgement with the mark for every packet,
// acknowledgements first, at most one NAK every half millisecond, no retransmission timer.
func (m *hpccModels) nic() *fabric.NIC {
	g := &m.c.Config
	every := max(1, (g.AckInterval+g.Payload-1)/g.Payload)
	s := &fabric.NIC{
		PayloadPad: 1, RepliesFirst: true,
		Transport: &transport.Config{
			PathMTU: int(g.Payload), AckEvery: int(min(every, transport.MaxOutstandingPSNs)),
			Marks: transport.MarksEchoed, Duplicates: transport.DuplicatesDropped, KeepPace: true, NAKInterval: hpccNAKInterval,
			PacedOverhead: hpccOverhead, ImplicitRecv: true,
		},
	}
	for op := range s.Overhead {
		s.Overhead[op] = hpccOverhead
	}
	s.Overhead[wire.RCAcknowledge] = hpccAckBytes
	return s
}

// ethernet is a switch: store and forward in no time; its buffer shared by dynamic thresholds and
// freed when a packet begins to leave; PFC without quanta; marks when a packet leaves; priorities
// in turn.
func (m *hpccModels) ethernet(id int) *fabric.EthernetSwitch {
	g := &m.c.Config
	s := &fabric.EthernetSwitch{
		Shared: int64(g.Buffer), Reserve: hpccReserve, XonOffset: hpccResumeOffset,
		AlphaNum: 1, AlphaDen: 1 << hpccAlphaShift, EarlyRelease: true,
		PFC: fabric.PFC{Lossless: 1<<hpccClasses - 1 - hpccUnpausedClasses, FrameBytes: hpccPFCBytes},
	}
	slowest := m.slowestNIC()
	for _, p := range m.ports[id] {
		port := m.ethernetPort(p, slowest)
		port.Lossless = s.PFC.Lossless
		s.Ports = append(s.Ports, port)
		s.Shared -= int64(port.Headroom) + hpccReserve
	}
	s.Shared = max(0, s.Shared)
	return s
}

// ethernetPort holds the values that depend on the rate and the delay of a switch's link.
func (m *hpccModels) ethernetPort(p hpccPort, slowest units.Rate) fabric.EthernetPort {
	hi, lo := bits.Mul64(uint64(p.rate), uint64(p.delay/units.Nanosecond))
	bdp, _ := bits.Div64(hi, lo, 8_000_000_000)
	port := fabric.EthernetPort{Headroom: int32(min(bdp*hpccHeadroomFactor, 1<<31-1)), AlphaNum: 1, AlphaDen: 1 << hpccAlphaShift}
	for rate := p.rate; rate > slowest && port.AlphaDen > 1; rate /= 2 {
		port.AlphaDen /= 2
	}
	if e, ok := m.c.Config.ECN(p.rate); ok && m.c.Config.EnableQCN {
		for class := 1; class < hpccClasses; class++ {
			port.ECN[class] = marking.ECN{
				KMin: int32(e.KMin), KMax: int32(e.KMax), AtDequeue: true,
				PMax: uint32(min(1<<32-1, e.PMax.Float()*(1<<32))),
			}
		}
	}
	return port
}

// slowestNIC is the reference rate for the alpha of faster ports: of the first host's first link,
// as in the simulator.
func (m *hpccModels) slowestNIC() units.Rate {
	for _, h := range m.hosts {
		if len(m.ports[h]) > 0 {
			return m.ports[h][0].rate
		}
	}
	return 0
}

// tables are the simulator's routes, with the ports of equal cost in its order.
func (m *hpccModels) tables() *routing.Tables {
	t := &routing.Tables{Endpoints: len(m.hosts), Switches: len(m.ids)}
	for _, id := range m.ids {
		t.SetBase = append(t.SetBase, int32(len(t.SetStart)))
		t.SetStart = append(t.SetStart, int32(len(t.SetPorts))) // set 0 is empty
		known := map[string]uint16{}
		sets := uint16(0)
		for _, h := range m.hosts {
			ports := m.routes.At(id, h)
			if len(ports) == 0 {
				t.Port, t.Group = append(t.Port, routing.NoPort), append(t.Group, 0)
				continue
			}
			name := fmt.Sprint(ports)
			group, ok := known[name]
			if !ok {
				sets++
				group = sets
				known[name] = group
				t.SetStart = append(t.SetStart, int32(len(t.SetPorts)))
				for _, p := range ports {
					t.SetPorts = append(t.SetPorts, p-1)
				}
			}
			t.Port, t.Group = append(t.Port, ports[0]-1), append(t.Group, group)
		}
	}
	t.SetStart = append(t.SetStart, int32(len(t.SetPorts)))
	t.SetBase = append(t.SetBase, int32(len(t.SetStart)-1))
	return t
}

// hash is the simulator's ECMP as the parameter of a switch: a flow's entropy is its number, twice,
// plus one for its acknowledgements.
func (m *hpccModels) hash() func(row int32, entropy uint32, n int) int {
	ids, flows := m.ids, m.c.Flows
	return func(row int32, entropy uint32, n int) int {
		k := flows[entropy>>1].Key()
		if entropy&1 != 0 {
			k = k.Reverse()
		}
		return int(hpcc.Hash(k, uint32(ids[row])) % uint32(n))
	}
}

// connect makes a queue pair for each flow.
func (m *hpccModels) connect() error {
	r := m.r
	r.left = make([]int32, len(m.c.Flows))
	r.end = make([]units.QPN, len(m.c.Flows))
	r.done = make([]units.Time, len(m.c.Flows))
	baselines := m.c.Baselines()
	params := map[units.Rate]*cc.DCQCNParams{}
	for i := range m.c.Flows {
		f := &m.c.Flows[i]
		port := m.routes.Pick(f.Src, f.Dst, f.Key()) - 1
		rate := m.ports[f.Src][port].rate
		if params[rate] == nil {
			params[rate] = m.dcqcn(rate)
		}
		window := units.Bytes(0)
		if m.c.Config.Window {
			window = baselines[i].BDP
			if m.c.Config.GlobalRTT {
				window = m.routes.MaxBDP
			}
		}
		class := uint8(f.Priority)
		there := fabric.Connection{Entropy: uint32(2 * i), Class: class, Reply: class, Port: int32(port), CC: cc.NewDCQCN(params[rate], window)}
		back := fabric.Connection{
			Entropy: uint32(2*i + 1), Class: class, Reply: class,
			Port: int32(m.routes.Pick(f.Dst, f.Src, f.Key().Reverse()) - 1),
		}
		end, _, err := r.net.Connect(r.node[f.Src], r.node[f.Dst], there, back)
		if err != nil {
			return fmt.Errorf("flow %d: %w", i+1, err)
		}
		r.end[i], r.done[i] = end, units.Forever
	}
	return nil
}

// dcqcn is the case's parameters. The simulator truncates its clocks to whole microseconds.
func (m *hpccModels) dcqcn(line units.Rate) *cc.DCQCNParams {
	g := &m.c.Config
	micro := func(t units.Time) units.Time { return t / units.Microsecond * units.Microsecond }
	p := &cc.DCQCNParams{
		LineRate: line, MinRate: g.MinRate, InitialAlpha: 1 << 16,
		AlphaPeriod: micro(g.AlphaInterval), DecreasePeriod: micro(g.DecreaseInterval), IncreasePeriod: micro(g.IncreaseInterval),
		ClampTarget: g.ClampTarget, ClampAfterTimer: true,
		FastRecovery: uint32(g.FastRecoveryTimes), AdditiveRate: g.AI, HyperRate: g.HAI,
		ScaleWindow: g.Window && g.VariableWindow,
	}
	if g.Gain.Den > 0 {
		p.Gain = uint32((g.Gain.Num*(1<<16) + g.Gain.Den/2) / g.Gain.Den)
	}
	return p
}
