package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

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

// pingPongSpec is what two ranks send each other, and how often.
type pingPongSpec struct {
	op     transport.Op
	bytes  int64
	hops   int // switches between the two
	rounds int
}

// newPingPong makes the network of a ping-pong on a scenario's fabric, without what
// disturbs it there.
func newPingPong(r *scenario.Resolved, f *scenario.Fabric, s pingPongSpec) (*pingPong, error) {
	graph := chain(&f.Topology.Cables, s.hops)
	tables := &routing.Tables{Endpoints: 2}
	if s.hops > 0 { // without a switch there is nothing to route
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
			path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, 2), links: make(map[pair]*connections), flows: newFlowTimes(),
			hosts: make([]rankHost, 2), ends: make([][]endpoint, 2),
		},
		op: s.op, bytes: s.bytes, rounds: s.rounds, pairs: [2]pair{{from: 0, to: 1, a: 0, b: 1}, {from: 1, to: 0, a: 1, b: 0}},
	}
	if s.op == transport.OpRead {
		run.path = readPath(f, &r.Cluster.Node, s.bytes)
	}
	run.handing = run.handed
	var err error
	bare := *f
	bare.Inspection = scenario.Inspection{}                                  // no term of the way is a box
	bare.Beside, bare.Ethernet.PFC.Receivers, bare.SlowLinks = nil, nil, nil // nor another's traffic, nor a slow NIC
	plan := planOf(r, &bare, graph, tables)
	plan.verbs.op = run.op
	if run.net, err = plan.build(run, r.Run.Seed, 2, scaleUp{}, 1); err != nil {
		return nil, err
	}
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
	case r.failure != nil:
		return r.failure
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
