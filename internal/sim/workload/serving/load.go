package serving

import (
	"math"
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/units"
)

// Load is requests at random times.
type Load struct {
	Rate           float64 // in a second
	Burst          int     // that arrive together; 0 is 1
	Requests       int
	Prompt, Output int // mean tokens
	Exponential    bool
	Hits           float64 // share of a prompt that prefill still has
	Seed           uint64
}

// The random streams of a load, apart from the seed's others.
const (
	streamArrivals = 21
	streamLengths  = 22
)

// Draw draws the requests. Lengths do not depend on the rate: the requests of two rates differ in their
// times alone, which are the same in units of the mean interval.
func (l *Load) Draw() []Request {
	arrivals, lengths := engine.Stream(l.Seed, streamArrivals, 0), engine.Stream(l.Seed, streamLengths, 0)
	times, sizes := rand.New(&arrivals), rand.New(&lengths)
	out := make([]Request, l.Requests)
	at := 0.0
	length := func(mean int) int {
		if !l.Exponential {
			return mean
		}
		return max(1, int(math.Round(sizes.ExpFloat64()*float64(mean))))
	}
	for i := range out {
		if burst := max(1, l.Burst); i%burst == 0 && (i > 0 || burst == 1) { // the first burst begins the run
			at += times.ExpFloat64() * float64(burst)
		}
		out[i] = Request{Arrival: max(1, units.Time(at/l.Rate*float64(units.Second))), Prompt: length(l.Prompt), Output: length(l.Output)}
		out[i].Cached = Cached(out[i].Prompt, l.Hits)
	}
	return out
}

// Cached is a share of a prompt in tokens, of which at least one is left to compute.
func Cached(prompt int, share float64) int {
	return min(prompt-1, int(share*float64(prompt)))
}
