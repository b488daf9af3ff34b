package tcp

import "weft/units"

// timer is the purpose of a sender's deadline. There is one deadline, as in Linux.
type timer uint8

const (
	timerOff timer = iota
	timerRTO
	timerProbe   // tail loss probe
	timerReorder // RACK's reordering window
)

// sender is the half of a connection that sends a stream.
type sender struct {
	cfg *Config
	cc  control

	una, nxt uint64 // SND.UNA, SND.NXT
	written  uint64 // the end of the last message
	edge     uint64 // the peer accepts bytes before this one
	done     uint64 // end of the last reported message

	win      window
	rtt      rttEstimator
	state    State
	timer    timer
	deadline units.Time
	lastSent units.Time // of new data

	board    scoreboard
	block    span // the last processed SACK block
	rack     rack
	messages ring[boundary] // not reported yet
	current  uint64         // index of the message at nxt

	recover reduction
	probe   probe
	limit   limit
	cutting bool // the next new data carries CWR
}

// limit is whether the window limits the sender (Linux's tcp_cwnd_validate).
type limit struct {
	round   uint64 // it is updated when this byte is acknowledged
	most    uint32 // packets outstanding in this round
	reached bool
}

func (s *sender) unsent() bool { return s.nxt != s.written }

// nextLength is the payload of the next new segment, 0 if the peer does not accept it.
func (s *sender) nextLength() uint64 {
	n := min(uint64(s.cfg.MSS), s.messages.at(s.current).end-s.nxt)
	if s.nxt+n > s.edge {
		return 0
	}
	return n
}

// ready reports whether next has a segment.
func (s *sender) ready() bool {
	switch {
	case s.state == Broken:
		return false
	case s.probe.due:
		return true
	case s.board.inFlight() >= s.win.cwnd:
		return false
	case s.board.pending > 0:
		return true
	}
	return s.unsent() && s.nextLength() > 0
}

// next fills in the next segment: a probe, then lost data, then new data.
func (s *sender) next(now units.Time, seg *Segment, st *Stats) bool {
	if !s.ready() {
		return false
	}
	switch {
	case s.probe.due:
		s.sendProbe(now, seg, st)
	case s.board.pending > 0:
		s.resend(now, s.board.nextPending(), seg, st)
	default:
		s.sendNew(now, seg, st)
	}
	s.recover.out++
	return true
}

// sendNew sends the next bytes of the stream.
func (s *sender) sendNew(now units.Time, seg *Segment, st *Stats) {
	m := s.messages.at(s.current)
	n := s.nextLength()
	r := s.board.push()
	*r = record{seq: s.nxt, sent: now, id: m.id, length: uint16(n)}
	s.nxt += n
	if s.nxt == m.end {
		r.marks = ending
		s.current++
	}
	s.fill(seg, r, true)
	if s.cutting {
		s.cutting = false
		seg.Flags |= FlagCWR
	}
	s.lastSent = now
	s.noteLimit()
	if s.timer != timerReorder && !s.armProbe(now) && s.timer != timerRTO {
		s.armRTO(now)
	}
	st.Segments++
}

// resend sends the segment at i again.
func (s *sender) resend(now units.Time, i uint64, seg *Segment, st *Stats) {
	s.board.markResent(i, now)
	*s.rack.resends.push() = resend{i, now}
	s.fill(seg, s.board.at(i), false)
	if s.recover.undoable {
		s.recover.resent++
	}
	if i == s.board.head && s.timer != timerReorder {
		s.armRTO(now)
	}
	st.Segments++
	st.Retransmitted++
}

// fill writes the payload's part of seg. Classic ECN leaves retransmissions
// out (RFC 3168, 6.1.5).
func (s *sender) fill(seg *Segment, r *record, fresh bool) {
	seg.Seq = r.seq
	seg.Length = r.length
	seg.ID = r.id
	if r.marks&ending != 0 {
		seg.Flags |= FlagPSH
	}
	if s.cfg.ECN == ECNDCTCP || s.cfg.ECN == ECNClassic && fresh {
		seg.Flags |= FlagECT
	}
}

