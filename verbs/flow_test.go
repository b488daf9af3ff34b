package verbs

import (
	"net/netip"
	"testing"

	"weft/units"
	"weft/verbs/internal/socket"
	"weft/verbs/internal/socket/faulty"
)

// Both devices stood still for longer than the timeout, and the acknowledgement is in the socket.
// Posting another message sends only that message.
func TestWhatIsAcknowledgedInTheSocketIsNotSentAgain(t *testing.T) {
	p := newPaced(t, faulty.New(1, faulty.Harm{}), 0)
	a, b := p.sender, p.receiver
	write := SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
	a.post(write)
	for range 5 {
		b.dev.Progress()
	}
	p.now += 100 * units.Millisecond
	write.WRID = 2
	a.post(write)
	p.until(2, func() {})
	a.want(1, Success)
	a.want(2, Success)
	if n := a.dev.Stats().Repeated; n != 0 {
		t.Errorf("%d packets were sent again", n)
	}
}

// A peer that has gone: the timeouts grow, and the connection ends after more than eight times the
// Local ACK Timeout, within the range that the specification allows.
func TestTimeoutsLengthenAndEndWithinTheSpecification(t *testing.T) {
	n := faulty.New(1, faulty.Harm{Lose: 1})
	p := newPaced(t, n, 0)
	a, b := p.sender, p.receiver
	start := p.now
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	const ttr = 4096 * units.Nanosecond << 14
	for a.cq.Pending() == 0 && p.now < start+60*units.Second {
		p.now += units.Millisecond
		a.dev.Progress()
	}
	a.want(1, RetryExcErr)
	// 1, 2, and six times 4 of the Local ACK Timeout.
	if took, want := p.now-start, 27*ttr; took < want-10*units.Millisecond || took > want+100*units.Millisecond {
		t.Errorf("given up after %v, want %v", took, want)
	}
}

// calls counts the system calls that send packets.
type calls struct {
	socket.Conn
	n int
}

func (c *calls) Send(batch []socket.Outgoing) error {
	c.n++
	return c.Conn.Send(batch)
}

