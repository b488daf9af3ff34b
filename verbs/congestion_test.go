package verbs

import (
	"net/netip"
	"testing"
	"time"

	"weft/internal/live/faulty"
	"weft/units"
)

// pacedPair is a connection on a network, of which the first device has DCQCN from
// a line rate.
func pacedPair(t *testing.T, n *faulty.Network, line units.Rate) (sender, receiver *side) {
	t.Helper()
	p := &pair{t: t}
	for i, rate := range []units.Rate{line, 0} {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), 4791)
		dev, err := open(n.Open(addr), Options{PathMTU: 1024, LineRate: rate})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		p.on[i] = fit(t, dev, QPInitAttr{}, 8192)
	}
	p.connectPatiently(14, 7)
	return p.on[0], p.on[1]
}

// write sends one message of 8 packets.
func (s *side) write(to *side) {
	s.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{s.mr.SGE(0, 8192)}, RemoteAddr: to.mr.Addr(), RKey: to.mr.RKey()})
	s.want(1, Success)
}

func TestMarksDrawCNPsThatSlowTheSenderUntilTheyEnd(t *testing.T) {
	const line units.Rate = 2 * units.Gbps
	n := faulty.New(3, faulty.Harm{Mark: 0.05})
	a, b := pacedPair(t, n, line)
	if got := a.qp.Rate(); got != line {
		t.Errorf("the sender begins with %v, want %v", got, line)
	}
	slowest := line
	for range 60 {
		a.write(b)
		slowest = min(slowest, a.qp.Rate())
	}
	from, to := a.dev.Stats(), b.dev.Stats()
	if n.Marked == 0 || to.Marked != int64(n.Marked) {
		t.Errorf("%d packets were marked and %d arrived so", n.Marked, to.Marked)
	}
	if to.CNPsSent == 0 || to.CNPsSent > to.Marked || from.CNPsReceived != to.CNPsSent {
		t.Errorf("%d marks, %d CNPs sent, %d received", to.Marked, to.CNPsSent, from.CNPsReceived)
	}
	// The first CNP finds alpha at 1, and halves the rate.
	if slowest > line/2 {
		t.Errorf("the sender has slowed down to %v, want %v or less", slowest, line/2)
	}
	n.Heal()
	for deadline := time.Now().Add(patience); a.qp.Rate() < line; a.write(b) {
		if time.Now().After(deadline) {
			t.Fatalf("without marks the sender is at %v, want %v", a.qp.Rate(), line)
		}
	}
}

func TestWithoutCongestionControlNothingMayBeMarked(t *testing.T) {
	n := faulty.New(3, faulty.Harm{Mark: 1})
	a, b := pacedPair(t, n, 0)
	a.write(b)
	if got := b.dev.Stats(); got.Marked != 0 || got.CNPsSent != 0 || a.qp.Rate() != 0 {
		t.Errorf("%d packets are marked, %d CNPs sent, the rate is %v", got.Marked, got.CNPsSent, a.qp.Rate())
	}
}

func TestDCQCNHoldsBackWhoWouldSendFaster(t *testing.T) {
	const line units.Rate = 100 * units.Mbps
	a, b := pacedPair(t, faulty.New(1, faulty.Harm{}), line)
	start := time.Now()
	const messages = 20
	for range messages {
		a.write(b)
	}
	// Every packet but the last waits for its turn on the cable.
	const bits = (messages*8 - 1) * (1024 + 82) * 8
	if took, least := time.Since(start), time.Duration(bits*1000/100-paceSlack/units.Nanosecond); took < least {
		t.Errorf("%d messages took %v, at %v at least %v", messages, took, line, least)
	}
}
