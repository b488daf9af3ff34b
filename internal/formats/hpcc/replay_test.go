package hpcc

import (
	"container/heap"
	"math"
	"slices"

	"weft/units"
)

// replay simulates a case as the simulator that wrote the files would, with its integer
// nanoseconds and its order of events. It is deliberately plain: it checks what this
// package and the models of the simulator assume about the references, and shares only
// the reader with them.
type replay struct {
	c      *Case
	routes *Routes
	now    int64
	seq    uint64
	events eventHeap
	nodes  []*rNode
	// draw is the random number of the next decision to mark.
	draw func() float64
	// pfcFrame is called for each PFC frame: a frame uses up a random stream too.
	pfcFrame func()

	fct   []FCT
	pfc   []PFC
	base  []Baseline
	drops int
	marks int
}

type rEvent struct {
	at   int64
	seq  uint64
	do   func()
	dead bool
	done bool
}

type eventHeap []*rEvent

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(*rEvent)) }
func (h *eventHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type rPacket struct {
	kind     byte // 'd'ata, 'a'ck, 'p'fc
	size     int64
	pg       int
	key      Key
	dst      int
	flow     int
	seq      int64 // after the last byte
	ce, cnp  bool
	in       int
	pause    bool
	pausedPG int
}

type rNode struct {
	id       int
	isSwitch bool
	ports    []*rPort // from 1
	mmu      *rMMU
	qps      map[int]*rQP
	expected map[int]int64
}

type rPort struct {
	node   *rNode
	index  int
	rate   int64
	delay  int64
	peer   *rPort
	busy   bool
	paused [8]bool
	// A switch.
	queues [8][]*rPacket
	last   int
	// A host.
	acks     []*rPacket
	qps      []*rQP
	lastQP   int
	nextSend *rEvent
}

type rMMU struct {
	size, total, used          int64
	headroom                   []int64
	shift                      []int
	ingress, over, egress      [][8]int64
	paused                     [][8]bool
	kmin, kmax                 []int64
	pmax                       []float64
	reserve, resumeOffsetBytes int64
}

type rQP struct {
	flow              int
	size, next, acked int64
	win               int64
	maxRate, rate     int64
	target            int64
	available         int64
	pg                int
	port              *rPort
	alpha             float64
	alphaCNP, decCNP  bool
	firstCNP          bool
	stage             int
	alphaEvent        *rEvent
	decEvent          *rEvent
	incEvent          *rEvent
}

func newReplay(c *Case) *replay {
	routes, err := NextHops(&c.Topology, c.Config.Payload)
	if err != nil {
		panic(err)
	}
	r := &replay{c: c, routes: routes, base: c.Baselines(), draw: func() float64 { return 1 }, pfcFrame: func() {}}
	for n := range c.Topology.Nodes {
		r.nodes = append(r.nodes, &rNode{id: n, isSwitch: c.Topology.IsSwitch(n), ports: []*rPort{nil}, qps: map[int]*rQP{}, expected: map[int]int64{}})
	}
	for _, l := range c.Topology.Links {
		a, b := r.nodes[l.A], r.nodes[l.B]
		pa := &rPort{node: a, index: l.APort, rate: int64(l.Rate), delay: nanoseconds(l.Delay)}
		pb := &rPort{node: b, index: l.BPort, rate: int64(l.Rate), delay: nanoseconds(l.Delay), peer: pa}
		pa.peer = pb
		a.ports, b.ports = append(a.ports, pa), append(b.ports, pb)
	}
	nic := int64(0)
	for _, n := range r.nodes {
		if !n.isSwitch && nic == 0 {
			nic = n.ports[1].rate
		}
	}
	for _, n := range r.nodes {
		if n.isSwitch {
			n.mmu = r.newMMU(n, nic)
		}
	}
	for i := range c.Flows {
		r.at(nanoseconds(c.Flows[i].Start), func() { r.start(i) })
	}
	return r
}

func (r *replay) newMMU(n *rNode, nic int64) *rMMU {
	ports := len(n.ports)
	m := &rMMU{
		size: int64(r.c.Config.Buffer), headroom: make([]int64, ports), shift: make([]int, ports),
		ingress: make([][8]int64, ports), over: make([][8]int64, ports), egress: make([][8]int64, ports), paused: make([][8]bool, ports),
		kmin: make([]int64, ports), kmax: make([]int64, ports), pmax: make([]float64, ports),
		reserve: 4096, resumeOffsetBytes: 3072,
	}
	for i, p := range n.ports[1:] {
		e, _ := r.c.Config.ECN(units.Rate(p.rate))
		m.kmin[i+1], m.kmax[i+1], m.pmax[i+1] = int64(e.KMin), int64(e.KMax), e.PMax.Float()
		m.headroom[i+1] = p.rate * p.delay / 8 / 1_000_000_000 * 3
		m.shift[i+1] = 3
		for rate := p.rate; rate > nic && m.shift[i+1] > 0; rate /= 2 {
			m.shift[i+1]--
		}
		m.total += m.headroom[i+1] + m.reserve
	}
	return m
}

func (m *rMMU) threshold(port int) int64 { return (m.size - m.total - m.used) >> m.shift[port] }
func (m *rMMU) shared(port, pg int) int64 {
	return max(0, m.ingress[port][pg]-m.reserve)
}

func (m *rMMU) admit(port, pg int, size int64) bool {
	if size+m.over[port][pg] > m.headroom[port] && size+m.shared(port, pg) > m.threshold(port) {
		return false
	}
	now := m.ingress[port][pg] + size
	switch {
	case now <= m.reserve:
		m.ingress[port][pg] = now
	case now-m.reserve > m.threshold(port):
		m.over[port][pg] += size
	default:
		m.ingress[port][pg] = now
		m.used += min(size, now-m.reserve)
	}
	return true
}

func (m *rMMU) remove(port, pg int, size int64) {
	over := min(m.over[port][pg], size)
	shared := min(size-over, m.shared(port, pg))
	m.over[port][pg] -= over
	m.ingress[port][pg] -= size - over
	m.used -= shared
}

func (r *replay) at(delay int64, do func()) *rEvent {
	e := &rEvent{at: r.now + delay, seq: r.seq, do: do}
	r.seq++
	heap.Push(&r.events, e)
	return e
}

func (e *rEvent) cancel() {
	if e != nil {
		e.dead = true
	}
}
func (e *rEvent) pending() bool { return e != nil && !e.dead && !e.done }

func (r *replay) run() {
	for len(r.events) > 0 {
		e := heap.Pop(&r.events).(*rEvent)
		if e.dead {
			continue
		}
		r.now, e.done = e.at, true
		e.do()
	}
}

// sendNs is the serialisation time of some bytes, to the nearest nanosecond.
func sendNs(size, rate int64) int64 { return (size*8*1_000_000_000 + rate/2) / rate }

func (r *replay) start(flow int) {
	f := &r.c.Flows[flow]
	n := r.nodes[f.Src]
	p := n.ports[r.routes.Pick(f.Src, f.Dst, f.Key())]
	q := &rQP{flow: flow, size: int64(f.Bytes), maxRate: p.rate, rate: p.rate, target: p.rate, available: r.now, pg: f.Priority, port: p, alpha: 1, firstCNP: true}
	if r.c.Config.Window {
		q.win = int64(r.base[flow].BDP)
		if r.c.Config.GlobalRTT {
			q.win = int64(r.routes.MaxBDP)
		}
	}
	n.qps[flow] = q
	p.qps = append(p.qps, q)
	r.sendNext(p)
}

func (q *rQP) windowFull(variable bool) bool {
	w := q.win
	if w == 0 {
		return false
	}
	if variable {
		w = max(1, int64(mulDiv(uint64(w), uint64(q.rate), uint64(q.maxRate))))
	}
	return q.next-q.acked >= w
}

// sendNext sends the next packet of a port that is idle.
func (r *replay) sendNext(p *rPort) {
	if p.busy {
		return
	}
	if p.node.isSwitch {
		r.sendNextSwitch(p)
		return
	}
	r.sendNextHost(p)
}

func (r *replay) sendNextHost(p *rPort) {
	ackPG := 3
	if r.c.Config.AckHighPriority {
		ackPG = 0
	}
	if len(p.acks) > 0 && !p.paused[ackPG] {
		a := p.acks[0]
		p.acks = p.acks[1:]
		r.send(p, a)
		return
	}
	var found *rQP
	for i := 1; i <= len(p.qps); i++ {
		q := p.qps[(i+p.lastQP)%len(p.qps)]
		if !p.paused[q.pg] && q.size > q.next && !q.windowFull(r.c.Config.VariableWindow) && q.available <= r.now {
			found = q
			break
		}
	}
	p.qps = slices.DeleteFunc(p.qps, func(q *rQP) bool { return q.acked >= q.size })
	if found != nil {
		p.lastQP = slices.Index(p.qps, found)
		payload := min(found.size-found.next, int64(r.c.Config.Payload))
		f := &r.c.Flows[found.flow]
		found.next += payload
		pkt := &rPacket{kind: 'd', size: payload + 36, pg: f.Priority, key: f.Key(), dst: f.Dst, flow: found.flow, seq: found.next}
		r.send(p, pkt)
		found.available = r.now + sendNs(pkt.size, found.rate)
		return
	}
	next := int64(math.MaxInt64)
	for _, q := range p.qps {
		next = min(next, q.available)
	}
	if !p.nextSend.pending() && next != math.MaxInt64 && next > r.now {
		p.nextSend = r.at(next-r.now, func() { r.sendNext(p) })
	}
}

func (r *replay) sendNextSwitch(p *rPort) {
	pg := -1
	if len(p.queues[0]) > 0 {
		pg = 0
	} else {
		for i := 1; i <= 8; i++ {
			if q := (i + p.last) % 8; !p.paused[q] && len(p.queues[q]) > 0 {
				pg = q
				break
			}
		}
	}
	if pg < 0 {
		return
	}
	pkt := p.queues[pg][0]
	p.queues[pg] = p.queues[pg][1:]
	if pg != 0 {
		p.last = pg
		m := p.node.mmu
		m.remove(pkt.in, pg, pkt.size)
		m.egress[p.index][pg] -= pkt.size
		if r.c.Config.EnableQCN && r.mark(m, p.index, pg) {
			pkt.ce = true
			r.marks++
		}
		if m.paused[pkt.in][pg] && m.over[pkt.in][pg] == 0 {
			if s := m.shared(pkt.in, pg); s == 0 || s+m.resumeOffsetBytes <= m.threshold(pkt.in) {
				r.sendPFC(p.node.ports[pkt.in], pg, false)
				m.paused[pkt.in][pg] = false
			}
		}
	}
	r.send(p, pkt)
}

func (r *replay) mark(m *rMMU, port, pg int) bool {
	q := m.egress[port][pg]
	if q > m.kmax[port] {
		return true
	}
	if q > m.kmin[port] {
		return r.draw() < m.pmax[port]*float64(q-m.kmin[port])/float64(m.kmax[port]-m.kmin[port])
	}
	return false
}

func (r *replay) sendPFC(p *rPort, pg int, pause bool) {
	r.pfcFrame()
	p.queues[0] = append(p.queues[0], &rPacket{kind: 'p', size: 31, pausedPG: pg, pause: pause})
	r.sendNext(p)
}

func (r *replay) send(p *rPort, pkt *rPacket) {
	p.busy = true
	t := sendNs(pkt.size, p.rate)
	r.at(t, func() {
		p.busy = false
		r.sendNext(p)
	})
	peer := p.peer
	r.at(t+p.delay, func() { r.receive(peer, pkt) })
}

func (r *replay) receive(p *rPort, pkt *rPacket) {
	switch {
	case pkt.kind == 'p':
		r.pfc = append(r.pfc, PFC{units.Time(r.now) * units.Nanosecond, p.node.id, p.node.isSwitch, p.index, pkt.pause})
		p.paused[pkt.pausedPG] = pkt.pause
		if !pkt.pause {
			r.sendNext(p)
		}
	case p.node.isSwitch:
		r.forward(p, pkt)
	case pkt.kind == 'd':
		r.acknowledge(p, pkt)
	default:
		r.acked(p, pkt)
	}
}

func (r *replay) forward(p *rPort, pkt *rPacket) {
	n := p.node
	out := r.routes.Pick(n.id, pkt.dst, pkt.key)
	m := n.mmu
	pkt.in = p.index
	if pkt.pg != 0 {
		if !m.admit(p.index, pkt.pg, pkt.size) {
			r.drops++
			return
		}
		m.egress[out][pkt.pg] += pkt.size
		if !m.paused[p.index][pkt.pg] && (m.over[p.index][pkt.pg] > 0 || m.shared(p.index, pkt.pg) >= m.threshold(p.index)) {
			r.sendPFC(p, pkt.pg, true)
			m.paused[p.index][pkt.pg] = true
		}
	}
	o := n.ports[out]
	o.queues[pkt.pg] = append(o.queues[pkt.pg], pkt)
	r.sendNext(o)
}

func (r *replay) acknowledge(p *rPort, pkt *rPacket) {
	if payload := pkt.size - 36; p.node.expected[pkt.flow] != pkt.seq-payload {
		panic("out of order: this replay does not lose packets")
	}
	p.node.expected[pkt.flow] = pkt.seq
	f := &r.c.Flows[pkt.flow]
	out := p.node.ports[r.routes.Pick(p.node.id, f.Src, pkt.key.Reverse())]
	out.acks = append(out.acks, &rPacket{
		kind: 'a', size: 48, pg: pkt.pg, key: pkt.key.Reverse(), dst: f.Src,
		flow: pkt.flow, seq: pkt.seq, cnp: pkt.ce,
	})
	r.sendNext(out)
}

func (r *replay) acked(p *rPort, pkt *rPacket) {
	q := p.node.qps[pkt.flow]
	if q == nil {
		return
	}
	q.acked = max(q.acked, pkt.seq)
	if q.acked >= q.size {
		q.alphaEvent.cancel()
		q.decEvent.cancel()
		q.incEvent.cancel()
		f := &r.c.Flows[q.flow]
		r.fct = append(r.fct, f.FCT(units.Time(r.now)*units.Nanosecond-f.Start, r.base[q.flow]))
		delete(p.node.qps, pkt.flow)
	} else if pkt.cnp && r.c.Config.CC == CCDCQCN {
		r.cnp(q)
	}
	r.sendNext(q.port)
}

// micro is an interval as that simulator takes it: whole microseconds.
func micro(t units.Time) int64 { return int64(t/units.Microsecond) * 1000 }

func (r *replay) cnp(q *rQP) {
	q.alphaCNP, q.decCNP = true, true
	if !q.firstCNP {
		return
	}
	q.alpha, q.alphaCNP, q.firstCNP = 1, false, false
	q.alphaEvent = r.at(micro(r.c.Config.AlphaInterval), func() { r.updateAlpha(q) })
	q.decEvent = r.at(micro(r.c.Config.DecreaseInterval)+1, func() { r.decrease(q) })
	q.target = q.rate
}

func (r *replay) updateAlpha(q *rQP) {
	g := r.c.Config.Gain.Float()
	q.alpha = (1 - g) * q.alpha
	if q.alphaCNP {
		q.alpha += g
	}
	q.alphaCNP = false
	q.alphaEvent = r.at(micro(r.c.Config.AlphaInterval), func() { r.updateAlpha(q) })
}

func (r *replay) decrease(q *rQP) {
	q.decEvent = r.at(micro(r.c.Config.DecreaseInterval), func() { r.decrease(q) })
	if !q.decCNP {
		return
	}
	if r.c.Config.ClampTarget || q.stage > 0 {
		q.target = q.rate
	}
	q.rate = max(int64(r.c.Config.MinRate), int64(float64(q.rate)*(1-q.alpha/2)))
	q.stage, q.decCNP = 0, false
	q.incEvent.cancel()
	q.incEvent = r.at(micro(r.c.Config.IncreaseInterval), func() { r.increase(q) })
}

func (r *replay) increase(q *rQP) {
	q.incEvent = r.at(micro(r.c.Config.IncreaseInterval), func() { r.increase(q) })
	switch n := r.c.Config.FastRecoveryTimes; {
	case q.stage == n:
		q.target = min(q.target+int64(r.c.Config.AI), q.port.rate)
	case q.stage > n:
		q.target = min(q.target+int64(r.c.Config.HAI), q.port.rate)
	}
	q.rate = q.rate/2 + q.target/2
	q.stage++
}
