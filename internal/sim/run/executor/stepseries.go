package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/internal/sim/state"
	"weft/results"
	"weft/units"
)

// maxStepRows bounds the recorded steps of a collective. Beyond it channels are merged, then steps.
const maxStepRows = 1 << 15

// stepRecord is the steps of a collective's ranks, with their times; nil records nothing. Each rank
// writes its own rows.
type stepRecord struct {
	lanes, steps int // rows of a rank and iteration: lanes are 1 if they are merged
	merged       int // steps in a row
	ranks        int
	done         []int      // by rank: iterations
	all          []stepTime // by iteration, rank, lane and step
	name         string

	period [][]turn // by rank: of a period that will be repeated; nil if there is none
}

// turn is the time at which a lane of a rank goes on to a step, or ends.
type turn struct {
	at                               units.Time
	iteration, operation, lane, step int
	begins                           bool // the step, of which bytes are received
	bytes                            int64
}

// stepTime is the time of a step. End is 0 if it never ended.
type stepTime struct {
	begin, end units.Time
	bytes      int64
}

// recordSteps makes the run record its steps if the plan records series.
func (r *collectiveRun) recordSteps(p *network.Plan) {
	if p.Series == nil {
		return
	}
	prog := r.plan.program
	s := &stepRecord{ranks: len(r.all.Members), lanes: prog.Lanes(), merged: 1, done: r.done, name: r.plan.algo.String()}
	for lane := range s.lanes {
		s.steps = max(s.steps, r.plan.steps(lane))
	}
	rows := func() int { return r.total * s.ranks * s.lanes * s.steps }
	if rows() > maxStepRows {
		s.lanes = 1
	}
	for rows() > maxStepRows && s.steps > 1 {
		s.merged, s.steps = 2*s.merged, (s.steps+1)/2
	}
	s.all = make([]stepTime, rows())
	for i := range s.all {
		s.all[i].begin = units.Forever
	}
	r.steps = s
}

// turn ends the step of a member's lane before its present one, and begins that one; it is nil when the
// lane is over.
func (s *stepRecord) turn(now units.Time, member int, o *operation, l *laneRun, step *collective.Step) {
	if s == nil {
		return
	}
	t := turn{at: now, iteration: s.done[member], operation: o.number, lane: l.lane, step: l.step}
	if step != nil {
		t.begins, t.bytes = true, step.RecvBytes
	}
	s.record(member, &t)
	if s.period != nil {
		s.period[member] = append(s.period[member], t)
	}
}

// record records a turn.
func (s *stepRecord) record(member int, t *turn) {
	lane := t.lane
	if s.lanes == 1 {
		lane = 0
	}
	rows := s.all[((t.iteration*s.ranks+member)*s.lanes+lane)*s.steps:]
	if t.step > 0 {
		before := &rows[s.row(t.step-1)]
		before.end = max(before.end, t.at)
	}
	if t.begins {
		own := &rows[s.row(t.step)]
		own.begin = min(own.begin, t.at)
		own.bytes += t.bytes
	}
}

// survey notes the period that begins.
func (s *stepRecord) survey() {
	if s != nil {
		s.period = make([][]turn, s.ranks)
	}
}

// recordAgain records the surveyed period for each period by which a walk moves the run.
func (s *stepRecord) recordAgain(w *state.Walk, channels int) {
	times, by, moving := w.Moves()
	if s == nil || !moving {
		return
	}
	length, iterations := by/units.Time(times), int(w.MovedBy(groupIterations))
	for member := range s.period {
		for _, t := range s.period[member] {
			lanes, steps := progressOf(w, tagGroup(t.operation, t.lane%channels))
			for range times {
				t.at += length
				t.iteration += iterations
				t.lane += lanes
				t.step += steps
				s.record(member, &t)
			}
		}
	}
	s.period = nil
}

// row is the row of a step. A lane that has more steps than the first rank's has the others in its last row.
func (s *stepRecord) row(step int) int { return min(step/s.merged, s.steps-1) }

// rows are the steps that have ended, and the number of steps in a row.
func (s *stepRecord) rows() (rows []results.SeriesStep, merged int) {
	if s == nil {
		return nil, 0
	}
	for i := range s.all {
		t := &s.all[i]
		if t.end == 0 {
			continue
		}
		lane := i / s.steps % s.lanes
		if s.lanes == 1 {
			lane = -1
		}
		rows = append(rows, results.SeriesStep{
			Rank: int32(i / s.steps / s.lanes % s.ranks), Step: int32(i % s.steps * s.merged), Iteration: int32(i / s.steps / s.lanes / s.ranks),
			Lane: int32(lane), Name: s.name, Bytes: t.bytes, StartPs: int64(t.begin), EndPs: int64(t.end),
		})
	}
	return rows, s.merged
}
