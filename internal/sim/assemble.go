package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/routing/engine"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/internal/transport/cc"
	"weft/scenario"
	"weft/units"
)

// plan is what the simulations of one fabric share: the graph and its tables.
type plan struct {
	fabric   *scenario.Fabric
	graph    *topology.Graph
	tables   *routing.Tables
	class    classes
	keys     pkeys
	segments *segments      // nil where all reach all
	lanes    *routing.Lanes // nil where packets keep their lane
	// paths are the levels of paths by plane, where lanes go by them, and maps the
	// SL2VL tables by switch, nil where a level's lane is its number.
	paths     []pathLevels
	maps      []*routing.LevelMap
	ownLevels bool                           // the scenario gives messages levels other than ib.sl
	byGUID    map[units.GUID]topology.NodeID // see nodesByGUID
	faults    *faultPlan                     // nil where nothing breaks
	forest    *forest                        // the trees of reductions in the network; nil where nothing reduces
	routed    engine.Report                  // of the Subnet Manager's tables; empty where there are none
	node      *scenario.Node
	verbs     verbs
	run       *scenario.Run
	slow      map[topology.NodeID]units.Rate // of NICs whose cables are slower than the fabric's
	// control makes the congestion control of a new queue pair; nil for none.
	control func() cc.Algorithm
}

func newPlan(r *scenario.Resolved, f *scenario.Fabric) (*plan, error) {
	spec, err := Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return nil, err
	}
	g, err := spec.Build()
	if err != nil {
		return nil, fmt.Errorf("fabric %s: %w", f.Name, err)
	}
	if err := topology.Validate(g); err != nil {
		return nil, fmt.Errorf("fabric %s: %w", f.Name, err)
	}
	if g.Compute() < r.Cluster.Endpoints() {
		return nil, fmt.Errorf("fabric %s: the topology has %d ports for NICs, the cluster has %d", f.Name, g.Compute(), r.Cluster.Endpoints())
	}
	t, err := routing.Build(g)
	if err != nil {
		return nil, fmt.Errorf("fabric %s: %w", f.Name, err)
	}
	if err := routing.CheckReachable(g, t); err != nil {
		return nil, fmt.Errorf("fabric %s: %w", f.Name, err)
	}
	p := planOf(r, f, g, t)
	if p.keys, err = pkeysOf(r, f, g); err != nil {
		return nil, fmt.Errorf("fabric %s: %w", f.Name, err)
	}
	p.segments = segmentsOf(r, f, g)
	if err := p.setLanes(); err != nil {
		return nil, err
	}
	if err := p.upDown(); err != nil {
		return nil, err
	}
	if err := p.manage(); err != nil {
		return nil, err
	}
	p.forest = newForest(r, p)
	err = p.planFaults(r)
	return p, err
}

// planOf is the plan of a fabric on a graph, without partitions and the rules of
// service levels.
func planOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph, t *routing.Tables) *plan {
	return &plan{
		fabric: f, graph: g, tables: t, class: classesOf(f, &r.Workload),
		node: &r.Cluster.Node, verbs: verbsOf(&r.Workload), run: &r.Run, control: controller(f),
		ownLevels: ownLevels(f, &r.Workload),
		slow:      slowLinks(&r.Cluster, f),
	}
}

// network is a network with the numbers of its nodes.
type network struct {
	*fabric.Network
	plan     *plan
	firstGPU int32 // node of the cluster's first GPU
	gpus     int32 // of a node of the cluster
	stride   int32 // from a node's first GPU to the next node's
}

// gpu is the node of a rank's GPU.
func (n *network) gpu(rank int) int32 {
	return n.firstGPU + int32(rank)/n.gpus*n.stride + int32(rank)%n.gpus
}

// rank is the rank of a GPU's node.
func (n *network) rank(gpu int32) int {
	at := gpu - n.firstGPU
	return int(at/n.stride*n.gpus + at%n.stride)
}

// scaleUp says how fast the scale-up network of a simulation is, and whether
// there is to be one.
type scaleUp struct {
	node *scenario.Node
	rate units.PerByte // of a GPU's port, overhead included; zero: none
}

// seed is that of a plan's network, from that of the run.
func (p *plan) seed(run uint64) uint64 { return run + uint64(p.fabric.Routing.HashSeed)<<32 }