// noteLimit records whether the window is full.
func (s *sender) noteLimit() {
	full := s.board.inFlight() >= s.win.cwnd
	out := uint32(s.board.len())
	if full || s.una >= s.limit.round || !s.limit.reached && out > s.limit.most {
		s.limit = limit{round: s.nxt, most: out, reached: full}
	}
}

// limited reports whether the window may grow: it was full, or half full in
// slow start (Linux's tcp_is_cwnd_limited).
func (s *sender) limited() bool {
	return s.limit.reached || s.win.slowStarting() && s.win.cwnd < 2*s.limit.most
}

// restartIfIdle halves the window for each timeout without sending (RFC 2861,
// as Linux's tcp_cwnd_restart). It is called when new data meets an empty
// network.
func (s *sender) restartIfIdle(now units.Time) {
	gap := now - s.lastSent
	if s.nxt == 0 || gap <= 0 {
		return
	}
	s.cc.idle(now, gap)
	if !s.cfg.IdleRestart || gap <= s.rtt.timeout {
		return
	}
	restart := min(s.cfg.InitialWindow, s.win.cwnd)
	s.win.ssthresh = max(s.win.ssthresh, s.win.cwnd/4*3)
	for gap -= s.rtt.timeout; gap > 0 && s.win.cwnd > restart; gap -= s.rtt.timeout {
		s.win.cwnd /= 2
	}
	s.win.cwnd = max(s.win.cwnd, restart)
}

// delta is the changes by one acknowledgement.
type delta struct {
	packets  uint32     // newly delivered
	lost     uint32     // newly taken for lost
	first    units.Time // RTT of the oldest segment that it delivers; 0: ambiguous
	last     units.Time // and of the latest
	advanced bool       // una moved
	dup      bool       // it reports a duplicate
}

// acknowledged handles the acknowledgement in seg.
func (s *sender) acknowledged(now units.Time, seg *Segment, b *Batch, st *Stats) {
	if seg.Ack > s.nxt {
		st.Refused++
		return
	}
	s.edge = max(s.edge, seg.Ack+uint64(seg.Window))
	d := delta{dup: seg.Flags&FlagDup != 0}
	if s.board.len() == 0 && !d.dup {
		return
	}
	if seg.Ack > s.una {
		s.takeCumulative(now, seg.Ack, &d)
	}
	if seg.SACK.Length != 0 {
		s.takeSelective(now, seg, &d)
	}
	if d.first > 0 {
		s.rtt.sample(d.first, s.cfg)
	} else if d.advanced {
		s.rtt.reset(s.cfg)
	}
	a := ack{
		now: now, una: s.una, nxt: s.nxt, delivered: d.packets,
		ece: seg.Flags&FlagECE != 0, rtt: d.last, minRTT: s.rack.minRTT,
	}
	s.cc.delivered(a)
	if d.packets > 0 || d.advanced {
		s.probe.due = false
		s.rearm(now)
	}
	s.probeAnswered(seg, &d, st)
	if d.dup {
		s.duplicated(st)
	}
	s.leaveStates()
	s.judge(now, &d)
	s.enterStates(&d, a.ece, st)
	s.moveWindow(a, &d)
	s.report(b)
}

// takeCumulative removes the segments that lie completely before una; a receiver accepts none in
// part. If one of them was sent again, none gives a sample of the RTT: the others may have waited
// for it (Linux's tcp_clean_rtx_queue).
func (s *sender) takeCumulative(now units.Time, una uint64, d *delta) {
	repaired := false
	for s.board.len() > 0 {
		r := s.board.front()
		if r.end() > una {
			break
		}
		s.una = r.end()
		d.advanced = true
		repaired = repaired || r.marks&touched != 0
		if r.marks&sacked == 0 {
			s.delivered(now, r, d)
		}
		s.board.drop()
	}
	if repaired {
		d.first, d.last = 0, 0
	}
	if s.board.len() > 0 && s.board.front().marks&sacked != 0 {
		s.board.renege()
		s.block = span{}
	}
}

