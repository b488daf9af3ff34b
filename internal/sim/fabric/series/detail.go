package series

import (
	"cmp"
	"math"
	"slices"

	"weft/units"
)

// The bounds of details.
const (
	// around is the number of short intervals that are kept before an event, and after it. It is one less than a
	// power of two: those before are in a ring of around+1.
	around = 3
	// stretch is the number of short intervals around an event, with its own.
	stretch = 2*around + 1
	// firstKept is the number of short intervals that are kept around the first events of a link, of each kind.
	firstKept = 1 << 4
	// kindsOfEvents are pauses or waits, marks, and drops.
	kindsOfEvents = 3
	// maxDetails is the number of samples of details of a network if all of its lanes do something in all that are
	// kept: they take 59 MB.
	maxDetails = 1 << 20
	// lastDetailed is the end of the time that has details: numbers of short intervals have 31 bits.
	lastDetailed = FirstInterval * (math.MaxInt32 - stretch)
)

// firstOf is the number of short intervals that are kept around the first events of a link, of each kind; below 1 if
// the network has too many lanes for details.
func firstOf(lanes int) int {
	return min(firstKept, (maxDetails/max(1, lanes)-4*stretch)/kindsOfEvents)
}

// details keeps the short intervals of links in which something happens, and some around them.
type details struct {
	recent []recent  // by lane, shared by all partitions
	links  []*detail // shared by all partitions; nil: nothing has happened
	active []*detail // those that still keep intervals
	first  int       // short intervals that are kept around the first events of a link, of each kind
	last   int32     // the last short interval that was kept for good
}

// recent is the last samples of a lane, by the last digits of their intervals, and its pauses or waits.
type recent struct {
	rows    [around + 1]Sample
	began   units.Time // the last beginning
	ended   units.Time // the beginning of the longest that has ended in the open short interval
	longest units.Time // its length; 0: none has ended
}

// detail is the short intervals of a link that are kept. The lanes of a link are kept together.
type detail struct {
	link   int32
	active bool

	first   [kindsOfEvents]kept
	queue   kept       // around the largest queue
	peak    int32      // of that queue
	began   kept       // around the last beginning of a pause that went on; until it is over nobody knows its length
	beganAt int32      // the interval of that beginning
	from    kept       // around the beginning of the longest pause
	to      kept       // and around its end
	longest units.Time // of pauses
}

// all are the parts of the detail.
func (d *detail) all() [4 + kindsOfEvents]*kept {
	return [...]*kept{&d.queue, &d.began, &d.from, &d.to, &d.first[0], &d.first[1], &d.first[2]}
}

// kept is some short intervals of a link.
type kept struct {
	rows  []Sample // of all lanes; of an interval in which none did anything a row of zeros
	next  int32    // the first interval that may be added
	until int32    // the first interval that need not be added
	room  int      // number of intervals that may be added
}

// newDetails makes the details of the recorders of a network.
func newDetails(parts, links, classes int) []*details {
	all := make([]*details, parts)
	first := firstOf(links * classes)
	if first < 1 {
		return all
	}
	recent, list := make([]recent, links*classes), make([]*detail, links)
	for i := range recent {
		for k := range recent[i].rows {
			recent[i].rows[k].Interval = -1
		}
	}
	for i := range all {
		all[i] = &details{recent: recent, links: list, first: first, last: -1}
	}
	return all
}

// detailed reports whether the open short interval may be kept.
func (r *Recorder) detailed() bool { return r.details != nil && r.ends <= lastDetailed }

// step is the length of the intervals at whose ends lanes are read.
func (r *Recorder) step() units.Time {
	if r.detailed() {
		return FirstInterval
	}
	return r.width
}

// stopped notes that a pause or a wait of a lane begins or ends.
func (d *details) stopped(lane int32, begins bool, now units.Time) {
	own := &d.recent[lane]
	if begins {
		own.began = now
	} else if length := now - own.began; length > own.longest {
		own.ended, own.longest = own.began, length
	}
}

