package sim

import (
	"weft/internal/collective"
	"weft/internal/engine"
	"weft/internal/fabric"
	"weft/internal/transport"
	"weft/units"
)

// pair names the connections that carry one channel's messages from a rank to
// another through two NICs, as NCCL makes them: one set for each direction.
type pair struct {
	from, to int32 // ranks
	a, b     int32 // NICs
	channel  int32
}

// connections are the queue pairs or sockets of a pair; messages take turns.
//
// A pair has as many slots as NCCL's connections have (NCCL_STEPS): a message
// takes one from its posting to its acknowledgement, and one that finds none
// waits. So a sender runs ahead of its receiver's NIC by so much and no more;
// that NCCL frees a slot only when the receiving GPU has used the data is left
// out.
type connections struct {
	ends    []units.QPN // at the sender's NIC
	turn    int
	slots   int        // that are free
	waiting []message  // for a slot
	posting units.Time // when the proxy thread can post the next
	// Of messages that are split over the connections: the parts that have not
	// arrived, and those that have not been acknowledged, by tag.
	arriving, unacknowledged map[uint32]int
	// Of reductions in the network: the lane whose turn it is, and what came before
	// its turn, by lane.
	lane  int
	early map[int]message
}

// missing counts down the parts of a message and reports whether some are still
// missing. A message of one part is in neither map.
func missing(parts map[uint32]int, tag uint32) bool {
	n, split := parts[tag]
	if !split {
		return false
	}
	if n--; n > 0 {
		parts[tag] = n
		return true
	}
	delete(parts, tag)
	return false
}

// message is one that a rank sends to another node.
type message struct {
	rank  int // the GPU beside the NIC
	tag   uint32
	bytes int64
	at    units.Time // when it leaves for the NIC
}

// endpoint is what one end of a connection is for.
type endpoint struct {
	rank   int32        // that it belongs to
	posted []units.Time // at the sender's end: when the messages under way were posted
	peer   units.QPN
	nic    int32        // the peer's
	of     *connections // at the sender's end
	pair   pair
	latest units.Time // with jitter: when the last message left the host's software
}

// connect makes the connections of a pair at their first use.
func (r *collectiveRun) connect(k pair) (*connections, error) {
	if c := r.links[k]; c != nil {
		return c, nil
	}
	if k.reduces() {
		c, err := r.join(k)
		r.links[k] = c
		return c, err
	}
	c := &connections{slots: collective.Slots}
	for i := range r.net.plan.connectionsPerPair() {
		entropy := uint32(engine.Mix(uint64(k.from)<<40 ^ uint64(k.to)<<16 ^ uint64(k.channel)<<8 ^ uint64(i)))
		qa, qb, err := r.net.connect(k.a, k.b, entropy, 0)
		if err == nil {
			err = r.net.refuse(k.a, k.b)
		}
		if err != nil {
			return nil, err
		}
		r.bind(k.a, qa, endpoint{rank: k.from, peer: qb, nic: k.b, of: c, pair: k})
		r.bind(k.b, qb, endpoint{rank: k.to, peer: qa, nic: k.a})
		c.ends = append(c.ends, qa)
	}
	r.links[k] = c
	return c, nil
}

func (r *collectiveRun) bind(nic int32, end units.QPN, e endpoint) {
	for len(r.ends[nic]) <= int(end) {
		r.ends[nic] = append(r.ends[nic], endpoint{})
	}
	r.ends[nic][end] = e
}

// transfer is a message on its way through the host.
type transfer struct {
	nic   int32
	end   units.QPN
	peer  units.QPN // of a pattern
	tag   uint32
	bytes int64
}

// noTag is the tag of a piece that is not the last of its message.
const noTag = 1<<32 - 1

// post takes a message from a GPU to its NIC. rank is the GPU beside the NIC.
func (r *collectiveRun) post(p *fabric.Partition, rank int, k pair, tag uint32, bytes int64) {
	c, err := r.connect(k)
	if err != nil {
		r.fail(err)
		return
	}
	c.waiting = append(c.waiting, message{rank: rank, tag: tag, bytes: bytes})
	r.release(p, k, c)
}