// takeSelective marks the segments in the SACK block, without those in the previous block.
func (s *sender) takeSelective(now units.Time, seg *Segment, d *delta) {
	from := seg.Ack + uint64(seg.SACK.Start)
	block := span{max(from, s.una), min(from+uint64(seg.SACK.Length), s.nxt)}
	if block.start >= block.end || block.start == s.una {
		return // stale: the data at una has not arrived
	}
	known := s.block
	s.block = block
	if known.end < block.start || block.end < known.start {
		s.sackSpan(now, block, d)
		return
	}
	s.sackSpan(now, span{block.start, known.start}, d)
	s.sackSpan(now, span{max(known.end, block.start), block.end}, d)
}

func (s *sender) sackSpan(now units.Time, p span, d *delta) {
	if p.start >= p.end {
		return
	}
	for i := s.board.find(p.start); i < s.board.tail; i++ {
		r := s.board.at(i)
		if r.end() > p.end {
			break
		}
		if r.marks&sacked == 0 {
			s.delivered(now, r, d)
			s.board.markSacked(r)
		}
	}
}

// delivered records the arrival of r.
func (s *sender) delivered(now units.Time, r *record, d *delta) {
	d.packets++
	if rtt := s.rack.arrived(now, r); rtt > 0 {
		if d.first == 0 {
			d.first = rtt
		}
		d.last = rtt
	}
}

// judge runs RACK's detection of losses.
func (s *sender) judge(now units.Time, d *delta) {
	var again units.Time
	d.lost, again = s.detectLoss(now)
	if again != units.Forever {
		s.arm(timerReorder, again+s.cfg.TimerSlack)
	}
}

// moveWindow reduces the window towards its threshold or lets it grow: on
// advance only, as long as a gap may mean a loss (Linux's
// tcp_may_raise_cwnd).
func (s *sender) moveWindow(a ack, d *delta) {
	switch {
	case s.state == CWR || s.state == Recovery:
		s.reduce(d)
	case (d.advanced || d.packets > 0 && s.rack.reordered) && s.limited():
		s.cc.grow(&s.win, a)
	}
}

// report reports the newly acknowledged messages.
func (s *sender) report(b *Batch) {
	for s.messages.len() > 0 && s.messages.front().end <= s.una {
		s.complete(b, Sent)
	}
}

func (s *sender) complete(b *Batch, how Outcome) {
	m := s.messages.front()
	b.Completions = append(b.Completions, Completion{
		Bytes: units.Bytes(m.end - s.done), ID: m.id, Outcome: how,
	})
	s.done = m.end
	s.messages.pop()
}

// arm sets the timer.
func (s *sender) arm(t timer, at units.Time) { s.timer, s.deadline = t, at }

// rearm restarts the timer after progress.
func (s *sender) rearm(now units.Time) {
	switch {
	case s.board.len() == 0:
		s.arm(timerOff, units.Forever)
	case !s.armProbe(now):
		s.armRTO(now)
	}
}

func (s *sender) armRTO(now units.Time) { s.arm(timerRTO, now+s.rtt.timeout) }

// expired handles the timer.
func (s *sender) expired(now units.Time, b *Batch, st *Stats) {
	if now < s.deadline {
		return
	}
	switch s.timer {
	case timerOff:
	case timerProbe:
		s.probe.due = true
		s.armRTO(now)
	case timerReorder:
		s.armRTO(now)
		d := delta{packets: 1} // as Linux: let the reduction move by one
		s.judge(now, &d)
		s.enterStates(&d, false, st)
		if s.state == Recovery {
			s.reduce(&d)
		}
	case timerRTO:
		s.timeout(now, b, st)
	}
}
