package executor

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// PingPong is two ranks that answer each other's messages through the host path of the executor of
// collectives; with READ only the first rank requests.
type PingPong struct {
	carrier
	op     transport.Op
	bytes  int64
	pairs  [2]Pair
	rounds int

	sent   uint32 // messages so far
	posted units.Time
	Trips  []units.Time // half of each round trip; with READ all of it
	First  Journey      // of the first message
}

// Journey is the events of a message and of its packets.
type Journey struct {
	Posted    units.Time        // the program posts it
	Handed    units.Time        // its last piece is posted on the NIC
	Delivered units.Time        // its last packet reaches the transport
	Busy      units.Time        // end of the receiver's copies of earlier pieces
	Arrived   units.Time        // the program has it
	Sent      []fabric.Sighting // its packets at each link that they enter
	Landed    []fabric.Sighting // its packets at the begin of each link
}

// PingPongSpec is the messages between two ranks, and their number.
type PingPongSpec struct {
	Op     transport.Op
	Bytes  int64
	Hops   int // switches between the two
	Rounds int
}

// NewPingPong makes the network of a ping-pong on a scenario's fabric, without the scenario's
// disturbances.
func NewPingPong(r *scenario.Resolved, f *scenario.Fabric, s PingPongSpec) (*PingPong, error) {
	run := &PingPong{
		carrier: carrier{
			Path: host.PathOf(f, &r.Cluster.Node), Jitter: jitter.Of(&r.Run, f, 2), links: make(map[Pair]*connections),
			hosts: make([]rankHost, 2), ends: make([][]endpoint, 2),
		},
		op: s.Op, bytes: s.Bytes, rounds: s.Rounds, pairs: [2]Pair{{From: 0, To: 1, A: 0, B: 1}, {From: 1, To: 0, A: 1, B: 0}},
	}
	if s.Op == transport.OpRead {
		run.Path = host.ReadPath(f, &r.Cluster.Node, s.Bytes)
	}
	run.handing = run.handed
	bare := *f
	bare.Inspection = scenario.Inspection{}                                  // inspection is not a term of the latency
	bare.Beside, bare.Ethernet.PFC.Receivers, bare.SlowLinks = nil, nil, nil // nor other traffic, nor a slow NIC
	cables := &f.Topology.Cables
	plan, err := network.OnGraph(r, &bare, topology.Chain{
		Switches: s.Hops, Lengths: topology.Lengths{NodeLeaf: cables.NodeLeaf, LeafSpine: cables.LeafSpine, SpineCore: cables.SpineCore},
	})
	if err != nil {
		return nil, err
	}
	plan.Verbs = network.Verbs{Service: transport.RC, Op: run.op} // whatever the scenario's workload sends
	net, err := plan.Build(run, 2, network.ScaleUp{}, 1)
	if err != nil {
		return nil, err
	}
	run.on(net)
	run.net.Follow(run)
	for _, k := range run.pairs {
		if _, err := run.connect(k, nil); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// Play runs the ping-pong to its end.
func (r *PingPong) Play(limit units.Time) error {
	r.pass(r.net.Partition(0), 0)
	err := r.net.Run(limit, 1, nil)
	switch {
	case r.failed() != nil:
		return r.failed()
	case err != nil:
		return err
	case len(r.Trips) < r.rounds:
		return fmt.Errorf("%d of %d round trips were over after %v of simulated time; %s", len(r.Trips), r.rounds, limit, r.net.Waiting())
	}
	return nil
}

// pass sends a message from one rank to the other.
func (r *PingPong) pass(p *fabric.Partition, rank int) {
	if rank == 0 {
		r.posted = p.Now()
	}
	r.post(p, r.pairs[rank], message{rank: rank, limits: new(HostLimits), bytes: r.bytes})
}

// handed is called when a piece of a message is posted on the NIC.
func (r *PingPong) handed(p *fabric.Partition, wr *transport.WorkRequest) {
	wr.Op = r.op
	if r.sent == 0 {
		r.First.Handed = p.Now()
	}
}

// Complete records the arrival of the first message; the data of a READ still has its way to memory
// ahead.
func (r *PingPong) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	read := r.op == transport.OpRead
	if c.Status == transport.Success && c.Recv != read && (read || c.Imm != noTag) {
		st := &r.hosts[r.ends[nic][c.QPN].rank]
		if r.sent == 0 {
			r.First.Delivered, r.First.Busy = p.Now(), st.receiving
		}
		if read {
			at := r.Jitter.InOrder(&r.ends[nic][c.QPN].latest, p.Now()+r.Path.Receive+r.Jitter.Draw(jitter.Receiver, 0))
			r.schedule(p, 0, at, host.Timer{Kind: host.TimerArrive})
		}
	}
	r.carrier.Complete(p, nic, c)
}

// Timer is called at a rank's timer.
func (r *PingPong) Timer(p *fabric.Partition, source uint32) {
	rank := int(source)
	r.hosts[rank].timers.Run(p, source, func(t *host.Timer) {
		if t.Kind == host.TimerPost {
			r.handOver(p, &t.Transfer)
		} else {
			r.answer(p, rank)
		}
	})
}

// answer is called when a message has arrived in the memory of a rank.
func (r *PingPong) answer(p *fabric.Partition, rank int) {
	if r.sent == 0 {
		r.First.Arrived = p.Now()
	}
	r.sent++
	if rank == 0 {
		trip := p.Now() - r.posted
		if r.op != transport.OpRead {
			trip /= 2
		}
		r.Trips = append(r.Trips, trip)
	}
	if len(r.Trips) < r.rounds {
		r.pass(p, rank)
	}
}

// following reports whether the first message is still in flight.
func (r *PingPong) following() bool { return r.sent == 0 && r.First.Delivered == 0 }

// Sent implements fabric.PacketTrace.
func (r *PingPong) Sent(s *fabric.Sighting) {
	if r.following() {
		r.First.Sent = append(r.First.Sent, *s)
	}
}

// Landed implements fabric.PacketTrace.
func (r *PingPong) Landed(s *fabric.Sighting) {
	if r.following() {
		r.First.Landed = append(r.First.Landed, *s)
	}
}
