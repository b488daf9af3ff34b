package socket

import (
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// The test compares a table with a map.
func TestTheTableOfQueuePairsIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p table
		m := map[units.QPN]*Endpoint{}
		number := rapid.Custom(func(t *rapid.T) units.QPN {
			// Few pages with few places each, so that pages fill and empty.
			page := rapid.SampledFrom([]units.QPN{0, 1, 4095}).Draw(t, "page")
			return page<<pageBits | rapid.SampledFrom([]units.QPN{0, 1, 2, 4095}).Draw(t, "place")
		})
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			n := number.Draw(t, "n")
			switch {
			case m[n] == nil:
				m[n] = new(Endpoint)
				p.put(n, m[n])
			case rapid.Bool().Draw(t, "remove"):
				delete(m, n)
				p.remove(n)
			}
			if look := number.Draw(t, "look"); p.at(look) != m[look] || p.count != len(m) {
				t.Fatalf("%d is %p of %d, want %p of %d", look, p.at(look), p.count, m[look], len(m))
			}
		}
	})
}
