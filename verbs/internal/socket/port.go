package socket

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
	"weft/wire/pcap"
)

// Errors of a port.
var (
	ErrClosed = errors.New("live: the port is closed")
	ErrFull   = errors.New("live: the port has its maximum of queue pairs or peers")
	ErrFamily = errors.New("live: one address is IPv4 and the other IPv6")
)

// Config holds the parameters of a port.
type Config struct {
	// Conn carries the datagrams; the port closes it.
	Conn Conn
	// PathMTU bounds the data in flight to a peer: see PeerBytes.
	PathMTU int
	// StrictID refuses packets whose IP identification is not their position in the datagram: full
	// strength of the ICRC, between weft's own ports without a segmenting router between them.
	StrictID bool
	// Capture receives every packet that is sent, and every RoCE packet that arrives, as raw IP.
	Capture *pcap.Writer
	// Lose is the share of arriving packets that the port drops, 0 to 1, by LoseSeed.
	Lose     float64
	LoseSeed uint64
	// Emulated says that Conn is an emulated fabric: it loses nothing at its ends, so the data in flight to a
	// peer has no bound, and each packet is a datagram of its own.
	Emulated bool
	// Clock is the port's clock if it is a simulation's, not the machine's. The port then has no
	// goroutine and does nothing by itself: the caller that advances the clock calls Progress.
	Clock func() units.Time
}

// Stats are the counters of a port.
type Stats struct {
	PacketsOut, PacketsIn     int64
	BytesOut, BytesIn         int64 // from the BTH to the ICRC
	DatagramsOut, DatagramsIn int64 // entries of system calls
	NearOut, NearIn           int64 // of them by a Way
	Placed                    int64 // packets whose payload the kernel put at its place
	BadICRC                   int64
	Malformed                 int64 // not a RoCE packet
	Lost                      int64 // dropped because of Config.Lose
	Misdirected               int64 // unknown queue pair, or of another peer, service or partition
	Solved                    int64 // ICRCs that matched another IP identification
	Repeated                  int64 // packets retransmitted by queue pairs that have been detached
	Marked                    int64 // arrived with a congestion mark
	CNPsOut, CNPsIn           int64 // congestion notifications
	transport.Counters              // but those of reliable datagrams
}

// Port is a socket with the queue pairs behind it.
type Port struct {
	mu      sync.Mutex
	conn    Conn
	local   netip.AddrPort
	clock   func() units.Time
	mtu     int // path MTU
	most    int // maximum of packets in flight to a peer by UDP
	closed  bool
	broken  error
	done    chan struct{}
	capture *capture
	stats   Stats

	endpoints table
	peers     map[netip.AddrPort]*Peer
	groups    map[netip.Addr][]*Endpoint // members of multicast groups
	part      int                        // of the address, if it is shared
	nextQPN   units.QPN                  // the next number to try
	firstQPN  units.QPN                  // the least
	lastQPN   units.QPN                  // the greatest

	timers    timers
	ready     ring
	budget    int   // requests that the wire takes at present
	alone     bool  // each packet is a datagram
	hungry    bool  // the wire knows of requests for which it has no room
	again     int64 // requests that were sent again
	owing     []*Endpoint
	batch     transport.Batch
	tx        transmitter
	placer    Placer // nil: packets are placed when they are checked
	foresight foresight

	held     int      // held packets of all queue pairs
	spare    [][]byte // memory for further held packets
	verifier verifier
	loss     *loss
	arrived  wire.Packet
	near     bool      // it came by a Way
	streams  *Endpoint // it was the expected response of this one's READ
	checked  [maxSegments]check
	taken    transport.Packet // the arrived packet in the queue pair's form
	polls    uint64
	seen     uint64        // polls seen by the port's goroutine
	resting  bool          // it leaves the work to pollers
	waiters  int           // those who will be told of packets elsewhere
	nudge    chan struct{} // ends its rest
}

// FirstQPN is the least number of queue pairs: 0 is the SMI and 1 the GSI (IBA vol. 1, 3.9.1), and,
// as elsewhere, the next numbers stay free.
const FirstQPN units.QPN = 16

