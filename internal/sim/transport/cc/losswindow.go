package cc

// LossWindow is the maximum number of packets in flight of a queue pair on a network with drops:
// RFC 5681's slow start and congestion avoidance, in packets. It has no clock. It grows with the
// delivered packets while it is in use.
//
// The reaction to a loss depends on the known losses. With selective repeat each lost packet is
// known, and takes one packet off the window (M. Mathis, "Relentless Congestion Control", 2009): a
// full queue reduces the window by the number of its drops, and a wire that loses one packet of a
// thousand leaves a window of a thousand. With go-back-N only the first loss is known, and the
// window is halved. After a timeout it is one packet.
type LossWindow struct {
	window    int32 // packets
	threshold int32 // slow start ends there
	flight    int32 // packets that were sent and are neither delivered nor lost
	tried     int32 // deliveries by which the window may grow, since it was last full
	earned    int32 // delivered since congestion avoidance last widened the window
	most      int32
	// Undo restores these: the cost of losses since Settle, and the threshold then.
	cost, before int32
}

// leastHalved is the minimum window after halving: two packets, of which the second shows that the
// first was lost (RFC 5681, 3.1).
const leastHalved = 2

// NewLossWindow is a window of initial packets, which grows to most.
func NewLossWindow(initial, most int32) LossWindow {
	return LossWindow{window: min(initial, most), threshold: most, most: most}
}

// Packets is the width of the window.
func (w *LossWindow) Packets() int32 { return w.window }

// Room is the number of further packets that may go; less than 1 is none.
func (w *LossWindow) Room() int32 { return w.window - w.flight }

// Sent counts n sent packets, for the first time or again.
func (w *LossWindow) Sent(n int32) {
	if w.flight += n; w.flight >= w.window {
		w.tried = w.flight
	}
}

// Delivered counts n arrived packets. A window that was not full does not grow: its allowance was
// not tried (RFC 7661).
func (w *LossWindow) Delivered(n int32) {
	w.flight = max(0, w.flight-n)
	n = min(n, w.tried)
	w.tried -= n
	switch {
	case n == 0:
	case w.window < w.threshold:
		w.window = min(w.window+n, w.threshold)
	default:
		if w.earned += n; w.earned >= w.window {
			w.earned = 0
			w.window = min(w.window+1, w.most)
		}
	}
}

// Lost takes n packets out of flight, and off the window.
func (w *LossWindow) Lost(n int32) {
	left := min(w.window, max(leastHalved, w.window-n))
	w.charge(w.window - left)
	w.window, w.threshold = left, left
	w.flight = max(0, w.flight-n)
}

// charge notes the cost of a loss.
func (w *LossWindow) charge(n int32) {
	if w.cost == 0 {
		w.before = w.threshold
	}
	w.cost += n
}

// Undo takes back the cost of losses since Settle: nothing was lost.
func (w *LossWindow) Undo() {
	if w.cost > 0 {
		w.window, w.threshold, w.cost = min(w.window+w.cost, w.most), w.before, 0
	}
}

// Settle confirms the losses so far: Undo no longer takes them back.
func (w *LossWindow) Settle() { w.cost = 0 }

// Halve is the reaction to a loss of which only the first packet is known.
func (w *LossWindow) Halve() {
	w.window = min(w.window, max(leastHalved, w.window/2))
	w.threshold, w.tried, w.earned, w.cost = w.window, 0, 0, 0
}

// Collapse is the cost of a timeout: all packets in flight are taken for lost. A second
// timeout in a row leaves the threshold (RFC 5681, 3.1).
func (w *LossWindow) Collapse() {
	if w.window > 1 {
		w.charge(w.window - 1)
		w.threshold = max(leastHalved, w.window/2)
	}
	w.window, w.flight, w.tried, w.earned = 1, 0, 0, 0
}

// Empty says that nothing is in flight.
func (w *LossWindow) Empty() { w.flight = 0 }
