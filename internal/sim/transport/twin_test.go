package transport

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
	"weft/wire"
)

// The dumb twin of a reliable connection is a list: posted work is done in order,
// once, byte for byte. TestReliableConnectionIsAList compares the queue pairs with it
// over a network that loses, doubles and reorders packets.

// carried is a packet in the network with its bytes.
type carried struct {
	p    Packet
	data []byte
}

// end is one end of the connection, with its application and memory.
type end struct {
	name   string
	q      *QP
	peer   *end
	in     []carried // on its way here
	ahead  []carried // held
	batch  Batch
	held   units.Time // the one deadline that the caller holds
	posted []WorkRequest
	recvs  uint64 // receives posted
	memory []byte // target of WRITEs
	source []byte // of READs
	bufs   map[uint64][]byte
	count  uint64            // atomics executed here: each adds one
	olds   map[uint64]uint64 // by the ID of an atomic, its answer
	locals []uint64          // local operations that were executed
	done   []Completion
	recvd  []Completion
}

const (
	twinMemory  = 1 << 14
	twinMessage = 120 // longest message in the test
)

// content is byte i of the message of a work request.
func content(name string, id uint64, i int) byte {
	return byte(uint64(name[0])*31 + id*17 + uint64(i)*7 + uint64(i)>>8)
}

func payload(name string, wr WorkRequest) []byte {
	b := make([]byte, wr.Length)
	for i := range b {
		b[i] = content(name, wr.ID, i)
	}
	return b
}

// world is the two ends and the faults between them.
type world struct {
	t     *rapid.T
	cfg   *Config
	ends  [2]*end
	now   units.Time
	harm  int // packets that may still be lost, doubled or moved
	reach int // the packets that may overtake a packet
	dice  *rand.Rand
}

func TestReliableConnectionIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for i, e := range w.ends {
			for range rapid.IntRange(0, 12).Draw(t, "messages") {
				w.post(e, i)
			}
		}
		for steps := 0; w.step(); steps++ {
			if steps > 200000 {
				t.Fatalf("the run does not end: %v", w.ends[0].q.req.una)
			}
			w.check()
		}
		w.compare()
	})
}