// Open starts a port.
func Open(c Config) *Port {
	p := &Port{
		conn: c.Conn, local: c.Conn.Local(), clock: c.Clock, done: make(chan struct{}), nudge: make(chan struct{}, 1),
		peers: map[netip.AddrPort]*Peer{}, groups: map[netip.Addr][]*Endpoint{},
		verifier: verifier{strict: c.StrictID}, loss: newLoss(c.Lose, c.LoseSeed), budget: math.MaxInt,
	}
	if s, ok := c.Conn.(interface{ Part() int }); ok {
		p.part = s.Part()
	}
	p.firstQPN, p.lastQPN = numbers(p.part)
	p.nextQPN = p.firstQPN + units.QPN(rand.N(1<<16))
	p.mtu = max(c.PathMTU, 256)
	p.most = min(PeerPackets, max(burst, min(PeerBytes, c.Conn.Buffer()/4)/p.mtu))
	if c.Capture != nil {
		p.capture = &capture{w: c.Capture, local: p.local}
	}
	if c.Emulated {
		p.most, p.budget, p.alone = math.MaxInt, 0, true // before the first turn nothing is sent
	}
	if c, ok := c.Conn.(Placer); ok && c.Places() && p.capture == nil {
		p.placer = c
	}
	p.tx.setUp()
	if p.clock != nil {
		close(p.done)
		return p
	}
	start := time.Now()
	p.clock = func() units.Time { return units.Time(time.Since(start)) * units.Nanosecond }
	go p.run()
	return p
}

// Lock takes the port's lock, which guards the port and its queue pairs.
func (p *Port) Lock() { p.mu.Lock() }

// Unlock releases it.
func (p *Port) Unlock() { p.mu.Unlock() }

// Local is the source address and UDP port of packets.
func (p *Port) Local() netip.AddrPort { return p.local }

// Now is the port's clock: picoseconds since it was opened, for 106 days, or the time of
// Config.Clock.
func (p *Port) Now() units.Time { return p.clock() }

// Stats returns the counters. The caller holds the lock.
func (p *Port) Stats() Stats { return p.stats }

// Err is the error of the port's socket; the caller holds the lock.
func (p *Port) Err() error { return p.broken }

// Peer finds or creates the peer with an address, and adds one user; Release removes it. The caller
// holds the lock.
func (p *Port) Peer(addr netip.AddrPort) (*Peer, error) {
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	if q := p.peers[addr]; q != nil {
		q.users++
		p.renew(q)
		return q, nil
	}
	switch {
	case addr.Addr().Is4() != p.local.Addr().Is4():
		return nil, ErrFamily
	case len(p.peers) >= MaxPeers:
		return nil, ErrFull
	}
	q := &Peer{addr: addr, bare: addr.Addr().WithZone(""), flow: wire.NewICRCFlow(p.local, addr), users: 1}
	p.peers[addr] = q
	p.renew(q)
	return q, nil
}

// renew looks for a way to a peer that has none, or whose device has ended: there may be another at its
// address.
func (p *Port) renew(q *Peer) {
	if !q.way.open() {
		q.way.close()
		q.way = p.conn.Reach(q.addr)
		q.most = q.way.most(p.most, p.mtu)
	}
}

// Release removes a user of a peer; q may be nil. A peer without users is forgotten. The caller
// holds the lock.
func (p *Port) Release(q *Peer) {
	if q == nil {
		return
	}
	if q.users--; q.users == 0 {
		q.way.close()
		delete(p.peers, q.addr)
	}
}

// Peers is the number of peers that are remembered. The caller holds the lock.
func (p *Port) Peers() int { return len(p.peers) }

// Attach gives e a number, want if that is not 0, and lets it send and receive. It calls set with
// the number, to set up e.QP. The caller holds the lock.
func (p *Port) Attach(e *Endpoint, want units.QPN, set func(units.QPN) error) error {
	if p.closed {
		return ErrClosed
	}
	qpn := want
	switch {
	case want != 0 && p.endpoints.at(want) != nil:
		return fmt.Errorf("live: queue pair %d exists already", want)
	case p.endpoints.count >= p.MostEndpoints():
		return ErrFull
	case want == 0:
		for qpn = p.nextQPN; p.endpoints.at(qpn) != nil; {
			qpn = p.after(qpn)
		}
		p.nextQPN = p.after(qpn)
	}
	if err := set(qpn); err != nil {
		return err
	}
	e.attached = true
	p.endpoints.put(qpn, e)
	return nil
}

