package transport

import (
	"testing"

	"pgregory.net/rapid"

	"weft/units"
	"weft/wire"
)

// rdIntruder is a node's context whose peer sends random packets, and the posted receives
// of the node's queue pairs that have not ended.
type rdIntruder struct {
	t    *rapid.T
	n    *rdNode
	e    *EEC
	open map[uint64]units.QPN // by ID, their queue pair
	next uint64
}

// post posts a receive to a queue pair.
func (x *rdIntruder) post(d *RDQP) {
	x.next++
	if d.PostRecv(RecvRequest{ID: x.next, Length: 40}, &x.n.batch) == nil {
		x.open[x.next] = d.qpn
	}
	x.settle()
}

// send sends a packet that may stand anywhere in a message, to any queue pair.
func (x *rdIntruder) send() {
	p := Packet{
		Op: rapid.SampledFrom([]wire.Opcode{
			wire.RCSendFirst, wire.RCSendMiddle, wire.RCSendLast, wire.RCSendOnly, wire.RCWriteFirst, wire.RCWriteMiddle,
			wire.RCWriteLastImm, wire.RCWriteOnlyImm, wire.RCReadRequest, wire.RDResync - RDOffset,
		}).Draw(x.t, "op"),
		PSN:    x.e.q.resp.epsn.Add(rapid.SampledFrom([]int32{0, 0, 0, 0, 0, -1, 1}).Draw(x.t, "psn")),
		Length: rapid.SampledFrom([]uint32{rdMTU, rdMTU, 3}).Draw(x.t, "length"), RKey: 1, DMALen: 2 * rdMTU,
	}
	k := rapid.IntRange(0, len(x.n.qps)-1).Draw(x.t, "dest")
	a := Address{Dest: x.n.qps[k].qpn, Src: 77, QKey: uint32(900 + k)}
	if x.e.Receive(x.n.w.now, &p, a, &x.n.batch) == PlaceRecv && x.open[p.VA] != a.Dest {
		x.t.Fatalf("a packet for queue pair %d goes into receive %d of queue pair %d", a.Dest, p.VA, x.open[p.VA])
	}
	x.settle()
}

// move takes a queue pair to ERR, or through RESET to RTS again.
func (x *rdIntruder) move(d *RDQP) {
	to := []State{StateErr}
	if rapid.Bool().Draw(x.t, "reset") {
		to = []State{StateReset, StateInit, StateRTR, StateRTS}
		for id, of := range x.open {
			if of == d.qpn {
				delete(x.open, id) // it vanishes without a completion
			}
		}
	}
	for _, s := range to {
		if err := d.Become(x.n.w.now, s, &x.n.batch); err != nil {
			x.t.Fatal(err)
		}
	}
	x.settle()
}

// settle takes completions: each ends an open receive.
func (x *rdIntruder) settle() {
	for told := 0; told < len(x.n.batch.Completions); { // a context may add to them
		c := x.n.batch.Completions[told]
		told++
		d, _ := x.e.Completed(x.n.w.now, &c, &x.n.batch)
		if of, ok := x.open[c.ID]; !c.Recv || !ok || of != d.qpn {
			x.t.Fatalf("queue pair %d completes %+v; open are %v", d.qpn, c, x.open)
		}
		delete(x.open, c.ID)
	}
	x.n.batch.Reset()
}

// Packets of any peer go only into receives of the queue pair that they name, and each
// receive completes once, with the end of its queue pair at the latest.
func TestAPeerOfAContextReachesOpenReceivesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRDWorld(t, 1, 2)
		n := w.nodes[0]
		x := &rdIntruder{t: t, n: n, e: n.eecs[0], open: map[uint64]units.QPN{}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			d := n.qps[rapid.IntRange(0, 1).Draw(t, "queue pair")]
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				x.move(d)
			case 1, 2:
				x.post(d)
			default:
				x.send()
			}
		}
		for _, d := range n.qps {
			if err := d.Become(w.now, StateErr, &n.batch); err != nil {
				t.Fatal(err)
			}
			x.settle()
		}
		if len(x.open) > 0 {
			t.Fatalf("the receives %v never complete", x.open)
		}
	})
}

// A RESYNC that comes a second time, late, does not touch the message that is then under
// way.
func TestALateResyncLeavesTheMessageUnderWayAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRDWorld(t, 1, 1)
		n := w.nodes[0]
		x := &rdIntruder{t: t, n: n, e: n.eecs[0], open: map[uint64]units.QPN{}}
		x.post(n.qps[0])
		for _, op := range []wire.Opcode{wire.RCSendFirst, wire.RDResync - RDOffset, wire.RCSendLast} {
			p := Packet{Op: op, PSN: x.e.q.resp.epsn, Length: rdMTU}
			if op == wire.RDResync-RDOffset {
				p.PSN = x.e.q.resp.epsn.Add(-2)
			}
			v := x.e.Receive(w.now, &p, Address{Dest: 20, Src: 77, QKey: 900}, &n.batch)
			if v == PlaceRecv && p.VA != x.next {
				t.Fatalf("%v goes into receive %d, want %d", op, p.VA, x.next)
			}
		}
		x.settle()
		if len(x.open) > 0 {
			t.Fatal("the message has not been received")
		}
	})
}
