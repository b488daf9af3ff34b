package serve

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/sim/workload/serving"
	"weft/results"
	"weft/units"
)

// summary is the times of the requests of a run that ended.
func (s *study) summary(done *serving.Scheduler) *results.ServingRun {
	var first, per, waiting, prefill, moving, open []units.Time
	out := &results.ServingRun{}
	limits := &s.r.Serving.Limits
	tokens, good := 0, 0
	requests := done.Requests()
	for i, r := range done.Records() {
		if r.Done < 0 {
			continue
		}
		q := &requests[i]
		tokens += q.Output
		out.EndPs = max(out.EndPs, int64(r.Done))
		first, waiting, prefill = append(first, r.First-q.Arrival), append(waiting, r.Begun-r.Read), append(prefill, r.Computed-r.Begun)
		each := units.Time(0)
		if q.Output > 1 {
			each = (r.Done - r.First) / units.Time(q.Output-1)
			per = append(per, each)
		}
		if r.Sent >= 0 {
			moving, open = append(moving, r.First-r.Sent), append(open, r.First-max(r.Sent, r.Computed))
		}
		out.Evictions += r.Evicted
		if r.First-q.Arrival <= limits.FirstToken && each <= limits.PerToken {
			good++
		}
	}
	out.FirstToken, out.PerToken, out.Waiting, out.Prefill, out.Transfer, out.Exposed = times(first), times(per), times(waiting), times(prefill), times(moving), times(open)
	out.FirstTokenAt, out.PerTokenAt, out.ExposedAt = percentiles(first), percentiles(per), percentiles(open)
	n := len(requests)
	for i, r := range done.Records()[:min(n, results.MaxServingRequests)] {
		q := &requests[i]
		out.Requests = append(out.Requests, results.ServingRequest{
			ArrivedPs: int64(q.Arrival), BegunPs: int64(r.Begun), ComputedPs: int64(r.Computed), FirstPs: int64(r.First), DonePs: int64(r.Done), Prompt: q.Prompt, Output: q.Output,
		})
	}
	if span := units.Time(out.EndPs).Seconds(); span > 0 {
		out.Tokens = float64(tokens) / span
	}
	out.Good = float64(good) / float64(n)
	half, all := done.Backlog()
	out.Grew = float64(all-half) / math.Max(1, float64(n/2))
	return out
}

// paced sets the rate of good requests: their share times the rate at which requests arrive. A few
// random requests may arrive faster than that; the rate of good ones is never above it. Requests at no rate have that of
// their answers.
func (s *study) paced(r *results.ServingRun, rate float64) {
	if r == nil {
		return
	}
	if end := units.Time(r.EndPs).Seconds(); !s.steady() && end > 0 {
		rate = float64(len(s.requests)) / end
	}
	r.GoodRate = r.Good * rate
}

// times are the quantiles of times, by nearest rank.
func times(list []units.Time) (out results.ServingTimes) {
	if len(list) == 0 {
		return out
	}
	slices.Sort(list)
	sum := 0.0
	for _, t := range list {
		sum += float64(t)
	}
	return results.ServingTimes{Mean: int64(sum / float64(len(list))), P50: int64(rank(list, 50)), P90: int64(rank(list, 90)), P99: int64(rank(list, 99))}
}

// percentiles are sorted times at the percentages of the results.
func percentiles(sorted []units.Time) (out []int64) {
	for _, percent := range results.ServingPercents {
		out = append(out, int64(rank(sorted, percent)))
	}
	return out
}

// mostGrowth is the share of arriving requests that may pile up in the second half of a run: with more
// the line has no steady length. A line that stands has a length that varies by about its root.
const mostGrowth = 0.1

// growing is the reason why a run has no steady state; "" if it seems to have one.
func growing(r *results.ServingRun, done *serving.Scheduler) string {
	half, all := done.Backlog()
	if r.Grew <= mostGrowth || float64(all-half) < 3*math.Sqrt(2*float64(max(1, half))) {
		return ""
	}
	return fmt.Sprintf("of the requests of the second half %.0f %% pile up: %d waited for a first token when half had arrived, %d when all had", 100*r.Grew, half, all)
}
