package sm

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Exploration is the configuration of an [Explorer].
type Exploration struct {
	MKey    uint64     // of ports that protect reads; 0 for none
	Window  int        // outstanding requests; 0 is DefaultWindow
	Timeout units.Time // of a request; 0 is DefaultTimeout
	Retries int        // repeats of a request; negative for none, 0 is DefaultRetries
}

// Explorer finds the nodes and cables of a fabric by directed routes, as a manager's sweep does, and writes nothing: each of
// its datagrams is a Get. It needs no manager's rights, and the fabric's manager does not notice it. Its zero value is not
// usable: see NewExplorer.
type Explorer struct {
	outbox    outbox
	fabric    fabric
	requests  requests
	discovery discovery
	started   bool
}

// NewExplorer makes an explorer that has not started.
func NewExplorer(cfg Exploration) *Explorer {
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Retries == 0 {
		cfg.Retries = DefaultRetries
	}
	x := &Explorer{}
	x.outbox.nextTID = 1
	x.requests = requests{outbox: &x.outbox, fabric: &x.fabric, window: cfg.Window, timeout: cfg.Timeout, retries: cfg.Retries, mkey: cfg.MKey}
	x.discovery = discovery{requests: &x.requests}
	return x
}

// Start asks the node of the own port.
func (x *Explorer) Start(now units.Time, out *Batch) {
	x.started = true
	x.call(now, out, func() { x.discovery.start(false) })
}

// Receive takes a datagram that arrived at the own port. What answers no request is ignored.
func (x *Explorer) Receive(now units.Time, p *Packet, out *Batch) {
	if !p.MAD.Class().Subnet() || !p.MAD.Answers() {
		return
	}
	x.call(now, out, func() {
		r, waited := x.requests.answered(&p.MAD)
		switch {
		case !waited:
		case p.MAD.Status() != mad.OK:
			x.outbox.complain(x.requests.about(&r, Refused, p.MAD.Status()))
			x.requests.givenUp++
		default:
			x.discovery.took(&r, &p.MAD)
		}
	})
}

// Timeout tells the explorer the time. A call too early or too late does no harm.
func (x *Explorer) Timeout(now units.Time, out *Batch) {
	x.call(now, out, func() {
		for _, r := range x.requests.expire() {
			kind := Unanswered
			if x.requests.isBarred(&r) {
				kind = Protected
			}
			x.outbox.complain(x.requests.about(&r, kind, mad.OK))
			x.requests.givenUp++
			if r.node != unmet {
				x.fabric.nodes[r.node].agentOf(r.port).silent = true
			}
		}
	})
}

func (x *Explorer) call(now units.Time, out *Batch, do func()) {
	x.outbox.now, x.outbox.out = max(now, x.outbox.now), out
	do()
	x.requests.fill(func() (request, bool) { return request{}, false }, func(*request) { x.requests.givenUp++ })
	x.outbox.out = nil
}

// NextTimeout is the time of the next call of Timeout, units.Forever if none is necessary.
func (x *Explorer) NextTimeout() units.Time { return x.requests.nextDeadline() }

// Done reports whether no request is left.
func (x *Explorer) Done() bool { return x.started && len(x.requests.wire) == 0 }

// Missed is the number of requests that nobody has answered, and of cables that moved meanwhile.
func (x *Explorer) Missed() int {
	n := x.requests.givenUp
	if x.discovery.moved {
		n++
	}
	return n
}

// Subnet is what was found: nodes that answered all requests about themselves, with the LIDs that their ports have, and the
// cables between them. Origin is the own port. Nodes are in the order of ibnetdiscover's file: switches by their distance,
// then the others; of those alike the last found comes first.
func (x *Explorer) Subnet() *subnet.Subnet {
	s, at := x.fabric.build()
	for i := range s.Nodes {
		n := x.fabric.nodes[at[i]]
		for p := range n.ports {
			if q := &n.ports[p]; q.guid != 0 && q.have {
				s.Nodes[i].Ports[p].LID, s.Nodes[i].Ports[p].LMC = q.info.LID, q.info.LMC
			}
		}
	}
	rank := func(i int32) int {
		if n := x.fabric.nodes[at[i]]; n.isSwitch() {
			return len(n.agentOf(0).path)
		}
		return mad.MaxHops + 1
	}
	order := make([]int32, len(s.Nodes))
	for i := range order {
		order[i] = int32(i)
	}
	sorting.Func(order, func(a, b int32) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b, a)) })
	return s.Reordered(order)
}
