package credit

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"weft/internal/sim/engine"
	"weft/units"
)

// TestALaneNeedsNoMoreUpdatesThanItsPacket gives 10 blocks back at each of the times 50 to 80.
func TestALaneNeedsNoMoreUpdatesThanItsPacket(t *testing.T) {
	u, ring := Updates{Latest: LongAgo, mask: 7}, make(Rings, 8)
	for at := units.Time(50); at <= 80; at += 10 {
		u.Return(ring, at, 10)
	}
	for _, c := range []struct {
		need, sum int32
		at        units.Time
	}{{40, 40, 80}, {31, 40, 80}, {30, 30, 70}, {11, 20, 60}, {1, 10, 50}} {
		if at, sum := u.LastNeeded(ring, int32(u.Total), c.need, 0); at != c.at || sum != c.sum {
			t.Errorf("%d blocks are there at %d (%d), want %d (%d)", c.need, at, sum, c.at, c.sum)
		}
	}
}

// TestRoomGoesIntoTheFirstUpdateThatKeepsThePeriod frees packets of a lane whose tails leave in
// another order, with 10 ps between updates.
func TestRoomGoesIntoTheFirstUpdateThatKeepsThePeriod(t *testing.T) {
	u, ring := Updates{Latest: LongAgo, mask: 7}, make(Rings, 8)
	for _, c := range []struct {
		end, at units.Time
		fresh   bool
	}{
		{3, 3, true},       // nothing before
		{50, 50, true},     // long after the update before
		{51, 60, true},     // a period after the update before
		{60, 60, false},    // together with it
		{55, 60, false},    // also before it
		{20, 20, true},     // before two others, and away from all
		{15, 20, false},    // too near to the next
		{22, 30, true},     // a period after 20, and two before 50
		{35, 40, true},     // exactly between 30 and 50
		{41, 50, false},    // no room between 40 and 50
		{1000, 1000, true}, // alone again
	} {
		at := u.Due(ring, c.end, 10)
		if fresh := u.Return(ring, at, 1); at != c.at || fresh != c.fresh {
			t.Errorf("room at %d is returned at %d, in a new update: %v; want %d, %v", c.end, at, fresh, c.at, c.fresh)
		}
	}
}

// TestUpdatesAreAsAListOfTimesSaysThem frees packets at random and compares with a plain list: a
// tail leaves up to 50 ps after the time, and the time runs.
func TestUpdatesAreAsAListOfTimesSaysThem(t *testing.T) {
	const period, ahead, back = 7, 50, 60
	random := engine.Stream(1, 2, 3)
	u, ring := Updates{Latest: LongAgo, mask: 31}, make(Rings, 32)
	copied, mirror := Updates{Latest: LongAgo, mask: 31}, make(Rings, 32) // in another partition
	type listed struct {
		at     units.Time
		blocks int32
	}
	var list []listed
	now := units.Time(0)
	for range 100_000 {
		now += units.Time(random.Uint64() % 12)
		end, room := now+units.Time(random.Uint64()%ahead), int32(1+random.Uint64()%9)
		at := u.Due(ring, end, period)
		u.Return(ring, at, room)
		copied.Return(mirror, at, room)
		if at < end || at >= end+2*period {
			t.Fatalf("room at %d is returned at %d, with a period of %d", end, at, period)
		}
		k, same := slices.BinarySearchFunc(list, at, func(e listed, at units.Time) int { return cmp.Compare(e.at, at) })
		if same {
			list[k].blocks += room
		} else {
			list = slices.Insert(list, k, listed{at, room})
		}
		list = list[max(0, len(list)-32):]
		to, sum := now-back, int32(0)
		for j := len(list) - 1; j >= 0; j-- {
			if j > 0 && list[j].at-list[j-1].at < period {
				t.Fatalf("updates at %d and %d are nearer than the period", list[j-1].at, list[j].at)
			}
			if list[j].at > to {
				sum += list[j].blocks
			}
		}
		for _, v := range []struct {
			u *Updates
			r Rings
		}{{&u, ring}, {&copied, mirror}} {
			if _, left := v.u.LastNeeded(v.r, int32(u.Total), math.MinInt32, to); left != int32(u.Total)-sum {
				t.Fatalf("at %d: %d blocks are in flight, want %d", now, int32(u.Total)-left, sum)
			}
		}
	}
}