// after is the next number to try. Numbers go around, so that a freed number is not reused soon:
// packets to it may be in flight.
func (p *Port) after(qpn units.QPN) units.QPN {
	if qpn >= p.lastQPN {
		return p.firstQPN
	}
	return qpn + 1
}

// Detach removes e. The owner has already brought the QP to ERR or RESET. The caller holds the
// lock.
func (p *Port) Detach(e *Endpoint) {
	if !e.attached {
		return
	}
	p.settle(e, p.Now())
	p.sendOwed(e) // received packets are acknowledged: the peer must not wait
	p.ackAgain(e)
	p.flush()
	e.attached = false
	p.dropHeld(e)
	p.leaveAll(e)
	p.stats.Repeated += int64(e.QP.Repeated())
	p.foresight.forget(e)
	p.timers.remove(e)
	p.leave(e)
	p.Release(e.Peer)
	p.endpoints.remove(e.QP.QPN())
}

// leave subtracts e's packets in flight from its peer's count.
func (p *Port) leave(e *Endpoint) {
	if e.Peer != nil {
		e.Peer.flight -= int(e.counted)
		p.unblock(e.Peer)
	}
	e.counted = 0
}

// Process sends all packets that e and others may send now. A caller that has posted work, or changed
// e's state, must call it. The caller holds the lock.
func (p *Port) Process(e *Endpoint) {
	if p.closed {
		return
	}
	now := p.Now()
	p.tidy(e, now) // a local operation, or work to flush
	p.settle(e, now)
	p.push(now)
	p.wakeRunner()
}

// wakeRunner wakes the port's goroutine, or its emulated fabric, if the earliest deadline has changed, or if
// there are requests for which the wire has no room, for the first time.
func (p *Port) wakeRunner() {
	hungry := p.budget <= 0 && p.ready.size > 0 && !p.hungry
	if p.timers.next() < p.tx.waitsFor || hungry {
		p.hungry = p.hungry || hungry
		p.tx.waitsFor = p.timers.next()
		p.wake()
	}
}

// wake ends the rest or the sleep of the port's goroutine. The caller holds the lock.
func (p *Port) wake() {
	if !p.resting {
		p.conn.Wake()
		return
	}
	select {
	case p.nudge <- struct{}{}:
	default:
	}
}

// Progress receives arrived packets and sends pending ones. It reports whether any packet had
// arrived. A caller in a loop is faster than the port's goroutine, which then pauses. The caller
// holds the lock.
//
// If only acknowledgements are left to send, they wait for the next call, so that the caller can
// react to the arrived packets first. If no call comes, the port's goroutine sends them.
func (p *Port) Progress() bool {
	p.polls++
	return p.progress(true)
}

// Assist is Progress for a caller that is about to wait: the port's goroutine does not pause for it, and
// nothing is left for a next call. The caller holds the lock.
func (p *Port) Assist() bool { return p.progress(false) }

// StopPolling says that the caller stops polling: the port's goroutine takes over at once. The caller
// holds the lock.
func (p *Port) StopPolling() {
	if p.closed || !p.resting && !p.Polled() { // the port's goroutine works, or sleeps until a packet comes
		return
	}
	p.seen = p.polls
	p.wake()
}

// Polled reports whether somebody has polled since the port's goroutine looked, or a caller stopped. The caller holds the
// lock.
func (p *Port) Polled() bool { return p.polls != p.seen }

// Waits says that somebody waits for the port's packets, or no longer, and does not say so before each wait. The rests of
// the port's goroutine are then short: who has polled may wait now. The caller holds the lock.
func (p *Port) Waits(is bool) {
	if is {
		p.waiters++
	} else {
		p.waiters--
	}
}

