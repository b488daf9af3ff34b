package fabric

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"weft/internal/sim/engine"
	"weft/units"
)

func TestARecordOfCopiesIsFreeAfterTheLastCopy(t *testing.T) {
	var r copyRecords
	first, second := r.begin(copies{left: 2, size: 100}), r.begin(copies{left: 1, size: 200})
	if first == second {
		t.Fatalf("two packets have the record %d", first)
	}
	for i, last := range []bool{false, true} {
		if got := r.lastCopy(first); got != last {
			t.Errorf("copy %d of 2 is the last: %v, want %v", i+1, got, last)
		}
	}
	if again := r.begin(copies{left: 1, size: 300}); again != first || r.copies[again].size != 300 {
		t.Errorf("the next packet has the record %d (%+v), want the free one, %d", again, r.copies[again], first)
	}
	if r.copies[second].size != 200 {
		t.Errorf("the other record holds %d bytes, want 200", r.copies[second].size)
	}
}

// TestAMailboxIsReadWhileTheNextWindowFillsTheOther sends in window 6, then in window 7.
func TestAMailboxIsReadWhileTheNextWindowFillsTheOther(t *testing.T) {
	m := mailboxes{window: 6}
	m.outgoing().earliest = 60
	m.window = 7
	m.outgoing().reset()
	if got := m.Sent(7); got != units.Forever {
		t.Errorf("window 7 has an event for %v before anything is sent", got)
	}
	m.outgoing().earliest = 70
	if six, seven := m.Sent(6), m.Sent(7); six != 60 || seven != 70 {
		t.Errorf("windows 6 and 7 take effect at %d and %d, want 60 and 70", six, seven)
	}
}

func TestALookAheadSeparatesArrivalsFromTurnsToSend(t *testing.T) {
	q := engine.NewQueue(10, 6)
	for i, class := range []engine.Class{classPort, classArrive, classApp, classArrive, classPort, classTimer} {
		q.Push(units.Time(100+i), class, uint64(i))
	}
	var v preview
	for range 2 { // the second has room from the first
		arrivals, sending := v.split(&q.Bucket)
		if len(arrivals) != 2 || arrivals[0] != 1 || arrivals[1] != 3 || len(sending) != 2 || sending[0] != 0 || sending[1] != 4 {
			t.Errorf("arrivals %v and turns %v, want 1 and 3, 0 and 4", arrivals, sending)
		}
	}
}

// TestALaneNeedsNoMoreUpdatesThanItsPacket gives 10 blocks back at each of the times 50 to 80.
func TestALaneNeedsNoMoreUpdatesThanItsPacket(t *testing.T) {
	u, ring := updates{latest: longAgo, mask: 7}, make(updateRings, 8)
	for at := units.Time(50); at <= 80; at += 10 {
		u.add(ring, at, 10)
	}
	for _, c := range []struct {
		need, sum int32
		at        units.Time
	}{{40, 40, 80}, {31, 40, 80}, {30, 30, 70}, {11, 20, 60}, {1, 10, 50}} {
		if at, sum := u.lastNeeded(ring, int32(u.total), c.need, 0); at != c.at || sum != c.sum {
			t.Errorf("%d blocks are there at %d (%d), want %d (%d)", c.need, at, sum, c.at, c.sum)
		}
	}
}

// TestRoomGoesIntoTheFirstUpdateThatKeepsThePeriod frees packets of a lane whose tails leave in
// another order, with 10 ps between updates.
func TestRoomGoesIntoTheFirstUpdateThatKeepsThePeriod(t *testing.T) {
	u, ring := updates{latest: longAgo, mask: 7}, make(updateRings, 8)
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
		at := u.due(ring, c.end, 10)
		if fresh := u.add(ring, at, 1); at != c.at || fresh != c.fresh {
			t.Errorf("room at %d is returned at %d, in a new update: %v; want %d, %v", c.end, at, fresh, c.at, c.fresh)
		}
	}
}

// TestUpdatesAreAsAListOfTimesSaysThem frees packets at random and compares with a plain list: a
// tail leaves up to 50 ps after the time, and the time runs.
func TestUpdatesAreAsAListOfTimesSaysThem(t *testing.T) {
	const period, ahead, back = 7, 50, 60
	random := engine.Stream(1, 2, 3)
	u, ring := updates{latest: longAgo, mask: 31}, make(updateRings, 32)
	copied, mirror := updates{latest: longAgo, mask: 31}, make(updateRings, 32) // in another partition
	type listed struct {
		at     units.Time
		blocks int32
	}
	var list []listed
	now := units.Time(0)
	for range 100_000 {
		now += units.Time(random.Uint64() % 12)
		end, room := now+units.Time(random.Uint64()%ahead), int32(1+random.Uint64()%9)
		at := u.due(ring, end, period)
		u.add(ring, at, room)
		copied.add(mirror, at, room)
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
			u *updates
			r updateRings
		}{{&u, ring}, {&copied, mirror}} {
			if _, left := v.u.lastNeeded(v.r, int32(u.total), math.MinInt32, to); left != int32(u.total)-sum {
				t.Fatalf("at %d: %d blocks are in flight, want %d", now, int32(u.total)-left, sum)
			}
		}
	}
}
