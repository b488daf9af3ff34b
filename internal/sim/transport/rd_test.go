package transport

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// rdPacket is a packet of reliable datagrams in the network, with its bytes.
type rdPacket struct {
	p    Packet
	a    Address
	data []byte
}

// rdNode is one end: its contexts and queue pairs, which share their numbers.
type rdNode struct {
	w     *rdWorld
	peer  *rdNode
	eecs  []*EEC
	qps   []*RDQP
	in    [][]rdPacket // by context, on their way here
	batch Batch
	sent  map[units.QPN][]WorkRequest // by queue pair
	done  map[units.QPN][]Completion
	recvd map[units.QPN][]Completion
	mem   []byte
	bufs  map[uint64][]byte // of receives and READs, by ID
	nextR uint64
}

// rdWorld is two nodes and a network that loses, doubles and reorders.
type rdWorld struct {
	t     *rapid.T
	cfg   Config
	nodes [2]*rdNode
	now   units.Time
	harm  int
	dice  *rand.Rand
}

const rdMTU, rdBytes = 16, 1 << 12

// newRDWorld has contexts that are connected in pairs, and queue pairs of one domain.
func newRDWorld(t *rapid.T, contexts, qps int) *rdWorld {
	w := &rdWorld{t: t, dice: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "dice"), 2)), harm: rapid.IntRange(0, 60).Draw(t, "harm")}
	w.cfg = Config{
		PathMTU: rdMTU, AckEvery: rapid.IntRange(0, 4).Draw(t, "ack"), RetryTimeout: 100 * units.Microsecond, RetryCount: 1<<16 - 2,
		RNRRetry: 7, RNRTimer: 1, Delivery: EndToEnd,
		Access: func(_ units.QPN, _ Access, rkey uint32, va uint64, n uint32) bool {
			return rkey == 1 && va+uint64(n) <= rdBytes
		},
		Atomic: func(units.QPN, Op, uint32, uint64) uint64 { return 7 },
	}
	for i := range w.nodes {
		n := &rdNode{w: w, sent: map[units.QPN][]WorkRequest{}, done: map[units.QPN][]Completion{}, recvd: map[units.QPN][]Completion{}, mem: make([]byte, rdBytes), bufs: map[uint64][]byte{}}
		w.nodes[i] = n
		for k := range qps {
			d := new(RDQP)
			d.Setup(units.QPN(20+k), 5)
			d.SetQKey(uint32(900 + k))
			n.qps = append(n.qps, d)
			for _, s := range []State{StateInit, StateRTR, StateRTS} {
				if err := d.Become(0, s, &n.batch); err != nil {
					t.Fatal(err)
				}
			}
		}
		for k := range contexts {
			q, err := newQP(&w.cfg, RC, units.QPN(10+k), nil)
			if err != nil {
				t.Fatal(err)
			}
			e := new(EEC)
			if err := e.Setup(q, 5, n.find); err != nil {
				t.Fatal(err)
			}
			n.eecs = append(n.eecs, e)
		}
		n.in = make([][]rdPacket, contexts)
	}
	for i, n := range w.nodes {
		n.peer = w.nodes[1-i]
		for k, e := range n.eecs {
			psn := [2]units.PSN{units.PSN(0).Add(-10), 500}
			if err := e.Connect(0, n.peer.eecs[k].Number(), psn[i], psn[1-i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

func (n *rdNode) find(qpn units.QPN) *RDQP {
	for _, d := range n.qps {
		if d.qpn == qpn {
			return d
		}
	}
	return nil
}

// rdMessage is the bytes of a send, by its ID.
func rdMessage(id uint64, length uint32) []byte {
	b := make([]byte, length)
	for i := range b {
		b[i] = byte(id*37 + uint64(i)*5 + 1)
	}
	return b
}

// post posts a random message to queue pair k that the receiver accepts.
func (n *rdNode) post(k int) {
	t, d := n.w.t, n.qps[k]
	id := uint64(len(n.sent[d.qpn])+1) | uint64(k)<<16
	dest := rapid.IntRange(0, len(n.qps)-1).Draw(t, "dest")
	wr := WorkRequest{
		ID: id, Op: rapid.SampledFrom([]Op{OpSend, OpSendImm, OpWrite, OpWriteImm, OpRead, OpFetchAdd}).Draw(t, "op"),
		Length: uint32(rapid.IntRange(0, 60).Draw(t, "len")), Imm: uint32(id), RKey: 1, DestQP: units.QPN(20 + dest), QKey: uint32(900 + dest),
		RemoteVA: uint64(k)*1024 + uint64(len(n.sent[d.qpn]))*64,
	}
	if wr.Op.atomic() {
		wr.Length = AtomicBytes
	}
	e := n.eecs[rapid.IntRange(0, len(n.eecs)-1).Draw(t, "context")]
	if err := d.PostSend(n.w.now, e, wr, &n.batch); err != nil {
		t.Fatal(err)
	}
	n.sent[d.qpn] = append(n.sent[d.qpn], wr)
	if wr.Op != OpWrite && !wr.Op.asks() {
		n.peer.nextR++
		n.peer.bufs[n.peer.nextR] = make([]byte, 64)
		if err := n.peer.qps[dest].PostRecv(RecvRequest{ID: n.peer.nextR, Length: 64}, &n.peer.batch); err != nil {
			t.Fatal(err)
		}
	}
	n.drain(e)
}

// emit sends one packet of a context.
func (n *rdNode) emit(k int) {
	e := n.eecs[k]
	var p Packet
	if !e.q.Next(n.w.now, &p) {
		n.w.t.Fatal("a context was ready and had no packet")
	}
	var data []byte
	switch ops[p.Op].class {
	case classSend, classWrite:
		id, ok := e.q.SourceOf(&p)
		if !ok {
			n.w.t.Fatalf("no source of %s", show(&p))
		}
		data = rdMessage(id, 80)[p.Offset : p.Offset+p.Length]
	case classReadResponse:
		data = slices.Clone(n.mem[p.VA+uint64(p.Offset):][:p.Length])
	}
	n.carry(k, rdPacket{p, e.Address(&p), data})
}

func (n *rdNode) carry(k int, c rdPacket) {
	to := &n.peer.in[k]
	*to = append(*to, c)
	if n.w.harm == 0 {
		return
	}
	switch n.w.dice.IntN(8) {
	case 0:
		*to = (*to)[:len(*to)-1]
	case 1:
		*to = append(*to, c)
	default:
		return
	}
	n.w.harm--
}

func (n *rdNode) deliver(k int) {
	i := 0
	if n.w.harm > 0 && n.w.dice.IntN(4) == 0 {
		i = n.w.dice.IntN(min(3, len(n.in[k])))
	}
	c := n.in[k][i]
	n.in[k] = slices.Delete(n.in[k], i, i+1)
	e := n.eecs[k]
	switch e.Receive(n.w.now, &c.p, c.a, &n.batch) {
	case PlaceWrite:
		copy(n.mem[c.p.VA+uint64(c.p.Offset):], c.data)
	case PlaceRecv:
		copy(n.bufs[c.p.VA][c.p.Offset:], c.data)
	case PlaceRead:
		id := c.p.VA | 1<<40
		if n.bufs[id] == nil {
			n.bufs[id] = make([]byte, 64)
		}
		copy(n.bufs[id][c.p.Offset:], c.data)
	}
	n.drain(e)
}

func (n *rdNode) drain(e *EEC) {
	k := slices.Index(n.eecs, e)
	for i := range n.batch.Packets {
		n.carry(k, rdPacket{p: n.batch.Packets[i], a: e.Address(&n.batch.Packets[i])})
	}
	for told := 0; told < len(n.batch.Completions); { // a context may add to them
		c := n.batch.Completions[told]
		told++
		d, tell := e.Completed(n.w.now, &c, &n.batch)
		switch {
		case d == nil || !tell:
		case c.Recv:
			n.recvd[d.qpn] = append(n.recvd[d.qpn], c)
		default:
			n.done[d.qpn] = append(n.done[d.qpn], c)
		}
	}
	n.batch.Reset()
}

// run moves packets and time until nothing is left.
func (w *rdWorld) run() {
	for steps := 0; ; steps++ {
		if steps > 100000 {
			w.t.Fatal("the run does not end")
		}
		var acts []func()
		next := units.Forever
		for _, n := range w.nodes {
			for k, e := range n.eecs {
				if e.q.Ready(w.now) <= w.now {
					acts = append(acts, func() { n.emit(k) })
				}
				if len(n.in[k]) > 0 {
					acts = append(acts, func() { n.deliver(k) })
				}
				if e.q.NextTimeout() <= w.now {
					acts = append(acts, func() { e.q.Timeout(w.now, &n.batch); n.drain(e) })
				}
				next = min(next, e.q.NextTimeout(), e.q.Ready(w.now))
			}
		}
		switch {
		case len(acts) > 0:
			acts[w.dice.IntN(len(acts))]()
			w.now += units.Nanosecond
		case next == units.Forever:
			return
		default:
			w.now = next
		}
	}
}

// Reliable datagrams of many queue pairs over several contexts: the datagrams of each queue
// pair are executed in order, once, byte for byte, and reach their destination.
func TestReliableDatagramsAreAListOfEachQueuePair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRDWorld(t, rapid.IntRange(1, 3).Draw(t, "contexts"), rapid.IntRange(1, 4).Draw(t, "queue pairs"))
		for range rapid.IntRange(0, 20).Draw(t, "messages") {
			n := w.nodes[rapid.IntRange(0, 1).Draw(t, "node")]
			n.post(rapid.IntRange(0, len(n.qps)-1).Draw(t, "queue pair"))
		}
		w.run()
		for _, n := range w.nodes {
			n.compare()
		}
	})
}

// compare compares a node's completions, and the messages at its peer, with the posted work.
func (n *rdNode) compare() {
	t := n.w.t
	mem := make([]byte, rdBytes)
	got := map[uint32][]byte{} // with immediate data, by that
	for _, list := range n.peer.recvd {
		for _, c := range list {
			if c.HasImm && c.Op == OpSendImm {
				got[c.Imm|uint32(c.SrcQP)<<24] = n.peer.bufs[c.ID][:c.Bytes]
			}
		}
	}
	recvs := 0
	for qpn, sent := range n.sent {
		if len(n.done[qpn]) != len(sent) {
			t.Fatalf("queue pair %d: %d of %d messages completed", qpn, len(n.done[qpn]), len(sent))
		}
		for i, wr := range sent {
			c := n.done[qpn][i]
			if c.ID != wr.ID || c.Status != Success || c.Op != wr.Op || c.QPN != qpn {
				t.Fatalf("queue pair %d completed %+v in the place of %+v", qpn, c, wr)
			}
			switch wr.Op {
			case OpWrite, OpWriteImm:
				copy(mem[wr.RemoteVA:], rdMessage(wr.ID, wr.Length))
			case OpSendImm:
				if b := got[wr.Imm|uint32(qpn)<<24]; !slices.Equal(b, rdMessage(wr.ID, wr.Length)) {
					t.Fatalf("message %d of queue pair %d arrived as %x", wr.ID, qpn, b)
				}
			}
			if wr.Op != OpWrite && !wr.Op.asks() {
				recvs++
			}
		}
	}
	for _, list := range n.peer.recvd {
		recvs -= len(list)
	}
	if recvs != 0 {
		t.Fatalf("%d messages more were sent than received", recvs)
	}
	if !slices.Equal(n.peer.mem, mem) {
		t.Fatal("memory differs from the written data")
	}
}

// A refused datagram ends the sends of its queue pair and nothing else: the contexts carry
// the datagrams of other queue pairs.
func TestARefusedDatagramEndsItsQueuePairOnly(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w *rdWorld, wr *WorkRequest)
		want  Status
	}{
		"a Q_Key":          {func(_ *rdWorld, wr *WorkRequest) { wr.QKey++ }, RemInvRDReqErr},
		"no queue pair":    {func(_ *rdWorld, wr *WorkRequest) { wr.DestQP = 99 }, RemInvRDReqErr},
		"another domain":   {func(w *rdWorld, _ *WorkRequest) { w.nodes[1].qps[0].rdd++ }, RemInvRDReqErr},
		"a key":            {func(_ *rdWorld, wr *WorkRequest) { wr.RKey++ }, RemAccessErr},
		"an address":       {func(_ *rdWorld, wr *WorkRequest) { wr.RemoteVA = rdBytes - 1 }, RemAccessErr},
		"own domain":       {func(w *rdWorld, _ *WorkRequest) { w.nodes[0].qps[0].rdd++ }, LocRDDViolErr},
		"a receive's room": {func(_ *rdWorld, wr *WorkRequest) { wr.Op, wr.Length = OpSend, 70 }, RemInvReqErr},
		"a context":        {func(w *rdWorld, _ *WorkRequest) { w.nodes[0].eecs[0].Fail(0, &w.nodes[0].batch) }, InvEECStateErr},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := newRDWorld(t, 2, 2)
				a, b := w.nodes[0], w.nodes[1]
				wr := WorkRequest{ID: 1, Op: OpWrite, Length: 60, RKey: 1, DestQP: 20, QKey: 900}
				c.spoil(w, &wr)
				if err := b.qps[0].PostRecv(RecvRequest{ID: 1, Length: 64}, &b.batch); err != nil {
					t.Fatal(err)
				}
				b.bufs[1] = make([]byte, 80)
				if err := a.qps[0].PostRecv(RecvRequest{ID: 9, Length: 64}, &a.batch); err != nil {
					t.Fatal(err)
				}
				a.rdPost(0, 0, wr)
				a.rdPost(0, 0, WorkRequest{ID: 2, Op: OpWrite, RKey: 1, DestQP: 20, QKey: 900})
				last := 1
				if c.want != InvEECStateErr {
					last = 0
				}
				a.rdPost(1, last, WorkRequest{ID: 3, Op: OpWrite, Length: 40, RKey: 1, RemoteVA: 512, DestQP: 21, QKey: 901})
				w.run()
				if got := statuses(a.done[20]); got != c.want.String()+" WR_FLUSH_ERR" {
					t.Fatalf("its sends ended with %v, want %v and a flush", got, c.want)
				}
				if got := statuses(a.done[21]); got != "SUCCESS" {
					t.Fatalf("another queue pair's ended with %v", got)
				}
				if a.qps[0].State() != StateSQE || a.qps[1].State() != StateRTS {
					t.Fatalf("the queue pairs are in %v and %v", a.qps[0].State(), a.qps[1].State())
				}
				if !slices.Equal(b.mem[512:552], rdMessage(3, 40)) {
					t.Fatal("the other queue pair's message has not arrived")
				}
				if c.want == RemAccessErr && b.mem[rdBytes-1] != 0 {
					t.Fatal("memory was written to")
				}
				// Its receives stay until it is in ERR.
				var end Batch
				if len(a.recvd[20]) != 0 {
					t.Fatalf("its receives ended with %v when its sends did", statuses(a.recvd[20]))
				}
				if err := a.qps[0].Become(w.now, StateErr, &end); err != nil || len(end.Completions) != 1 || !end.Completions[0].Recv || end.Completions[0].ID != 9 || end.Completions[0].Status != WRFlushErr {
					t.Fatalf("in ERR: %v, its receives end with %+v", err, end.Completions)
				}
			})
		})
	}
}