// openAt opens a device with a simulated clock.
func openAt(t *testing.T, conn socket.Conn, clock func() units.Time) *Device {
	t.Helper()
	dev, err := open(conn, Options{PathMTU: 1024, clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

// countedPair is two connected devices whose clock stands still, and the calls that each makes.
func countedPair(t *testing.T) (p *pair, sent [2]*calls) {
	t.Helper()
	n := faulty.New(1, faulty.Harm{})
	p = &pair{t: t}
	for i := range p.on {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		sent[i] = &calls{Conn: n.Open(addr)}
		p.on[i] = fit(t, openAt(t, sent[i], func() units.Time { return 0 }), QPInitAttr{}, 64)
	}
	p.connectPatiently(14, 7)
	return p, sent
}

// A SEND is answered like a WRITE: the acknowledgement and the answer go in one system call.
// Posting a receive in between sends nothing by itself.
func TestAnAnswerToASendGoesInOneCall(t *testing.T) {
	p, sent := countedPair(t)
	a, b := p.on[0], p.on[1]
	recv := RecvWR{WRID: 7, SGL: []SGE{b.mr.SGE(0, 8)}}
	if err := b.qp.PostRecv(recv); err != nil {
		t.Fatal(err)
	}
	a.post(SendWR{WRID: 1, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 8)}})
	b.want(7, Success)
	if err := b.qp.PostRecv(recv); err != nil {
		t.Fatal(err)
	}
	if sent[1].n != 0 {
		t.Errorf("%d calls before the answer is posted, want none", sent[1].n)
	}
	b.post(SendWR{WRID: 2, Opcode: Send, SGL: []SGE{b.mr.SGE(0, 8)}})
	if sent[1].n != 1 {
		t.Errorf("%d calls for an answer, want 1", sent[1].n)
	}
}

// A poller of which messages come faster than it takes them acknowledges them meanwhile: an acknowledgement
// waits for one call. The window of many programs is a few messages.
func TestARunOfMessagesIsAcknowledgedWhileItArrives(t *testing.T) {
	p, sent := countedPair(t)
	a, b := p.on[0], p.on[1]
	for i := range uint64(6) {
		a.post(SendWR{WRID: i, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
		b.dev.Progress()
		if want := int(i+1) / 2; sent[1].n != want {
			t.Errorf("%d acknowledgements after %d messages, want %d", sent[1].n, i+1, want)
		}
	}
}

// patientPair is two devices on a simulated clock, connected with the usual values, or with
// selective repeat. Each has memory of a size.
func patientPair(t *testing.T, n *faulty.Network, selective bool, size int) *paced {
	t.Helper()
	p := &paced{t: t, net: n}
	var both pair
	for i := range both.on {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		both.on[i] = fit(t, openAt(t, n.Open(addr), func() units.Time { return p.now }), QPInitAttr{}, size)
	}
	for i, s := range both.on {
		to := both.on[1-i]
		a := s.qp.usual(Remote{Addr: to.dev.Addr(), QPN: to.qp.QPN()}, 0, allAccess)
		a.SelectiveRepeat = selective
		if err := s.qp.ConnectWith(&a); err != nil {
			t.Fatal(err)
		}
	}
	p.sender, p.receiver = both.on[0], both.on[1]
	return p
}

// idle lets time pass for the sender, while the peer's program gets no processor.
func (p *paced) idle(during units.Time) {
	for end := p.now + during; p.now < end && p.sender.cq.Pending() == 0; p.now += units.Millisecond {
		p.sender.dev.Progress()
	}
}

// A peer whose program has no processor for five seconds has not gone: with the usual values it is
// waited for. A peer that has gone is given up after 7.2 to 8.6 s: 1, 2 and six times 4 of the
// Local ACK Timeout, or eight times 4 if the timeouts were that long before.
func TestAPeerThatIsMerelySlowIsWaitedFor(t *testing.T) {
	for _, selective := range []bool{false, true} {
		p := patientPair(t, faulty.New(1, faulty.Harm{}), selective, 64)
		a, b := p.sender, p.receiver
		write := SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
		a.post(write)
		p.idle(5 * units.Second)
		p.until(1, func() {})
		a.want(1, Success)
		// Measurements since then make no difference.
		a.post(write)
		p.idle(5 * units.Second)
		p.until(1, func() {})
		a.want(1, Success)
		a.post(write)
		start := p.now
		p.idle(60 * units.Second)
		a.want(1, RetryExcErr)
		if took := p.now - start; took < 7200*units.Millisecond || took > 8700*units.Millisecond {
			t.Errorf("selective repeat %v: given up after %v, want 7.2 to 8.6 s", selective, took)
		}
	}
}

// With selective repeat a lost packet is sent again no later than with a short Local ACK Timeout,
// even before any round trip was measured.
func TestAPacketThatIsLostComesAgainSoonThoughThePeerIsWaitedForLong(t *testing.T) {
	const within = 80 * units.Millisecond
	for _, before := range []int{0, 3} {
		p := patientPair(t, faulty.New(1, faulty.Harm{}), true, 64)
		a, b := p.sender, p.receiver
		write := SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
		for range before {
			a.post(write)
			p.until(1, func() {})
			a.want(1, Success)
		}
		p.net.Hurt(faulty.Harm{Lose: 1})
		a.post(write)
		sent, start := a.dev.Stats().PacketsSent, p.now
		for a.dev.Stats().PacketsSent == sent && p.now < start+units.Second {
			p.now += units.Millisecond
			a.dev.Progress()
		}
		if took := p.now - start; took > within {
			t.Errorf("%d messages before: sent again after %v, want at most %v", before, took, within)
		}
	}
}
