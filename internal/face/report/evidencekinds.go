package report

import (
	"cmp"
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/formats/flight"
	"weft/internal/formats/logfile"
	"weft/internal/formats/pairs"
	"weft/internal/study/evidence"
	"weft/units"
)

// ofMicros is a time in us.
func ofMicros(us float64) units.Time { return units.Time(us * float64(units.Microsecond)) }

// pairsSection says which nodes and pairs of nodes are slow.
func pairsSection(e *evidence.Evidence) doc.Section {
	s := doc.Section{Title: "Pairs of nodes"}
	for _, j := range []*pairs.Judged{e.Bandwidth, e.Latency} {
		if j == nil {
			continue
		}
		s.Blocks = append(s.Blocks, doc.Paragraphs(pairsSentence(j))...)
		s.Blocks = append(s.Blocks, slowNodes(j), slowPairs(j))
		if more := max(len(j.SlowNodes)-listedSlow, 0) + max(len(j.SlowPairs)-listedSlow, 0); more > 0 {
			s.Blocks = append(s.Blocks, doc.Notes(fmt.Sprintf("and %d more: --json has all", more))...)
		}
	}
	return s
}

// between is a bandwidth or a latency.
func between(j *pairs.Judged, x float64) doc.Cell {
	if j.Latency {
		return doc.Time(ofMicros(x))
	}
	return doc.Number(x, "Gb/s").As(fmt.Sprintf("%.1f Gb/s", x))
}

// pairsSentence is what the pairs say.
func pairsSentence(j *pairs.Judged) string {
	what := "Bandwidth"
	if j.Latency {
		what = "Latency"
	}
	text := fmt.Sprintf("%s of %s of %s; the typical node has %s.", what, plural(j.Pairs, "pair", "pairs"), plural(len(j.Nodes), "node", "nodes"), between(j, j.Typical).Text)
	if j.Enough() == 0 {
		return text + " Too few to judge: three nodes need two peers each."
	}
	if n := len(j.Nodes) - j.Enough(); n > 0 {
		text += fmt.Sprintf(" %s not judged, for want of a second peer.", plural(n, "node is", "nodes are"))
	}
	var slow []string
	for _, n := range j.SlowNodes[:min(len(j.SlowNodes), listedSlow)] {
		slow = append(slow, n.Name)
	}
	switch {
	case len(slow) > 0:
		text += fmt.Sprintf(" Slow with most of their peers: %s.", list(slow))
	case len(j.SlowPairs) == 0:
		return text + " No node and no pair is slow."
	default:
		text += " No node is slow with most of its peers."
	}
	if n := len(j.SlowPairs); n > 0 {
		text += fmt.Sprintf(" Slow though both nodes do better with others: %s. There the path between the two is to blame.", plural(n, "pair", "pairs"))
	}
	return text
}

func slowNodes(j *pairs.Judged) *doc.Table {
	t := doc.NewTable("slow node", "peers", "median", "of the typical")
	for _, n := range j.SlowNodes[:min(len(j.SlowNodes), listedSlow)] {
		t.Add(doc.Text(n.Name), doc.Count(n.Peers), between(j, n.Value), doc.Ratio(n.Ratio, 2))
	}
	return t
}

func slowPairs(j *pairs.Judged) *doc.Table {
	t := doc.NewTable("slow pair", "", "measured", "of what both have", "at")
	for _, p := range j.SlowPairs[:min(len(j.SlowPairs), listedSlow)] {
		t.Add(doc.Text(p.From), doc.Text(p.To), between(j, cmp.Or(p.Micros, p.Gbps)), doc.Ratio(p.Ratio, 2), doc.Text(logfile.Place(p.File, p.Line)))
	}
	return t
}

// ranksSection says for which ranks the others wait.
func ranksSection(e *evidence.Evidence) doc.Section {
	out := doc.Section{Title: "Ranks that come late"}
	s := e.Ranks
	if s == nil {
		out.Blocks = doc.Paragraphs(fmt.Sprintf("%s of ranks: no collective is recorded by two ranks, so none is judged.", plural(e.Records, "record", "records")))
		return out
	}
	out.Blocks = doc.Paragraphs(ranksSentence(s))
	t := doc.NewTable("late", "the others wait", "late in", "of collectives")
	for _, l := range s.Late[:min(len(s.Late), listedSlow)] {
		t.Add(doc.Text(l.String()), doc.Time(ofMicros(l.Wait)), doc.Count(l.LateIn), doc.Count(l.Collectives))
	}
	out.Blocks = append(out.Blocks, t)
	if more := len(s.Late) - listedSlow; more > 0 {
		out.Blocks = append(out.Blocks, doc.Notes(fmt.Sprintf("and %d more: --json has all", more))...)
	}
	var behind []string
	for _, b := range s.Behind {
		behind = append(behind, fmt.Sprintf("%s has ended collective %d of group %s, another rank %d: it hangs, or its record is older", b.Member, b.Last, b.Group, b.Front))
	}
	if len(behind) > 0 {
		out.Blocks = append(out.Blocks, doc.List(bounded(behind)))
	}
	if s.ByClock {
		out.Blocks = append(out.Blocks, doc.Notes("No durations are recorded, so the times at which the hosts enqueued are compared: a wait below 2 ms is within the error of clocks. TORCH_NCCL_ENABLE_TIMING=1 records durations.")...)
	}
	return out
}

// ranksSentence is what the ranks' records say.
func ranksSentence(s *flight.Stragglers) string {
	text := fmt.Sprintf("%s of %s", plural(s.Collectives, "collective", "collectives"), plural(s.Ranks, "rank", "ranks"))
	if s.Typical > 0 {
		text += fmt.Sprintf(", typically %s long", doc.TimeText(ofMicros(s.Typical), 3))
	}
	switch {
	case s.Enough() == 0:
		return text + ". No rank is judged: a verdict needs four collectives."
	case len(s.Late) == 0:
		worst := s.All[0]
		return text + fmt.Sprintf(". No rank comes late in most of its collectives; the worst, %s, in %d of %d.", worst.String(), worst.LateIn, worst.Collectives)
	}
	var late []string
	for _, l := range s.Late[:min(len(s.Late), listedSlow)] {
		late = append(late, l.String())
	}
	return text + fmt.Sprintf(". The others wait for %s.", list(late))
}

// portsSection is the first findings about cables and ports.
func portsSection(e *evidence.Evidence) doc.Section {
	r := e.Ports
	out := doc.Section{Title: "Counters of ports", Blocks: doc.Paragraphs(healthVerdict(r))}
	for i := range r.Findings[:min(len(r.Findings), wholeFindings)] {
		one := healthFinding(i+1, &r.Findings[i])
		out.Blocks = append(append(out.Blocks, doc.Heading(one.Title)), one.Blocks...)
	}
	if len(r.Findings) > wholeFindings {
		rest := healthRest(r)
		out.Blocks = append(append(out.Blocks, doc.Heading(rest.Title)), rest.Blocks[0])
	}
	out.Blocks = append(out.Blocks, doc.Notes(bounded(r.Notes)...)...)
	out.Blocks = append(out.Blocks, doc.Notes(fmt.Sprintf("weft fabric health has all evidence of %s.", plural(len(r.Files), "such file", "such files")))...)
	return out
}
