package messages

import (
	"cmp"
	"slices"

	"weft/units"
)

// mostKept is the number of messages that a record keeps, the slowest ones: they take 2 MB, and in
// each partition twice that during a run.
const mostKept = 1 << 15

// Recorder is the record of the messages of a partition's NICs.
type Recorder struct {
	ended int64
	kept  []Message
	full  bool    // kept had more than a record keeps
	least Message // if it is full: the last that is kept
	// period is the messages of a period that will be repeated, while repeats is true.
	period  []Message
	repeats bool
}

// Add records a message that has ended.
func (r *Recorder) Add(m *Message) {
	r.ended++
	r.keep(m)
	if r.repeats {
		r.period = append(r.period, *m)
	}
}

// keep keeps a message that has ended. It returns false if there are enough that took longer.
func (r *Recorder) keep(m *Message) bool {
	if r.full && bySlowness(m, &r.least) > 0 {
		return false
	}
	r.kept = append(r.kept, *m)
	if len(r.kept) == 2*mostKept {
		r.kept = slowest(r.kept)
		r.full, r.least = true, r.kept[len(r.kept)-1]
	}
	return true
}

// BeginPeriod begins a period that will be repeated.
func (r *Recorder) BeginPeriod() { r.repeats = true }

// EndPeriod ends it, and records its messages for each of a number of periods after it.
func (r *Recorder) EndPeriod(times int64, length units.Time) {
	r.ended += times * int64(len(r.period))
	for i := range r.period {
		m := &r.period[i]
		for range times {
			m.Posted += length
			m.Ended += length
			if !r.keep(m) {
				break // nor will be the later ones, which take as long
			}
		}
	}
	r.period, r.repeats = r.period[:0], false
}

// Join is the number of messages of all records, and the slowest of them in the order in which they
// were posted.
func Join(all []*Recorder) (ended int64, kept []Message) {
	for _, r := range all {
		ended += r.ended
		kept = append(kept, r.kept...)
	}
	kept = slowest(kept)
	slices.SortFunc(kept, func(a, b Message) int { return a.compare(&b) })
	return ended, kept
}

// slowest are the slowest messages, as many as a record keeps. The order has no ties.
func slowest(list []Message) []Message {
	if len(list) <= mostKept {
		return list
	}
	slices.SortFunc(list, func(a, b Message) int { return bySlowness(&a, &b) })
	return list[:mostKept]
}

// bySlowness orders the message that took longer before the other.
func bySlowness(a, b *Message) int {
	return cmp.Or(cmp.Compare(b.Ended-b.Posted, a.Ended-a.Posted), a.compare(b))
}

func (m *Message) compare(b *Message) int {
	return cmp.Or(cmp.Compare(m.Posted, b.Posted), cmp.Compare(m.From, b.From), cmp.Compare(m.To, b.To),
		cmp.Compare(m.Entropy, b.Entropy), cmp.Compare(m.Ended, b.Ended), cmp.Compare(m.Bytes, b.Bytes))
}
