package fabric

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
		rings := make(updateRings, 128)
		quick := updates{latest: longAgo, mask: 63}
		slow := updates{latest: longAgo, mask: 63, first: 64}
		now := units.Time(1000)
		for range 200 {
			now += units.Time(rng.IntN(period))
			end, room := now+units.Time(rng.IntN(3*period)), int32(1+rng.IntN(64))
			slow.add(rings, slow.due(rings, end, period), room)
			if end <= quick.latest && quick.joinsLatest(rings, end, period) {
				quick.join(rings, room)
				joined++
			} else {
				quick.add(rings, quick.due(rings, end, period), room)
			}
			if quick.latest != slow.latest || quick.total != slow.total || quick.head != slow.head || !slices.Equal(rings[:64], rings[64:]) {
				t.Fatalf("seed %d, tail at %d ps: latest update at %d ps, by the search at %d ps", seed, end, quick.latest, slow.latest)
			}
		}
	}
	if joined < 100 {
		t.Errorf("%d packets joined an update, which shows little", joined)
	}
}
