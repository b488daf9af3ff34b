package scenario

import (
	"weft/internal/sim/protocol"
	"weft/units"
)

// selectiveWindow is the number of packets in flight of a queue pair with selective repeat: seen on
// a BlueField-3 (firmware 32.49.1014) by one lab; the same window for other adapters is an
// assumption.
const selectiveWindow = 512

// deriveRetransmission makes a fabric follow its NIC's schedule, if that has one. A timeout in the
// scenario is used as it is, unless retransmission says otherwise: a NIC's schedule would lengthen
// most timeouts.
func (r transportRules) deriveRetransmission() {
	p := protocol.Of(r.Kind)
	if p.OnTCP() {
		return
	}
	at, t := "transport.retransmission", &r.Transport
	if t.Recovery == SelectiveRepeat && !p.Unordered && !r.stated("transport.packet-window") {
		t.PacketWindow = selectiveWindow
	}
	if !r.stated(at) {
		t.Retransmission = FixedRetransmission
		if r.scheduled() && !r.wrote("transport.timeout") {
			t.Retransmission = AdaptiveRetransmission
		}
	}
}

// scheduled reports whether the fabric's NICs have a schedule of repetitions.
func (f *Fabric) scheduled() bool {
	return len(f.NIC.Retransmission.Times) > 0 && !protocol.Of(f.Kind).Unordered && f.Transport.Timeout != units.Forever
}

// checkRetransmission checks the schedule of repetitions.
func (r transportRules) checkRetransmission() {
	s := &r.NIC.Retransmission
	at := "nic.retransmission"
	if n := len(s.Times); n > maxSchedule || s.First > n || n > 0 && s.First == 0 {
		r.complain(at, "%d times, of which the first repetition may take %d: want at most %d, and 1 to all of them", n, s.First, maxSchedule)
		return
	}
	for i := 1; i < len(s.Times); i++ {
		if s.Times[i] <= s.Times[i-1] {
			r.complain(at+".times", "%s does not come after %s: want times that increase", s.Times[i], s.Times[i-1])
			return
		}
	}
	if r.Transport.Retransmission != AdaptiveRetransmission || protocol.Of(r.Kind).OnTCP() {
		return
	}
	switch p := protocol.Of(r.Kind); {
	case p.Unordered:
		r.complain("transport.retransmission", "%s has its own timeouts: want fixed", p.Title)
	case !r.scheduled():
		r.complain("transport.retransmission", "the NIC %s has no schedule of repetitions, or the timeout is forever: want fixed, or give nic.retransmission", r.NIC.Model)
	}
}

// checkRecovery checks the recovery from loss.
func (r transportRules) checkRecovery() {
	m := r.Routing.Mode
	if r.Transport.Recovery == SelectiveRepeat && !protocol.Of(r.Kind).Unordered && (m == Adaptive || m == Spray) {
		r.complain("transport.recovery", "selective repeat takes an early packet for a sign of loss, and routing by packet (%s) reorders packets: "+
			"set routing.mode to deterministic, ecmp or flowlet, or recovery: go-back-n", m)
	}
}
