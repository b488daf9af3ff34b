package series

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"weft/units"
)

// happening is what happens to a lane at a time.
type happening struct {
	at   units.Time
	lane int32
	do   func(r *recordedLanes, lane int32)
}

// recordedLanes is some links without packets, on which happenings are recorded.
type recordedLanes struct {
	*Recorder
	bytes []int64 // that each link has sent
	first []bool  // by link: its next packet is the first of the interval
	now   units.Time
}

const testedClasses = 2

func newRecordedLanes(links int) *recordedLanes {
	r := &recordedLanes{bytes: make([]int64, links), first: make([]bool, links)}
	for link := range r.first {
		r.first[link] = true
	}
	r.Recorder = NewRecorders(1, links, testedClasses, 0, func(link int32) int64 {
		r.first[link] = true
		return r.bytes[link]
	})[0]
	return r
}

// send sends a packet on a link.
func (r *recordedLanes) send(link int32, class uint8, size uint16) {
	if r.first[link] || r.IsMinor(class) {
		r.Sent(link, class, size)
		r.first[link] = false
	}
	r.bytes[link] += int64(size)
}

// run lets the happenings before a time happen, each from a list in the order of times.
func (r *recordedLanes) run(list []happening, until units.Time) []happening {
	for len(list) > 0 && list[0].at < until {
		h := &list[0]
		if h.at >= r.Closes() {
			r.Close(h.at)
		}
		r.now = h.at
		h.do(r, h.lane)
		list = list[1:]
	}
	return list
}

// randomHappenings are the happenings of a period, and their number of periods: packets that wait, and of which
// some leave in a later period, pauses, bytes, marks and drops.
func randomHappenings(rng *rand.Rand, links int, length units.Time) (list []happening) {
	lanes := links * testedClasses
	some := func(n int) units.Time { return units.Time(rng.Int64N(int64(length)*int64(n)) / int64(n)) }
	for lane := range int32(lanes) {
		if rng.IntN(4) == 0 {
			continue // at rest
		}
		for range rng.IntN(6) {
			at, stays, size := some(1), some(1)+some(1), int32(1+rng.IntN(5000))
			if rng.IntN(3) == 0 {
				at = at / 100 * 100 // at the same times as others
			}
			list = append(list, happening{at, lane, func(r *recordedLanes, lane int32) { r.Queued(lane, size, r.now) }},
				happening{at + stays, lane, func(r *recordedLanes, lane int32) { r.Dequeued(lane, size, r.now) }})
		}
		for range rng.IntN(4) {
			list = append(list, happening{some(1), lane, func(r *recordedLanes, lane int32) {
				r.send(lane/testedClasses, uint8(lane%testedClasses), uint16(1000+lane))
			}}, happening{some(1), lane, func(r *recordedLanes, lane int32) { r.Marked(lane) }},
				happening{some(1), lane, func(r *recordedLanes, lane int32) { r.Dropped(lane) }})
		}
		if rng.IntN(2) == 0 {
			from := some(1)
			list = append(list, happening{from, lane, func(r *recordedLanes, lane int32) { r.Stopped(lane, true, r.now) }},
				happening{from + some(1), lane, func(r *recordedLanes, lane int32) { r.Stopped(lane, false, r.now) }})
		}
	}
	return list
}

// repeated is the happenings of a number of periods, in the order of times.
func repeated(period []happening, length units.Time, times int) (all []happening) {
	for k := range times {
		for _, h := range period {
			h.at += units.Time(k) * length
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(a.at, b.at) })
	return all
}

