package sm

import (
	"cmp"
	"slices"

	"weft/units"
	"weft/wire/mad"
)

// request is a datagram of subnet management that waits or is outstanding.
type request struct {
	method   mad.Method
	attr     mad.Attribute
	modifier uint32
	node     int32   // the node that it asks; unmet for an unmet node
	port     uint8   // the port that it is about; its agent is asked
	near     int32   // for an unmet node: the node before it
	other    int16   // for SMInfo: index into others
	path     []uint8 // directed route; shared, never written to
	data     [mad.SMPDataBytes]byte

	tid      uint32
	tries    int
	deadline units.Time
	again    bool // the request reads what was written
	barred   bool // a trap says that its M_Key is wrong
}

// unmet stands for the node behind a port whose NodeInfo was not read yet. The request
// then has the near end of the link.
const unmet int32 = -1

// requests is the queue of subnet management datagrams, and the outstanding datagrams: at most a
// window at a time. A request without an answer is repeated, then given up.
type requests struct {
	*outbox
	*fabric
	window  int
	timeout units.Time
	retries int
	mkey    uint64

	queue   []request // from head on
	head    int
	wire    []request // outstanding, at most the window
	givenUp int       // of this sweep
}

// ask queues a request.
func (q *requests) ask(r request) {
	if len(q.queue)-q.head >= maxQueue {
		q.givenUp++
		return
	}
	q.queue = append(q.queue, r)
}

// askFirst queues a request before all waiting requests.
func (q *requests) askFirst(r request) {
	q.queue = append([]request{r}, q.queue[q.head:]...)
	q.head = 0
}

// get asks the agent of a port for an attribute.
func (q *requests) get(n int32, attr mad.Attribute, modifier uint32, port uint8) {
	q.ask(request{method: mad.Get, attr: attr, modifier: modifier, node: n, port: port, path: q.nodes[n].agentOf(port).path})
}

// set is a request to the agent of a port to write an attribute.
func (q *requests) set(n int32, attr mad.Attribute, modifier uint32, port uint8, value mad.Structure) request {
	r := request{method: mad.Set, attr: attr, modifier: modifier, node: n, port: port, path: q.nodes[n].agentOf(port).path}
	mad.Append(r.data[:0], value)
	return r
}

// clearChange clears the change bit of a switch, if it is set.
func (q *requests) clearChange(i int32) {
	n := q.nodes[i]
	if !n.sw.PortStateChange {
		return
	}
	want := n.sw // writing 1 to the bit clears it
	n.sw.PortStateChange = false
	q.ask(q.set(i, mad.AttrSwitchInfo, 0, 0, &want))
}

// fill sends requests until the window is full or no request is left: first the queue,
// then the requests that more makes. A request to a silent node goes to gaveUp instead.
func (q *requests) fill(more func() (request, bool), gaveUp func(*request)) {
	for len(q.wire) < q.window {
		r, waits := q.dequeue()
		if !waits {
			r, waits = more()
		}
		if !waits {
			return
		}
		if r.node != unmet && q.nodes[r.node].agentOf(r.port).silent {
			lost := r // a copy, so that r stays off the heap
			gaveUp(&lost)
			continue
		}
		r.tid = q.newTID()
		q.transmit(&r)
		q.wire = append(q.wire, r)
	}
}

// dequeue takes the first waiting request.
func (q *requests) dequeue() (r request, waits bool) {
	if q.head == len(q.queue) {
		return r, false
	}
	r = q.queue[q.head]
	q.head++
	if q.head == len(q.queue) {
		q.queue, q.head = q.queue[:0], 0
	}
	return r, true
}

// transmit sends a request, the first time or again.
func (q *requests) transmit(r *request) {
	r.tries++
	r.deadline = q.now + q.timeout
	d := mad.NewDirected(r.method, r.attr, r.modifier, uint64(r.tid), r.path)
	d.SetMKey(q.keyFor(r))
	copy(d.SMPData(), r.data[:])
	q.send(Packet{DLID: units.PermissiveLID, SLID: units.PermissiveLID, MAD: d})
}

// keyFor is the M_Key of a request: the key that the port reported, which may be another manager's,
// otherwise this manager's key.
func (q *requests) keyFor(r *request) uint64 {
	if r.node != unmet && int(r.node) < len(q.nodes) {
		if key := q.nodes[r.node].agentOf(r.port).key; key != 0 {
			return key
		}
	}
	return q.mkey
}

// about is an event about the port that a request asks.
func (q *requests) about(r *request, kind EventKind, status mad.Status) Event {
	e := Event{Kind: kind, Attr: r.attr, Status: status, Path: r.path}
	if r.node != unmet && int(r.node) < len(q.nodes) {
		n := q.nodes[r.node]
		e.GUID, e.Node, e.Port = n.info.NodeGUID, cmp.Or(n.desc.String(), n.info.NodeGUID.String()), r.port
	}
	return e
}

// accuse notes that a trap says that requests have a wrong M_Key, and reports whether any of those
// under way has it. The trap alone ends no request: it may be forged.
func (q *requests) accuse(k *mad.MKeyNotice) (found bool) {
	for i := range q.wire {
		r := &q.wire[i]
		if r.method == k.Method && r.attr == k.Attribute && r.modifier == k.Modifier && q.keyFor(r) == k.MKey {
			r.barred, found = true, true
		}
	}
	return found
}

// isBarred reports whether an M_Key explains why a request was not answered: a trap said so, or the
// port has protection and hides its key from this manager.
func (q *requests) isBarred(r *request) bool {
	return r.barred || r.method == mad.Set && r.node != unmet && q.nodes[r.node].agentOf(r.port).hides
}

// forget drops all requests. Late answers to them are ignored.
func (q *requests) forget() {
	q.queue, q.head, q.wire = q.queue[:0], 0, q.wire[:0]
}

// answered ends the request that a datagram answers. waited is false for a duplicate or late
// datagram. The upper half of a transaction ID belongs to the carrier of datagrams (IBA vol. 1,
// 13.4.6.4; Linux's umad).
func (q *requests) answered(d *mad.MAD) (done request, waited bool) {
	for i := range q.wire {
		r := &q.wire[i]
		if uint64(r.tid) != d.TID()&0xFFFF_FFFF || r.attr != d.Attribute() || r.modifier != d.Modifier() {
			continue
		}
		if d.Status()&mad.Busy != 0 {
			return done, false // expire repeats it
		}
		done = *r
		q.wire = slices.Delete(q.wire, i, i+1)
		return done, true
	}
	return done, false
}

// expire repeats the requests that have waited too long, and ends the requests without repeats
// left.
func (q *requests) expire() (lost []request) {
	kept := q.wire[:0]
	for _, r := range q.wire {
		switch {
		case r.deadline > q.now:
			kept = append(kept, r)
		case r.tries <= q.retries:
			q.transmit(&r)
			kept = append(kept, r)
		default:
			lost = append(lost, r)
		}
	}
	q.wire = kept
	return lost
}

// nextDeadline is the earliest timeout of the outstanding requests.
func (q *requests) nextDeadline() units.Time {
	next := units.Forever
	for i := range q.wire {
		next = min(next, q.wire[i].deadline)
	}
	return next
}