// progress is Progress; if patient, a few acknowledgements wait, unless some have waited since the call before: a peer
// with a small window stands still until they come.
func (p *Port) progress(patient bool) (busy bool) {
	if p.closed {
		return false
	}
	patient = patient && len(p.owing) == 0
	for round := 0; round < maxRounds || round < lateRounds && p.timers.next() <= p.Now(); round++ {
		in := p.receive()
		if len(in) == 0 {
			break
		}
		busy = true
		now := p.Now()
		for i := range in {
			p.take(&in[i], now)
		}
		if patient && p.ready.size == 0 && p.tx.n == 0 && len(p.owing) <= patientAcks {
			return true
		}
		p.push(now)
	}
	if !busy && (len(p.owing) > 0 || p.ready.size > 0) {
		p.push(p.Now())
	}
	if now := p.Now(); p.timers.next() <= now {
		p.fire(now)
		p.push(now)
	}
	return busy
}

// receive receives datagrams. The payload of READ responses may be at its place already.
func (p *Port) receive() []Incoming {
	if p.placer != nil {
		p.placer.Expect(p.foresight.next())
	}
	in, err := p.conn.Receive()
	p.fail(err)
	if p.placer != nil {
		p.foresight.learn(len(in))
	}
	return in
}

// fire calls the queue pairs whose deadline has passed.
func (p *Port) fire(now units.Time) {
	for p.timers.next() <= now {
		e := p.timers[0]
		p.timers.remove(e)
		e.paused = false
		p.expired(e, now)
		p.settle(e, now)
	}
}

// expired calls a queue pair whose deadline has passed, and counts its retransmission timeouts.
func (p *Port) expired(e *Endpoint, now units.Time) {
	before := e.QP.Timeouts()
	e.QP.Timeout(now, &p.batch)
	p.stats.Timeouts += int64(e.QP.Timeouts() - before)
}

// fail stores the first error of the socket. Queue pairs then time out, as on a dead link.
func (p *Port) fail(err error) {
	if err != nil && p.broken == nil {
		p.broken = err
	}
}

// run is the port's goroutine.
func (p *Port) run() {
	defer close(p.done)
	look := lookout{time: spin}
	pollers := grace{time: pollGrace}
	for nudged := true; ; {
		if nudged || !p.resting {
			p.mu.Lock()
		} else if !p.mu.TryLock() { // somebody works
			nudged = pollers.wait(p.nudge)
			continue
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		rested := p.resting
		p.resting = p.Polled() || p.broken != nil
		p.seen = p.polls
		if p.resting {
			p.tx.waitsFor = min(p.timers.next(), p.Now()+pollers.next(p.waiters > 0))
			p.mu.Unlock()
			nudged = pollers.wait(p.nudge)
			continue
		}
		arrived := p.progress(false)
		if rested && arrived {
			pollers.late()
		}
		if look.on(arrived, p.Now()) {
			p.mu.Unlock()
			runtime.Gosched()
			continue
		}
		wait := p.idle()
		p.tx.waitsFor = p.timers.next()
		p.mu.Unlock()
		p.conn.Wait(wait)
	}
}

// idle is the time until the next deadline.
func (p *Port) idle() time.Duration {
	at := p.timers.next()
	if at == units.Forever {
		return maxIdle
	}
	return min(maxIdle, time.Duration((at-p.Now()+units.Nanosecond-1)/units.Nanosecond))
}

// Close stops the port and frees its socket. The owners have flushed its queue pairs. It is called
// once, without the lock.
func (p *Port) Close() error {
	p.mu.Lock()
	p.closed = true
	p.wake()
	p.mu.Unlock()
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.conn.Close()
	if p.capture != nil {
		err = errors.Join(err, p.capture.err)
	}
	return errors.Join(p.broken, err)
}

// Arrived is the packet being received: an owner reads from it the fields that do not pass through
// the queue pair. It is valid until the owner's method returns.
func (p *Port) Arrived() *wire.Packet { return &p.arrived }

// From is the source of the packet being received.
func (p *Port) From() netip.AddrPort { return p.verifier.from }

// To is the destination of the packet being received: the port's own address, or a multicast group.
func (p *Port) To() netip.AddrPort {
	if p.verifier.to.IsValid() {
		return p.verifier.to
	}
	return p.local
}

// Batch receives the output of a queue pair's methods; Process takes it from there. The caller holds
// the lock.
func (p *Port) Batch() *transport.Batch { return &p.batch }
