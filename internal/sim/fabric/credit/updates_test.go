package credit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/units"
)

// A packet that joins the latest update without a search is part of the update that the search finds: two lanes
// with the same departures, one of which always searches, have the same updates.
func TestJoiningTheLatestUpdateIsWhatTheSearchFinds(t *testing.T) {
	const period = 100
	joined := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rings := make(Rings, 128)
		quick := Updates{Latest: LongAgo, mask: 63}
		slow := Updates{Latest: LongAgo, mask: 63, first: 64}
		now := units.Time(1000)
		for range 200 {
			now += units.Time(rng.IntN(period))
			end, room := now+units.Time(rng.IntN(3*period)), int32(1+rng.IntN(64))
			slow.Return(rings, slow.Due(rings, end, period), room)
			if end <= quick.Latest && quick.JoinsLatest(rings, end, period) {
				quick.Join(rings, room)
				joined++
			} else {
				quick.Return(rings, quick.Due(rings, end, period), room)
			}
			if quick.Latest != slow.Latest || quick.Total != slow.Total || quick.head != slow.head || !slices.Equal(rings[:64], rings[64:]) {
				t.Fatalf("seed %d, tail at %d ps: latest update at %d ps, by the search at %d ps", seed, end, quick.Latest, slow.Latest)
			}
		}
	}
	if joined < 100 {
		t.Errorf("%d packets joined an update, which shows little", joined)
	}
}
