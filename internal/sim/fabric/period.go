package fabric

import (
	"slices"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/routing"
	"weft/internal/sim/state"
	"weft/units"
)

// Periodic is an application whose traffic may repeat itself. At its beats the network looks whether
// its state has come back. Beats are events that come once or a few times in a period.
type Periodic interface {
	App
	// WalkState visits the application's state.
	WalkState(w *state.Walk)
	// WalkTag visits the tag of a message on the scale-up network in a partition.
	WalkTag(w *state.Walk, p *Partition, tag *uint64)
	// FurtherPeriods is the number of periods for which the application will do the same again. It is
	// called after a walk that found the state equal to an earlier one.
	FurtherPeriods(compared *state.Walk) uint64
	// Survey says that copies of the period that begins now will be skipped. An application that
	// records rows notes those of the period, and the next WalkState that moves the state records the copies.
	Survey()
}

// periodSearch is the search for periods.
//
// At a beat the network runs on for a fixed time, and halts between two events. It compares its
// state with a recorded one. After 1, 2, 4, 8 … comparisons the present state replaces the record
// (R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20, 1980). So one record
// suffices to find a period of any number of beats soon after it has begun.
//
// A search that finds nothing takes a few per cent of the time: a visit to a word of the state
// takes some 4 ns, an event 150 to 200, and the whole run will have an event for every two words.
type periodSearch struct {
	app      Periodic // nil: nothing is skipped
	record   *state.Walk
	compared *state.Walk // the last comparison, whose memory the next one takes
	recorded moment      // when record was made
	since    int         // comparisons since then
	renew    int         // number of comparisons after which the record is replaced
	stale    bool        // the recorded state will not come back
	total    int64       // number of beats of the run, about
	beats    int64       // so far
	spent    int64       // words visited since the last skip
	next     int64       // words of the next visit, about
	glance   int64       // words of a comparison that soon finds a difference
	cycles   []int64     // by node: a multiple of the length of each set of ports that it takes in turn
	events   int64       // in the skipped periods
	survey   *survey     // nil if no period is surveyed
}

// moment is a point of a run.
type moment struct {
	at     units.Time
	events int64
	beats  int64
}

// partitionSearch is the part of the search in a simulation partition.
type partitionSearch struct {
	halt    units.Time       // Forever: none
	leader  *flow            // each packet that comes to it is a beat; nil: the application tells of beats
	pending []engine.Waiting // scratch
}

// settle is the least time from a beat to its halt. It is longer than a slot of cells, so that no
// cell has passed the halt.
const settle units.Time = 1 << 20

// SkipPeriods makes the next run skip periods that are equal to an earlier one. Results are the same
// as without it. beats is about the number of beats that the run would have. Nothing is skipped in
// partitions without a link between them: they run to their end in one window, without a common halt.
func (n *Network) SkipPeriods(app Periodic, beats int64) {
	if n.hasUnvisitedState() || len(n.parts) > 1 && n.lookahead == units.Forever {
		return
	}
	cycles := make([]int64, len(n.nodes))
	for i := range n.nodes {
		cycles[i] = n.nodes[i].cycle(&n.tables)
	}
	n.periods = periodSearch{app: app, total: beats, next: n.stateWords(), cycles: cycles}
}

// cycle is the least common multiple of the lengths of the sets of ports that a node takes in turn.
func (nd *node) cycle(t *routing.Tables) int64 {
	cycle := int64(1)
	if nd.local != byTables || nd.routing.settled() {
		return cycle
	}
	for k := range t.Sets(int(nd.row)) {
		if ports := int64(len(t.Set(int(nd.row), uint16(k)))); ports > 0 {
			cycle *= ports / gcd(cycle, ports)
		}
	}
	return cycle
}

// Skipped is what the run has skipped so far: periods, their time, and the events that they would
// have had. It may be called while the network runs.
func (n *Network) Skipped() (periods int64, time units.Time, events int64) {
	p := &n.progress
	return p.periods.Load(), units.Time(p.skipped.Load()), p.unneeded.Load()
}

// hasUnvisitedState reports whether the network depends on something that walk does not visit.
func (n *Network) hasUnvisitedState() bool {
	return slices.ContainsFunc(n.nics, func(s nicState) bool { return s.spec.TCP != nil }) ||
		n.trace != nil || n.packets != nil || n.aggregation != nil || n.pkeys != nil ||
		n.faults != nil || n.jitter != nil || n.errors != nil || n.bursts != nil || n.watched != nil
}

// gcd is the greatest common divisor of two positive numbers.
func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// stateWords is about the number of words of the state before the run.
func (n *Network) stateWords() int64 {
	flows := 0
	for _, p := range n.parts {
		flows += p.flows
	}
	return int64(len(n.ports)*(10+8*n.classes) + 60*flows)
}

// Beat says that the application is at a beat. All beats come from one partition.
func (p *Partition) Beat() {
	r := &p.net.periods
	if r.app == nil {
		return
	}
	r.beats++
	if r.survey != nil || p.halt < units.Forever ||
		!r.mayVisit(p.stats.Events*int64(len(p.net.parts))) {
		return
	}
	p.halt = p.now + settle
	if len(p.net.parts) > 1 {
		p.halt = p.now + max(settle, p.net.lookahead) // after the window
	}
}

// BeatAt makes the packets of a connection that arrive at a NIC beats, in place of those of the
// connection that was chosen before. The NICs of all chosen connections are in one partition.
func (p *Partition) BeatAt(nic int32, end units.QPN) { p.leader = p.net.nicOf(nic).flows.flow(end) }

