package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// FlowControl makes a requester measure the network's capacity and the round trip: it has a window
// of packets that reacts to loss, and a timeout that follows the round trip. Both count all PSNs in
// flight, including the PSNs of expected READ responses. It is for queue pairs on networks with
// drops and without other congestion control.
type FlowControl struct {
	// Initial and Most are the window's packets, at the beginning and at most.
	Initial, Most int32
	// FirstTimeout is the timeout before a round trip was measured, and LeastTimeout
	// bounds it below; each is Config.RetryTimeout if that is less. Above, timeouts are
	// bounded by LongestTimeouts times RetryTimeout. Timeouts shorter than RetryTimeout do
	// not count as retries: these tries come before the specification's.
	FirstTimeout, LeastTimeout units.Time
}

// LongestTimeouts is the maximum wait of a requester in Local ACK Timeouts (IBA vol. 1, 9.7.6.1.3:
// it detects the condition after at least one and at most four).
const LongestTimeouts = 4

const (
	// leastReordering is the number of packets that must have arrived ahead of a missing one before
	// it counts as lost, until the network shows that it reorders more (RFC 5681: three), and
	// mostReordering its maximum: Linux's tcp_max_reordering.
	leastReordering = 3
	mostReordering  = 300
)

// flow is the state of a requester's flow control. Methods that callers may call on nil then do
// nothing.
type flow struct {
	window cc.LossWindow
	timer  cc.RetryTimer
	acked  units.PSN // una in the window's view

	timing  bool // a packet's round trip is being measured
	timed   units.PSN
	timedAt units.Time

	unsure bool      // nothing has been acknowledged since a timeout
	resent units.PSN // behind the last packet that was sent since

	// Selective repeat.
	reordering int32      // packets that overtake another without its being lost
	watching   bool       // a repetition shows whether it was needed
	watched    units.PSN  // which
	watchedAt  units.Time // when it went

	heard units.PSN // responses of READs that came again, up to here
}

// flowing is the requester's flow control, made with its first packet.
func (r *requester) flowing(first units.PSN) *flow {
	if r.flow == nil {
		c, t := r.cfg.Flow, r.cfg.RetryTimeout
		r.flow = &flow{
			window:     cc.NewLossWindow(c.Initial, c.Most),
			timer:      cc.NewRetryTimer(min(c.FirstTimeout, t), min(c.LeastTimeout, t), LongestTimeouts*t),
			reordering: leastReordering, acked: first, heard: first,
		}
	}
	return r.flow
}

// retryWait is the time that a packet waits for its acknowledgement.
func (r *requester) retryWait() units.Time {
	switch {
	case r.cfg.Flow != nil && r.flow != nil:
		return r.flow.timer.Wait()
	case r.cfg.Flow != nil: // the first packet is in flight
		return min(r.cfg.Flow.FirstTimeout, r.cfg.RetryTimeout)
	case r.cfg.Schedule != nil:
		return r.cfg.Schedule.wait(&r.progress, r.una)
	}
	return r.cfg.RetryTimeout
}

// flowClosed reports whether the packets in flight fill the network's capacity. The packet behind a
// repetition may go nevertheless: see Probing.
func (r *requester) flowClosed() bool { return r.cfg.Flow != nil && r.flow.full(r) }

// full is flowClosed if the configuration has flow control.
func (f *flow) full(r *requester) bool {
	if f == nil || f.window.Room() > 0 || r.outstanding() < f.window.Packets() {
		return false
	}
	return !r.probing()
}

// sent counts a packet of n PSNs.
func (f *flow) sent(psn units.PSN, n int32) {
	f.window.Sent(n)
	f.resent = psn.Add(n)
}

// clock starts to measure the round trip of a packet that is sent for the first time and requests
// an acknowledgement, unless another measurement is in progress.
func (f *flow) clock(now units.Time, p *Packet, first bool) {
	switch {
	case f == nil:
	case !first:
		f.timing = f.timing && f.timed != p.PSN
	case !f.timing && p.Flags&FlagAckReq != 0:
		f.timing, f.timed, f.timedAt = true, p.PSN, now
	}
}

