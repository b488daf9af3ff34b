package network

import (
	"fmt"
	"sync/atomic"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/protocol"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Plan is the common part of all simulations of one fabric: the graph, its tables and parameters.
type Plan struct {
	Fabric   *scenario.Fabric
	Graph    *topology.Graph
	Tables   *routing.Tables // the tables at the start: see Faults
	Class    Classes
	Keys     PKeys
	Segments *Segments      // nil if all NICs reach each other
	Lanes    *routing.Lanes // nil if packets keep their lane
	// Paths are the service levels of paths by plane, if lanes follow paths. Maps are the SL2VL
	// tables by switch, nil if a level's lane is its number.
	Paths       []PathLevels
	Maps        []*routing.LevelMap
	OwnLevels   bool                           // the scenario has messages with levels other than ib.sl
	byGUID      map[units.GUID]topology.NodeID // see NodesByGUID
	Faults      *Faults                        // nil without faults
	Aggregation *AggregationManager            // the trees of reductions in the network; nil if nothing reduces
	Routed      route.Report                   // of the Subnet Manager's tables; empty if there are none
	Cluster     *scenario.Cluster
	Node        *scenario.Node // the cluster's
	Verbs       Verbs
	Run         *scenario.Run
	Slow        map[topology.NodeID]units.Rate // rates of NICs whose cables are slower than the fabric's
	// Series, if not nil, takes what a simulation on this plan recorded over its time. It is called once, when
	// the simulation has ended; not if it cannot be built.
	Series func(*results.Series)
	// CountPorts makes the ports of NICs count packets, CNPs, NAKs and what else an adapter counts.
	CountPorts bool
	// Started, if not nil, is called with each network that is built, before its first event.
	Started func(*Network)
	// Trace, if not nil, watches each network from its first event on.
	Trace fabric.Trace
	// Hash, if not nil, is ECMP's choice, as in [fabric.Builder].
	Hash func(row int32, entropy uint32, n int) int
	// Amend, if not nil, changes the devices of each network before it is built: for what no scenario says.
	Amend  func(*Devices)
	hashes []switchHash // by switch; nil if all hash in ways of their own, and alike fields
	lids   int          // LIDs of a NIC among which connections choose; see SpreadLIDs
	// control makes the congestion control of a new queue pair; nil for none.
	control func() cc.Algorithm
}

// NewPlan is the plan of a scenario's fabric with the shortest paths of its graph, before
// its control plane has routed anything.
func NewPlan(r *scenario.Resolved, f *scenario.Fabric) (*Plan, error) {
	g, t, err := graphOf(r, f)
	if err != nil {
		return nil, Refuse(f, "topology", err)
	}
	if t, err = t.Limited(g, Multipath(f, g)); err != nil {
		return nil, Refuse(f, "routing", err)
	}
	p := PlanOf(r, f, g, t)
	if p.Keys, err = pkeysOf(r, f, g); err != nil {
		return nil, Refuse(f, "ib.partitions", err)
	}
	if err := checkSwitchNames(f, g); err != nil {
		return nil, Refuse(f, "switches", err)
	}
	p.Segments = segmentsOf(r, f, g)
	if err := p.setLanes(); err != nil {
		return nil, Refuse(f, "topology", err)
	}
	return p, nil
}

// graphOf is a fabric's graph with its shortest paths; all NICs reach each other.
func graphOf(r *scenario.Resolved, f *scenario.Fabric) (*topology.Graph, *routing.Tables, error) {
	spec, err := Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return nil, nil, err
	}
	g, err := spec.Build()
	if err != nil {
		return nil, nil, err
	}
	if err := topology.Validate(g); err != nil {
		return nil, nil, err
	}
	if g.Compute() < r.Cluster.Endpoints() {
		return nil, nil, fmt.Errorf("the topology has %d ports for NICs, the cluster has %d", g.Compute(), r.Cluster.Endpoints())
	}
	if lids := (g.Endpoints + g.Switches()) / max(1, g.Planes); protocol.Of(f.Kind).SubnetManager && lids > int(units.LastUnicastLID) {
		err := fmt.Errorf("a subnet of %d NIC ports and switches: the most is %d, its unicast LIDs: take topology.shape dual-plane, more topology.planes, or fewer nodes", lids, units.LastUnicastLID)
		return nil, nil, Refuse(f, "topology.shape", err)
	}
	t, err := routing.Build(g)
	if err != nil {
		return nil, nil, err
	}
	return g, t, routing.CheckReachable(g, t)
}