// DropRecord says that the application will not come back to the recorded state.
func (p *Partition) DropRecord() {
	r := &p.net.periods
	r.renew, r.since, r.stale = 0, 0, true
}

// wordsPerEvent is the number of words that are visited for each event of the run, at most.
const wordsPerEvent = 2

// mayVisit reports whether the search may visit the state once more, after a number of events.
func (r *periodSearch) mayVisit(events int64) bool {
	share := float64(max(r.total, r.beats)) / float64(r.beats)
	return float64(r.spent+r.next) <= wordsPerEvent*float64(events-r.events)*share
}

// Halt is the time at which the run halts to look for a period.
func (p *Partition) Halt() units.Time { return p.halt }

// halted reports whether a run has come to a halt, and removes it.
func (n *Network) halted(until units.Time, stop *engine.Stop) (at units.Time, ok bool) {
	at = units.Forever
	for _, p := range n.parts {
		at = min(at, p.halt)
		p.halt = units.Forever
		if p.err != nil {
			return at, false
		}
	}
	return at, at < until && n.NextTime() >= at && n.NextTime() < units.Forever && !stop.Ended()
}

// searchPeriod compares the state with the recorded one, and skips the periods that will follow if they
// are equal. Nothing is pending before now.
func (n *Network) searchPeriod(now, until units.Time) {
	r := &n.periods
	for _, p := range n.parts { // the messages are collected
		p.mail[0].reset()
		p.mail[1].reset()
	}
	n.watchPorts()
	if r.survey != nil {
		if r.survey.cutAt(n, now) {
			r.skipSurveyed(n, now, until)
		}
		return
	}
	if r.record != nil && !r.stale {
		r.since++
		if r.compare(n, now, until) {
			return
		}
	}
	if r.record == nil || r.stale || r.since >= r.renew {
		r.recordState(n, now)
	}
	r.next = r.glance
	if r.since+1 >= r.renew {
		r.next += int64(r.record.Size())
	}
}

// recordState records the state.
func (r *periodSearch) recordState(n *Network, now units.Time) {
	r.renew = max(1, 2*r.renew)
	r.record = state.Record(now, r.record)
	r.walk(n, r.record)
	r.recorded, r.since, r.stale = moment{now, n.Stats().Events, r.beats}, 0, false
}

// wordsPerPending is the number of words whose visit takes as long as the sorting of a pending event.
const wordsPerPending = 16

// walk visits the state, and counts its words. Sorting a pending event counts as some words.
func (r *periodSearch) walk(n *Network, w *state.Walk) {
	n.walk(w)
	r.glance = 0
	for _, p := range n.parts {
		r.glance += int64(len(p.pending)) * wordsPerPending
	}
	r.spent += r.glance + int64(w.Visited())
}

// compare reports whether the state is the recorded one. If it is, the periods that will follow are
// skipped; a network that records series surveys one of them before.
func (r *periodSearch) compare(n *Network, now, until units.Time) bool {
	w := state.Compare(now, r.record, r.compared)
	r.compared = w
	r.walk(n, w)
	length := now - r.recorded.at
	detailed := n.recording() && series.Detailed(n.recorders())
	if !w.Equal() || detailed && length < series.LeastSkipped {
		return false
	}
	if detailed && !series.Settled(n.recorders(), r.recorded.at, now) {
		r.recordState(n, now)
		return true
	}
	times := r.skippable(n, w, until)
	if detailed {
		times -= min(times, series.Unskipped)
	}
	if times > 1 && n.recording() {
		r.recordState(n, now)
		r.app.Survey()
		r.survey = n.surveyFrom(now, length, times-1)
		return true
	}
	if times > 0 && !n.recording() {
		r.skip(n, w, times)
	}
	r.forget()
	return true
}

// skipSurveyed skips the periods that follow the surveyed one.
func (r *periodSearch) skipSurveyed(n *Network, now, until units.Time) {
	w, times := state.Compare(now, r.record, r.compared), uint64(0)
	r.compared = w
	if r.walk(n, w); w.Equal() {
		times = min(r.survey.times, r.skippable(n, w, until))
	}
	if times > 0 {
		r.skip(n, w, times)
	}
	r.survey.finish(n, times)
	r.survey = nil
	r.forget()
}

// forget drops the record: what was before helps no more.
func (r *periodSearch) forget() { r.record, r.renew = nil, 0 }

// skippable is the number of periods that can be skipped, where the state is the recorded one.
func (r *periodSearch) skippable(n *Network, w *state.Walk, until units.Time) uint64 {
	length := w.Now - r.recorded.at
	times := min(r.app.FurtherPeriods(w), w.Periods(length), uint64(until-w.Now-1)/uint64(length))
	if n.maxEvents > 0 {
		events := n.Stats().Events - r.recorded.events
		left := max(0, n.maxEvents-n.progress.events.Load())
		times = min(times, uint64(left/max(1, events)))
	}
	return times
}

// skip moves the state on by a number of periods.
func (r *periodSearch) skip(n *Network, w *state.Walk, times uint64) {
	length, stats := w.Now-r.recorded.at, n.Stats()
	by, events := units.Time(times)*length, int64(times)*(stats.Events-r.recorded.events)
	r.walk(n, state.Move(w, times, by))
	n.progress.skip(int64(times), by, events, n.Stats().Hops-stats.Hops)
	r.events += events
	r.beats += int64(times) * (r.beats - r.recorded.beats)
	r.spent = 0 // the search pays
}
