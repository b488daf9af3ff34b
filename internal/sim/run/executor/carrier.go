package executor

import (
	"cmp"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// carrier takes messages from the memory of one rank to that of a rank in another node: through the
// sender's host to a NIC, over a connection, and through the receiver's host. It reports arrivals
// to its user by timers of kind TimerArrive, which carry the message's tag.
type carrier struct {
	net        *network.Network
	Path       host.Path
	Jitter     *jitter.Jitter // nil is none
	partitions []partition    // by simulation partition
	// connected is true when all connections exist: with several partitions none is made during the
	// run.
	connected bool
	// divides is true if messages are posted as in NCCL, see scenario.Fabric.Form.
	divides bool
	stripe  int        // NICs beside each other that share the messages of a pair
	hosts   []rankHost // by rank
	source  uint32     // of the timers of rank 0; the other ranks' follow
	links   map[Pair]*connections
	copies  map[uint32]*copied                                   // copies in flight from one NIC to others, by number; none with several partitions
	copying uint32                                               // the last number
	ends    [][]endpoint                                         // by NIC and number of its end
	handing func(p *fabric.Partition, wr *transport.WorkRequest) // called with each work request; may be nil
}

// rankHost is the host of a rank.
type rankHost struct {
	timers    host.Timers
	cores     host.Cores
	proxies   map[int32]*proxy // by communicator
	sending   units.Time       // end of the last copy of the sending thread
	receiving units.Time       // end of the last copy of the receiving thread
}

// Pair identifies the connections for one channel's messages from one rank to another through two
// NICs, as NCCL makes them: one set for each direction, and for each communicator.
type Pair struct {
	From, To int32 // ranks
	A, B     int32 // NICs
	Channel  int32
	Group    int32 // the communicator's number
	Path     collective.Path
}

// connections are the queue pairs or sockets of a pair; messages use them in turn.
//
// A connection of NCCL has NCCL_STEPS slots. A message takes one or two from its posting to its
// acknowledgement, and waits if none is free. So a sender runs ahead of its receiver's NIC by at most
// this number. In NCCL a slot is free only when the receiving GPU has used the data; that is left
// out.
type connections struct {
	ends           []nicEnd // at the sender's NICs
	turn           int
	posted         int        // messages without an acknowledgement
	waiting        []message  // for a slot
	written        units.Time // time at which the kernel will have written the first waiting message
	sent           uint32     // number of messages so far: the number of the next
	unacknowledged partsLeft
	// For reductions in the network: the operation, the lane whose turn it is, and early
	// contributions by lane.
	serial uint64
	lane   int
	early  map[int]message
}

// nicEnd is an end of a connection.
type nicEnd struct {
	nic   int32
	qpn   units.QPN
	bytes int64 // of messages so far, without headers
}

// message is a message from a rank to another node.
type message struct {
	rank   int // the GPU beside the NIC
	limits *HostLimits
	tag    uint64
	bytes  int64
	due    units.Time // earliest time of its posting: the kernel has written it
	at     units.Time // time at which it leaves for the NIC
	number uint32     // of its pair
	parts  uint32     // number of its parts
	// posting is how a GPU's kernel posts it; nil: it is one work request.
	posting  *workload.Posting
	requests int64 // of a part, with posting
	// For a reduction whose results go to one NIC each: the part of each NIC.
	results []part
}

// endpoint describes one end of a connection.
type endpoint struct {
	rank    int32        // its rank
	under   *underWay    // shared by both ends
	of      *connections // at the sender's end; for a stream at both
	from    *partsLeft   // at the receiver's end: parts of arriving messages
	pair    Pair
	members int        // of a stream
	leaving []bool     // for reductions whose results go to one NIC each: whether this NIC gets a part
	taken   units.Time // with inline data: the time at which the NIC takes the last message
	latest  units.Time // with jitter: the time at which the last message left the host's software
	// thread is the end of the work of the thread that serves the connection; nil if the rank's own
	// thread does.
	thread *units.Time
}

// groupEntropy spreads the numbers of communicators over the bits of a connection's entropy (the
// golden ratio); the first communicator adds none.
const groupEntropy = 0x9e3779b97f4a7c15

// MessageGroup is the communicator's number of all messages from rank to rank: the hash of their
// connections depends neither on their order nor on other communicators.
const MessageGroup = -1

// identity is unique for each of a pair's connections, by its number.
func (k *Pair) identity(i int) uint64 {
	return engine.Mix(uint64(k.From)<<40 ^ uint64(k.To)<<16 ^ uint64(k.Channel)<<8 ^ uint64(i) ^ uint64(k.Group)*groupEntropy)
}

// Entropy is the entropy of the sender's end of a pair's connection, by its number.
func (k *Pair) Entropy(i int) uint32 { return uint32(k.identity(i)) }

// connect makes the connections of a pair at their first use; posting is how its messages are posted.
func (c *carrier) connect(k Pair, posting *workload.Posting) (*connections, error) {
	if l := c.links[k]; l != nil {
		return l, nil
	}
	if c.connected {
		panic(fmt.Sprintf("executor: rank %d sends to rank %d through the NICs %d and %d, which no step of its program had said", k.From, k.To, k.A, k.B))
	}
	l, left := new(connections), new(partsLeft)
	sending, receiving := c.threads(), c.threads()
	number := c.net.Plan.ConnectionsPerPair()
	if posting != nil {
		number = max(number, int(posting.Spread))
		l.turn = int(k.Channel) // so that connections of few messages begin on different NICs
	}
	for i := range number * max(c.stripe, 1) {
		a, b := k.A+int32(i%max(c.stripe, 1)), k.B+int32(i%max(c.stripe, 1))
		qa, qb, err := c.net.ConnectNICs(a, b, k.Entropy(i), k.identity(i), 0)
		if err == nil {
			err = c.net.Refuse(a, b)
		}
		if err != nil {
			return nil, err
		}
		under := newUnderWay(c.room())
		c.bind(a, qa, endpoint{rank: k.From, under: under, of: l, pair: k, thread: threadOf(sending, i)})
		c.bind(b, qb, endpoint{rank: k.To, under: under, from: left, pair: k, thread: threadOf(receiving, i)})
		l.ends = append(l.ends, nicEnd{nic: a, qpn: qa})
	}
	c.links[k] = l
	return l, nil
}

// threads are the threads of one end of a connection over sockets.
func (c *carrier) threads() []units.Time {
	return make([]units.Time, c.net.Plan.Fabric.TCP.Threads)
}

// threadOf is the thread that serves a socket; nil if the rank's own thread does.
func threadOf(threads []units.Time, socket int) *units.Time {
	if len(threads) == 0 {
		return nil
	}
	return &threads[socket%len(threads)]
}

// room is the capacity of a connection in messages in flight before it must grow.
func (c *carrier) room() int {
	if c.net.Partitions() > 1 {
		return collective.Slots // the maximum: a pair has no more slots
	}
	return 1
}

func (c *carrier) bind(nic int32, end units.QPN, e endpoint) {
	for len(c.ends[nic]) <= int(end) {
		c.ends[nic] = append(c.ends[nic], endpoint{})
	}
	c.ends[nic][end] = e
}

// The immediate data of a piece marks the last piece of a message; the posting has the message's
// purpose.
const (
	lastPiece = 0
	noTag     = 1<<32 - 1
)

// post takes a message from a GPU to its NIC.
func (c *carrier) post(p *fabric.Partition, k Pair, m message) {
	l, err := c.connect(k, m.posting)
	if err != nil {
		c.fail(p, k.A, err)
		return
	}
	m.number = l.sent
	l.waiting = append(l.waiting, m)
	l.sent++
	c.release(p, k, l)
}

// release sends the messages of a pair that have a slot and that the kernel has written. So messages
// come to the host in the order of their times.
func (c *carrier) release(p *fabric.Partition, k Pair, l *connections) {
	for len(l.waiting) > 0 && l.posted < l.waiting[0].limits.maxInFlight() {
		m := l.waiting[0]
		if m.due > p.Now() {
			if l.written != m.due {
				l.written = m.due
				c.schedule(p, m.rank, m.due, host.Timer{Kind: host.TimerWritten, Transfer: host.Transfer{NIC: l.ends[0].nic, End: l.ends[0].qpn}})
			}
			return
		}
		l.waiting = l.waiting[:copy(l.waiting, l.waiting[1:])]
		l.posted++
		c.dispatch(p, k, l, m)
	}
}

// dispatch sends a message: on the next connection in turn, or in equal parts on all of them.
func (c *carrier) dispatch(p *fabric.Partition, k Pair, l *connections, m message) {
	m.due = p.Now()
	m.at = m.limits.leavesAt(m.rank, c.proxyOf(&k, &m), m.due, m.bytes)
	each := c.partOf(m.bytes, int64(len(l.ends)))
	if c.isPostedByKernel(&m) {
		each = m.partSize()
	}
	m.parts = uint32((m.bytes + each - 1) / each)
	for rest := m.bytes; rest > 0; rest -= each {
		part := m
		part.bytes = min(rest, each)
		to := &l.ends[l.turn%len(l.ends)]
		to.bytes += part.bytes
		l.turn++
		c.dispatchPart(p, k, *to, part)
	}
}

// leastOfSocket is the minimum part of a message for a socket in NCCL (MIN_CHUNKSIZE,
// src/transport/net_socket.cc).
const leastOfSocket = 64 << 10

// leastOfStripe is the part of a message for each NIC of a stripe (OFI_NCCL_MIN_STRIPE_SIZE, include/nccl_ofi_param.h of aws-ofi-nccl).
const leastOfStripe = 128 << 10

// unitOfPart is the unit of a part of a message for a queue pair, as LL and LL128 need it
// (IB_WRITE_CHUNK_ALIGNMENT, src/transport/net_ib/p2p.cc).
const unitOfPart = 128

// partOf is the size of a message's parts on the connections of a pair; the last one may be smaller.
func (c *carrier) partOf(bytes, ends int64) int64 {
	f, part := c.net.Plan.Fabric, (bytes+ends-1)/ends
	switch {
	case !protocol.Of(f.Kind).RDMA():
		return max(part, leastOfSocket)
	case c.stripe > 1:
		n := min(ends, max(1, (bytes+leastOfStripe-1)/leastOfStripe))
		return (bytes + n - 1) / n
	case f.Transport.SplitData:
		return (part + unitOfPart - 1) / unitOfPart * unitOfPart
	}
	return max(1, bytes)
}

// dispatchPart takes a part of a message through the host, in pieces if a CPU copies it.
func (c *carrier) dispatchPart(p *fabric.Partition, k Pair, from nicEnd, m message) {
	e := &c.ends[from.nic][from.qpn]
	extra := c.Jitter.Draw(jitter.Sender, m.rank)
	t := host.Transfer{NIC: from.nic, End: from.qpn, Tag: lastPiece, Bytes: m.bytes, To: from.nic}
	if k.Path == collective.PathNetScatter {
		c.dispatchParts(p, e, t, &m, extra)
		return
	}
	if k.Path == collective.PathNetGather {
		c.copying++
		c.copies[c.copying] = &copied{m.tag, p.Now(), e.members}
		t.Tag, m.number = c.copying, c.copying
	}
	if c.isPostedByKernel(&m) {
		c.dispatchRequests(p, e, t, &m, extra)
		return
	}
	e.under.post(posting{m.due, m.tag, m.number, m.parts, c.lastPiece(m.bytes)})
	c.throughHost(p, e, t, &m, extra)
}

// dispatchParts takes a contribution whose results go to one NIC each through the host.
func (c *carrier) dispatchParts(p *fabric.Partition, e *endpoint, t host.Transfer, m *message, extra units.Time) {
	own := false
	for i, part := range m.results {
		if part.nic == t.NIC {
			own = true
			e.under.post(posting{m.due, m.tag, m.number, m.parts, part.bytes})
		}
		t.Bytes, t.To, t.More = part.bytes, part.nic, i < len(m.results)-1
		c.throughHost(p, e, t, m, extra)
	}
	e.leaving = append(e.leaving, own)
}

// throughHost takes a message, or its part for one NIC, through the host to its NIC in pieces.
func (c *carrier) throughHost(p *fabric.Partition, e *endpoint, whole host.Transfer, m *message, extra units.Time) {
	h := &c.hosts[m.rank]
	for left := whole.Bytes; left > 0; {
		t := whole
		t.Bytes = left
		if c.Path.Piece > 0 {
			t.Bytes = min(left, c.Path.Piece)
		}
		left -= t.Bytes
		copied := h.cores.Copy(cmp.Or(e.thread, &h.sending), p.Now(), c.Path.CopyTime(t.Bytes))
		if left > 0 {
			t.Tag = noTag
		}
		at := c.Path.InTurn(&e.taken, c.Jitter.InOrder(&e.latest, max(copied, m.at)+c.Path.SendTime(t.Bytes)+extra))
		c.schedule(p, m.rank, at, host.Timer{Kind: host.TimerPost, Transfer: t})
	}
}

// lastPiece is the length of the last piece of a message.
func (c *carrier) lastPiece(bytes int64) int64 {
	if c.Path.Piece == 0 || bytes == 0 {
		return bytes
	}
	return (bytes-1)%c.Path.Piece + 1
}

// handOver posts a piece of a message on its NIC.
func (c *carrier) handOver(p *fabric.Partition, t *host.Transfer) {
	wr := transport.WorkRequest{
		ID: uint64(t.Tag), Op: transport.OpWriteImm, Length: uint32(t.Bytes), Imm: t.Tag, Unsignaled: t.Tag == noTag || t.More,
		RemoteVA: uint64(t.To),
	}
	if t.Silent {
		wr.Op = transport.OpWrite
	}
	if c.handing != nil {
		c.handing(p, &wr)
	}
	if c.divides && !t.Silent && !c.ends[t.NIC][t.End].pair.reduces() {
		form := c.net.Plan.Fabric.Form(units.Bytes(t.Bytes))
		wr.Ordered = form != scenario.FormWhole
		if form == scenario.FormDivided {
			data := wr
			data.Op, data.Unsignaled, wr.Length = transport.OpWrite, true, 0
			if err := p.Post(t.NIC, t.End, data); err != nil {
				c.fail(p, t.NIC, err)
				return
			}
		}
	}
	if err := p.Post(t.NIC, t.End, wr); err != nil {
		c.fail(p, t.NIC, err)
	}
}

// Complete handles the completion of a work request: at the receiver a message has arrived; at the
// sender it is acknowledged or has failed.
func (c *carrier) Complete(p *fabric.Partition, nic int32, w *transport.Completion) {
	switch {
	case w.Status != transport.Success:
		k := &c.ends[nic][w.QPN].pair
		c.fail(p, nic, fmt.Errorf("a connection from %s to %s failed at %v: %v", c.net.NodeName(k.A), c.net.NodeName(k.B), p.Now(), w.Status))
	case w.Recv:
		c.received(p, nic, w)
	default:
		c.acknowledged(p, nic, w)
	}
}

// acknowledged frees the slot of a message that its receiver has.
func (c *carrier) acknowledged(p *fabric.Partition, nic int32, w *transport.Completion) {
	e := &c.ends[nic][w.QPN]
	if e.of == nil || w.ID == noTag {
		return
	}
	if e.pair.reduces() {
		c.sent(p, e)
		return
	}
	if done := e.under.end(); e.of.unacknowledged.missing(&done) {
		return
	}
	e.of.posted--
	c.release(p, e.pair, e.of)
}

// received takes a piece from a NIC to the memory of its rank.
func (c *carrier) received(p *fabric.Partition, nic int32, w *transport.Completion) {
	e := &c.ends[nic][w.QPN]
	rank := int(e.rank)
	whole, tag, bytes := w.Imm != noTag, uint64(0), int64(w.Bytes)
	if c.divides && bytes == 0 {
		bytes = c.Path.Piece // its data arrived before
	}
	if whole {
		if e.pair.reduces() {
			tag = c.streamed(p, e, w.Imm)
		} else {
			came := e.under.arrive()
			tag, bytes = came.tag, came.bytes
			if whole = !e.from.missing(&came); whole {
				c.partition(p).flows.Add(p.Now() - came.at)
			}
		}
	}
	h := &c.hosts[rank]
	copied := h.cores.Copy(cmp.Or(e.thread, &h.receiving), p.Now(), c.Path.CopyTime(bytes))
	if whole {
		at := c.Jitter.InOrder(&e.latest, copied+c.Path.Receive+c.Jitter.Draw(jitter.Receiver, rank))
		c.schedule(p, rank, at, host.Timer{Kind: host.TimerArrive, Tag: tag})
	}
}

// schedule schedules an action of a rank.
func (c *carrier) schedule(p *fabric.Partition, rank int, at units.Time, t host.Timer) {
	c.hosts[rank].timers.Schedule(p, c.source+uint32(rank), at, t)
}