// rdPost posts a message to a queue pair over a context.
func (n *rdNode) rdPost(qp, context int, wr WorkRequest) {
	if err := n.qps[qp].PostSend(n.w.now, n.eecs[context], wr, &n.batch); err != nil {
		n.w.t.Fatal(err)
	}
	n.drain(n.eecs[context])
}

// statuses are how a queue pair's sends ended.
func statuses(list []Completion) string {
	var s []string
	for _, c := range list {
		s = append(s, c.Status.String())
	}
	return strings.Join(s, " ")
}

func TestAContextWhosePeerIsGoneEndsWithItsMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRDWorld(t, 2, 2)
		w.cfg.RetryCount = 2
		a := w.nodes[0]
		a.peer.eecs[0].Fail(0, &a.peer.batch)
		w.harm = 0
		wr := WorkRequest{ID: 1, Op: OpWrite, Length: 60, RKey: 1, DestQP: 20, QKey: 900}
		a.rdPost(0, 0, wr)
		a.rdPost(1, 0, wr)
		w.run()
		if got := statuses(a.done[20]) + ", " + statuses(a.done[21]); got != "RETRY_EXC_ERR, INV_EEC_STATE_ERR" {
			t.Fatalf("the message under way and the waiting message ended with %v", got)
		}
	})
}
