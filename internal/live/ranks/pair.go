package ranks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/units"
	"weft/verbs"
)

// Pair is a measurement of one pair of ranks while the others are idle. It describes the network
// before a collective runs on it.
type Pair struct {
	Latency units.Time // of 8 bytes, one way: half the mean round trip
	Rate    units.Rate // of payload, in a stream of messages of PairBytes
}

// Pairs measures ranks 0 and 1 in PairRounds rounds. The group's longest vector must have at least
// PairBytes.
func (g *Group) Pairs() (rounds []Pair, err error) {
	if len(g.members) < 2 {
		return nil, errors.New("ranks: a pair needs two ranks, and the group has one")
	}
	for range PairRounds {
		p, err := g.pair()
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, p)
	}
	return rounds, nil
}

// pair is one round.
func (g *Group) pair() (p Pair, err error) {
	replies, err := g.all(func(int) order { return order{Do: "ping", Bytes: pingBytes, Iters: pings, Warmup: pings / 10} })
	if err != nil {
		return p, err
	}
	p.Latency = units.Time(replies[0].Time.Nanoseconds()) * units.Nanosecond / (2 * pings)
	replies, err = g.all(func(int) order {
		return order{Do: "stream", Bytes: PairBytes, Iters: pairMessages, Warmup: pairMessages / 10}
	})
	if err != nil {
		return p, err
	}
	p.Rate = units.Rate(float64(8*PairBytes*pairMessages) / replies[0].Time.Seconds())
	return p, nil
}

// pair is a rank's part of a measurement between ranks 0 and 1.
func (r *rank) pair(ctx context.Context, o *order, p *reply) error {
	switch {
	case r.n < 2 || o.Bytes < 1 || o.Bytes > r.max:
		return fmt.Errorf("ranks: messages of %d bytes between two of %d ranks", o.Bytes, r.n)
	case o.check() != nil:
		return o.check()
	case r.id > 1:
		return nil
	}
	e := &exchange{r: r, peer: &r.peers[1-r.id], bytes: o.Bytes}
	first := 0 // messages of earlier rounds; more than these may have arrived already
	for _, n := range []int{o.Warmup, o.Iters} {
		start := time.Now()
		for i := range n {
			if r.id == 0 {
				if err := e.send(ctx); err != nil {
					return err
				}
			}
			if r.id == 1 || o.Do == "ping" {
				if err := e.wait(ctx, func() bool { return e.arrived > first+i }); err != nil {
					return err
				}
			}
			if r.id == 1 && o.Do == "ping" {
				if err := e.send(ctx); err != nil {
					return err
				}
			}
		}
		if err := e.wait(ctx, func() bool { return e.peer.out == 0 }); err != nil {
			return err
		}
		p.Time = time.Since(start)
		first += n
	}
	return nil
}

// exchange is the messages with one peer.
type exchange struct {
	r       *rank
	peer    *peer
	bytes   int
	arrived int
}

// send sends a message in the same way as an operation.
func (e *exchange) send(ctx context.Context) error {
	if err := e.wait(ctx, func() bool { return e.peer.out < depth }); err != nil {
		return err
	}
	e.peer.out++
	return e.peer.qp.PostSend(verbs.SendWR{
		Opcode: verbs.RDMAWriteWithImm, Flags: verbs.SendSignaled, SGL: []verbs.SGE{e.r.vector.mr.SGE(0, e.bytes)},
		RemoteAddr: e.peer.there.vector, RKey: e.peer.there.vKey,
	})
}

// wait waits in the same way as an operation, and counts arriving messages.
func (e *exchange) wait(ctx context.Context, until func() bool) error {
	return e.r.wait(ctx, until, func() (int, error) {
		n, err := e.r.drain()
		for i := range e.r.wc[:n] {
			if e.r.wc[i].Opcode == verbs.WCRecvRDMAWithImm {
				e.arrived++
			}
		}
		return n, err
	})
}
