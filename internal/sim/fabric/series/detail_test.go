package series

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/units"
)

// Details add up to the intervals that they fill, and are never more than those.
func TestDetailsAddUpToIntervals(t *testing.T) {
	const links = 4
	filled, parts := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		length := FirstInterval * units.Time(20+rng.IntN(100))
		r := newRecordedLanes(links)
		r.most = 1 << (2 + rng.IntN(4))
		r.run(repeated(randomHappenings(rng, links, length), length, 3), units.Forever)
		got := Finished([]*Recorder{r.Recorder}, r.now)
		each := int32(got.Interval / FirstInterval)
		if each < 2 {
			t.Fatalf("seed %d: intervals of %v have no details", seed, got.Interval)
		}
		type place struct{ of, interval int32 }
		kept, sums, last := map[place]map[int32]bool{}, map[place]Sample{}, Sample{Lane: -1}
		for _, s := range got.Details {
			if s.Lane < last.Lane || s.Lane == last.Lane && s.Interval <= last.Interval {
				t.Fatalf("seed %d: %+v comes after %+v", seed, s, last)
			}
			last = s
			link, at := place{s.Lane / testedClasses, s.Interval / each}, place{s.Lane, s.Interval / each}
			if kept[link] == nil {
				kept[link] = map[int32]bool{}
			}
			kept[link][s.Interval] = true
			sum := sums[at]
			sum.merge(&s)
			sums[at] = sum
		}
		for i := range got.Samples {
			s := got.Samples[i]
			sum := sums[place{s.Lane, s.Interval}]
			sum.Lane, sum.Interval = s.Lane, s.Interval
			switch n := len(kept[place{s.Lane / testedClasses, s.Interval}]); {
			case n == int(each):
				filled++
				if sum != s {
					t.Fatalf("seed %d: the details of an interval add up to %+v, want %+v", seed, sum, s)
				}
			case n > 0:
				parts++
				if sum.Bytes > s.Bytes || sum.Area > s.Area || sum.Stopped > s.Stopped || sum.Peak > s.Peak || sum.Stops > s.Stops || sum.Marks > s.Marks || sum.Drops > s.Drops {
					t.Fatalf("seed %d: the details of a part of an interval are %+v, of %+v", seed, sum, s)
				}
			}
		}
	}
	if filled < 50 || parts < 50 {
		t.Errorf("details fill %d intervals, and parts of %d: want 50 of both", filled, parts)
	}
}