// note takes the sample of a lane in a short interval. halted tells that a pause or a wait goes on.
func (d *details) note(s *Sample, classes int32, halted bool) {
	own := &d.recent[s.Lane]
	own.rows[s.Interval&around] = *s
	happened := [kindsOfEvents]bool{own.longest > 0 || s.Stops > 0, s.Marks > 0, s.Drops|s.Refused > 0}
	if s.Peak == 0 && happened == [kindsOfEvents]bool{} {
		return
	}
	link := s.Lane / classes
	l := d.links[link]
	if l == nil {
		room := kept{room: d.first}
		l = &detail{link: link, first: [...]kept{room, room, room}}
		d.links[link] = l
	}
	for kind, is := range happened {
		if is {
			d.keep(l, &l.first[kind], s.Interval, classes)
		}
	}
	if s.Peak > l.peak {
		l.peak = s.Peak
		l.queue.reset()
		d.keep(l, &l.queue, s.Interval, classes)
	}
	if own.longest > l.longest {
		l.longest = own.longest
		if l.from.reset(); units.Time(l.beganAt) == own.ended/FirstInterval {
			l.from, l.began = l.began, l.from
		}
		l.to.reset()
		d.keep(l, &l.to, s.Interval, classes)
	}
	own.longest = 0
	if halted && s.Stops > 0 && (l.beganAt != s.Interval || l.began.until <= s.Interval) {
		l.beganAt = s.Interval
		l.began.reset()
		d.keep(l, &l.began, s.Interval, classes)
	}
}

// keep keeps an interval, which ends, and those around it.
func (d *details) keep(l *detail, k *kept, interval, classes int32) {
	if k.room == 0 {
		return
	}
	for i := max(k.next, interval-around, 0); i < interval; i++ {
		k.add(d, l, i, classes)
	}
	k.next, k.until = max(k.next, interval), interval+around+1
	if !l.active {
		l.active = true
		d.active = append(d.active, l)
	}
}

// end adds a short interval, which has ended, to what keeps it.
func (d *details) end(interval, classes int32) {
	still := d.active[:0]
	for _, l := range d.active {
		l.active = false
		for _, k := range l.all() {
			if k.next <= interval && interval < k.until {
				k.add(d, l, interval, classes)
			}
			l.active = l.active || k.until > interval+1
		}
		if l.active {
			still = append(still, l)
		}
	}
	d.active = still
}

func (k *kept) reset() { k.rows, k.next, k.until, k.room = k.rows[:0], 0, 0, stretch }

// add adds the samples of a link in one of the last intervals.
func (k *kept) add(d *details, l *detail, interval, classes int32) {
	if k.room == 0 {
		return
	}
	k.room--
	k.next = interval + 1
	if k != &l.began { // whose next one takes its place
		d.last = interval
	}
	n := len(k.rows)
	lanes := d.recent[l.link*classes:][:classes]
	for i := range lanes {
		if s := &lanes[i].rows[interval&around]; s.Interval == interval {
			k.rows = append(k.rows, *s)
		}
	}
	if len(k.rows) == n {
		k.rows = append(k.rows, Sample{Lane: l.link * classes, Interval: interval})
	}
}

// The bounds of skipping while details are kept.
const (
	// LeastSkipped is the length of periods that may be skipped: what is kept before them and after them does not reach
	// beyond the next of them. Shorter ones are skipped several at a time.
	LeastSkipped = (around + 2) * FirstInterval
	// Unskipped is the number of equal periods that must not be skipped, the last ones: what is kept after them may
	// reach into them.
	Unskipped = 2
)

// Detailed reports whether a network keeps details.
func Detailed(all []*Recorder) bool { return all[0].details != nil }

// Settled reports whether the details kept nothing from one time to another, and so will not in periods that equal
// this one.
func Settled(all []*Recorder, from, to units.Time) bool {
	for _, r := range all {
		if r.Close(to); r.detailed() && units.Time(r.details.last) >= from/FirstInterval {
			return false
		}
	}
	return true
}

// move moves the beginnings of pauses in a surveyed period into the last one that is skipped.
func (d *details) move(from, by units.Time) {
	for i := range d.recent {
		if own := &d.recent[i]; own.began >= from {
			own.began += by
		}
	}
}

// joinDetails is the details of a network by lane, then interval. A network whose intervals are as short has none.
func joinDetails(d *details, interval units.Time) (all []Sample) {
	if d == nil || interval == FirstInterval {
		return nil
	}
	for _, l := range d.links {
		if l == nil {
			continue
		}
		from := len(all)
		for _, k := range l.all() {
			if k != &l.began {
				all = append(all, k.rows...)
			}
		}
		own := all[from:]
		slices.SortFunc(own, func(a, b Sample) int {
			return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Interval, b.Interval))
		})
		all = all[:from+len(slices.Compact(own))]
	}
	return all
}
