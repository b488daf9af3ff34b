package evidence

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/formats/logfile"
	"weft/internal/formats/pairs"
)

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
	if e.Changes != nil && slices.ContainsFunc(e.Changes.Slower(), func(s logfile.Change) bool { return s.Ratio >= worthwhile }) {
		out = append(out, "sizes that take longer than before")
	}
	for _, j := range e.pairs() {
		of := "bandwidth"
		if j.Latency {
			of = "latency"
		}
		var nodes, between []string
		for _, n := range j.SlowNodes {
			nodes = append(nodes, n.Name)
		}
		for _, p := range j.SlowPairs {
			between = append(between, p.From+" to "+p.To)
		}
		if len(nodes) > 0 {
			out = append(out, fmt.Sprintf("nodes slow with most of their peers by %s (%s)", of, few(nodes)))
		}
		if len(between) > 0 {
			out = append(out, fmt.Sprintf("pairs slow by %s (%s)", of, few(between)))
		}
	}
	if e.Ranks != nil {
		var late, behind []string
		for _, l := range e.Ranks.Late {
			late = append(late, l.String())
		}
		for _, b := range e.Ranks.Behind {
			behind = append(behind, b.String())
		}
		if len(late) > 0 {
			out = append(out, fmt.Sprintf("ranks that come late (%s)", few(late)))
		}
		if len(behind) > 0 {
			out = append(out, fmt.Sprintf("ranks that are behind (%s)", few(behind)))
		}
	}
	if e.Ports != nil && len(e.Ports.Findings) > 0 {
		out = append(out, "cables or ports")
	}
	return out
}

// few are the first names.
func few(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
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
