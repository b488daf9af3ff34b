package socket

import "math/rand/v2"

// loss drops arriving packets, by a seed, as a bad network would. It treats each packet of a
// datagram separately.
type loss struct {
	dice  *rand.Rand
	share float64
}

// newLoss is nil if share is 0.
func newLoss(share float64, seed uint64) *loss {
	if share <= 0 {
		return nil
	}
	return &loss{dice: rand.New(rand.NewPCG(seed, 0)), share: share}
}

// strikes reports whether the next packet is dropped.
func (l *loss) strikes() bool { return l != nil && l.dice.Float64() < l.share }
