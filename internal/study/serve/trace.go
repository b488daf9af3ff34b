package serve

import (
	"fmt"

	"weft/internal/formats/requests"
	"weft/internal/sim/workload/serving"
	"weft/units"
)

// Trace is requests of a file.
type Trace struct {
	Name     string
	Requests *requests.Trace
	Hits     bool // blocks that earlier requests began with are not computed again
}

// requests are the served requests at a rate of one in a second in the mean, and their own rate. share is
// the least share of a prompt that is not computed again.
func (t *Trace) requests(share float64) (out []serving.Request, rate float64, err error) {
	list := t.Requests.Requests
	n := len(list)
	span := list[n-1].At - list[0].At
	if n < 2 || span <= 0 {
		return nil, 0, fmt.Errorf("%s: %d requests in %v have no rate: want two or more at different times", t.Name, n, span)
	}
	hits := make([]int, n)
	if t.Hits {
		hits = t.Requests.Hits()
	}
	rate = float64(n-1) / span.Seconds()
	for i, q := range list {
		out = append(out, serving.Request{
			Arrival: units.Time(float64(q.At) * rate), Prompt: q.Prompt, Output: q.Output, Cached: max(hits[i], serving.Cached(q.Prompt, share)),
		})
	}
	return out, rate, nil
}

// longGap is the time without a request, in means of the intervals, that is named: among a million random
// intervals one is as long as 14 means.
const longGap = 20

// describe is the trace for people; "" for none.
func (t *Trace) describe() string {
	if t == nil {
		return ""
	}
	all := t.Requests
	text := fmt.Sprintf("%s (%s)", t.Name, all.Format)
	if all.More {
		text += fmt.Sprintf(", the first %d", len(all.Requests))
	}
	n := len(all.Requests)
	if mean := all.Requests[n-1].At / units.Time(n-1); all.Gap > longGap*mean {
		text += fmt.Sprintf("; it has a gap of %v after request %d", all.Gap, all.GapAfter)
	}
	return text
}
