package engine

import (
	"slices"
	"testing"

	"weft/internal/base/cores"
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

// decisions are those of a crew that knows no time.
type decisions func(workers int) int

func (d decisions) Want(workers int, _ cores.Duration) int { return d(workers) }
func (d decisions) Alone() bool                            { return false }

// exchange runs partitions with the decisions of want, and returns what each has.
func exchange(workers int, want decisions) (out [][]uint64, size int32) {
	const parts, windows = 4, 20 * askedEvery
	var all []*letters
	for i := range parts {
		all = append(all, &letters{me: i})
	}
	r := &run{windows: Windows{Lookahead: units.Nanosecond}, until: windows * units.Nanosecond, crew: want}
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
	stay := func(workers int) int { return workers }
	want, _ := exchange(1, stay)
	sizes := map[int]bool{}
	got, _ := exchange(3, func(workers int) int {
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
