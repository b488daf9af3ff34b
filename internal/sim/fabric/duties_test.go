package fabric

import (
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

func TestASumIsCompleteWithTheLastOfItsParts(t *testing.T) {
	var r copyRecords
	a, b := reduction{key: 1, burst: 1}, reduction{key: 1, burst: 2}
	for i, c := range []struct {
		id   reduction
		last bool
	}{{a, false}, {b, false}, {a, false}, {a, true}, {b, false}, {b, true}, {a, false}} {
		if got := r.summed(c.id, 3); got != c.last {
			t.Errorf("contribution %d, to burst %d: last %v, want %v", i+1, c.id.burst, got, c.last)
		}
	}
	if len(r.sums) != 1 {
		t.Errorf("%d sums are open, want the new one", len(r.sums))
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

// TestALaneNeedsTheUpdatesOfNoMorePeriodsThanItsPacket gives 10 blocks back in each of
// the periods 5 to 8, by near and by far updates.
func TestALaneNeedsTheUpdatesOfNoMorePeriodsThanItsPacket(t *testing.T) {
	const lane = 1
	far := farUpdates{grants: make([]uint16, 2*64), ringMask: 63}
	p := &Partition{net: &Network{creditPorts: creditPorts{farUpdates: far}}}
	for _, odd := range []oddCredits{0, creditsFar} {
		u := updates{odd: odd}
		for period := int64(5); period <= 8; period++ {
			u.addCredit(p, 0, lane, period, 10)
		}
		for _, c := range []struct {
			need, sum int32
			period    int64
		}{{40, 40, 8}, {31, 40, 8}, {30, 30, 7}, {11, 20, 6}, {1, 10, 5}} {
			period, sum := u.lastNeeded(&far, lane, int32(u.total), c.need, 0)
			if period != c.period || sum != c.sum {
				t.Errorf("kind %d: %d blocks are there with period %d (%d), want %d (%d)", odd, c.need, period, sum, c.period, c.sum)
			}
		}
	}
}