// OnGraph is the plan of a fabric on another graph than the scenario's, by shortest paths, without
// partitions and the rules of service levels.
func OnGraph(r *scenario.Resolved, f *scenario.Fabric, spec topology.Spec) (*Plan, error) {
	g, err := spec.Build()
	if err != nil {
		return nil, err
	}
	t := &routing.Tables{Endpoints: g.Endpoints}
	if g.Switches() > 0 { // without a switch there is nothing to route
		if err := topology.Validate(g); err != nil {
			return nil, err
		}
		if t, err = routing.Build(g); err != nil {
			return nil, err
		}
	}
	return PlanOf(r, f, g, t), nil
}

// PlanOf is the plan of a fabric on a graph with tables, without partitions and the rules of
// service levels.
func PlanOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph, t *routing.Tables) *Plan {
	p := &Plan{
		Fabric: f, Graph: g, Tables: t, Class: classesOf(f, r),
		Cluster: &r.Cluster, Node: &r.Cluster.Node, Verbs: verbsOf(&r.Workload), Run: &r.Run, control: scenario.ControllerOf(f),
		OwnLevels: ownLevels(f, r),
		Slow:      SlowLinks(&r.Cluster, f),
	}
	p.Aggregation = newAggregationManager(p)
	p.hashes = hashesOf(p)
	return p
}

// Network is a network with the numbers of its nodes.
type Network struct {
	*fabric.Network
	Plan     *Plan
	FirstGPU int32 // node of the cluster's first GPU
	GPUs     int32 // of a node of the cluster
	Stride   int32 // from a node's first GPU to the next node's

	// Ended is the time at which the workload was complete, once the run has ended with nothing pending; 0 before, and of
	// a run that was stopped or has reached a limit.
	Ended atomic.Int64
}

// GPU is the node of a rank's GPU.
func (n *Network) GPU(rank int) int32 {
	return n.FirstGPU + int32(rank)/n.GPUs*n.Stride + int32(rank)%n.GPUs
}

// Rank is the rank of a GPU's node.
func (n *Network) Rank(gpu int32) int {
	at := gpu - n.FirstGPU
	return int(at/n.Stride*n.GPUs + at%n.Stride)
}

// ScaleUp is the scale-up network of a simulation, if it has one.
type ScaleUp struct {
	Node *scenario.Node
	Rate units.PerByte // of a GPU's port, overhead included; zero: no scale-up network
	// StandsFor is the number of alike GPUs for which each GPU of the node stands; 0 is 1.
	StandsFor int
	Rail      int // the GPU's number in its node, and that of its NIC, if it stands for others
}

// Seed is the seed of a plan's network, derived from the run's seed.
func (p *Plan) Seed() uint64 { return p.Run.Seed + uint64(p.Fabric.Routing.HashSeed)<<32 }

// leastLookahead is the minimum lookahead for which partitions are worth their barriers: a barrier
// takes as long as about ten events; a hop over a metre of cable with error correction has ten
// times this lookahead.
const leastLookahead = 10 * units.Nanosecond

