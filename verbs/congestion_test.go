package verbs

import (
	"net/netip"
	"testing"

	"weft/units"
	"weft/verbs/internal/socket/faulty"
)

// paced is a connection whose two devices share a simulated clock, so that a busy machine does not
// change its behaviour. The sender has DCQCN from a line rate.
type paced struct {
	t                *testing.T
	net              *faulty.Network
	now              units.Time
	sender, receiver *side
}

// pacedStep is the step of the clock when both devices are idle, and so the resolution of all
// times.
const pacedStep = units.Microsecond

func newPaced(t *testing.T, n *faulty.Network, line units.Rate) *paced {
	t.Helper()
	p := &paced{t: t, net: n}
	both := &pair{t: t}
	for i, rate := range []units.Rate{line, 0} {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		dev, err := open(n.Open(addr), Options{PathMTU: 1024, LineRate: rate, clock: func() units.Time { return p.now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		both.on[i] = fit(t, dev, QPInitAttr{}, 8192)
	}
	both.connectPatiently(14, 7)
	p.sender, p.receiver = both.on[0], both.on[1]
	return p
}

// write posts messages of 8 packets, and advances the clock until they have completed. It calls
// seen after each step of a device.
func (p *paced) write(messages int, seen func()) {
	p.t.Helper()
	to := p.receiver.mr
	for i := range messages {
		p.sender.post(SendWR{WRID: uint64(i), Opcode: RDMAWrite, SGL: []SGE{p.sender.mr.SGE(0, 8192)}, RemoteAddr: to.Addr(), RKey: to.RKey()})
	}
	p.until(messages, seen)
	for i := range messages {
		p.sender.want(uint64(i), Success)
	}
}

// until advances the clock until the given number of the sender's messages have completed.
func (p *paced) until(messages int, seen func()) {
	p.t.Helper()
	end := p.now + units.Second
	for p.rest(seen); p.sender.cq.Pending() < messages; p.rest(seen) {
		if p.now += pacedStep; p.now > end {
			p.t.Fatalf("%d of %d messages have ended after %v", p.sender.cq.Pending(), messages, units.Second)
		}
	}
}

// rest lets the devices finish their work without advancing the clock, including work that may wait
// for the next call of Progress.
func (p *paced) rest(seen func()) {
	for idle := 0; idle < 2; idle++ {
		before := p.net.Carried
		for _, s := range []*side{p.sender, p.receiver} {
			s.dev.Progress()
			seen()
		}
		if p.net.Carried > before {
			idle = -1
		}
	}
}

func TestMarksDrawCNPsThatSlowTheSenderUntilTheyEnd(t *testing.T) {
	const line units.Rate = 2 * units.Gbps
	n := faulty.New(3, faulty.Harm{Mark: 0.05})
	p := newPaced(t, n, line)
	a, b := p.sender, p.receiver
	if got := a.qp.Rate(); got != line {
		t.Errorf("the sender begins with %v, want %v", got, line)
	}
	var first units.Rate // after the first CNP
	look := func() {
		if first == 0 && a.dev.Stats().CNPsReceived > 0 {
			first = a.qp.Rate()
		}
	}
	for range 60 {
		p.write(1, look)
	}
	from, to := a.dev.Stats(), b.dev.Stats()
	if n.Marked == 0 || to.Marked != int64(n.Marked) {
		t.Errorf("%d packets were marked and %d arrived marked", n.Marked, to.Marked)
	}
	if to.CNPsSent == 0 || to.CNPsSent > to.Marked || from.CNPsReceived != to.CNPsSent {
		t.Errorf("%d marks, %d CNPs sent, %d received", to.Marked, to.CNPsSent, from.CNPsReceived)
	}
	// The first CNP finds alpha at 1, and halves the rate.
	if first != line/2 {
		t.Errorf("the first CNP slows the sender down to %v, want %v", first, line/2)
	}
	n.Heal()
	for end := p.now + units.Second; a.qp.Rate() < line; p.write(1, look) {
		if p.now > end {
			t.Fatalf("without marks the sender is at %v after %v, want %v", a.qp.Rate(), units.Second, line)
		}
	}
}

func TestWithoutCongestionControlNothingMayBeMarked(t *testing.T) {
	p := newPaced(t, faulty.New(3, faulty.Harm{Mark: 1}), 0)
	p.write(1, func() {})
	if got := p.receiver.dev.Stats(); got.Marked != 0 || got.CNPsSent != 0 || p.sender.qp.Rate() != 0 {
		t.Errorf("%d packets are marked, %d CNPs sent, the rate is %v", got.Marked, got.CNPsSent, p.sender.qp.Rate())
	}
}

func TestDCQCNLimitsAFasterSender(t *testing.T) {
	const (
		line     units.Rate = 100 * units.Mbps
		messages            = 20
		// Every packet but the first waits for its turn on the cable.
		bits = (messages*8 - 1) * (1024 + 82) * 8
		want = bits * units.Second / units.Time(line)
	)
	p := newPaced(t, faulty.New(1, faulty.Harm{}), line)
	p.write(messages, func() {})
	if p.now < want || p.now > want+pacedStep {
		t.Errorf("%d messages took %d ps, at %v want %d", messages, p.now, line, want)
	}
}