// build makes the network of a plan: NICs and switches of the graph, then, if
// asked for, the GPUs and the scale-up switches of every node. It is cut into
// so many partitions; only a network without GPUs can have more than one.
func (p *plan) build(app fabric.App, seed uint64, nodes int, up scaleUp, parts int) (*network, error) {
	f := p.fabric
	b := &fabric.Builder{
		Classes: len(p.class.used), Seed: p.seed(seed), Tables: p.tables,
		FlowletGap: f.Routing.FlowletGap, AdaptiveThreshold: int64(f.Routing.AdaptiveThreshold), App: app, MaxEvents: p.run.Limit.Events,
		ErrorRate: uint32(min(1<<32-1, f.Link.ErrorRate.Mul(scenario.Ratio{Num: 1 << 32, Den: 1}).Of(1))),
		Faults:    p.broken(), Aggregation: p.forest.aggregation(),
	}
	if p.lanes != nil {
		b.Lanes, b.Classes = p.lanes, max(b.Classes, p.lanes.Count)
	}
	if up.rate.Num > 0 {
		b.Classes = max(2, b.Classes) // multicasts have a lane of their own
	}
	p.addNodes(b)
	p.addReceivers(b)
	n := &network{plan: p, firstGPU: int32(len(p.graph.Nodes)), gpus: int32(p.node.GPUs), stride: int32(p.node.GPUs)}
	if pooled(p.node) {
		n.stride++ // the pool follows the GPUs of its node
	}
	if up.rate.Num > 0 {
		addScaleUp(b, up, nodes)
	}
	b.PKeys, b.Segments = p.keys.enforced(), p.segments.enforced()
	b.QKeys = p.verbs.service == transport.UD
	for i := range p.graph.Cables {
		p.cable(b, &p.graph.Cables[i], p.cableRate(&p.graph.Cables[i]))
	}
	var err error
	if n.Network, err = b.Build(p.cut(parts)); err == nil && p.run.Pauses {
		n.RecordPauses()
	}
	return n, err
}

// cableRate is the time of a byte on a cable: the graph's own, that of a slow link,
// or the fabric's.
func (p *plan) cableRate(c *topology.Cable) units.PerByte {
	rate := c.Rate
	for _, end := range []topology.End{c.A, c.B} {
		if slow := p.slow[end.Node]; slow > 0 {
			rate = slow
		}
	}
	if rate > 0 {
		return rate.PerByte()
	}
	return perByte(&p.fabric.Link)
}

// slowLinks are the rates of the cables of NICs that run slower than the others;
// of a NIC that is named twice, the slowest.
func slowLinks(c *scenario.Cluster, f *scenario.Fabric) map[topology.NodeID]units.Rate {
	slow := map[topology.NodeID]units.Rate{}
	for i := range f.SlowLinks {
		s := &f.SlowLinks[i]
		for _, name := range scenario.Expand(s.NICs) {
			nics, _ := c.NICs(name) // those of a checked scenario have no errors
			for _, nic := range nics {
				if before := slow[topology.NodeID(nic)]; before == 0 || s.Rate < before {
					slow[topology.NodeID(nic)] = s.Rate
				}
			}
		}
	}
	return slow
}

// addNodes adds the graph's nodes in its order.
func (p *plan) addNodes(b *fabric.Builder) {
	f := p.fabric
	nic := nic(f, p.node, p.class)
	if nic.Transport != nil {
		nic.Transport.ImplicitRecv = p.verbs.receives == 0
	}
	if nic.TCP != nil {
		nic.TCP.Tick = p.tick()
	}
	if nic.MPA != nil {
		nic.MPA.Sends = p.verbs.op == transport.OpSendImm
	}
	ib := infiniBandSwitch(f, p.class)
	ib.Jitter = p.switchJitter()
	if f.Kind == scenario.InfiniBandKind {
		nic.VLArb = nicVLArb(f, p.class)
	}
	if p.lanes != nil {
		ib.VLArb = equalLanes(p.lanes.Count)
		nic.VLArb = &ib.VLArb
	}
	for i := range p.graph.Nodes {
		nd := &p.graph.Nodes[i]
		ports, row := len(nd.Cables), i-p.graph.Endpoints
		switch {
		case nd.Kind == topology.Endpoint:
			b.NIC(nd.Name, ports, nic)
		case f.Kind == scenario.InfiniBandKind:
			b.InfiniBandSwitch(nd.Name, ports, row, switchRouting(f.Routing.Mode), ib)
		default:
			eth := ethernetSwitch(f, p.class, cabled(nd))
			eth.Jitter = ib.Jitter
			b.EthernetSwitch(nd.Name, ports, row, switchRouting(f.Routing.Mode), eth)
		}
	}
}

func cabled(nd *topology.Node) (n int) {
	for _, c := range nd.Cables {
		if c >= 0 {
			n++
		}
	}
	return n
}

