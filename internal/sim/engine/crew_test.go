package engine

import (
	"slices"
	"testing"
	"time"

	"weft/units"
)

// letters are partitions that send each other a number in each window, and keep what they receive: what a
// partition has at the end depends on each window of each other one.
type letters struct {
	all  []*letters
	me   int
	next units.Time
	out  [2]uint64
	got  []uint64
}

func (l *letters) NextTime() units.Time   { return l.next }
func (l *letters) Sent(uint64) units.Time { return units.Forever }
func (l *letters) Stopped() bool          { return false }
func (l *letters) Halt() units.Time       { return units.Forever }

func (l *letters) Collect(window uint64) {
	sum := uint64(0)
	for _, o := range l.all {
		sum = sum*31 + o.out[window&1]
	}
	l.got = append(l.got, sum)
}

func (l *letters) RunTo(limit units.Time, window uint64) {
	l.out[window&1] = uint64(l.me)*1_000_003 + window*7
	if n := len(l.got); n > 0 {
		l.out[window&1] += l.got[n-1]
	}
	for l.next < limit {
		l.next += units.Nanosecond
	}
}

// exchange runs partitions with the decisions of want, and returns what each has.
func exchange(workers int, want func(int, time.Duration) int) (out [][]uint64, size int32) {
	const parts, windows = 4, 20 * judged
	var all []*letters
	for i := range parts {
		all = append(all, &letters{me: i})
	}
	r := &run{windows: Windows{Lookahead: units.Nanosecond}, until: windows * units.Nanosecond, want: want}
	for _, l := range all {
		l.all = all
		r.parts = append(r.parts, l)
	}
	r.simulate(workers)
	for _, l := range all {
		out = append(out, l.got)
	}
	return out, r.barrier.size.Load()
}

// Workers that leave and come back change nothing of what the partitions exchange.
func TestResultsDoNotDependOnWorkersThatLeave(t *testing.T) {
	stay := func(workers int, _ time.Duration) int { return workers }
	want, _ := exchange(1, stay)
	sizes := map[int]bool{}
	got, _ := exchange(3, func(workers int, _ time.Duration) int {
		sizes[workers] = true
		if workers > 1 {
			return 1
		}
		return 3
	})
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("partition %d has %d letters, want %d, or others", i, len(got[i]), len(want[i]))
		}
	}
	if !sizes[1] || !sizes[3] {
		t.Errorf("the run had %v workers, want 1 and 3", sizes)
	}
}

// A crew that waits for more than half of its time goes on with one worker, and tries all again after a
// second, then after two; a crew that begins meanwhile begins with one.
func TestACrewThatWaitsGoesOnWithOneWorker(t *testing.T) {
	at := time.Unix(0, 0)
	now := func() time.Time { return at }
	var pool Spare
	c := &crew{now: now, lull: pool.lullOf()}
	if n := c.first(4); n != 4 {
		t.Errorf("the run begins with %d workers, want 4", n)
	}
	waited := time.Duration(0)
	step := func(d time.Duration, share float64, workers, want int) {
		t.Helper()
		at = at.Add(d)
		waited += time.Duration(share * float64(d) * float64(workers))
		if got := c.want(workers, waited); got != want {
			t.Errorf("%v later, %.0f %% waited: %d workers of %d, want %d", d, 100*share, got, workers, want)
		}
	}
	step(0, 0, 4, 4)
	step(stretch, 0.4, 4, 4)
	step(stretch/2, 0.9, 4, 4) // too short to judge
	step(stretch/2, 0.9, 4, 1)
	step(firstLull/2, 0, 1, 1)
	if n := (&crew{now: now, lull: pool.lullOf()}).first(3); n != 1 {
		t.Errorf("a run that begins in a lull has %d workers, want 1", n)
	}
	step(firstLull/2, 0, 1, 4)
	step(stretch, 0.6, 4, 1)
	step(firstLull, 0, 1, 1)
	step(firstLull, 0, 1, 4)
	step(stretch, 0.1, 4, 4)
	step(stretch, 0.6, 4, 1)
	step(firstLull, 0, 1, 4) // the lull before was over
}
