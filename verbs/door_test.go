package verbs

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/units"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
	"weft/wire/cm"
)

// hear delivers a message to the manager, with an address as its sender.
func (m *manager) hear(from netip.Addr, message []byte) {
	b := m.buf[:gsiRoom]
	clear(b[:grhBytes])
	ip := wire.IPv4Header{Length: 284, Protocol: wire.ProtocolUDP, Src: from.As4(), Dst: m.dev.Addr().Addr().As4()}
	ip.AppendTo(b[:grhBytes-wire.IPv4Bytes])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.receive(&WC{ByteLen: uint32(grhBytes + copy(b[grhBytes:], message))})
}

// request is a REQ to a port.
func request(id cm.ID, tid uint64, port uint16) []byte {
	r := cm.Req{Local: id, Service: cm.ServiceID(port), QPN: 99, MTU: cm.MTUCode(1024), PSN: 5, ResponderResources: 1, InitiatorDepth: 1}
	return r.AppendTo(head(tid, cm.AttrReq))
}

var doorPeer = netip.MustParseAddr("10.0.0.2")

// door is a listening device, and one connection from a scripted peer.
type door struct {
	*target
	m    *manager
	l    *Listener
	conn *Conn
}

const doorPort, doorID, doorTID = 7174, cm.ID(777), 0x1234

func newDoor(t testing.TB) *door {
	t.Helper()
	d := &door{target: newTarget(t, AccessLocalWrite)}
	var err error
	if d.l, err = d.dev.Listen(doorPort); err != nil {
		t.Fatal(err)
	}
	d.m = d.dev.cm
	return d
}

