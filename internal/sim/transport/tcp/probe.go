package tcp

import "weft/units"

// probe is the tail loss probe of RFC 8985, 7: if the end of a flight is not answered for two round
// trips, one more segment requests an answer.
type probe struct {
	end    uint64 // TLP.end_seq: SND.NXT when the probe was sent; 0: none in flight
	resent bool   // TLP.is_retrans
	due    bool   // the timer has requested a probe
}

// armProbe schedules a probe if one may be sent: no repair is in progress, and no probe is in
// flight. A single packet waits for an acknowledgement that may be delayed (Linux's
// tcp_schedule_loss_probe).
func (s *sender) armProbe(now units.Time) bool {
	if !s.cfg.LossProbe || s.probe.end != 0 || s.probe.due || s.board.sacked > 0 ||
		s.state != Open && s.state != CWR {
		return false
	}
	wait := s.cfg.InitialRTO
	if s.rtt.smoothed > 0 {
		wait = 2*s.rtt.smoothed + s.cfg.TimerSlack
		if s.board.len() == 1 {
			wait = 2*s.rtt.smoothed + s.cfg.MinRTO
		}
	}
	s.arm(timerProbe, now+min(wait, s.rtt.timeout))
	return true
}

// sendProbe sends new data beyond the window, or the last segment again.
func (s *sender) sendProbe(now units.Time, seg *Segment, st *Stats) {
	s.probe.due = false
	s.probe.resent = !s.unsent() || s.nextLength() == 0
	s.probe.end = s.nxt // no other probe during this one
	if s.probe.resent {
		s.resend(now, s.board.tail-1, seg, st)
	} else {
		s.sendNew(now, seg, st)
	}
	s.probe.end = s.nxt
	s.armRTO(now)
	st.Probes++
}

// probeAnswered ends a probe (RFC 8985, 7.4). If its retransmission is not reported as a duplicate,
// it has repaired a loss, which requires a reduction.
func (s *sender) probeAnswered(seg *Segment, d *delta, st *Stats) {
	p := &s.probe
	if p.end == 0 || seg.Ack < p.end {
		return
	}
	switch {
	case !p.resent:
		*p = probe{}
	case d.dup: // original and probe have both arrived
		*p = probe{}
		d.dup = false
	case seg.Ack > p.end:
		*p = probe{}
		if s.state == Open {
			s.enterCWR(st)
		}
	case !d.advanced && d.packets == 0:
		*p = probe{}
	}
}
