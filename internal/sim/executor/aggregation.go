package executor

import (
	"weft/internal/collective"
	"weft/internal/fabric"
	"weft/units"
)

// reduces reports whether a pair is a NIC's membership in a reduction of the network
// and no pair of ranks.
func (k Pair) reduces() bool { return k.From == k.To }

// joinStream makes a NIC a member of the reductions of its rail and a channel. The NICs
// of one stream send the same messages in the same order, which is that of the lanes.
func (c *carrier) joinStream(k Pair) (*connections, error) {
	rails := int32(c.net.Plan.Node.NICs)
	id := [2]int32{k.A % rails, k.Channel}
	stream, known := c.streams[id]
	if !known {
		if c.streams == nil {
			c.streams = make(map[[2]int32]int)
		}
		stream = c.net.Stream(int(id[0]))
		c.streams[id] = stream
	}
	other := (k.A + rails) % int32(len(c.ends))
	key, _ := c.net.Plan.Keys.Pair(k.A, other)
	end := c.net.Plan.Connection(k.A, uint32(stream), uint32(stream), c.net.Plan.Level(k.A, other, key, 0))
	end.PKey = key
	send, receive, err := c.net.Join(stream, k.A, end)
	if err == nil {
		err = c.net.Refuse(k.A, other)
	}
	if err != nil {
		return nil, err
	}
	l := &connections{slots: collective.Slots, ends: []units.QPN{send}, early: make(map[int]message), lane: int(k.Channel)}
	c.bind(k.A, send, endpoint{rank: k.From, peer: receive, nic: k.A, of: l, pair: k})
	c.bind(k.A, receive, endpoint{rank: k.From, peer: send, nic: k.A})
	return l, nil
}

// reduced frees the slot of a contribution whose result has come.
func (c *carrier) reduced(p *fabric.Partition, from *endpoint) {
	from.posted = from.posted[:copy(from.posted, from.posted[1:])]
	from.arrived--
	from.of.slots++
	c.release(p, from.pair, from.of)
}

// contribute hands a member's part of a reduction to its NIC, when it is the turn of
// its lane.
func (r *collectives) contribute(p *fabric.Partition, o *operation, member, lane int, t *collective.Transfer, m fabric.LocalMessage) {
	c, prog := o.comm, o.plan.program
	rank, nic := c.Members[member], c.nic(member, int(t.Rail)-1)
	k := Pair{From: rank, To: rank, A: nic, B: nic, Channel: int32(lane % prog.Channels()), Group: c.ID}
	l, err := r.connect(k)
	if err != nil {
		r.fail(err)
		return
	}
	l.early[lane] = message{rank: int(rank), pace: &o.plan.Pace, tag: m.Tag, bytes: m.Bytes}
	for {
		l.lane = r.contributing(prog, member, l.lane)
		next, here := l.early[l.lane]
		if !here {
			break
		}
		delete(l.early, l.lane)
		l.lane += prog.Channels()
		next.number = l.sent
		l.sent++
		l.waiting = append(l.waiting, next)
	}
	r.release(p, k, l)
}

// contributing is the first lane, from one on and then from the channel's first in
// the next operation, in which a member takes part in a reduction; there is one.
func (r *collectives) contributing(prog collective.Program, member, lane int) int {
	for {
		if lane >= prog.Lanes() {
			lane %= prog.Channels()
		}
		for k := 0; prog.Step(member, lane, k, &r.peeked); k++ {
			for i := range r.peeked.Sends {
				if r.peeked.Sends[i].Path == collective.PathNetReduce {
					return lane
				}
			}
		}
		lane += prog.Channels()
	}
}