// The intervals around the first events of each kind are kept, those around the largest queue, and around the beginning
// and the end of the longest pause; also those in which nothing happens.
func TestDetailsAreKeptAroundEvents(t *testing.T) {
	const at = FirstInterval
	mark := func(r *recordedLanes, lane int32) { r.Marked(lane) }
	pause := func(stops bool) func(*recordedLanes, int32) {
		return func(r *recordedLanes, lane int32) { r.Stopped(lane, stops, r.now) }
	}
	queue := func(size int32) func(*recordedLanes, int32) {
		return func(r *recordedLanes, lane int32) { r.Queued(lane, size, r.now) }
	}
	leaves := func(size int32) func(*recordedLanes, int32) {
		return func(r *recordedLanes, lane int32) { r.Dequeued(lane, size, r.now) }
	}
	var many, short []happening
	for i := range units.Time(100) {
		many = append(many, happening{10*at + i*at/2, 2, mark})
		short = append(short, happening{10*at + i*at + 1, 2, pause(true)}, happening{10*at + i*at + 2, 2, pause(false)})
	}
	for name, c := range map[string]struct {
		list []happening
		want [][2]int32 // first and last interval
	}{
		"a mark":                   {[]happening{{500*at + 7, 2, mark}}, [][2]int32{{497, 503}}},
		"a mark at the beginning":  {[]happening{{at, 2, mark}}, [][2]int32{{0, 4}}},
		"two marks":                {[]happening{{500 * at, 2, mark}, {505 * at, 2, mark}}, [][2]int32{{497, 508}}},
		"more than the first":      {many, [][2]int32{{7, 6 + firstKept}}},
		"a mark of another lane":   {[]happening{{500 * at, 3, mark}}, [][2]int32{{497, 503}}},
		"a long pause":             {[]happening{{300*at + 1, 2, pause(true)}, {900*at + 1, 2, pause(false)}}, [][2]int32{{297, 303}, {897, 903}}},
		"the longest after many":   {append(short[:len(short):len(short)], happening{300*at + 1, 2, pause(true)}, happening{900*at + 1, 2, pause(false)}), [][2]int32{{7, 6 + firstKept}, {297, 303}, {897, 903}}},
		"a shorter one after it":   {append(short[:len(short):len(short)], happening{300*at + 1, 2, pause(true)}, happening{900*at + 1, 2, pause(false)}, happening{950 * at, 2, pause(true)}, happening{955 * at, 2, pause(false)}), [][2]int32{{7, 6 + firstKept}, {297, 303}, {897, 903}}},
		"the largest queue, twice": {[]happening{{100 * at, 2, queue(7)}, {100*at + 9, 2, leaves(7)}, {200 * at, 2, queue(9)}, {200*at + 9, 2, leaves(9)}, {300 * at, 2, queue(9)}, {300*at + 9, 2, leaves(9)}}, [][2]int32{{197, 203}}},
		"bytes alone":              {nil, nil},
	} {
		r := newRecordedLanes(4)
		r.most = 16
		sends := happening{1000 * at, 2, func(r *recordedLanes, lane int32) { r.send(lane/testedClasses, 0, 100) }}
		r.run(append(c.list[:len(c.list):len(c.list)], sends), units.Forever)
		got := Finished([]*Recorder{r.Recorder}, r.now)
		var spans [][2]int32
		for _, s := range got.Details {
			if link := s.Lane / testedClasses; link != 1 {
				t.Errorf("%s: details of link %d", name, link)
			}
			if s.Lane == 3 { // beside those of the other lane
				continue
			}
			if n := len(spans); n > 0 && spans[n-1][1]+1 == s.Interval {
				spans[n-1][1]++
			} else {
				spans = append(spans, [2]int32{s.Interval, s.Interval})
			}
		}
		if name == "a mark of another lane" { // which has the row of its own interval
			c.want = [][2]int32{{497, 499}, {501, 503}}
		}
		if !reflect.DeepEqual(spans, c.want) {
			t.Errorf("%s: intervals %v are kept, want %v", name, spans, c.want)
		}
	}
}

// A network whose intervals are short needs no details, and a large network has no room for them.
func TestSomeNetworksKeepNoDetails(t *testing.T) {
	r := newRecordedLanes(4)
	r.run([]happening{{5 * FirstInterval, 2, func(r *recordedLanes, lane int32) { r.Marked(lane) }}}, units.Forever)
	if got := Finished([]*Recorder{r.Recorder}, r.now); got.Interval != FirstInterval || got.Details != nil {
		t.Errorf("%d details beside intervals of %v", len(got.Details), got.Interval)
	}
	for lanes, want := range map[int]bool{64: true, 4096: true, 32768: true, 1 << 16: false, 1 << 20: false} {
		n := NewRecorders(1, lanes, 1, 0, func(int32) int64 { return 0 })
		if got := Detailed(n); got != want {
			t.Errorf("a network of %d lanes keeps details: %v, want %v", lanes, got, want)
		}
		most := (kindsOfEvents*firstOf(lanes) + 4*stretch) * lanes
		if want && most > maxDetails {
			t.Errorf("%d lanes keep as many as %d samples, want %d at most", lanes, most, maxDetails)
		}
	}
}

// A period in which a link with room for details has an event is not settled; one in which all events are of links
// without room is.
func TestSettledPeriodsKeepNoDetails(t *testing.T) {
	const at = FirstInterval
	r := newRecordedLanes(4)
	r.most = 16
	mark := func(r *recordedLanes, lane int32) { r.Marked(lane) }
	var list []happening
	for i := range units.Time(40) {
		list = append(list, happening{100*at + i*10*at + 5, 2, mark})
	}
	left := r.run(list, 120*at)
	settled := func(from, to units.Time) bool { return Settled([]*Recorder{r.Recorder}, from*at, to*at) }
	if settled(110, 120) {
		t.Error("a period with marks is settled while the link has room for their intervals")
	}
	left = r.run(left, 300*at)
	if !settled(290, 300) {
		t.Error("a period with marks is not settled, and the link has no room for their intervals")
	}
	r.run([]happening{{305*at + 5, 0, mark}}, 306*at)
	if settled(304, 306) || !settled(304+stretch, 320) {
		t.Error("a mark of another link is not seen, or for too long")
	}
	r.run(left, units.Forever)
}
