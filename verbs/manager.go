package verbs

import (
	"container/list"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"weft/verbs/internal/socket"
	"weft/wire/cm"
)

// manager is the communication manager of a device: queue pair 1, and the connections made through
// it. It has its own lock, which is taken before the device's. Anybody can send to it, so bounds
// limit what strangers can make it store or answer. A message about a connection counts only if it
// names both IDs; see SECURITY.md.
type manager struct {
	dev        *Device
	pd         *PD
	qp         *QP
	sent, come *CQ // completions of sends, and of receives
	mr         *MR
	buf        []byte
	start      time.Time
	cancel     context.CancelFunc
	stopped    chan struct{}

	probeAfter, probePatience time.Duration

	mu        sync.Mutex
	out       int // sends whose completion is not yet polled
	conns     map[cm.ID]*Conn
	asked     map[asker]*Conn    // connections that answer a request, by its sender
	half      halfOpen           // connections of asked that are not established
	waiting   map[*Conn]struct{} // connections with a deadline
	listeners map[bound]*Listener
	resolving map[cm.ID]*resolution // resolutions that this device asks for
	services  map[bound]*Service
	questions map[asker]*Question // resolutions that others ask for, open or perhaps repeated
	known     *list.List          // the same, the oldest first
	parted    []parting           // the last answers to peers that have ended their connections
	resting   list.List           // established connections, the next one to be asked for first
	again     int64               // time of the next tick, by the manager's clock
	strangers int                 // answers to strangers that may be sent until then
}

// asker identifies a request: each peer numbers its own.
type asker struct {
	addr netip.Addr
	id   cm.ID
}

const (
	// gsiQKey is the well-known Q_Key of queue pairs 1 (IBA vol. 1, 10.2.5).
	gsiQKey = 0x8001_0000
	gsi     = socket.GSI

	// requestTime ends a request that was not repeated for this time: Linux repeats every 4.3 s,
	// weft more often.
	requestTime = 10 * time.Second
	// questionTime is the time after which an unanswered question is forgotten; its repetition
	// counts as new.
	questionTime = time.Minute
	// gsiRecvs is the number of receives of queue pair 1: further simultaneous requests are lost, and
	// are sent again. It is the number of requests that a listener keeps. gsiSends is the number of
	// its sends.
	gsiRecvs = maxBacklog
	gsiSends = 256
	gsiRoom  = grhBytes + cm.MADBytes

	// answerTime is the time after which an unanswered message is sent again, the first two times.
	// Linux waits 4.3 s; here losses come from full buffers. The time doubles after each second
	// repetition, up to 2 s: otherwise thousands of messages that a busy peer could not take yet
	// keep it busy with their repetitions. A peer that does not answer is given up after
	// answerTry of these times, unansweredTime in the mean.
	answerTime     = 250 * time.Millisecond
	answerTry      = 12
	answerDoubles  = 3
	unansweredTime = answerTime * (2*(1<<answerDoubles-1) + (answerTry-2*answerDoubles)<<answerDoubles)
	// patienceCode is the time that a peer is asked to wait while its request is not accepted yet:
	// 4.096 us times 2^18, 1.07 s.
	patienceCode = 18
	// tickTime is the interval at which unanswered messages are checked.
	tickTime = 50 * time.Millisecond
)

func (m *manager) now() int64 { return int64(time.Since(m.start)) }

// send sends a message to a device. A lost message is sent again, or asked for again. It reports
// whether the queue had room for the message.
func (m *manager) send(to netip.AddrPort, message []byte) (room bool) {
	if m.out == gsiSends && !m.reap() {
		return false
	}
	ah, err := m.pd.CreateAH(to)
	if err != nil {
		return true // no later try would do better
	}
	defer func() { _ = ah.Destroy() }() // the destination is not remembered: anybody can ask
	err = m.qp.PostSend(SendWR{
		Opcode: Send, Flags: SendInline, Inline: message, AH: ah, DestQPN: gsi, QKey: gsiQKey,
	})
	if err == nil {
		m.out++
	}
	return true
}

// reap polls the completions of sends, and reports whether there is room for more.
func (m *manager) reap() bool {
	var wc [gsiSends]WC
	n, _ := m.sent.Poll(wc[:]) // without room in the queue nothing more is sent
	m.out -= n
	return n > 0
}