// asked brings the door to a request that the application has received.
func (d *door) asked(t *testing.T) {
	t.Helper()
	d.m.hear(doorPeer, request(doorID, doorTID, doorPort))
	r, err := d.l.Accept(within(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	d.conn = r.c
}

// answered brings the door to a request that the application has accepted.
func (d *door) answered(t *testing.T) {
	t.Helper()
	d.asked(t)
	cq, err := d.dev.CreateCQ(64)
	if err != nil {
		t.Fatal(err)
	}
	qp, err := d.dev.AllocPD().CreateQP(QPInitAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 16, MaxRecvWR: 16})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.m.accept(d.conn, qp, ConnParam{}); err != nil {
		t.Fatal(err)
	}
}

func (d *door) established(t *testing.T) {
	t.Helper()
	d.answered(t)
	rtu := cm.Pair{Local: doorID, Remote: d.conn.local}
	d.m.hear(doorPeer, rtu.AppendTo(head(doorTID, cm.AttrRtu)))
	if d.conn.state != connEstablished {
		t.Fatal("the connection is not established")
	}
}

// dialled brings the door to a request that the device itself has sent.
func (d *door) dialled(t *testing.T) {
	t.Helper()
	qp, err := d.mr.pd.CreateQP(QPInitAttr{SendCQ: d.qp.attr.SendCQ, RecvCQ: d.qp.attr.RecvCQ, MaxSendWR: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.conn, err = d.m.dial(qp, netip.AddrPortFrom(doorPeer, 4791), 1, ConnParam{}); err != nil {
		t.Fatal(err)
	}
}

// For each message: the correct form changes the state of the connection, and no form with one
// wrong field does.
func TestAMessageThatOnlyLooksLikeThePeersChangesNothing(t *testing.T) {
	type fields struct {
		from          netip.Addr
		tid           uint64
		local, remote cm.ID
		qpn           units.QPN
	}
	pair := func(a cm.Attribute) func(f *fields) []byte {
		return func(f *fields) []byte {
			p := cm.Pair{Local: f.local, Remote: f.remote, QPN: f.qpn}
			return p.AppendTo(head(f.tid, a))
		}
	}
	rej := func(f *fields) []byte {
		r := cm.Rej{Local: f.local, Remote: f.remote, Reason: cm.ReasonConsumer}
		return r.AppendTo(head(f.tid, cm.AttrRej))
	}
	rep := func(f *fields) []byte {
		r := cm.Rep{Local: f.local, Remote: f.remote, QPN: f.qpn}
		return r.AppendTo(head(f.tid, cm.AttrRep))
	}
	mra := func(f *fields) []byte {
		r := cm.Mra{Local: f.local, Remote: f.remote, Timeout: 20}
		return r.AppendTo(head(f.tid, cm.AttrMra))
	}
	type spoil = map[string]func(*fields)
	from := func(f *fields) { f.from = netip.MustParseAddr("10.0.0.3") }
	tid := func(f *fields) { f.tid++ }
	local := func(f *fields) { f.local ^= 1 << 31 }
	remote := func(f *fields) { f.remote++ }
	qpn := func(f *fields) { f.qpn++ }
	moved := func(to connState) func(d *door) bool { return func(d *door) bool { return d.conn.state == to } }
	for name, c := range map[string]struct {
		begin   func(*door, *testing.T)
		message func(f *fields) []byte
		wrong   spoil
		done    func(d *door) bool
	}{
		"RTU":          {(*door).answered, pair(cm.AttrRtu), spoil{"from": from, "tid": tid, "local": local, "remote": remote}, moved(connEstablished)},
		"DREQ":         {(*door).established, pair(cm.AttrDreq), spoil{"from": from, "local": local, "remote": remote, "qpn": qpn}, moved(connClosed)},
		"DREP":         {func(d *door, t *testing.T) { d.established(t); d.m.disconnect(d.conn) }, pair(cm.AttrDrep), spoil{"from": from, "tid": tid, "local": local, "remote": remote}, moved(connClosed)},
		"REJ of a REP": {(*door).answered, rej, spoil{"from": from, "tid": tid, "local": local, "remote": remote}, moved(connClosed)},
		"REJ of a REQ": {(*door).dialled, rej, spoil{"from": from, "tid": tid, "remote": remote}, moved(connClosed)},
		"REP":          {(*door).dialled, rep, spoil{"from": from, "tid": tid, "remote": remote}, moved(connEstablished)},
		"MRA": {(*door).dialled, mra, spoil{"from": from, "tid": tid, "remote": remote}, func(d *door) bool {
			return d.conn.again > d.m.now()+int64(2*answerTime)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t)
			c.begin(d, t)
			right := fields{doorPeer, d.conn.tid, doorID, d.conn.local, d.conn.qp.QPN()}
			for field, change := range c.wrong {
				f := right
				change(&f)
				d.m.hear(f.from, c.message(&f))
				if c.done(d) {
					t.Fatalf("a message with a wrong %s is accepted", field)
				}
			}
			if got, want := d.dev.Stats().ManagerDropped, int64(len(c.wrong)); name != "DREQ" && got != want {
				t.Errorf("%d messages are counted as dropped, want %d", got, want)
			}
			d.m.hear(right.from, c.message(&right))
			if !c.done(d) {
				t.Error("the correct message is not accepted: the test checks nothing")
			}
		})
	}
}

func TestAForgedAnswerResolvesNothing(t *testing.T) {
	d := newDoor(t)
	id, r, err := d.m.resolve(netip.AddrPortFrom(doorPeer, 4791), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	rep := cm.SidrRep{Request: id, QPN: 5}
	d.m.hear(doorPeer, rep.AppendTo(head(r.tid+1, cm.AttrSidrRep)))
	d.m.hear(netip.MustParseAddr("10.0.0.3"), rep.AppendTo(head(r.tid, cm.AttrSidrRep)))
	select {
	case <-r.settled:
		t.Fatal("a forged answer is accepted")
	default:
	}
	d.m.hear(doorPeer, rep.AppendTo(head(r.tid, cm.AttrSidrRep)))
	<-r.settled
}

// A device answers strangers and forgets them: after more strangers than it can remember, it still
// answers, and still reaches its own peers.
func TestStrangersAreNotRemembered(t *testing.T) {
	const strangers = 1<<17 + 10
	d := newDoor(t)
	from := netip.MustParseAddr("11.0.0.0")
	for i := range uint64(strangers) {
		d.m.hear(from, request(cm.ID(i), i, 9999))
		from = from.Next()
		if i%1024 == 0 {
			d.m.tick(d.m.now() + int64(time.Hour))
		}
	}
	d.dev.port.Lock()
	peers := d.dev.port.Peers()
	d.dev.port.Unlock()
	if peers != 1 { // the peer of the target's own queue pair
		t.Errorf("%d addresses are remembered after %d strangers", peers, strangers)
	}
	if _, err := d.dev.AllocPD().CreateAH(netip.MustParseAddrPort("10.9.9.9:4791")); err != nil {
		t.Error(err)
	}
}

// A flood of forged requests takes no more room than its bounds, and is dropped if it is not
// repeated. An honest request meanwhile is received.
func TestAFloodOfForgedRequestsIsBoundedAndGoesAgain(t *testing.T) {
	d := newDoor(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	popped := make(chan struct{})
	go func() { // an application that takes requests and never answers
		defer close(popped)
		for {
			if _, err := d.l.Accept(ctx); err != nil {
				return
			}
		}
	}()
	from := netip.MustParseAddr("11.0.0.0")
	const flood = 30_000
	for i := range uint64(flood) {
		d.m.hear(from, request(cm.ID(i), i, doorPort))
		from = from.Next()
	}
	cancel()
	<-popped
	d.m.mu.Lock()
	if n := len(d.m.conns); n > maxHalfOpen || n < maxBacklog {
		t.Errorf("%d requests are held, want at most %d and at least %d", n, maxHalfOpen, maxBacklog)
	}
	d.m.mu.Unlock()
	d.m.tick(d.m.now() + int64(2*requestTime))
	d.m.mu.Lock()
	if n := len(d.m.conns) + len(d.m.asked) + d.m.half.conns.Len() + len(d.m.waiting) + len(d.l.backlog.waits); n != 0 {
		t.Errorf("%d requests are held that do not come again", n)
	}
	d.m.mu.Unlock()
	d.established(t)
}

// The oldest handshake is dropped for the newest; a connection is not dropped.
func TestHandshakesThatAreNotFinishedMakeRoom(t *testing.T) {
	d := newDoor(t)
	d.established(t)
	first := d.conn
	from := netip.MustParseAddr("11.0.0.0")
	var oldest *Conn
	for i := range uint64(maxHalfOpen + 1) {
		d.m.hear(from, request(cm.ID(i), i, doorPort))
		r, err := d.l.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if oldest == nil {
			oldest = r.c
		}
		from = from.Next()
	}
	if oldest.state != connClosed || d.m.half.conns.Len() != maxHalfOpen {
		t.Errorf("%d handshakes are under way, and the oldest is in state %d", d.m.half.conns.Len(), oldest.state)
	}
	if first.state != connEstablished {
		t.Error("a connection had to make room")
	}
}

// A peer that asks again and again leaves room for others, and has room again when its requests have ended.
func TestOneAddressLeavesRoomForOthers(t *testing.T) {
	d := newDoor(t)
	greedy := netip.MustParseAddr("11.0.0.1")
	for i := range uint64(maxFromOne + 10) {
		d.m.hear(greedy, request(cm.ID(i), i, doorPort))
	}
	if n := d.m.half.conns.Len(); n != maxFromOne {
		t.Errorf("%d requests of one address are held, want %d", n, maxFromOne)
	}
	d.m.hear(greedy.Next(), request(1, 1, doorPort))
	if n := d.m.half.conns.Len(); n != maxFromOne+1 {
		t.Errorf("%d requests are held, want one of another address beside %d", n, maxFromOne)
	}
	d.m.tick(d.m.now() + int64(2*requestTime))
	if n := d.m.half.conns.Len() + len(d.m.half.source); n != 0 {
		t.Errorf("%d requests and addresses are held that do not come again", n)
	}
	d.m.hear(greedy, request(1, 1, doorPort))
	if n := d.m.half.conns.Len(); n != 1 {
		t.Errorf("%d requests are held after the others have ended, want 1", n)
	}
}

// The oldest unanswered question is dropped, too.
func TestQuestionsThatAreNotAnsweredMakeRoom(t *testing.T) {
	d := newDoor(t)
	s, err := d.dev.ListenDatagrams(doorPort)
	if err != nil {
		t.Fatal(err)
	}
	from := netip.MustParseAddr("11.0.0.0")
	for i := range uint64(maxQuestions + 1000) {
		q := cm.SidrReq{Request: cm.ID(i), Service: cm.DatagramServiceID(doorPort)}
		d.m.hear(from, q.AppendTo(head(i, cm.AttrSidrReq)))
		if _, err := s.Accept(t.Context()); err != nil {
			t.Fatal(err)
		}
		from = from.Next()
	}
	if len(d.m.questions) != maxQuestions || d.m.known.Len() != maxQuestions {
		t.Errorf("%d questions are held: at most %d", len(d.m.questions), maxQuestions)
	}
	d.m.tick(d.m.now() + int64(2*questionTime))
	if n := len(d.m.questions) + d.m.known.Len(); n != 0 {
		t.Errorf("%d questions are held that do not come again", n)
	}
}

// The packets that a device sends to forged addresses are bounded, and never go to many hosts at
// once.
func TestADeviceIsNoMirror(t *testing.T) {
	d := newDoor(t)
	d.m.tick(d.m.now() + int64(time.Hour))
	sent := func() int64 { return d.dev.Stats().PacketsSent }
	before := sent()
	for i := range uint64(20 * maxStrangers) {
		d.m.hear(doorPeer, request(cm.ID(i), i, 9999))
		dreq := cm.Pair{Local: 1, Remote: cm.ID(i)}
		d.m.hear(doorPeer, dreq.AppendTo(head(i, cm.AttrDreq)))
		q := cm.SidrReq{Request: cm.ID(i), Service: 5}
		d.m.hear(doorPeer, q.AppendTo(head(i, cm.AttrSidrReq)))
	}
	if n := sent() - before; n != maxStrangers {
		t.Errorf("%d answers went to strangers between two looks at the clock, want %d", n, maxStrangers)
	}
	d.m.tick(d.m.now() + int64(2*time.Hour))
	d.answered(t)
	before = sent()
	for range 20 * maxStrangers { // the request of a handshake in progress
		d.m.hear(doorPeer, request(doorID, doorTID, doorPort))
	}
	if n := sent() - before; n != maxStrangers {
		t.Errorf("a handshake under way is answered %d times between two looks at the clock, want %d", n, maxStrangers)
	}
	d.m.tick(d.m.now() + int64(3*time.Hour))
	before = sent()
	for _, to := range []string{"224.0.0.1", "255.255.255.255", "0.0.0.0"} {
		d.m.hear(netip.MustParseAddr(to), request(1, 1, 9999))
	}
	if n := sent() - before; n != 0 {
		t.Errorf("%d answers went to addresses that are no host's", n)
	}
}

// A peer whose request waits for the application is asked to wait each time it repeats it.
func TestARequestThatWaitsForTheApplicationIsToldToWait(t *testing.T) {
	d := newDoor(t)
	d.m.tick(d.m.now() + int64(time.Hour)) // the manager's goroutine does not look at the clock before then
	d.asked(t)
	d.conn.again = 0
	d.dev.port.Lock()
	d.target.conn.out = nil
	d.dev.port.Unlock()
	d.m.hear(doorPeer, request(doorID, doorTID, doorPort))
	d.wantToldToWait(t, doorID)
	if d.conn.again == 0 {
		t.Error("a request that came again is about to be forgotten")
	}
}

// wantToldToWait demands that one packet was sent, which asks the sender of a request to wait.
func (d *door) wantToldToWait(t *testing.T, id cm.ID) {
	t.Helper()
	d.dev.port.Lock()
	defer d.dev.port.Unlock()
	var p wire.Packet
	if n := len(d.target.conn.out); n != 1 || p.Parse(d.target.conn.out[0][:len(d.target.conn.out[0])-wire.ICRCBytes]) != nil {
		t.Fatalf("%d packets were sent, want an MRA", n)
	}
	var h cm.Header
	var mra cm.Mra
	body, err := h.Parse(p.Payload)
	if err != nil || h.Attribute != cm.AttrMra || mra.Parse(body) != nil || mra.Remote != id || h.Transaction != doorTID {
		t.Errorf("%+v %+v: want an MRA for %d", h, mra, id)
	}
}

// A peer is asked to wait, too, if its request finds no room: without an answer it would give up while
// those before it are served.
func TestARequestWithoutRoomIsToldToWait(t *testing.T) {
	d := newDoor(t)
	for i := range maxFromOne {
		d.m.hear(doorPeer, request(doorID+cm.ID(i), doorTID, doorPort))
	}
	d.dev.port.Lock()
	d.target.conn.out = nil
	d.dev.port.Unlock()
	const late = doorID + maxFromOne
	d.m.hear(doorPeer, request(late, doorTID, doorPort))
	d.wantToldToWait(t, late)
	if n := len(d.m.conns); n != maxFromOne {
		t.Errorf("%d requests of one address are kept, want %d", n, maxFromOne)
	}
}

// The manager counts a repetition only if it has sent it. The bound on answers may hold it back.
func TestARepetitionThatWasNotSentDoesNotCount(t *testing.T) {
	d := newDoor(t)
	d.answered(t)
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	now := d.m.now()
	for range answerTry {
		d.m.strangers, d.conn.again = 0, now
		d.m.repeatOrEnd(d.conn, now)
	}
	if d.conn.state != connRepSent || d.conn.tries != 0 {
		t.Errorf("state %d after %d tries, want %d after none", d.conn.state, d.conn.tries, connRepSent)
	}
	d.m.strangers = 1
	if d.m.repeatOrEnd(d.conn, now); d.conn.tries != 1 || d.conn.again <= now {
		t.Errorf("%d tries, want 1", d.conn.tries)
	}
}

// All that has arrived is processed before anything counts as late: the answer may be among it.
func TestAllThatHasArrivedIsProcessedBeforeAnythingIsLate(t *testing.T) {
	const n = 300
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	from, err := p.on[0].dev.manager()
	if err != nil {
		t.Fatal(err)
	}
	to, err := p.on[1].dev.manager()
	if err != nil {
		t.Fatal(err)
	}
	to.cancel()
	<-to.stopped
	from.mu.Lock()
	for range n {
		for !from.send(p.on[1].dev.Addr(), request(1, 1, 1)) {
			time.Sleep(time.Millisecond)
		}
	}
	from.mu.Unlock()
	for end := time.Now().Add(patience); to.come.Pending() < n && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if got, ok := to.receiveArrived(); got != n || !ok {
		t.Errorf("%d messages were processed, want %d", got, n)
	}
}

// A request that is not answered is repeated soon at first, and ever more rarely then: a busy peer is not
// kept busy by repetitions, and has a quarter of a minute to get to the request.
func TestARequestIsRepeatedEverMoreRarely(t *testing.T) {
	d := newDoor(t)
	before := d.m.now()
	d.dialled(t)
	d.m.cancel()
	<-d.m.stopped
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	sent := 0
	for ; d.conn.state != connClosed; sent++ {
		mean := min(250*time.Millisecond<<(sent/2), 2*time.Second)
		after := d.m.now()
		if least, most := time.Duration(d.conn.again-after), time.Duration(d.conn.again-before); most < mean/2 || least > 3*mean/2 {
			t.Errorf("%v to %v before repetition %d, want %v to %v", least, most, sent+1, mean/2, 3*mean/2)
		}
		before = d.m.now()
		d.m.repeatOrEnd(d.conn, d.conn.again)
	}
	if unansweredTime < 15*time.Second || sent != answerTry {
		t.Errorf("given up after %d messages, %v in the mean", sent, unansweredTime)
	}
	if !errors.Is(d.conn.err, ErrNoAnswer) {
		t.Errorf("%v, want %v", d.conn.err, ErrNoAnswer)
	}
}

// dialAll lets n queue pairs of one device dial another device at the same time, whose application
// accepts one after another. It returns the number connected.
func dialAll(t *testing.T, p *pair, n int) int64 {
	t.Helper()
	a, b := p.on[0], p.on[1]
	l, err := b.dev.Listen(7000)
	if err != nil {
		t.Fatal(err)
	}
	ctx := within(t, 4*patience)
	fresh := func(s *side) (*QP, error) { return s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq}) }
	go func() {
		for {
			r, err := l.Accept(ctx)
			if err != nil {
				return
			}
			go func() {
				if q, err := fresh(b); err == nil { // otherwise the device is closed already
					_, _ = r.Accept(ctx, q, ConnParam{})
				}
			}()
		}
	}()
	var ok atomic.Int64
	var once sync.Once
	var all sync.WaitGroup
	for range n {
		q, err := fresh(a)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if _, err := a.dev.Dial(ctx, q, b.dev.Addr().Addr(), 7000, ConnParam{}); err != nil {
				once.Do(func() { t.Error(err) })
				return
			}
			ok.Add(1)
		})
	}
	all.Wait()
	return ok.Load()
}