// addScaleUp adds the GPUs and a scale-up switch for each node. The switches of
// a real node, over which each GPU's links are spread evenly, are one here, and
// a mesh of direct links or a PCIe tree is a switch of the same rate.
func addScaleUp(b *fabric.Builder, up scaleUp, nodes int) {
	s := &up.node.ScaleUp
	switches := max(1, s.Switches)
	buffer := int64(s.Buffer) * int64(switches)
	c := fabric.Credits{Period: 10 * units.Nanosecond, Latency: max(units.Nanosecond, s.Latency/4)}
	for lane := range b.Classes {
		c.Blocks[lane] = int32(min(1<<20, buffer/fabric.CreditBlock))
	}
	wide := c // the room behind a port of all devices of a pool
	for lane := range b.Classes {
		wide.Blocks[lane] = min(1<<20, c.Blocks[lane]*int32(max(1, s.Devices)))
	}
	sw := &fabric.InfiniBandSwitch{Pipeline: s.Latency / 2, Credits: wide}
	gpu := &fabric.GPU{
		Pipeline: s.Latency - s.Latency/2, Credits: c, TrainBytes: trainBytes(s, buffer),
		PacketBytes: int32(s.Packet), PacketOverhead: int32(s.Overhead),
	}
	pool := *gpu
	pool.Credits = wide
	bases := make([]int32, nodes)
	for node := range nodes {
		for g := range up.node.GPUs {
			id := b.GPU(fmt.Sprintf("node%d/gpu%d", node, g), gpu)
			if g == 0 {
				bases[node] = id
			}
		}
		if pooled(up.node) {
			b.GPU(fmt.Sprintf("node%d/memory-pool", node), &pool)
		}
	}
	ports := up.node.GPUs
	if pooled(up.node) {
		ports++
	}
	for node, base := range bases {
		id := b.ScaleUpSwitch(fmt.Sprintf("node%d/scale-up", node), ports, base, sw)
		for g := range up.node.GPUs {
			b.ScaleUpCable(base+int32(g), 0, id, int32(g), up.rate, 0)
		}
		if pooled(up.node) {
			b.ScaleUpCable(base+int32(ports-1), 0, id, int32(ports-1), poolRate(s), 0)
		}
	}
}

// trainBytes is the payload of the trains in which GPUs send: a sixteenth of
// the receiver's buffer, so that credits bind no sooner than with the link's own
// packets, but no more than 32 KiB.
func trainBytes(s *scenario.ScaleUp, buffer int64) int32 {
	packet := int64(s.Packet)
	n := min(32<<10, max(packet, buffer/16/packet*packet))
	for n > packet && n+(n/packet)*int64(s.Overhead) > fabric.MaxPacketBytes {
		n -= packet
	}
	return int32(n)
}

// connect makes the connection of a number between two NICs, which decides its
// path and its ports. Its service level is sl, or what the fabric gives if that
// is 0.
func (n *network) connect(a, b int32, entropy uint32, sl int) (endA, endB units.QPN, err error) {
	p := n.plan
	keyA, keyB := p.keys.pair(a, b)
	path := p.level(a, b, keyA, sl)
	atA, atB := p.connection(a, entropy, entropy, path), p.connection(b, otherEnd(entropy), entropy, path)
	atA.PKey, atB.PKey = keyA, keyB
	p.byPath(a, b, &atA, &atB)
	return n.Connect(a, b, atA, atB)
}

// otherEnd is the entropy of the packets that come back on a connection.
func otherEnd(entropy uint32) uint32 { return entropy ^ 1 }

// connection is the end of a connection at a NIC, on a service level.
func (p *plan) connection(nic int32, entropy, port uint32, sl int) fabric.Connection {
	c := fabric.Connection{
		Entropy: entropy, Port: int32(p.port(nic, port)), CC: p.control(), Service: p.verbs.service, QKey: p.verbs.qkey, Phase: p.phase(nic),
		Class: p.class.data(p.fabric), Reply: p.class.ack(p.fabric), CNP: p.class.cnp(p.fabric), SL: units.SL(sl),
	}
	if p.fabric.Kind == scenario.InfiniBandKind && sl != p.fabric.IB.SL {
		c.Class = p.class.must(p.fabric.IB.SL2VL[sl])
		c.Reply, c.CNP = c.Class, c.Class // answers keep the level of what they answer
	}
	if p.fabric.Kind != scenario.InfiniBandKind {
		c.SL = 0
		if sl > 0 {
			c.Class = p.class.must(sl)
			c.Reply = c.Class
		}
	}
	return c
}

// port is the port of a NIC that a connection takes: its planes in turn by the
// connection's entropy.
func (p *plan) port(nic int32, entropy uint32) int {
	return int(entropy>>16) % max(1, cabled(&p.graph.Nodes[nic]))
}

// connectionsPerPair is how many queue pairs or sockets two ends have.
func (p *plan) connectionsPerPair() int {
	if p.fabric.Kind.TCP() {
		return p.fabric.TCP.Sockets
	}
	return p.fabric.Transport.QPsPerConnection
}
