package sim

import (
	"errors"
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// LatencyOp is what a small message is sent by.
type LatencyOp string

// The operations.
const (
	// LatencyWrite is an RDMA WRITE with immediate data, by which the receiver
	// learns of it: what weft's collectives use.
	LatencyWrite LatencyOp = "write"
	LatencySend  LatencyOp = "send" // with immediate data; TCP knows no other
	LatencyRead  LatencyOp = "read"
)

// The bounds of what weft latency explains.
const (
	MaxLatencyBytes      = 64 * units.KiB // beyond, a time is one of throughput: weft bench
	MaxLatencyHops       = 16             // switches; the longest fat tree has five
	MaxLatencyIterations = 1_000_000
)

// LatencySpec is the message whose latency is asked for.
type LatencySpec struct {
	Bytes      units.Bytes
	Op         LatencyOp
	Hops       int // switches on the way
	Iterations int // of the ping-pong
}

// Latency is where the time of a message goes. Terms are differences of the
// timestamps of the packet that completes it, and their sum is OneWay.
type Latency struct {
	Fabric   string
	Protocol scenario.FabricKind
	Path     scenario.HostPath
	Op       LatencyOp
	Bytes    units.Bytes
	Hops     int
	Wire     units.Bytes // of that packet, with all that it costs on the wire
	Packets  int         // of the message

	Terms  []LatencyTerm
	OneWay units.Time // from posting to the program that has the data; of a READ the whole round trip
	Cost   LatencyCost
	// Trips are what perftest reports: half of each round trip of the
	// ping-pong, but the whole of each READ.
	Trips []units.Time
}

// LatencyTerm is a part of a message's time.
type LatencyTerm struct {
	Part    LatencyPart
	Name    string
	Time    units.Time
	Bytes   units.Bytes // of a copy
	Rate    units.Rate  // of a copy
	Note    string
	Sources []Source
	work    hostWork
}

// LatencyPart is where a term is.
type LatencyPart string

// The parts of the way.
const (
	AtSender   LatencyPart = "sender"
	InFabric   LatencyPart = "fabric"
	AtReceiver LatencyPart = "receiver"
)

// LatencyCost is what a message costs besides its time, at its sender and at its
// receiver; of a READ, at the reader alone.
type LatencyCost struct {
	CPUCopies   [2]int
	GPUCopies   [2]int        // by the GPU's stores
	KernelCalls [2]int        // each goes into the kernel and out of it
	Interrupts  [2]int        // that the message waits for
	CPU         [2]units.Time // of a CPU's work
	Cycles      [2]int64      // the same in its clock
}

// Moves is how often the data are moved: by each copy, and once from memory to
// memory by the two NICs.
func (c *LatencyCost) Moves() int {
	return c.CPUCopies[0] + c.CPUCopies[1] + c.GPUCopies[0] + c.GPUCopies[1] + 1
}

// MeasureLatency simulates a message between two NICs on a chain of switches of
// a scenario's fabric, and its ping-pong.
func MeasureLatency(r *scenario.Resolved, f *scenario.Fabric, s LatencySpec) (*Latency, error) {
	if err := s.Check(f); err != nil {
		return nil, err
	}
	run, err := newPingPong(r, f, &s)
	if err != nil {
		return nil, err
	}
	if err := run.play(r.Run.Limit.SimulatedTime); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	out := &Latency{
		Fabric: f.Name, Protocol: f.Kind, Path: f.Host.Path, Op: s.Op, Bytes: s.Bytes, Hops: s.Hops,
		OneWay: run.first.arrived - run.first.posted, Trips: run.trips,
	}
	e := explainer{run: run, fabric: f, node: &r.Cluster.Node, out: out}
	if err := e.explain(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return out, nil
}

// Check says what is wrong with asking a fabric for such a message.
func (s *LatencySpec) Check(f *scenario.Fabric) error {
	var errs []error
	if s.Bytes < 1 || s.Bytes > MaxLatencyBytes {
		errs = append(errs, fmt.Errorf("a message of %v: want 1 B to %v; with more a time is one of throughput, which weft bench measures", s.Bytes, MaxLatencyBytes))
	}
	if s.Hops < 0 || s.Hops > MaxLatencyHops {
		errs = append(errs, fmt.Errorf("a path over %d switches: want 0 (a cable between the NICs) to %d", s.Hops, MaxLatencyHops))
	}
	if s.Iterations < 1 || s.Iterations > MaxLatencyIterations {
		errs = append(errs, fmt.Errorf("%d iterations: want 1 to %d", s.Iterations, MaxLatencyIterations))
	}
	switch {
	case s.Op != LatencyWrite && s.Op != LatencySend && s.Op != LatencyRead:
		errs = append(errs, fmt.Errorf("%q is no operation: want write, send or read", s.Op))
	case f.Kind == scenario.TCPKind && s.Op != LatencySend:
		errs = append(errs, fmt.Errorf("%s has no %s: TCP sends", f.Name, s.Op))
	case (f.Kind == scenario.UltraEthernetKind || f.Kind == scenario.IWARPKind) && s.Op == LatencyRead:
		errs = append(errs, fmt.Errorf("%s: %s has writes and sends here, no reads: take another operation", f.Name, f.Kind))
	case f.Kind == scenario.IWARPKind && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: iWARP's TCP is in the NIC, and %s is the path of sockets: take another path", f.Name, f.Host.Path))
	case s.Op == LatencyRead && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: a read of memory through the remote CPU is no RDMA READ: take another path", f.Name))
	}
	return errors.Join(errs...)
}

// pingPong is two ranks that answer each other's messages through the host path
// of the executor of collectives; with READ only the first asks.
type pingPong struct {
	carrier
	op     transport.Op
	bytes  int64
	pairs  [2]pair
	rounds int

	sent   uint32 // messages so far
	posted units.Time
	trips  []units.Time
	first  journey
}

// journey is what happened to a message, and to the packets meanwhile.
type journey struct {
	posted    units.Time
	handed    units.Time // its last piece is handed to the NIC
	delivered units.Time // its last packet is handed to the transport
	busy      units.Time // the receiver's copier works on earlier pieces until then
	arrived   units.Time
	sent      []fabric.Sighting
	landed    []fabric.Sighting
}

var latencyOps = map[LatencyOp]transport.Op{
	LatencyWrite: transport.OpWriteImm, LatencySend: transport.OpSendImm, LatencyRead: transport.OpRead,
}

func newPingPong(r *scenario.Resolved, f *scenario.Fabric, s *LatencySpec) (*pingPong, error) {
	graph := chain(&f.Topology.Cables, s.Hops)
	tables := &routing.Tables{Endpoints: 2}
	if s.Hops > 0 { // without a switch there is nothing to route
		if err := topology.Validate(graph); err != nil {
			return nil, err
		}
		var err error
		if tables, err = routing.Build(graph); err != nil {
			return nil, err
		}
	}
	run := &pingPong{
		carrier: carrier{
			path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, 2), links: make(map[pair]*connections),
			hosts: make([]rankHost, 2), ends: make([][]endpoint, 2),
		},
		op: latencyOps[s.Op], bytes: int64(s.Bytes), rounds: s.Iterations, pairs: [2]pair{{from: 0, to: 1, a: 0, b: 1}, {from: 1, to: 0, a: 1, b: 0}},
	}
	if s.Op == LatencyRead {
		run.path = readPath(f, &r.Cluster.Node, int64(s.Bytes))
	}
	run.handing = run.handed
	bare := *f
	bare.Inspection = scenario.Inspection{}                                  // no term of the way is a box
	bare.Beside, bare.Ethernet.PFC.Receivers, bare.SlowLinks = nil, nil, nil // nor another's traffic, nor a slow NIC
	plan := planOf(r, &bare, graph, tables)
	plan.verbs.op = run.op
	net, err := plan.build(run, r.Run.Seed, 2, scaleUp{}, 1)
	if err != nil {
		return nil, err
	}
	run.on(net)
	run.net.Follow(run)
	for _, k := range run.pairs {
		if _, err := run.connect(k); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// chain is two NICs with so many switches between them. The cables are as long
// as those of a path in a tree: to a leaf, to a spine, to a core, and back.
func chain(c *scenario.Cables, hops int) *topology.Graph {
	g := &topology.Graph{Endpoints: 2, NodeNICs: 1, Planes: 1, Family: topology.FamilyTree}
	none := func(n int) (ports []int32) {
		for range n {
			ports = append(ports, -1)
		}
		return ports
	}
	for i := range 2 {
		g.Nodes = append(g.Nodes, topology.Node{Kind: topology.Endpoint, Name: fmt.Sprintf("node%d/nic0", i), Rail: -1, Plane: -1, Cables: none(1)})
	}
	for i := range hops {
		g.Nodes = append(g.Nodes, topology.Node{Kind: topology.Switch, Name: fmt.Sprintf("switch%d", i+1), Level: 1, Rail: -1, Plane: -1, Cables: none(2)})
	}
	lengths := []units.Length{c.NodeLeaf, c.LeafSpine, c.SpineCore}
	from := topology.End{Node: 0}
	for i := range hops + 1 {
		to := topology.End{Node: topology.NodeID(2 + i)}
		if i == hops {
			to = topology.End{Node: 1}
		}
		g.Nodes[from.Node].Cables[from.Port] = int32(i)
		g.Nodes[to.Node].Cables[to.Port] = int32(i)
		g.Cables = append(g.Cables, topology.Cable{A: from, B: to, Length: lengths[min(i, hops-i, 2)]})
		from = topology.End{Node: to.Node, Port: 1}
	}
	return g
}

// play runs the ping-pong to its end.
func (r *pingPong) play(limit units.Time) error {
	r.pass(r.net.Partition(0), 0)
	err := r.net.Run(limit, 1, nil)
	switch {
	case r.failed() != nil:
		return r.failed()
	case err != nil:
		return err
	case len(r.trips) < r.rounds:
		return fmt.Errorf("%d of %d round trips were over after %v of simulated time; %s", len(r.trips), r.rounds, limit, r.net.Waiting())
	}
	return nil
}

// pass has a rank send a message to the other.
func (r *pingPong) pass(p *fabric.Partition, rank int) {
	if rank == 0 {
		r.posted = p.Now()
	}
	r.post(p, rank, r.pairs[rank], new(pace), 0, r.bytes)
}

// handed is called when a piece of a message goes to the NIC.
func (r *pingPong) handed(p *fabric.Partition, wr *transport.WorkRequest) {
	wr.Op = r.op
	if r.sent == 0 {
		r.first.handed = p.Now()
	}
}

// Complete notes when the first message is there; what a READ brings has its
// way to memory yet.
func (r *pingPong) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	read := r.op == transport.OpRead
	if c.Status == transport.Success && c.Recv != read && (read || c.Imm != noTag) {
		st := &r.hosts[r.ends[nic][c.QPN].rank]
		if r.sent == 0 {
			r.first.delivered, r.first.busy = p.Now(), st.receiving
		}
		if read {
			at := r.jitter.inOrder(&r.ends[nic][c.QPN].latest, p.Now()+r.path.receive+r.jitter.draw(receiver, 0))
			r.schedule(p, 0, at, timer{kind: timerArrive})
		}
	}
	r.carrier.Complete(p, nic, c)
}

// Timer is called when a rank's timer is due.
func (r *pingPong) Timer(p *fabric.Partition, source uint32) {
	rank := int(source)
	r.hosts[rank].timers.run(p, source, func(t *timer) {
		if t.kind == timerPost {
			r.handOver(p, &t.transfer)
		} else {
			r.answer(p, rank)
		}
	})
}

// answer is called when a message has arrived in the memory of a rank.
func (r *pingPong) answer(p *fabric.Partition, rank int) {
	if r.sent == 0 {
		r.first.arrived = p.Now()
	}
	r.sent++
	if rank == 0 {
		trip := p.Now() - r.posted
		if r.op != transport.OpRead {
			trip /= 2
		}
		r.trips = append(r.trips, trip)
	}
	if len(r.trips) < r.rounds {
		r.pass(p, rank)
	}
}

// following reports whether the first message is still on its way.
func (r *pingPong) following() bool { return r.sent == 0 && r.first.delivered == 0 }

// Sent implements fabric.PacketTrace.
func (r *pingPong) Sent(s *fabric.Sighting) {
	if r.following() {
		r.first.sent = append(r.first.sent, *s)
	}
}

// Landed implements fabric.PacketTrace.
func (r *pingPong) Landed(s *fabric.Sighting) {
	if r.following() {
		r.first.landed = append(r.first.landed, *s)
	}
}