func newWorld(t *rapid.T) *world {
	cfg := &Config{
		PathMTU:               rapid.IntRange(1, 40).Draw(t, "mtu"),
		AckEvery:              rapid.IntRange(0, 5).Draw(t, "ack"),
		AskEvery:              rapid.IntRange(0, 3).Draw(t, "ask"),
		RetryTimeout:          100 * units.Microsecond,
		RetryCount:            1<<16 - 2,
		RNRRetry:              7,
		RNRTimer:              uint8(rapid.IntRange(1, 6).Draw(t, "rnr")),
		Window:                units.Bytes(rapid.IntRange(0, 100).Draw(t, "window")),
		MaxOutstandingPackets: rapid.IntRange(0, 20).Draw(t, "packets"),
		MaxReads:              rapid.IntRange(1, 4).Draw(t, "reads"),
		Delivery:              rapid.SampledFrom([]Delivery{InOrder, SelectiveHeld, Selective, OutOfOrder, WriteOnly}).Draw(t, "delivery"),
		Duplicates:            rapid.SampledFrom([]Duplicates{DuplicatesCounted, DuplicatesAcked, DuplicatesDropped}).Draw(t, "duplicates"),
		NAKInterval:           units.Time(rapid.IntRange(0, 1).Draw(t, "nak")) * units.Microsecond,
	}
	if rapid.Bool().Draw(t, "flow") {
		cfg.Flow = &FlowControl{Initial: int32(rapid.IntRange(1, 8).Draw(t, "initial")), Most: 16, FirstTimeout: units.Forever, LeastTimeout: 20 * units.Microsecond}
	}
	w := &world{
		t: t, cfg: cfg, harm: rapid.IntRange(0, 60).Draw(t, "harm"), reach: rapid.IntRange(1, 12).Draw(t, "reach"),
		dice: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "dice"), 1)),
	}
	cfg.Atomic = func(qp units.QPN, _ Op, _ uint32, _ uint64) uint64 {
		e := w.ends[qp-1]
		e.count++
		return e.count - 1
	}
	cfg.Local = func(qp units.QPN, id uint64) Status {
		w.local(w.ends[qp-1], id)
		return Success
	}
	var psn [2]units.PSN
	for i, name := range []string{"a", "b"} {
		q, err := newQP(cfg, RC, units.QPN(i+1), nil)
		if err != nil {
			t.Fatal(err)
		}
		psn[i] = units.PSN(0).Add(int32(rapid.IntRange(-60, 60).Draw(t, "psn")))
		e := &end{name: name, q: q, held: units.Forever, memory: make([]byte, twinMemory), source: make([]byte, twinMemory), bufs: map[uint64][]byte{}, olds: map[uint64]uint64{}}
		for j := range e.source {
			e.source[j] = content(name, 99, j)
		}
		w.ends[i] = e
	}
	for i, e := range w.ends {
		e.peer = w.ends[1-i]
		if err := e.q.Connect(0, units.QPN(2-i), psn[i], psn[1-i]); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// post posts one random work request; each has memory of its own.
func (w *world) post(e *end, side int) {
	id := uint64(len(e.posted) + 1)
	wr := WorkRequest{
		ID: id, Op: Op(rapid.IntRange(0, int(numOps)-1).Draw(w.t, "op")), Length: uint32(rapid.IntRange(0, twinMessage).Draw(w.t, "len")),
		Imm: uint32(id) * 3, RKey: uint32(side), RemoteVA: id * 256, Fence: rapid.Bool().Draw(w.t, "fence"),
	}
	switch {
	case wr.Op.atomic():
		wr.Length = AtomicBytes
	case wr.Op.local():
		wr.Length = 0
	}
	if err := e.q.PostSend(w.now, wr); err != nil {
		w.t.Fatal(err)
	}
	e.hold()
	if wr.Op == OpRead {
		e.bufs[wr.ID|1<<32] = make([]byte, wr.Length)
	}
	e.posted = append(e.posted, wr)
}

// local is called when e executes a local operation: after all work before it has begun,
// before work behind it has begun, and with a fence after all work before it is finished.
func (w *world) local(e *end, id uint64) {
	q := e.q
	at := q.req.work(q.req.cur)
	switch {
	case at.id != id:
		w.t.Fatalf("%s: local operation %d in the place of %d", e.name, id, at.id)
	case q.req.nxt != at.first || q.req.max != at.first:
		w.t.Fatalf("%s: nxt %d and max %d when the local operation at %d is executed", e.name, q.req.nxt, q.req.max, at.first)
	case at.flags&workFence != 0 && len(e.done)+len(e.batch.Completions) < int(id)-1:
		w.t.Fatalf("%s: operation %d has a fence, and earlier work is not finished", e.name, id)
	}
	e.locals = append(e.locals, id)
}

// step takes one random action, and reports whether there was one.
func (w *world) step() bool {
	var acts []func()
	for _, e := range w.ends {
		if e.q.Ready(w.now) <= w.now {
			acts = append(acts, func() { w.emit(e) })
		}
		if len(e.in) > 0 {
			acts = append(acts, func() { w.deliver(e) })
		}
		if e.held <= w.now {
			acts = append(acts, func() { w.fire(e) })
		}
		if e.recvs < w.wanted(e) {
			acts = append(acts, func() { w.postRecv(e) })
		}
	}
	if len(acts) > 0 {
		acts[w.dice.IntN(len(acts))]()
		w.now += units.Nanosecond
		return true
	}
	next := units.Forever
	for _, e := range w.ends {
		next = min(next, e.held, e.q.Ready(w.now))
	}
	if next == units.Forever {
		return false
	}
	w.now = next
	return true
}

// wanted is the number of receives that the peer's messages take.
func (w *world) wanted(e *end) (n uint64) {
	for _, wr := range e.peer.posted {
		if wr.Op != OpWrite && !wr.Op.asks() && !wr.Op.local() {
			n++
		}
	}
	return n
}

func (w *world) postRecv(e *end) {
	e.recvs++
	e.bufs[e.recvs] = make([]byte, twinMessage)
	if err := e.q.PostRecv(w.now, RecvRequest{ID: e.recvs, Length: twinMessage}); err != nil {
		w.t.Fatal(err)
	}
}

// emit sends one packet, with its bytes.
func (w *world) emit(e *end) {
	var p Packet
	if !e.q.Next(w.now, &p) {
		w.t.Fatalf("%s was ready and had no packet", e.name)
	}
	var data []byte
	switch ops[p.Op].class {
	case classSend, classWrite:
		id, ok := e.q.SourceOf(&p)
		if !ok {
			// The packet ended its message; only its PSN identifies the message.
			w.t.Fatalf("no source of %s", show(&p))
		}
		for i := range p.Length {
			data = append(data, content(e.name, id, int(p.Offset+i)))
		}
	case classReadResponse:
		data = bytes.Clone(e.source[p.VA+uint64(p.Offset):][:p.Length])
	}
	e.hold()
	w.carry(e.peer, carried{p, data})
}

// carry puts a packet into the network, which may harm it.
func (w *world) carry(to *end, c carried) {
	to.in = append(to.in, c)
	if w.harm == 0 {
		return
	}
	switch w.dice.IntN(10) {
	case 0:
		to.in = to.in[:len(to.in)-1]
	case 1:
		to.in = append(to.in, c)
	default:
		return
	}
	w.harm--
}

// deliver takes a packet near the head of the line.
func (w *world) deliver(e *end) {
	i := 0
	if w.harm > 0 {
		i = w.dice.IntN(min(w.reach, len(e.in)))
		if i > 0 {
			w.harm--
		}
	}
	c := e.in[i]
	e.in = append(e.in[:i:i], e.in[i+1:]...)
	w.give(e, c)
	for i := 0; i < len(e.ahead); i++ {
		if c := e.ahead[i]; c.p.PSN == e.q.Expected() {
			e.ahead = slices.Delete(e.ahead, i, i+1)
			w.give(e, c)
			i = -1
		}
	}
}

// give gives a packet to its queue pair, and keeps it if the queue pair holds it back.
func (w *world) give(e *end, c carried) {
	original, kept := c.p.VA, c
	verdict := e.q.Receive(w.now, &c.p, &e.batch)
	switch verdict {
	case Held:
		e.ahead = append(e.ahead, kept)
	case PlaceWrite:
		copy(e.memory[c.p.VA+uint64(c.p.Offset):], c.data)
	case PlaceRecv:
		if !w.cfg.Delivery.placesAhead() { // there, the receive of a SEND is not known before its turn
			copy(e.bufs[c.p.VA][c.p.Offset:], c.data)
		}
	case PlaceRead:
		copy(e.bufs[c.p.VA|1<<32][c.p.Offset:], c.data)
	case PlaceAtomic:
		e.olds[c.p.VA] = original
	}
	w.drain(e)
}

func (w *world) fire(e *end) {
	e.q.Timeout(w.now, &e.batch)
	e.held = units.Forever
	w.drain(e)
}

func (w *world) drain(e *end) {
	for _, p := range e.batch.Packets {
		w.carry(e.peer, carried{p: p})
	}
	for _, c := range e.batch.Completions {
		if c.Recv {
			e.recvd = append(e.recvd, c)
		} else {
			e.done = append(e.done, c)
		}
	}
	e.batch.Reset()
	e.hold()
}

// hold keeps the earliest deadline.
func (e *end) hold() { e.held = min(e.held, e.q.NextTimeout()) }

// check holds the invariants of a requester.
func (w *world) check() {
	for _, e := range w.ends {
		q := e.q
		if q.req.nxt.Before(q.req.una) || q.req.max.Before(q.req.nxt) || q.req.end.Before(q.req.max) {
			w.t.Fatalf("%s: una %d, nxt %d, max %d, end %d", e.name, q.req.una, q.req.nxt, q.req.max, q.req.end)
		}
		var flight units.Bytes
		reads := 0
		for i := q.req.head; i != q.req.tail; i++ {
			s := q.req.work(i)
			if s.op.asks() {
				if i-q.req.head < q.req.cur-q.req.head {
					reads++
				}
				continue
			}
			from, to := s.first, s.end()
			if from.Before(q.req.una) {
				from = q.req.una
			}
			if q.req.nxt.Before(to) {
				to = q.req.nxt
			}
			if from.Before(to) {
				flight += units.Bytes(s.bytesTo(to, uint32(w.cfg.PathMTU)) - s.bytesTo(from, uint32(w.cfg.PathMTU)))
			}
		}
		if flight != q.req.flight {
			w.t.Fatalf("%s: flight is %d, the packets say %d", e.name, q.req.flight, flight)
		}
		if reads != int(q.req.readsOut) {
			w.t.Fatalf("%s: %d READs are out, counted %d", e.name, reads, q.req.readsOut)
		}
		if q.req.una != q.req.nxt && min(e.held, q.NextTimeout()) > w.now+q.req.retryWait()+wire.RNRTimer(6) {
			w.t.Fatalf("%s: packets are in flight without a timer", e.name)
		}
	}
}

// compare compares everything with the list.
func (w *world) compare() {
	for _, e := range w.ends {
		wantDone, wantRecv, memory := twin(e)
		got := fmt.Sprint(e.done)
		if want := fmt.Sprint(wantDone); got != want {
			w.t.Fatalf("%s completed\n%v, want\n%v", e.name, got, want)
		}
		if got, want := fmt.Sprint(e.peer.recvd), fmt.Sprint(wantRecv); got != want {
			w.t.Fatalf("%s received\n%v, want\n%v", e.peer.name, got, want)
		}
		if !bytes.Equal(e.peer.memory, memory) {
			w.t.Fatalf("%s's memory differs from the data that %s wrote", e.peer.name, e.name)
		}
		next, atomics := uint64(0), uint64(0)
		var locals []uint64
		for _, wr := range e.posted {
			want := payload(e.name, wr)
			var have []byte
			switch wr.Op {
			case OpRead:
				want, have = e.peer.source[wr.RemoteVA:][:wr.Length], e.bufs[wr.ID|1<<32]
			case OpCmpSwap, OpFetchAdd:
				if got, ok := e.olds[wr.ID]; !ok || got != atomics {
					w.t.Fatalf("%s's atomic %d found %d (%v), want %d: each is executed once, in order", e.name, wr.ID, got, ok, atomics)
				}
				atomics++
				continue
			case OpSend, OpSendImm, OpSendInv:
				next++
				have = e.peer.bufs[next][:wr.Length]
				if w.cfg.Delivery.placesAhead() {
					continue
				}
			case OpWriteImm:
				next++
				continue
			case OpBindMW, OpLocalInv:
				locals = append(locals, wr.ID)
				continue
			default:
				continue
			}
			if !bytes.Equal(have, want) {
				w.t.Fatalf("%s's %v %d holds\n%x, want\n%x", e.name, wr.Op, wr.ID, have, want)
			}
		}
		if !slices.Equal(e.locals, locals) {
			w.t.Fatalf("%s executed the local operations %v, want %v: each once, in order", e.name, e.locals, locals)
		}
		if e.peer.count != atomics {
			w.t.Fatalf("%s executed %d atomics of %d", e.peer.name, e.peer.count, atomics)
		}
	}
}

// twin is the whole model: the work that e posted is done, in order.
func twin(e *end) (done, recvd []Completion, memory []byte) {
	memory = make([]byte, twinMemory)
	for _, wr := range e.posted {
		done = append(done, Completion{ID: wr.ID, QPN: e.q.QPN(), Op: wr.Op, Bytes: wr.Length})
		if wr.Op == OpWrite || wr.Op == OpWriteImm {
			copy(memory[wr.RemoteVA:], payload(e.name, wr))
		}
		if wr.Op == OpWrite || wr.Op.asks() || wr.Op.local() {
			continue
		}
		c := Completion{ID: uint64(len(recvd) + 1), QPN: e.peer.q.QPN(), Op: wr.Op, Bytes: wr.Length, Recv: true}
		if wr.Op.hasImm() {
			c.HasImm, c.Imm = true, wr.Imm
		}
		if wr.Op == OpSendInv {
			c.Op, c.HasInv, c.Imm = OpSend, true, wr.Imm
		}
		recvd = append(recvd, c)
	}
	return done, recvd, memory
}