// answer answers a sender without a connection, who gets none. It reports whether there was room
// for the answer.
func (m *manager) answer(to netip.AddrPort, message []byte) (room bool) {
	if m.strangers == 0 {
		return false
	}
	m.strangers--
	return m.send(to, message)
}

// ask sends a message that needs an answer.
func (m *manager) ask(c *Conn, message []byte) {
	m.endRest(c)
	c.message, c.tries, c.again = message, 0, m.nextTry(0)
	m.waiting[c] = struct{}{}
	m.send(c.peer, message)
}

// nextTry is the time at which a message sent now is sent again, if it has been sent again for a
// number of times already. It lies between half of the mean and one and a half, so that peers that
// started together do not repeat together.
func (m *manager) nextTry(repeated int) int64 {
	mean := answerTime << min(repeated/2, answerDoubles)
	return m.now() + int64(mean)/2 + int64(secret()%uint64(mean))
}

// repeatOrEnd sends an unanswered message again or gives it up, and forgets a request that is
// neither accepted nor repeated.
func (m *manager) repeatOrEnd(c *Conn, now int64) {
	switch {
	case now < c.again:
	case c.state == connReqReceived:
		m.end(c, ErrNoAnswer)
	case c.state == connEstablished && now >= c.until:
		m.end(c, nil)
	case c.state != connEstablished && c.tries+1 >= answerTry:
		m.end(c, ErrNoAnswer)
	default:
		send := m.send
		if c.state == connRepSent { // the sender's address has not been verified
			send = m.answer
		}
		if send(c.peer, c.message) { // otherwise at the next tick: it has not been sent
			c.tries++
			c.again = m.nextTry(c.tries)
		}
	}
}

// register gives the connection an ID that nobody can predict.
func (m *manager) register(c *Conn) error {
	if len(m.conns) >= maxConns {
		return fmt.Errorf("%w: %d connections", ErrNoMemory, maxConns)
	}
	c.local = freshID(m, m.conns)
	m.conns[c.local] = c
	return nil
}

// freshID is an unused ID of the device's part of its address.
func freshID[T any](m *manager, used map[cm.ID]T) cm.ID {
	for {
		id := cm.ID(m.dev.port.PartID(uint32(secret())))
		if _, taken := used[id]; id != 0 && !taken {
			return id
		}
	}
}

// end removes a connection, with the reason; nil is an orderly end.
func (m *manager) end(c *Conn, err error) {
	if c.state == connClosed {
		return
	}
	if c.state == connReqReceived && c.listener != nil {
		c.listener.backlog.remove(c)
	}
	m.settle(c)
	c.state, c.err = connClosed, err
	delete(m.conns, c.local)
	if who := (asker{c.peer.Addr(), c.remote}); m.asked[who] == c {
		delete(m.asked, who)
	}
	if !c.left { // before any waiter wakes
		c.flush()
	}
	closeOnce(c.settled)
	closeOnce(c.finished)
}

// lose ends the connections with a device that has ended without a good bye. On other machines
// their kernels tell it; here nobody else can.
func (m *manager) lose(at netip.AddrPort) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.conns {
		switch {
		case c.peer.Port() != at.Port() || c.peer.Addr().Unmap() != at.Addr().Unmap():
		case c.state == connRepSent:
			m.end(c, ErrNoAnswer)
		case c.state > connReqReceived:
			m.end(c, nil)
		}
	}
}

// settle wakes the waiters of a connection.
func (m *manager) settle(c *Conn) {
	c.message = nil
	m.endRest(c)
	delete(m.waiting, c)
	m.half.remove(c)
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// parting is the answer to the DREQ of a peer.
type parting struct {
	to      netip.AddrPort
	message []byte
}

// startRest begins the rest of an established connection until it is asked for.
func (m *manager) startRest(c *Conn) {
	if m.dev.fabric == nil { // an emulated fabric carries what the programs send
		c.again = m.now() + int64(m.probeAfter)
		c.rest = m.resting.PushBack(c)
	}
}

// endRest ends it.
func (m *manager) endRest(c *Conn) {
	if c.rest != nil {
		m.resting.Remove(c.rest)
		c.rest = nil
	}
}

// manager is the device's manager, created at its first use.
func (d *Device) manager() (*manager, error) {
	d.cmOnce.Do(func() { d.cm, d.cmErr = newManager(d) })
	return d.cm, d.cmErr
}
