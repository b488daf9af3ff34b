package evidence

import "weft/internal/formats/pairs"

// worthwhile is the ratio of times from which on a size that has become slower stands out: an assumption.
const worthwhile = 1.1

// Empty reports whether nothing was read that can be judged.
func (e *Evidence) Empty() bool {
	return e.Changes == nil && e.Bandwidth == nil && e.Latency == nil && e.Records == 0 && e.Ports == nil
}

// Judged reports whether something was judged.
func (e *Evidence) Judged() bool {
	return e.Changes != nil || e.Bandwidth != nil && e.Bandwidth.Enough() > 0 || e.Latency != nil && e.Latency.Enough() > 0 ||
		e.Ranks != nil && (e.Ranks.Enough() > 0 || len(e.Ranks.Behind) > 0) || e.Ports != nil && !e.Ports.Blank()
}

// StandOut names what stands out: what is slow, late or bad.
func (e *Evidence) StandOut() (out []string) {
	if e.Changes != nil {
		for _, s := range e.Changes.Slower() {
			if s.Ratio >= worthwhile {
				out = append(out, "sizes that take longer than before")
				break
			}
		}
	}
	for _, j := range e.pairs() {
		if len(j.SlowNodes)+len(j.SlowPairs) > 0 {
			out = append(out, "nodes or pairs of nodes")
			break
		}
	}
	if e.Ranks != nil && len(e.Ranks.Late)+len(e.Ranks.Behind) > 0 {
		out = append(out, "ranks")
	}
	if e.Ports != nil && len(e.Ports.Findings) > 0 {
		out = append(out, "cables or ports")
	}
	return out
}

// pairs are the judgements of pairs that there are.
func (e *Evidence) pairs() (out []*pairs.Judged) {
	for _, j := range []*pairs.Judged{e.Bandwidth, e.Latency} {
		if j != nil {
			out = append(out, j)
		}
	}
	return out
}
