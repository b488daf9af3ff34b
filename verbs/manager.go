package verbs

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"weft/wire/cm"
)

// manager is the communication manager of a device: queue pair 1, and the
// connections that are made through it. It has a lock of its own, which is taken
// before the device's. Anybody can send to it: what strangers can make it hold or
// answer is bounded, and what they say of a connection counts only if it names both
// IDs; see docs/SECURITY.md.
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

	mu        sync.Mutex
	out       int // sends whose completion nobody has taken
	conns     map[cm.ID]*Conn
	asked     map[asker]*Conn    // that answer a request, by whose it was
	half      *list.List         // of them, those that are not established: the oldest first
	waiting   map[*Conn]struct{} // those of which something happens when their time comes
	listeners map[uint64]*Listener
	resolving map[cm.ID]*resolution // questions of this device
	services  map[uint64]*Service
	questions map[asker]*Question // and of others, that are open or may come again
	known     *list.List          // the same, the oldest first
	again     int64               // when it is looked again what is late, by the manager's clock
	strangers int                 // answers to strangers that may go until then
}

// asker names a request: a peer numbers its own.
type asker struct {
	addr netip.Addr
	id   cm.ID
}

const (
	// gsiQKey is the well-known Q_Key of queue pairs 1 (IBA vol. 1, 10.2.5).
	gsiQKey = 0x8001_0000
	gsi     = 1

	// maxBacklog bounds the requests that nobody has accepted, of a listener. Beyond,
	// a request is as good as lost, and comes again.
	maxBacklog = 1 << 12
	// maxHalfOpen bounds the requests of others that are not connections yet: the
	// oldest makes room. A flood of 20 000 requests a second leaves an honest one
	// 0.8 s for its handshake.
	maxHalfOpen = 1 << 14
	// requestTime ends a request that was not repeated for so long: Linux repeats its
	// own every 4.3 s, weft more often.
	requestTime = 10 * time.Second
	// maxConns bounds the connections of a device: the manager keeps some 1 KiB
	// of each.
	maxConns = 1 << 17
	// maxResolving bounds the questions for queue pairs of UD that are open, and
	// maxQuestions those of peers, that are open or were answered within 4 s: the
	// oldest makes room. One that is not answered within questionTime is no longer
	// known by its repetition.
	maxResolving = 1 << 14
	maxQuestions = 1 << 14
	questionTime = time.Minute
	// gsiRecvs are the receives of queue pair 1: more requests at once are lost,
	// and come again. gsiSends are its sends.
	gsiRecvs = 256
	gsiSends = 256
	gsiRoom  = grhBytes + cm.MADBytes

	// A message that is not answered is sent again. Linux waits 4.3 s; what is
	// lost here is lost to a full buffer. Half of the time is drawn, so that those who
	// began together do not come again together.
	answerTime = 250 * time.Millisecond
	answerTry  = 15
	// patienceCode is how long a peer is asked to wait whose request nobody has
	// accepted yet: 4.096 us times 2^18, 1.07 s. maxPatience bounds what a peer can ask.
	patienceCode = 18
	maxPatience  = 5 * time.Second
	// tickTime is how often unanswered messages are looked at.
	tickTime = 50 * time.Millisecond
	// maxStrangers bounds the answers in a tickTime to those who are in no connection
	// and get none: a device that answers every forged request floods whom they name.
	maxStrangers = 512
)

// manager is the device's, made when it is first needed.
func (d *Device) manager() (*manager, error) {
	d.cmOnce.Do(func() { d.cm, d.cmErr = newManager(d) })
	return d.cm, d.cmErr
}