// repeats counts the repetition of a packet by selective repeat.
func (f *flow) repeats(now units.Time, p *Packet, n int32) {
	f.sent(p.PSN, n)
	f.clock(now, p, false)
	if !f.watching {
		f.watching, f.watched, f.watchedAt = true, p.PSN, now
	}
}

// arrived counts n more packets at the peer; psn is the last.
func (f *flow) arrived(now units.Time, psn units.PSN, n int32) {
	f.window.Delivered(n)
	if f.timing && !psn.Before(f.timed) {
		f.timing = false
		f.timer.Sample(now - f.timedAt)
	}
}

// moved counts packets before una; known of them were known to have arrived.
func (f *flow) moved(now units.Time, una units.PSN, known int32) {
	if f != nil {
		n := una.Sub(f.acked) - known
		f.acked = una
		if f.unsure {
			f.answered(una, known)
		}
		f.arrived(now, una.Add(-1), n)
	}
}

// answered handles the first acknowledgement after a timeout. If it covers packets that were not
// retransmitted, and the peer was known to have none of the packets before it, the first
// transmissions were late and not lost, as with a peer that waits for a processor. The window is
// then restored.
func (f *flow) answered(una units.PSN, known int32) {
	f.unsure = false
	if known == 0 && f.resent.Before(una) {
		f.window.Undo()
		return
	}
	f.window.Settle()
}

// filled notes that the packet psn, which later packets had overtaken, has come. The
// packet was late and not lost if it was not sent again, or if it came too soon after its
// repetition to be the repetition. Then as many packets may overtake another from here on,
// and the window gets back the cost of the loss (RFC 4015).
func (f *flow) filled(now units.Time, psn units.PSN, overtaken int32, again bool) {
	if again {
		if !f.watching || psn.Before(f.watched) {
			return
		}
		f.watching = false
		if psn != f.watched || 2*(now-f.watchedAt) >= f.timer.RTT() {
			f.window.Settle()
			return
		}
		f.window.Undo()
	}
	f.reordering = min(max(f.reordering, overtaken+1), mostReordering)
}

// lost counts n lost packets.
func (f *flow) lost(n int32) {
	if f != nil && n > 0 {
		f.window.Lost(n)
	}
}

// halved counts a loss of which only the first packet is known.
func (f *flow) halved() {
	if f != nil {
		f.window.Halve()
	}
}

// wentBack counts a repetition of everything from una on.
func (f *flow) wentBack(una units.PSN) {
	if f != nil {
		f.window.Empty()
		f.timing, f.watching, f.heard = false, false, una.Add(-1)
	}
}

// timedOut counts a timeout. It reports whether the timeout was shorter than the minimum that
// counts as a try.
func (f *flow) timedOut(least units.Time) (early bool) {
	if f == nil {
		return false
	}
	early = f.timer.Wait() < least
	f.window.Collapse()
	f.timer.Backoff()
	f.timing, f.watching, f.unsure, f.reordering = false, false, true, leastReordering
	return early
}

// tolerance is the number of packets that must have arrived ahead of a missing one before it counts
// as lost. With few packets in flight it is lower: not as many would follow (RFC 5827).
func (r *requester) tolerance() int32 {
	if r.flow == nil {
		return 1
	}
	return min(r.flow.reordering, max(1, r.nxt.Sub(r.una)/2))
}

// stillResponding notes a response of a READ that has come before: the peer answers a
// repetition, and the missing responses come behind this one. The retry timer starts anew,
// once for each response of a repetition.
func (r *requester) stillResponding(now units.Time, psn units.PSN) {
	f := r.flow
	if f == nil || r.readsOut == 0 || !f.heard.Before(psn) || !psn.Before(r.una) {
		return
	}
	f.heard = psn
	r.progressAt = now
}
