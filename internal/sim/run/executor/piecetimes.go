package executor

import (
	"cmp"
	"math"
	"slices"

	"weft/internal/sim/collective"
	"weft/units"
)

// pieceTimes records when the members of a collective have done each piece of its work, on each
// channel. Each member's row is written by its own simulation partition alone.
type pieceTimes struct {
	of       collective.Extent
	channels int
	rows     [][]units.Time // by member; piece by piece, channel by channel; 0: nothing to do
	// sums and steps are, by member, the sum of the times of its steps and their number. The sums are
	// equal if members do everything at the same times.
	sums  []units.Time
	steps []int
}

// newPieceTimes has room for the pieces of each member.
func newPieceTimes(members, channels, pieces int, of collective.Extent) *pieceTimes {
	t := &pieceTimes{of: of, channels: channels, rows: make([][]units.Time, members), sums: make([]units.Time, members), steps: make([]int, members)}
	for i := range t.rows {
		t.rows[i] = make([]units.Time, pieces*channels)
	}
	return t
}

// laneEnded notes the end of a lane after its last step.
func (t *pieceTimes) laneEnded(member int, l *laneRun, now units.Time) {
	if t == nil {
		return
	}
	t.sums[member] += now
	t.steps[member]++
	if t.of.Of == "steps" || l.step == 0 {
		return
	}
	t.note(member, l.lane/t.of.Lanes, l.lane, now)
}

// stepBegins notes the begin of a lane's step.
func (t *pieceTimes) stepBegins(member int, l *laneRun, now units.Time) {
	if t == nil {
		return
	}
	t.sums[member] += now
	t.steps[member]++
	if t.of.Of != "steps" {
		return
	}
	t.note(member, l.step, l.lane, now)
}

func (t *pieceTimes) note(member, piece, lane int, now units.Time) {
	if i := piece*t.channels + lane%t.channels; i < len(t.rows[member]) {
		t.rows[member][i] = max(t.rows[member][i], now)
	}
}

// progress is the mean time of each piece over the slower half of the members and over all channels,
// in picoseconds, and the time of the last of them. The faster half may run ahead of what limits
// the collective, as the first ranks of a chain do. The result is nil if a piece has no time.
func (t *pieceTimes) progress(from, to int) (mean, last []float64) {
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b []units.Time) int { return cmp.Compare(t.sum(b, from, to), t.sum(a, from, to)) })
	busy := 0
	for busy < len(rows) && t.sum(rows[busy], from, to) > 0 {
		busy++
	}
	rows = rows[:(busy+1)/2]
	for piece := from; piece <= to; piece++ {
		sum, n, most := 0.0, 0, units.Time(0)
		for _, row := range rows {
			for _, at := range row[piece*t.channels : (piece+1)*t.channels] {
				if at > 0 {
					sum, n, most = sum+float64(at), n+1, max(most, at)
				}
			}
		}
		if n == 0 {
			return nil, nil
		}
		mean, last = append(mean, sum/float64(n)), append(last, float64(most))
	}
	return mean, last
}

// sum adds up the times of a member's pieces.
func (t *pieceTimes) sum(row []units.Time, from, to int) (sum units.Time) {
	for _, at := range row[from*t.channels : (to+1)*t.channels] {
		sum += at
	}
	return sum
}

// pace is the time of a piece of work in the steady part of a collective, in picoseconds.
type pace struct {
	mean  float64
	error float64 // half of the 95 % interval of the mean
	drift float64 // by which the last of the members and channels falls behind, for each piece
}

// paceOf is the pace of n pieces. It is measured after the collective has filled its buffers, and
// before it drains them: between the half and seven eighths of the pieces. Of two stretches of unlike
// pieces, each is measured in its middle half.
func (t *pieceTimes) paceOf(n int) (p pace, ok bool) {
	if t.of.Stretches == 1 {
		return t.paceIn(n/2, n*7/8)
	}
	a, ok := t.paceIn(n/8, n/8+n/4)
	b, also := t.paceIn(n*5/8, n*5/8+n/4)
	return pace{(a.mean + b.mean) / 2, (a.error + b.error) / 2, max(a.drift, b.drift)}, ok && also
}

// fewestPieces is the least number of pieces in a window.
const fewestPieces = 4

// paceIn is the pace in a window.
func (t *pieceTimes) paceIn(from, to int) (p pace, ok bool) {
	if to-from < fewestPieces || (to+1)*t.channels > len(t.rows[0]) {
		return p, false
	}
	mean, last := t.progress(from, to)
	if mean == nil {
		return p, false
	}
	var each []float64 // the time of each piece
	for i := range to - from {
		each = append(each, mean[i+1]-mean[i])
	}
	p.mean, p.error = meanOf(each)
	p.drift = ((last[to-from] - mean[to-from]) - (last[0] - mean[0])) / float64(to-from)
	return p, p.mean > 0
}

// quantile is the 97.5 % quantile of Student's distribution with four degrees of freedom: the
// variance of a mean is computed from some such number of independent values.
const quantile = 2.78

// meanOf is the mean of consecutive values and half of its 95 % interval. The variance of the mean
// counts the correlation of neighbours (Newey and West 1987): values that catch up on each other
// have a mean that is surer than that of independent ones, values that drift have one that is less
// sure.
func meanOf(x []float64) (mean, half float64) {
	n := len(x)
	for _, v := range x {
		mean += v / float64(n)
	}
	covariance := func(lag int) (sum float64) {
		for i := lag; i < n; i++ {
			sum += (x[i] - mean) * (x[i-lag] - mean)
		}
		return sum / float64(n)
	}
	own, lags := covariance(0), n/4
	variance := own
	for lag := 1; lag <= lags; lag++ {
		variance += 2 * (1 - float64(lag)/float64(lags+1)) * covariance(lag)
	}
	// Even if all but the first and the last cancel out, these two are left.
	variance = max(variance, own/float64(n)) / float64(n)
	early, late := 0.0, 0.0
	for i := range n / 2 {
		early, late = early+x[i]/float64(n/2), late+x[n-1-i]/float64(n/2)
	}
	return mean, math.Hypot(quantile*math.Sqrt(variance), (late-early)/2)
}