func newManager(d *Device) (*manager, error) {
	m := &manager{
		dev: d, pd: d.AllocPD(), start: time.Now(), stopped: make(chan struct{}), buf: make([]byte, gsiRecvs*gsiRoom),
		conns: map[cm.ID]*Conn{}, asked: map[asker]*Conn{}, half: list.New(), waiting: map[*Conn]struct{}{}, listeners: map[uint64]*Listener{},
		resolving: map[cm.ID]*resolution{}, services: map[uint64]*Service{}, questions: map[asker]*Question{}, known: list.New(), strangers: maxStrangers,
	}
	// Neither queue can be overrun: as many sends as it has room for are out at most,
	// and as many receives are posted or wait in it.
	var err error
	if m.sent, err = d.CreateCQ(gsiSends); err != nil {
		return nil, err
	}
	if m.come, err = d.CreateCQ(gsiRecvs); err != nil {
		return nil, err
	}
	if m.mr, err = m.pd.RegMR(m.buf, AccessLocalWrite); err != nil {
		return nil, err
	}
	m.qp, err = m.pd.createQP(QPInitAttr{
		Type: UD, SendCQ: m.sent, RecvCQ: m.come, MaxSendWR: gsiSends, MaxRecvWR: gsiRecvs, MaxInlineData: cm.MADBytes, SignalAll: true,
	}, gsi)
	if err != nil {
		return nil, err
	}
	if err := m.qp.ConnectWith(&QPAttr{QKey: gsiQKey}); err != nil {
		return nil, err
	}
	for i := range gsiRecvs {
		if err := m.post(uint64(i)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go m.run(ctx)
	return m, nil
}

func (m *manager) post(i uint64) error {
	return m.qp.PostRecv(RecvWR{WRID: i, SGL: []SGE{m.mr.SGE(int(i)*gsiRoom, gsiRoom)}})
}

// run is the manager's goroutine.
func (m *manager) run(ctx context.Context) {
	defer close(m.stopped)
	wc := make([]WC, 64)
	for {
		m.come.ReqNotify(false)
		n, err := m.come.Poll(wc)
		if err != nil {
			return
		}
		for i := range wc[:n] {
			if wc[i].Status == WRFlushErr {
				return // the device is closed
			}
			if wc[i].Status == Success {
				m.take(&wc[i])
			}
			if m.post(wc[i].WRID) != nil {
				return
			}
		}
		m.tick(m.now())
		if n > 0 {
			continue
		}
		tick, cancel := context.WithTimeout(ctx, tickTime)
		err = m.come.Wait(tick)
		cancel()
		if errors.Is(err, ErrClosed) || ctx.Err() != nil {
			return
		}
	}
}

func (m *manager) now() int64 { return int64(time.Since(m.start)) }

// send sends a message to a device. One that is lost comes again, or is asked for
// again.
func (m *manager) send(to netip.AddrPort, message []byte) {
	if m.out == gsiSends && !m.reap() {
		return
	}
	ah, err := m.pd.CreateAH(to)
	if err != nil {
		return
	}
	defer func() { _ = ah.Destroy() }() // whom a message goes to is not remembered: anybody can ask
	if m.qp.PostSend(SendWR{Opcode: Send, Flags: SendInline, Inline: message, AH: ah, DestQPN: gsi, QKey: gsiQKey}) == nil {
		m.out++
	}
}

// reap takes the completions of what was sent, and reports whether there is room for
// more.
func (m *manager) reap() bool {
	var wc [gsiSends]WC
	n, _ := m.sent.Poll(wc[:]) // without room in the queue nothing more is sent
	m.out -= n
	return n > 0
}

// answer answers somebody who is in no connection and gets none.
func (m *manager) answer(to netip.AddrPort, message []byte) {
	if m.strangers == 0 {
		m.dev.unheeded.Add(1)
		return
	}
	m.strangers--
	m.send(to, message)
}

// ask sends a message that wants an answer.
func (m *manager) ask(c *Conn, message []byte) {
	c.message, c.tries, c.again = message, 0, m.soon()
	m.waiting[c] = struct{}{}
	m.send(c.peer, message)
}

// soon is when a message that is sent now is sent again.
func (m *manager) soon() int64 {
	return m.now() + int64(answerTime)/2 + int64(secret()%uint64(answerTime))
}

// tick does from time to time what is late.
func (m *manager) tick(now int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now < m.again {
		return
	}
	m.again, m.strangers = now+int64(tickTime), maxStrangers
	for c := range m.waiting {
		m.late(c, now)
	}
	m.repeatResolutions(now)
}

// late sends again what was not answered, gives up what never is, and forgets a
// request that nobody has accepted and that does not come again.
func (m *manager) late(c *Conn, now int64) {
	switch {
	case now < c.again:
	case c.state == connReqReceived:
		m.end(c, ErrNoAnswer)
	default:
		if c.tries++; c.tries >= answerTry {
			m.end(c, ErrNoAnswer)
			return
		}
		c.again = m.soon()
		if c.state == connRepSent { // whose address nobody has shown to be the peer's
			m.answer(c.peer, c.message)
			return
		}
		m.send(c.peer, c.message)
	}
}

// add gives the connection an ID, which nobody can foretell.
func (m *manager) add(c *Conn) error {
	if len(m.conns) >= maxConns {
		return fmt.Errorf("%w: %d connections", ErrNoMemory, maxConns)
	}
	c.local = freshID(m.conns)
	m.conns[c.local] = c
	return nil
}

// freshID is an ID that is in no use.
func freshID[T any](used map[cm.ID]T) cm.ID {
	for {
		id := cm.ID(secret())
		if _, taken := used[id]; id != 0 && !taken {
			return id
		}
	}
}

// end takes a connection out, with the reason; nil is an orderly end.
func (m *manager) end(c *Conn, err error) {
	if c.state == connClosed {
		return
	}
	if c.state == connReqReceived && c.at != nil {
		c.at.backlog.remove(c)
	}
	m.settle(c)
	c.state, c.err = connClosed, err
	delete(m.conns, c.local)
	if who := (asker{c.peer.Addr(), c.remote}); m.asked[who] == c {
		delete(m.asked, who)
	}
	if c.qp != nil { // before anybody is told
		// It fails only if the queue pair is destroyed.
		_ = c.qp.Modify(&QPAttr{State: StateErr}, AttrState)
	}
	closeOnce(c.settled)
	closeOnce(c.finished)
}

// settle ends what a connection waits for.
func (m *manager) settle(c *Conn) {
	c.message = nil
	delete(m.waiting, c)
	if c.half != nil {
		m.half.Remove(c.half)
		c.half = nil
	}
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