func TestThousandsWhoDialAtOnceAreAllConnected(t *testing.T) {
	const n = 4000
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, 64)
	if got := dialAll(t, p, n); got != n {
		t.Errorf("%d of %d are connected", got, n)
	}
}

// The same over sockets, whose buffers drop bursts.
func TestAThousandWhoDialAtOnceOverSocketsAreAllConnected(t *testing.T) {
	const n = 1000
	p := &pair{t: t}
	p.on[0] = newSide(t, Options{Addr: netip.MustParseAddrPort("127.0.0.81:0")}, QPInitAttr{}, 64)
	p.on[1] = newSide(t, Options{Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.82"), p.on[0].dev.Addr().Port())}, QPInitAttr{}, 64)
	if got := dialAll(t, p, n); got != n {
		t.Errorf("%d of %d are connected", got, n)
	}
}

// independent reports whether random draws look independent bit by bit: each bit is set in about
// half of them, and changes in about half of the steps.
func independent(t *testing.T, what string, bitsOf int, draw func() uint64) {
	t.Helper()
	const n = 1000
	var set, changed [64]int
	last := draw()
	steps := map[uint64]int{}
	for range n {
		v := draw()
		for i := range bitsOf {
			set[i] += int(v >> i & 1)
			changed[i] += int((v ^ last) >> i & 1)
		}
		steps[v-last]++
		last = v
	}
	for i := range bitsOf {
		// 500 expected, with a standard deviation of 16: eight of them.
		if set[i] < 370 || set[i] > 630 || changed[i] < 370 || changed[i] > 630 {
			t.Errorf("%s: bit %d is set in %d and changes in %d of %d", what, i, set[i], changed[i], n)
		}
	}
	for step, k := range steps {
		if k > 3 {
			t.Errorf("%s: the step %#x comes %d times", what, step, k)
		}
	}
}

func TestNothingThatKeepsPeersApartIsPredictable(t *testing.T) {
	x := newTarget(t, allAccess)
	pd := x.dev.AllocPD()
	buf := make([]byte, 64)
	register := func() *MR {
		mr, err := pd.RegMR(buf, allAccess)
		if err != nil {
			t.Fatal(err)
		}
		return mr
	}
	independent(t, "rkey", 32, func() uint64 { return uint64(register().RKey()) })
	independent(t, "rkey of the same region, again", 32, func() uint64 {
		mr := register()
		defer func() { _ = mr.Dereg() }()
		return uint64(mr.RKey())
	})
	independent(t, "address", 61-16, func() uint64 { return (register().Addr() - leastAddr) / addrAlign })
	if _, err := x.dev.Listen(1); err != nil {
		t.Fatal(err)
	}
	m := x.dev.cm
	for _, f := range []struct {
		name  string
		width int
		of    func(c *Conn) uint64
	}{
		{"ID of a connection", 32, func(c *Conn) uint64 { return uint64(c.local) }},
		{"starting PSN", 24, func(c *Conn) uint64 { return uint64(c.asked.PSN) }},
		{"transaction", 64, func(c *Conn) uint64 { return c.tid }},
	} {
		independent(t, f.name, f.width, func() uint64 {
			c, err := m.dial(x.qp, x.from, 9, ConnParam{})
			if err != nil {
				t.Fatal(err)
			}
			return f.of(c)
		})
	}
	independent(t, "ID of a question", 32, func() uint64 {
		id, _, err := m.resolve(x.from, 9, nil)
		if err != nil {
			t.Fatal(err)
		}
		return uint64(id)
	})
}