// A record of which periods are skipped equals the record of all periods, to the last counter.
func TestSkippedPeriodsAreRecorded(t *testing.T) {
	const links = 4
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		length := units.Time(1 + rng.Int64N(int64(FirstInterval)*int64(1+rng.IntN(40))/int64(1+rng.IntN(20))))
		periods := 6 + rng.IntN(400)
		begin, times := 3*length+units.Time(rng.Int64N(int64(length))), 1+rng.IntN(periods-5) // the first packets have left
		var all []happening
		switch rng.IntN(3) {
		case 0:
			all = repeated(randomHappenings(rng, links, length), length, periods)
		case 1: // nothing in the skipped periods
			all = repeated(randomHappenings(rng, links, length), length, 1)
		case 2: // in a short part of each period, and nothing after the skipped ones
			begin = 3*length + length/2
			all = repeated(randomHappenings(rng, links, length/10+1), length, periods)
			end := begin + units.Time(1+times)*length
			all = slices.DeleteFunc(all, func(h happening) bool { return h.at >= end })
		}
		whole := newRecordedLanes(links)
		whole.run(all, units.Forever)

		part := newRecordedLanes(links)
		left := part.run(all, begin)
		s := NewSurvey([]*Recorder{part.Recorder}, begin, length, uint64(times))
		before := slices.Clone(part.bytes)
		for _, cut := range s.cuts {
			left = part.run(left, begin+cut)
			s.Cut(begin + cut)
		}
		for link, bytes := range part.bytes {
			part.bytes[link] += int64(times) * (bytes - before[link])
		}
		s.Finish(uint64(times))
		for len(left) > 0 && left[0].at < s.end(uint64(times)) {
			left = left[1:]
		}
		part.run(left, units.Forever)

		got, want := Finished([]*Recorder{part.Recorder}, whole.now), Finished([]*Recorder{whole.Recorder}, whole.now)
		if got.Interval != want.Interval || len(got.Samples) != len(want.Samples) {
			t.Fatalf("seed %d: %d samples of %v with %d periods of %v skipped, %d of %v without", seed, len(got.Samples), got.Interval, times, length, len(want.Samples), want.Interval)
		}
		for i := range want.Samples {
			if !reflect.DeepEqual(got.Samples[i], want.Samples[i]) {
				t.Fatalf("seed %d, %d periods of %v skipped at %v: sample %d is %+v, want %+v", seed, times, length, begin, i, got.Samples[i], want.Samples[i])
			}
		}
	}
}

// A run that is stopped before anything happens after a cut keeps its record: no lane has had a queue or a pause for
// a negative time.
func TestARunThatStopsAtACutKeepsItsRecord(t *testing.T) {
	const links = 4
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		length := units.Time(1000 + rng.Int64N(int64(FirstInterval)*20))
		all := repeated(randomHappenings(rng, links, length), length, 10)
		begin := 3*length + units.Time(rng.Int64N(int64(length)))
		whole, part := newRecordedLanes(links), newRecordedLanes(links)
		left := part.run(all, begin)
		s := NewSurvey([]*Recorder{part.Recorder}, begin, length, 3)
		for _, cut := range s.cuts[:rng.IntN(2)*rng.IntN(len(s.cuts))] {
			left = part.run(left, begin+cut)
			s.Cut(begin + cut)
		}
		whole.run(all[:len(all)-len(left)], units.Forever)

		s.Abandon(part.now)
		got, want := Finished([]*Recorder{part.Recorder}, part.now), Finished([]*Recorder{whole.Recorder}, whole.now)
		for i := range got.Samples {
			if g := &got.Samples[i]; g.Area > 1<<20*uint64(got.Interval) || g.Stopped < 0 || g.Stopped > got.Interval {
				t.Fatalf("seed %d: %+v in an interval of %v", seed, *g, got.Interval)
			}
		}
		if g, w := countsOf(got), countsOf(want); g != w {
			t.Fatalf("seed %d: the record has %+v, want %+v", seed, g, w)
		}
	}
}

// countsOf is the sum of all samples of a record.
func countsOf(r *Recording) (sum Sample) {
	for i := range r.Samples {
		sum.merge(&r.Samples[i])
	}
	sum.Area, sum.Stopped, sum.Peak = 0, 0, 0
	return sum
}

// A network keeps as many intervals as the bound of samples allows, the smallest 16,384.
func TestSmallNetworksKeepMoreIntervals(t *testing.T) {
	for lanes, want := range map[int]int32{2: 16384, 128: 16384, 129: 8192, 4096: 512, 16384: 128, 1 << 20: 16} {
		if got := intervalsOf(lanes); got != want {
			t.Errorf("%d lanes keep %d intervals, want %d", lanes, got, want)
		}
	}
}