// Build makes the network of a plan: NICs and switches of the graph, then, if requested, the GPUs
// and the scale-up switches of every node. It is divided into the given number of simulation
// partitions, or not at all if their lookahead would be too short.
func (p *Plan) Build(app fabric.App, nodes int, up ScaleUp, parts int) (*Network, error) {
	f := p.Fabric
	b := &fabric.Builder{
		Classes: len(p.Class.Used), Seed: p.Seed(), Tables: p.Tables, Hash: p.Hash, Trace: p.Trace,
		FlowletGap: f.Routing.FlowletGap, AdaptiveThreshold: int64(f.Routing.AdaptiveThreshold), App: app, MaxEvents: p.Run.Limit.Events,
		ErrorRate: f.Link.ErrorRate.Share(), Bursts: bursts(&f.Link),
		Faults: p.Broken(), Aggregation: p.Aggregation.aggregation(),
	}
	if p.Lanes != nil {
		b.Lanes, b.Classes = p.Lanes, max(b.Classes, p.Lanes.Count)
	}
	if up.Rate.Num > 0 {
		b.Classes = max(2, b.Classes) // multicasts have their own lane
	}
	p.addNodes(b)
	p.addReceivers(b)
	n := &Network{Plan: p, FirstGPU: int32(len(p.Graph.Nodes)), GPUs: int32(p.Node.GPUs), Stride: int32(p.Node.GPUs)}
	if Pooled(p.Node) {
		n.Stride++ // the pool follows the GPUs of its node
	}
	if up.Rate.Num > 0 {
		addScaleUp(b, up, nodes, p.Graph.HostName)
		b.Hosts = p.hosts(nodes)
	}
	b.PKeys, b.Segments = p.Keys.enforced(), p.Segments.enforced()
	b.QKeys = p.Verbs.Service == transport.UD
	for i := range p.Graph.Cables {
		p.cable(b, &p.Graph.Cables[i], p.CableRate(&p.Graph.Cables[i]))
	}
	var err error
	if n.Network, err = b.Build(p.cut(parts, nodes, &up)); err != nil {
		return nil, err
	}
	if n.Partitions() > 1 && n.Lookahead() < leastLookahead {
		return p.Build(app, nodes, up, 1)
	}
	if p.Run.Pauses || p.Series != nil {
		n.RecordPauses()
	}
	if p.Series != nil {
		n.Record(p.Class.Data(f))
	}
	if p.CountPorts {
		n.CountPorts()
	}
	if p.Started != nil {
		p.Started(n)
	}
	return n, nil
}

// CableRate is the time of a byte on a cable, at the graph's rate, a slow link's, or the fabric's.
func (p *Plan) CableRate(c *topology.Cable) units.PerByte {
	rate := c.Rate
	for _, end := range []topology.End{c.A, c.B} {
		if slow := p.Slow[end.Node]; slow > 0 {
			rate = slow
		}
	}
	if rate > 0 {
		return rate.PerByte()
	}
	return PerByte(&p.Fabric.Link)
}

// SlowLinks are the rates of NICs' cables that are slower than the others; for a NIC named twice,
// the slowest.
func SlowLinks(c *scenario.Cluster, f *scenario.Fabric) map[topology.NodeID]units.Rate {
	slow := map[topology.NodeID]units.Rate{}
	for i := range f.SlowLinks {
		s := &f.SlowLinks[i]
		for _, name := range scenario.Expand(s.NICs) {
			nics, _ := c.NICs(name) // a checked scenario has no errors here
			for _, nic := range nics {
				if before := slow[topology.NodeID(nic)]; before == 0 || s.Rate < before {
					slow[topology.NodeID(nic)] = s.Rate
				}
			}
		}
	}
	return slow
}

// addScaleUp adds the GPUs and a scale-up switch for each node. A real node's switches, over which
// each GPU's links are spread evenly, are modelled as one; a mesh of direct links or a PCIe tree is
// modelled as a switch of the same rate.
func addScaleUp(b *fabric.Builder, up ScaleUp, nodes int, host func(node int) string) {
	s := &up.Node.ScaleUp
	switches := max(1, s.Switches)
	latency := max(2*units.Picosecond, s.Latency) // in two parts, each longer than zero: an arrival is later than its sending
	buffer := int64(s.Buffer) * int64(switches)
	c := credit.Grant{Period: 10 * units.Nanosecond, Latency: max(units.Nanosecond, latency/4)}
	for lane := range b.Classes {
		c.Blocks[lane] = int32(min(1<<20, buffer/credit.Block))
	}
	wide := c // the buffer behind a port for all devices of a pool
	for lane := range b.Classes {
		wide.Blocks[lane] = min(1<<20, c.Blocks[lane]*int32(max(1, s.Devices)))
	}
	sw := &fabric.InfiniBandSwitch{Pipeline: latency / 2, Credits: wide}
	gpu := &fabric.GPU{
		Pipeline: latency - latency/2, Credits: c, BurstBytes: burstBytes(s, buffer),
		PacketBytes: int32(s.Packet), PacketOverhead: int32(s.Overhead),
		StandsFor: int32(up.StandsFor),
	}
	pool := *gpu
	pool.Credits = wide
	bases := make([]int32, nodes)
	for node := range nodes {
		for g := range up.Node.GPUs {
			id := b.GPU(fmt.Sprintf("%s/gpu%d", host(node), g), gpu)
			if g == 0 {
				bases[node] = id
			}
		}
		if Pooled(up.Node) {
			b.GPU(host(node)+"/memory-pool", &pool)
		}
	}
	ports := up.Node.GPUs
	if Pooled(up.Node) {
		ports++
	}
	for node, base := range bases {
		id := b.ScaleUpSwitch(host(node)+"/scale-up", ports, base, sw)
		for g := range up.Node.GPUs {
			b.ScaleUpCable(base+int32(g), 0, id, int32(g), up.Rate, 0)
		}
		if Pooled(up.Node) {
			b.ScaleUpCable(base+int32(ports-1), 0, id, int32(ports-1), poolRate(s), 0)
		}
	}
}

