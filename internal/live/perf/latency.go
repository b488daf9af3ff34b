package perf

import (
	"time"

	"weft/verbs"
)

// trips measures n round trips, numbered from after from. For WRITE and SEND the peer answers (see
// reply); READs need no answer.
func (e *ends) trips(stop *stopper, from, n int) ([]time.Duration, error) {
	all := make([]time.Duration, n)
	wr := e.request()
	last := e.begin()
	for i := range all {
		if err := e.trip(stop, &wr, byte(from+i+1)); err != nil {
			return nil, err
		}
		all[i] = e.since(last)
		last = e.dev.Clock()
	}
	return all, nil
}

func (e *ends) trip(stop *stopper, wr *verbs.SendWR, mark byte) error {
	if e.t.Verb == Write {
		if err := e.write(wr, mark); err != nil {
			return err
		}
		return e.watch(stop, mark)
	}
	if err := e.qps[0].PostSend(*wr); err != nil {
		return err
	}
	return e.complete(stop, e.t.Verb == Send, true)
}

// reply is the other side of n round trips.
func (e *ends) reply(stop *stopper, n int) error {
	wr := e.request()
	for i := range n {
		mark := byte(i + 1)
		var err error
		if e.t.Verb == Write {
			if err = e.watch(stop, mark); err == nil {
				err = e.write(&wr, mark)
			}
		} else {
			if err = e.complete(stop, true, false); err == nil {
				err = e.qps[0].PostSend(wr)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write sends a message whose last byte is the mark. It also takes the completions of earlier
// messages.
func (e *ends) write(wr *verbs.SendWR, mark byte) error {
	e.outBytes()[e.t.Size-1] = mark
	return e.qps[0].PostSend(*wr)
}

// watch waits until the peer's mark is in memory. It reads the byte that arrives last, as perftest
// does: WRITEs are placed in order.
func (e *ends) watch(stop *stopper, mark byte) error {
	in := e.inBytes()
	for in[len(in)-1] != mark {
		// Polling does the device's work; it also returns completions of WRITEs.
		n, err := e.cq.Poll(e.wc)
		if err == nil {
			err = failed(e.wc[:n])
		}
		if err == nil && n == 0 {
			err = stop.look()
		}
		if err != nil {
			return err
		}
	}
	stop.seen()
	return nil
}

// complete waits for a receive, a send or both, in any order. It posts the receive again.
func (e *ends) complete(stop *stopper, recv, send bool) error {
	for recv || send {
		wcs, err := e.poll(stop)
		if err == nil {
			err = failed(wcs)
		}
		if err != nil {
			return err
		}
		for i := range wcs {
			if wcs[i].Opcode != verbs.WCRecv {
				send = false
				continue
			}
			recv = false
			if err := e.postRecv(e.qps[0], 1); err != nil {
				return err
			}
		}
	}
	stop.seen()
	return nil
}

// failed is the first error among completions.
func failed(wcs []verbs.WC) error {
	for i := range wcs {
		if err := wcs[i].Status.Err(); err != nil {
			return err
		}
	}
	return nil
}