// release sends the messages of a pair that have a slot.
func (r *collectiveRun) release(p *fabric.Partition, k pair, c *connections) {
	for c.slots > 0 && len(c.waiting) > 0 {
		m := c.waiting[0]
		c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
		c.slots--
		r.dispatch(p, k, c, m)
	}
}

// dispatch sends a message: on the connection whose turn it is, or in equal parts
// on all of them.
func (r *collectiveRun) dispatch(p *fabric.Partition, k pair, c *connections, m message) {
	m.at = r.pace.leave(m.rank, c, p.Now(), m.bytes)
	parts := int64(1)
	if r.net.plan.fabric.Transport.SplitData {
		parts = min(m.bytes, int64(len(c.ends)))
	}
	if parts > 1 {
		if c.arriving == nil {
			c.arriving, c.unacknowledged = make(map[uint32]int), make(map[uint32]int)
		}
		c.arriving[m.tag], c.unacknowledged[m.tag] = int(parts), int(parts)
	}
	for rest := m.bytes; parts > 0; parts-- {
		part := m
		part.bytes = rest / parts
		rest -= part.bytes
		end := c.ends[c.turn%len(c.ends)]
		c.turn++
		r.dispatchPart(p, k, end, part)
	}
}

// dispatchPart takes a part of a message through the host, in pieces where a CPU
// copies it.
func (r *collectiveRun) dispatchPart(p *fabric.Partition, k pair, end units.QPN, m message) {
	e := &r.ends[k.a][end]
	e.posted = append(e.posted, p.Now())
	st := &r.ranks[m.rank]
	extra := r.jitter.draw(sender, m.rank)
	for left := m.bytes; left > 0; {
		piece := left
		if r.path.piece > 0 {
			piece = min(piece, r.path.piece)
		}
		left -= piece
		st.sending = max(st.sending, p.Now()) + r.path.copyTime(piece)
		t := transfer{nic: k.a, end: end, tag: noTag, bytes: piece}
		if left == 0 {
			t.tag = m.tag
		}
		r.schedule(p, m.rank, r.jitter.inOrder(&e.latest, max(st.sending, m.at)+r.path.send+extra), timer{kind: timerPost, transfer: t})
	}
}

// handOver gives a piece of a message to its NIC.
func (r *collectiveRun) handOver(p *fabric.Partition, t *transfer) {
	wr := transport.WorkRequest{
		ID: uint64(t.tag), Op: transport.OpWriteImm, Length: uint32(t.bytes), Imm: t.tag, Unsignaled: t.tag == noTag,
	}
	if r.ping != nil {
		r.ping.handOver(p, &wr)
	}
	if err := p.Post(t.nic, t.end, wr); err != nil {
		r.fail(err)
	}
}

// acknowledged frees the slot of a message that its peer has.
func (r *collectiveRun) acknowledged(p *fabric.Partition, nic int32, c *transport.Completion) {
	e := &r.ends[nic][c.QPN]
	tag := uint32(c.ID)
	if e.of == nil || tag == noTag || e.pair.reduces() || missing(e.of.unacknowledged, tag) {
		return
	}
	e.of.slots++
	r.release(p, e.pair, e.of)
}

// received takes a piece from a NIC to the memory of the rank it is for.
func (r *collectiveRun) received(p *fabric.Partition, nic int32, c *transport.Completion) {
	e := &r.ends[nic][c.QPN]
	rank := int(e.rank)
	whole := c.Imm != noTag
	if whole {
		from := &r.ends[e.nic][e.peer]
		if whole = !missing(from.of.arriving, c.Imm); whole {
			r.flows.add(p.Now() - from.posted[0])
		}
		from.posted = from.posted[:copy(from.posted, from.posted[1:])]
		if whole && from.pair.reduces() {
			r.reduced(p, from)
		}
	}
	st := &r.ranks[rank]
	st.receiving = max(st.receiving, p.Now()) + r.path.copyTime(int64(c.Bytes))
	if whole {
		at := r.jitter.inOrder(&e.latest, st.receiving+r.path.receive+r.jitter.draw(receiver, rank))
		r.schedule(p, rank, at, timer{kind: timerArrive, tag: c.Imm})
	}
}

func (r *collectiveRun) fail(err error) {
	if r.failure == nil {
		r.failure = err
	}
}
