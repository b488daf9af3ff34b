package socket

import (
	"errors"
	"fmt"
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

// The reasons why a port refuses.
var (
	ErrClosed = errors.New("live: the port is closed")
	ErrFull   = errors.New("live: the port has as many queue pairs or peers as it can")
	ErrFamily = errors.New("live: one address is IPv4 and the other IPv6")
)

// Config is what a port is opened with.
type Config struct {
	// Conn carries the datagrams; the port closes it.
	Conn Conn
	// PathMTU bounds what is in flight to a peer: see PeerBytes.
	PathMTU int
	// StrictID refuses packets whose IP identification is not the place in their
	// datagram: full strength of the ICRC, between weft's own ports without a
	// segmenting router between them.
	StrictID bool
	// Capture gets every packet that is sent, and that arrives for RoCE, as raw IP.
	Capture *pcap.Writer
	// Lose is the share of the packets that arrive which the port loses, 0 to 1, by
	// LoseSeed.
	Lose     float64
	LoseSeed uint64
	// Clock is the time that the port goes by, where that is a simulation's and not
	// the machine's. The port then has no goroutine, and does nothing by itself:
	// whoever moves the clock calls Progress.
	Clock func() units.Time
}

// Stats counts what a port did.
type Stats struct {
	PacketsOut, PacketsIn     int64
	BytesOut, BytesIn         int64 // from the BTH to the ICRC
	DatagramsOut, DatagramsIn int64 // system calls' entries
	BadICRC                   int64
	Malformed                 int64 // no RoCE packet
	Lost                      int64 // because Config.Lose said so
	Misdirected               int64 // no such queue pair, or not for this peer, service or partition
	Solved                    int64 // ICRCs that fitted another IP identification
	Repeated                  int64 // packets sent again by queue pairs that are gone
	Marked                    int64 // arrived with a congestion mark
	CNPsOut, CNPsIn           int64 // congestion notifications
}

// Port is a socket with the queue pairs behind it.
type Port struct {
	mu      sync.Mutex
	conn    Conn
	local   netip.AddrPort
	clock   func() units.Time
	most    int // packets in flight to a peer
	closed  bool
	broken  error
	done    chan struct{}
	capture *capture
	stats   Stats

	endpoints table
	peers     map[netip.AddrPort]*Peer
	groups    map[netip.Addr][]*Endpoint // multicast: who is attached
	nextQPN   units.QPN

	timers timers
	ready  ring
	owing  []*Endpoint
	batch  transport.Batch
	tx     transmitter

	held     int      // packets that came ahead, of all queue pairs
	spare    [][]byte // memory for others
	verifier verifier
	loss     *loss
	arrived  wire.Packet
	taken    transport.Packet // arrived, in the queue pair's form
	polls    uint64
	seen     uint64 // polls that the port's goroutine knows of
}

// FirstQPN is the least number that queue pairs get: 0 is the SMI and 1 the GSI
// (IBA vol. 1, 3.9.1), and small numbers are kept free as others do.
const FirstQPN units.QPN = 16

// Open starts a port.
func Open(c Config) *Port {
	p := &Port{
		conn: c.Conn, local: c.Conn.Local(), clock: c.Clock, done: make(chan struct{}),
		peers: map[netip.AddrPort]*Peer{}, groups: map[netip.Addr][]*Endpoint{},
		nextQPN:  FirstQPN + units.QPN(rand.N(1<<16)),
		verifier: verifier{strict: c.StrictID}, loss: newLoss(c.Lose, c.LoseSeed),
	}
	p.most = min(PeerPackets, max(burst, min(PeerBytes, c.Conn.Buffer()/4)/max(c.PathMTU, 256)))
	if c.Capture != nil {
		p.capture = &capture{w: c.Capture, local: p.local}
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

// Unlock gives it back.
func (p *Port) Unlock() { p.mu.Unlock() }

// Local is the address and UDP port that packets go out with.
func (p *Port) Local() netip.AddrPort { return p.local }

// Now is the port's clock: picoseconds since it was opened, for 106 days, or what
// Config.Clock says.
func (p *Port) Now() units.Time { return p.clock() }

// Stats is what has happened so far. The caller holds the lock.
func (p *Port) Stats() Stats { return p.stats }

// Err is why the port's socket has failed; the caller holds the lock.
func (p *Port) Err() error { return p.broken }

// Peer finds or makes the peer of an address, for one more user, who gives it back by
// Release. The caller holds the lock.
func (p *Port) Peer(addr netip.AddrPort) (*Peer, error) {
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	if q := p.peers[addr]; q != nil {
		q.users++
		return q, nil
	}
	switch {
	case addr.Addr().Is4() != p.local.Addr().Is4():
		return nil, ErrFamily
	case len(p.peers) >= MaxPeers:
		return nil, ErrFull
	}
	q := &Peer{addr: addr, bare: addr.Addr().WithZone(""), flow: wire.NewICRCFlow(p.local, addr), most: p.most, users: 1}
	p.peers[addr] = q
	return q, nil
}

// Release gives a peer back, if there is one: without users it is forgotten. The caller
// holds the lock.
func (p *Port) Release(q *Peer) {
	if q == nil {
		return
	}
	if q.users--; q.users == 0 {
		delete(p.peers, q.addr)
	}
}

// Peers is the number of peers that are remembered. The caller holds the lock.
func (p *Port) Peers() int { return len(p.peers) }

// Attach gives e a number, want if that is not 0, and lets it send and receive.
// set is called with the number, to set up e.QP. The caller holds the lock.
func (p *Port) Attach(e *Endpoint, want units.QPN, set func(units.QPN) error) error {
	if p.closed {
		return ErrClosed
	}
	qpn := want
	switch {
	case want != 0 && p.endpoints.at(want) != nil:
		return fmt.Errorf("live: queue pair %d exists already", want)
	case p.endpoints.count >= MaxEndpoints-int(FirstQPN):
		return ErrFull
	case want == 0:
		for qpn = p.nextQPN; p.endpoints.at(qpn) != nil; {
			qpn = after(qpn)
		}
		p.nextQPN = after(qpn)
	}
	if err := set(qpn); err != nil {
		return err
	}
	e.attached = true
	p.endpoints.put(qpn, e)
	return nil
}

// after is the next number to give away. Numbers go around, so that one that is
// given back is not soon used again: packets to it may be on their way.
func after(qpn units.QPN) units.QPN {
	if qpn+1 >= MaxEndpoints {
		return FirstQPN
	}
	return qpn + 1
}

// Detach takes e out. Its work is the owner's: it brought the QP to ERR or RESET
// before. The caller holds the lock.
func (p *Port) Detach(e *Endpoint) {
	if !e.attached {
		return
	}
	p.settle(e, p.Now())
	p.pay(e) // what was taken was taken: the peer is not to wait for it
	p.flush()
	e.attached = false
	p.letGo(e)
	p.leaveAll(e)
	p.stats.Repeated += int64(e.QP.Repeated())
	p.timers.remove(e)
	p.leave(e)
	p.Release(e.Peer)
	p.endpoints.remove(e.QP.QPN())
}

// leave takes what e has in flight off its peer's account.
func (p *Port) leave(e *Endpoint) {
	if e.Peer != nil {
		e.Peer.flight -= int(e.counted)
		p.unblock(e.Peer)
	}
	e.counted = 0
}

// Endpoints is the number of queue pairs. The caller holds the lock.
func (p *Port) Endpoints() int { return p.endpoints.count }

// Kick sends what e and others may send now: whoever posted work, or changed e's
// state, calls it. The caller holds the lock.
func (p *Port) Kick(e *Endpoint) {
	if p.closed {
		return
	}
	now := p.Now()
	p.tidy(e, now) // a local operation, or what is to be flushed
	p.settle(e, now)
	p.push(now)
	p.rouse()
}

// rouse wakes the port's goroutine if a deadline has become the first.
func (p *Port) rouse() {
	if p.timers.next() < p.tx.waitsFor {
		p.tx.waitsFor = p.timers.next()
		p.conn.Wake()
	}
}

// Progress takes what has arrived and sends what may go, and reports whether
// anything arrived. Whoever calls it again and again is quicker than the port's
// goroutine, which then rests. The caller holds the lock.
//
// An acknowledgement that is all there is to send waits for the next call, so that
// whoever reacts to what has arrived does so first. Should none come, the port's
// goroutine sends it.
func (p *Port) Progress() bool {
	p.polls++
	return p.progress(true)
}

// Rest says that the caller stops polling: the port's goroutine takes over at
// once. The caller holds the lock.
func (p *Port) Rest() {
	if p.closed {
		return
	}
	p.seen = p.polls
	p.conn.Wake()
}

// progress is Progress; with patient, few acknowledgements wait.
func (p *Port) progress(patient bool) (busy bool) {
	if p.closed {
		return false
	}
	for round := 0; round < maxRounds || round < lateRounds && p.timers.next() <= p.Now(); round++ {
		in, err := p.conn.Receive()
		p.fail(err)
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
	if !busy && len(p.owing) > 0 {
		p.push(p.Now())
	}
	if now := p.Now(); p.timers.next() <= now {
		p.fire(now)
		p.push(now)
	}
	return busy
}

// fire calls the queue pairs whose deadline has come.
func (p *Port) fire(now units.Time) {
	for p.timers.next() <= now {
		e := p.timers[0]
		p.timers.remove(e)
		e.QP.Timeout(now, &p.batch)
		p.settle(e, now)
	}
}

// fail remembers the first error of the socket. Queue pairs then run into their
// timeouts, which is what a dead wire does.
func (p *Port) fail(err error) {
	if err != nil && p.broken == nil {
		p.broken = err
	}
}

// run is the port's goroutine.
func (p *Port) run() {
	defer close(p.done)
	busy := -spin // when something last arrived
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		polled := p.polls != p.seen
		p.seen = p.polls
		wait := pollGrace
		if !polled && p.broken == nil {
			if p.progress(false) {
				busy = p.Now()
			}
			if p.Now()-busy < spin {
				p.mu.Unlock()
				runtime.Gosched()
				continue
			}
			wait = p.idle()
		}
		p.tx.waitsFor = p.timers.next()
		p.mu.Unlock()
		p.conn.Wait(wait, !polled)
	}
}

// idle is how long there is nothing to do but for what arrives.
func (p *Port) idle() time.Duration {
	at := p.timers.next()
	if at == units.Forever {
		return maxIdle
	}
	return min(maxIdle, time.Duration((at-p.Now()+units.Nanosecond-1)/units.Nanosecond))
}

// Close stops the port and frees its socket. Whoever owns its queue pairs has
// flushed them. It is called once, without the lock.
func (p *Port) Close() error {
	p.mu.Lock()
	p.closed = true
	p.conn.Wake()
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

// Arrived is the packet that is being received: an owner reads from it what does
// not pass through the queue pair. It is good until the owner's method returns.
func (p *Port) Arrived() *wire.Packet { return &p.arrived }

// From is where the packet that is being received came from.
func (p *Port) From() netip.AddrPort { return p.verifier.from }

// To is where the packet that is being received was sent to: the port's own address,
// or a multicast group.
func (p *Port) To() netip.AddrPort {
	if p.verifier.to.IsValid() {
		return p.verifier.to
	}
	return p.local
}

// Batch is where the methods of queue pairs put what they want: Kick takes it
// from there. The caller holds the lock.
func (p *Port) Batch() *transport.Batch { return &p.batch }
