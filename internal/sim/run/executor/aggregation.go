package executor

import (
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/reduction"
	"weft/units"
)

// streamID identifies a sequence of reductions or copies in the network.
type streamID struct {
	tree    int32
	channel int32
	kind    reduction.Kind
}

// streamKinds are the kinds of the paths with work in the network.
var streamKinds = map[collective.Path]reduction.Kind{
	collective.PathNetReduce: reduction.All, collective.PathNetScatter: reduction.One, collective.PathNetGather: reduction.Copy,
}

// part is the part of a message in a stream for one NIC.
type part struct {
	nic   int32
	bytes int64
}

// copied is a message that the network copies to all members of a stream.
type copied struct {
	tag    uint64
	posted units.Time
	left   int // members still without it
}

// reduces reports whether a pair is a NIC's membership in a stream and not a pair of ranks.
func (k Pair) reduces() bool { return k.Path.InNetwork() }

// joinStream makes the NICs of a rail members of a stream on a group's tree. The channels use the
// NICs' ports in turn.
func (c *carrier) joinStream(comm *Communicator, k Pair, rail int) error {
	port := int(k.Channel) % comm.trees.Ports
	id := streamID{comm.trees.Tree(rail, port), k.Channel, streamKinds[k.Path]}
	stream := c.net.Stream(int(id.tree), id.kind)
	l := &comm.layout
	nics := make([]int32, l.Nodes)
	for node := range nics {
		nics[node] = comm.nics[node*l.Rails()+rail]
	}
	for node, nic := range nics {
		if err := c.net.Refuse(nic, nics[(node+1)%l.Nodes]); err != nil {
			return err
		}
	}
	keys := c.net.Plan.Keys.Group(nics)
	if keys == nil {
		return fmt.Errorf("the NICs of a reduction, %s to %s, have no partition in which at most one is a limited member, and each gets packets of each: see ib.partitions, or leave out ib.sharp",
			c.net.NodeName(nics[0]), c.net.NodeName(nics[len(nics)-1]))
	}
	for node, nic := range nics {
		k.From, k.A = comm.Members[node*l.PerNode+l.RailGPU(rail)], nic
		k.To, k.B = k.From, k.A
		next, key := nics[(node+1)%l.Nodes], keys[node]
		end := c.net.Plan.Connection(k.A, uint32(stream), uint32(port)<<16, c.net.Plan.Level(k.A, next, key, 0))
		end.PKey = key
		send, receive, err := c.net.Join(stream, k.A, end)
		if err != nil {
			return err
		}
		under := newUnderWay(c.room())
		m := &connections{ends: []nicEnd{{nic: k.A, qpn: send}}, early: make(map[int]message)}
		c.bind(k.A, send, endpoint{rank: k.From, under: under, of: m, pair: k, members: l.Nodes})
		c.bind(k.A, receive, endpoint{rank: k.From, under: under, of: m, pair: k})
		c.links[k] = m
	}
	return nil
}

// contribute passes a member's part of a reduction to its NIC, at the turn of its lane. Data that
// the network copies is passed on at once.
func (r *collectives) contribute(p *fabric.Partition, o *operation, member, lane int, parts []collective.Transfer, m fabric.LocalMessage) {
	c, prog, t := o.comm, o.plan.program, &parts[0]
	rank, rail := c.Members[member], int(t.Rail)-1
	nic := c.nic(member, rail)
	k := Pair{From: rank, To: rank, A: nic, B: nic, Channel: int32(lane % prog.Channels()), Group: c.ID, Path: t.Path}
	if r.links[k] == nil {
		if err := r.joinStream(c, k, rail); err != nil {
			r.fail(p, nic, err)
			return
		}
	}
	l := r.links[k]
	next := message{rank: int(rank), limits: &o.plan.Limits, tag: m.Tag, bytes: m.Bytes, due: m.Due}
	if t.Path == collective.PathNetScatter {
		for i := range parts {
			next.results = append(next.results, part{c.nic(int(parts[i].Peer), rail), o.plan.choice.Proto.WireBytes(parts[i].Bytes)})
		}
	}
	if t.Path == collective.PathNetGather {
		l.line(next)
		r.release(p, k, l)
		return
	}
	if o.serial != l.serial {
		if o.serial < l.serial || len(l.early) > 0 {
			r.fail(p, nic, fmt.Errorf("a group of %d ranks has two collectives under way at once, which switches cannot reduce in one order: leave out ib.sharp", len(c.Members)))
			return
		}
		l.serial, l.lane = o.serial, int(k.Channel)
	}
	l.early[lane] = next
	for l.lane < prog.Lanes() {
		l.lane = r.contributing(p, prog, member, l.lane, t.Path)
		next, here := l.early[l.lane]
		if !here {
			break
		}
		delete(l.early, l.lane)
		l.lane += prog.Channels()
		l.line(next)
	}
	r.release(p, k, l)
}

// line queues a message for a slot.
func (l *connections) line(m message) {
	m.number = l.sent
	l.sent++
	l.waiting = append(l.waiting, m)
}

// contributing is the first lane, from a given one on, in which a member takes part in a reduction;
// past the last if there is none.
func (r *collectives) contributing(p *fabric.Partition, prog collective.Program, member, lane int, path collective.Path) int {
	s := &r.partition(p).peeked
	for ; lane < prog.Lanes(); lane += prog.Channels() {
		for k := 0; prog.Step(member, lane, k, s); k++ {
			for i := range s.Sends {
				if s.Sends[i].Path == path {
					return lane
				}
			}
		}
	}
	return lane
}

// streamed is the purpose of a result that has arrived at a NIC's receiving end in a stream; number
// is the number in the result's last packet. If the receiver's slot waits for its own result, it is
// freed.
func (c *carrier) streamed(p *fabric.Partition, e *endpoint, number uint32) (tag uint64) {
	if e.pair.Path == collective.PathNetGather {
		m := c.copies[number]
		if m.left--; m.left == 0 {
			delete(c.copies, number)
		}
		c.partition(p).flows.Add(p.Now() - m.posted)
		if own := e.under.first(); own != nil && own.number == number {
			c.answered(p, e)
		}
		return m.tag
	}
	came := c.answered(p, e)
	c.partition(p).flows.Add(p.Now() - came.at)
	return came.tag
}

// answered ends the oldest pending contribution of a NIC to a stream, and frees its slot.
func (c *carrier) answered(p *fabric.Partition, e *endpoint) posting {
	came := e.under.end()
	e.of.posted--
	c.release(p, e.pair, e.of)
	return came
}

// sent frees the slot of a contribution without a result for its NIC, once it has left the NIC.
func (c *carrier) sent(p *fabric.Partition, e *endpoint) {
	if e.pair.Path != collective.PathNetScatter {
		return
	}
	own := e.leaving[0]
	e.leaving = e.leaving[:copy(e.leaving, e.leaving[1:])]
	if !own {
		e.of.posted--
		c.release(p, e.pair, e.of)
	}
}
