package perf

import (
	"slices"
	"time"

	"weft/verbs"
)

// run posts n work requests over all queue pairs in turn, up to the test's depth at a time, and
// notes the times.
func (e *ends) run(stop *stopper, n int) (*times, error) {
	t := &times{posted: make([]time.Duration, n), completed: make([]time.Duration, n)}
	list := slices.Repeat([]verbs.SendWR{e.request()}, max(1, min(e.t.List, e.t.Depth)))
	out := make([]int, len(e.qps))  // outstanding
	left := make([]int, len(e.qps)) // to post: the receiver has as many receives for each
	for q := range left {
		left[q] = (n + len(left) - 1 - q) / len(left)
	}
	turn := 0
	start := e.begin()
	for posted, done := 0, 0; done < n; {
		for full := 0; posted < n && full < len(e.qps); turn++ {
			q := turn % len(e.qps)
			k := min(len(list), max(1, e.t.Depth)-out[q], left[q])
			if k <= 0 {
				full++
				continue
			}
			full = 0
			now := e.since(start)
			for i := range k {
				t.posted[posted+i] = now
			}
			if err := e.qps[q].PostSend(list[:k]...); err != nil {
				return nil, err
			}
			out[q] += k
			left[q] -= k
			posted += k
		}
		wcs, err := e.poll(stop)
		if err != nil {
			return nil, err
		}
		stop.seen()
		now := e.since(start)
		for i := range wcs {
			if err := wcs[i].Status.Err(); err != nil {
				return nil, err
			}
			out[e.byN[wcs[i].QPN]]--
			t.completed[done] = now
			done++
		}
	}
	return t, nil
}

// sink takes n messages of SEND, with receives always posted.
func (e *ends) sink(stop *stopper, n int) error {
	for got := 0; got < n; {
		wcs, err := e.poll(stop)
		if err != nil {
			return err
		}
		stop.seen()
		for i := range wcs {
			if err := wcs[i].Status.Err(); err != nil {
				return err
			}
			if wcs[i].Opcode == verbs.WCRecv {
				got++
				if err := e.postRecv(e.qps[e.byN[wcs[i].QPN]], 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
