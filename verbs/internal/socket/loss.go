package socket

import "math/rand/v2"

// loss loses packets that arrive, by a seed: what a bad wire would have lost. Each
// packet of a datagram meets its own fate.
type loss struct {
	dice  *rand.Rand
	share float64
}

// newLoss is nil where nothing is to be lost.
func newLoss(share float64, seed uint64) *loss {
	if share <= 0 {
		return nil
	}
	return &loss{dice: rand.New(rand.NewPCG(seed, 0)), share: share}
}

// strikes reports whether the next packet is lost.
func (l *loss) strikes() bool { return l != nil && l.dice.Float64() < l.share }
