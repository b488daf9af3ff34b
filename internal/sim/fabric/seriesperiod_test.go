package fabric

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
	do   func(p *Partition, lane int32)
}

// recordedLanes is a network of some links without packets, on which happenings are recorded.
type recordedLanes struct {
	n *Network
	p *Partition
}

const testedClasses = 2

func newRecordedLanes(links int) recordedLanes {
	n := &Network{classes: testedClasses}
	n.ports = make([]port, links)
	p := &Partition{net: n}
	n.parts = []*Partition{p}
	n.Record(0)
	return recordedLanes{n, p}
}

// run lets the happenings before a time happen, each from a list in the order of times.
func (r *recordedLanes) run(list []happening, until units.Time) []happening {
	for len(list) > 0 && list[0].at < until {
		h := &list[0]
		if h.at >= r.p.closes {
			r.p.sample(h.at)
		}
		r.p.now = h.at
		h.do(r.p, h.lane)
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
			list = append(list, happening{at, lane, func(p *Partition, lane int32) { p.tallyCame(lane, size) }},
				happening{at + stays, lane, func(p *Partition, lane int32) { p.tallyLeft(lane, size) }})
		}
		for range rng.IntN(4) {
			list = append(list, happening{some(1), lane, func(p *Partition, lane int32) {
				k := &pkt{class: uint8(lane % testedClasses), size: uint16(1000 + lane)}
				if o := &p.net.ports[lane/testedClasses]; o.flags&flagFollowed != 0 || k.class != p.main {
					p.follow(lane/testedClasses, 0, k, p.now, p.now)
				}
				p.net.ports[lane/testedClasses].bytes += int64(k.size)
			}}, happening{some(1), lane, func(p *Partition, lane int32) { p.tallyMark(lane) }},
				happening{some(1), lane, func(p *Partition, lane int32) { p.tally(lane).drops++ }})
		}
		if rng.IntN(2) == 0 {
			from := some(1)
			list = append(list, happening{from, lane, func(p *Partition, lane int32) { p.tallyStop(lane, true) }},
				happening{from + some(1), lane, func(p *Partition, lane int32) { p.tallyStop(lane, false) }})
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
		length := units.Time(1 + rng.Int64N(int64(firstInterval)*int64(1+rng.IntN(40))/int64(1+rng.IntN(20))))
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
		s := part.n.surveyFrom(begin, length, uint64(times))
		before := bytesOf(part.n)
		for _, cut := range s.cuts {
			left = part.run(left, begin+cut)
			s.cutAt(part.n, begin+cut)
		}
		for link, bytes := range bytesOf(part.n) {
			part.n.ports[link].bytes += int64(times) * (bytes - before[link])
		}
		s.finish(part.n, uint64(times))
		for len(left) > 0 && left[0].at < s.end(uint64(times)) {
			left = left[1:]
		}
		part.run(left, units.Forever)
		part.p.now = whole.p.now

		got, want := part.n.Recorded(), whole.n.Recorded()
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
		length := units.Time(1000 + rng.Int64N(int64(firstInterval)*20))
		all := repeated(randomHappenings(rng, links, length), length, 10)
		begin := 3*length + units.Time(rng.Int64N(int64(length)))
		whole, part := newRecordedLanes(links), newRecordedLanes(links)
		left := part.run(all, begin)
		s := part.n.surveyFrom(begin, length, 3)
		part.n.periods.survey = s
		for _, cut := range s.cuts[:rng.IntN(2)*rng.IntN(len(s.cuts))] {
			left = part.run(left, begin+cut)
			s.cutAt(part.n, begin+cut)
		}
		whole.run(all[:len(all)-len(left)], units.Forever)

		got, want := part.n.Recorded(), whole.n.Recorded()
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
		sum.add(&r.Samples[i])
	}
	sum.Area, sum.Stopped, sum.Peak = 0, 0, 0
	return sum
}

func bytesOf(n *Network) (bytes []int64) {
	for link := range n.ports {
		bytes = append(bytes, n.ports[link].bytes)
	}
	return bytes
}