// burstBytes is the payload of the bursts in which GPUs send: a sixteenth of the receiver's buffer,
// so that credits bind no sooner than with the link's own packets, but no more than 32 KiB.
func burstBytes(s *scenario.ScaleUp, buffer int64) int32 {
	packet := int64(s.Packet)
	n := min(32<<10, max(packet, buffer/16/packet*packet))
	for n > packet && n+(n/packet)*int64(s.Overhead) > fabric.MaxPacketBytes {
		n -= packet
	}
	return int32(n)
}

// ConnectNICs makes a numbered connection between two NICs. The number decides its path and its
// ports; order is its index among the connections of a NIC. Its service level is sl, or the
// fabric's if that is 0.
func (n *Network) ConnectNICs(a, b int32, entropy uint32, order uint64, sl int) (endA, endB units.QPN, err error) {
	p := n.Plan
	keyA, keyB := p.Keys.Pair(a, b)
	path := p.Level(a, b, keyA, sl)
	hashed := p.Hashed(a, b, entropy)
	atA, atB := p.Connection(a, hashed, entropy, path), p.Connection(b, OtherEnd(hashed), entropy, path)
	atA.PKey, atB.PKey = keyA, keyB
	atA.Order, atB.Order = order, order
	p.ByPath(a, b, &atA, &atB)
	return n.Connect(a, b, atA, atB)
}

// Connection is the end of a connection at a NIC, on a service level.
func (p *Plan) Connection(nic int32, entropy, port uint32, sl int) fabric.Connection {
	c := fabric.Connection{
		Entropy: entropy, Port: int32(p.port(nic, port)), CC: p.control(), Service: p.Verbs.Service, QKey: p.Verbs.QKey, Phase: jitter.TickPhase(p.Run, p.Fabric, nic),
		Class: p.Class.Data(p.Fabric), Reply: p.Class.ack(p.Fabric), CNP: p.Class.cnp(p.Fabric), SL: units.SL(sl),
	}
	switch {
	case !protocol.Of(p.Fabric.Kind).ServiceLevels:
		c.SL = 0
		if sl > 0 {
			c.Class = p.Class.Must(sl)
			c.Reply = c.Class
		}
	case sl != p.Fabric.IB.SL:
		c.Class = p.Class.Must(p.Fabric.IB.SL2VL[sl])
		c.Reply, c.CNP = c.Class, c.Class // answers keep the level of their requests
	}
	return c
}

// port is the port of a NIC for a connection: its planes in turn by the connection's entropy.
func (p *Plan) port(nic int32, entropy uint32) int {
	return int(entropy>>16) % max(1, p.Graph.Nodes[nic].Cabled())
}

// InTurn is the entropy of the connection with a number between two NICs, of which first is the entropy of number 0: on
// several planes the connections take the planes in turn, so that a message that is divided over them uses all.
func (p *Plan) InTurn(nic int32, first, entropy uint32, number int) uint32 {
	if p.Graph.Nodes[nic].Cabled() <= 1 {
		return entropy
	}
	return (first>>16+uint32(number))<<16 | entropy&0xffff
}

// ConnectionsPerPair is the number of queue pairs or sockets between two ends.
func (p *Plan) ConnectionsPerPair() int {
	if protocol.Of(p.Fabric.Kind).OnTCP() {
		return p.Fabric.TCP.Sockets
	}
	return p.Fabric.Transport.QPsPerConnection
}
