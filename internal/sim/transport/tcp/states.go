package tcp

import "weft/units"

// State is a sender's congestion state (Linux's tcp_ca_state; its Disorder is Open here).
type State uint8

// The states of a sender.
const (
	Open     State = iota // all is well
	CWR                   // reducing after an echo of congestion
	Recovery              // repairing a loss detected by acknowledgements
	Loss                  // repairing after a timeout
	Broken                // given up
)

func (s State) String() string {
	return [...]string{"open", "cwr", "recovery", "loss", "broken"}[s]
}

// reduction is the course of one reduction of the window: proportional rate reduction (RFC 6937)
// and the data for undoing it.
type reduction struct {
	high      uint64 // recovery point: the state lasts until this byte is acknowledged
	prior     uint32 // RecoverFS: the window before
	delivered uint32 // prr_delivered
	out       uint32 // prr_out

	undo     window // the state that an undo restores
	resent   uint32 // retransmissions without a reported duplicate
	undoable bool
}

// enterStates begins a recovery for a new loss, or a reduction for an echo.
func (s *sender) enterStates(d *delta, ece bool, st *Stats) {
	switch {
	case d.lost > 0 && (s.state == Open || s.state == CWR):
		s.enterRecovery(st)
	case ece && s.state == Open:
		s.enterCWR(st)
	}
}

// leaveStates ends the states that the acknowledged byte ends. Only a CWR that has arrived silences
// an echo, hence the strict comparison (as Linux).
func (s *sender) leaveStates() {
	over := s.una >= s.recover.high
	switch s.state {
	case CWR:
		if s.una > s.recover.high {
			s.win.cwnd = s.win.ssthresh
			s.enterOpen()
		}
	case Recovery:
		if over {
			s.win.cwnd = s.win.ssthresh
			s.rack.recovered()
			s.enterOpen()
		}
	case Loss:
		if over {
			s.rack.recovered()
			s.enterOpen()
		}
	case Open, Broken:
	}
}

func (s *sender) enterOpen() { s.state = Open }

// enterCWR reduces the window for an echo of congestion, without a loss.
func (s *sender) enterCWR(st *Stats) {
	s.state = CWR
	s.beginReduction(marked)
	s.recover.undoable = false
	s.cutting = s.cfg.ECN == ECNClassic
	st.Echoes++
}

// enterRecovery repairs losses that acknowledgements have shown. A reduction in progress continues.
func (s *sender) enterRecovery(st *Stats) {
	if s.state == CWR {
		s.recover.high = s.nxt
	} else {
		s.beginReduction(dropped)
	}
	s.state = Recovery
	s.cutting = s.cfg.ECN == ECNClassic
	st.Recoveries++
}

// enterLoss restarts after a timeout (RFC 5681, 3.1; RFC 8985, 6.3). The threshold falls once per
// window.
func (s *sender) enterLoss(now units.Time, st *Stats) {
	s.markTimedOut(now)
	if s.state != Loss && (s.state == Open || s.una >= s.recover.high) {
		s.beginReduction(timedOut)
	} else if s.state != Loss {
		s.cc.threshold(&s.win, timedOut) // the curve starts over; the threshold stays
	}
	s.recover.high = s.nxt
	s.state = Loss
	s.win.cwnd = s.board.inFlight() + 1
	s.cutting = s.cfg.ECN == ECNClassic
	st.Timeouts++
}

// enterBroken abandons the connection: unacknowledged messages fail.
func (s *sender) enterBroken(b *Batch) {
	s.state = Broken
	s.arm(timerOff, units.Forever)
	for s.messages.len() > 0 {
		s.complete(b, Failed)
	}
}

// timeout is the retransmission timer.
func (s *sender) timeout(now units.Time, b *Batch, st *Stats) {
	if s.rtt.backoffs >= maxTimeouts {
		s.enterBroken(b)
		return
	}
	s.probe = probe{}
	s.enterLoss(now, st)
	s.rtt.backOff()
	s.armRTO(now)
}

// beginReduction sets the target of the reduction.
func (s *sender) beginReduction(why cause) {
	before := s.win
	s.win.ssthresh = s.cc.threshold(&s.win, why)
	s.recover = reduction{high: s.nxt, prior: before.cwnd, undo: before, undoable: true}
}

// reduce is proportional rate reduction with its slow start part (RFC 6937,
// 3, as Linux's tcp_cwnd_reduction).
func (s *sender) reduce(d *delta) {
	if d.packets == 0 {
		return
	}
	p := &s.recover
	p.delivered += d.packets
	flight := s.board.inFlight()
	var send int64
	if flight > s.win.ssthresh {
		send = (int64(p.delivered)*int64(s.win.ssthresh)+int64(p.prior)-1)/int64(p.prior) - int64(p.out)
	} else {
		send = max(int64(p.delivered)-int64(p.out), int64(d.packets))
		if d.advanced && d.lost == 0 {
			send++
		}
		send = min(send, int64(s.win.ssthresh-flight))
	}
	if p.out == 0 { // force a fast retransmission
		send = max(send, 1)
	}
	s.win.cwnd = flight + uint32(max(send, 0))
}

// duplicated handles a duplicate: RACK's window widens, and a reduction is undone if all of its
// retransmissions were needless.
func (s *sender) duplicated(st *Stats) {
	s.rack.widen(s.una, s.nxt)
	p := &s.recover
	if !p.undoable || p.resent == 0 {
		return
	}
	if p.resent--; p.resent > 0 {
		return
	}
	if s.state != Loss { // data that counted as lost was late (Linux's tcp_try_undo_partial)
		s.rack.reordered = true
	}
	p.undoable = false
	s.win.cwnd = max(s.win.cwnd, p.undo.cwnd)
	s.win.ssthresh = max(s.win.ssthresh, p.undo.ssthresh)
	s.enterOpen()
	st.Undone++
}
