package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/study/contest"
	"weft/internal/study/quantity"
	"weft/results"
	"weft/scenario"
)

// Comparison is the report of compare, run and bench: the table of times, the verdict, and the
// details. The scenario may be nil; with it the sentences know more causes. resolved
// is its text, for the page.
func Comparison(r *results.Results, sc *scenario.Resolved, resolved []byte) *doc.Document {
	v, judged := newComparison(r), Judge(r, sc)
	d := &doc.Document{
		Brand: simulation, Title: r.Scenario, Subtitle: subtitle(r, sc), Heading: Heading(r), Series: names(r),
		Footer: "Made by weft from one run; the folder's meta.json says with which version and when. The same scenario, seed and version make the same page.",
	}
	d.Add(v.cards())
	d.Add(v.bars())
	d.Add(doc.Section{Title: "Over message size", In: doc.Page, Blocks: diagrams(d.Series, v.plots()...)})
	d.Add(doc.Section{Verdict: true, Blocks: slices.Concat(alarms(r), pauseStories(r), doc.Paragraphs(judged.Short()...))})
	time := "Time"
	if r.Workload == string(scenario.Uniform) {
		time = "Mean time of a message,"
	}
	if exchanges(r) {
		d.Add(exchangeSection(r, sc))
	} else {
		d.Add(doc.Section{Title: time + " and bandwidth", Caption: "bandwidths in GB/s", Blocks: []doc.Block{speedTable(r)}})
	}
	d.Add(doc.Section{Verdict: true, Blocks: slices.Concat(doc.Paragraphs(faultSentences(r)...), doc.Notes(judged.Notes...), doc.Notes(estimateNotes(r)...))})
	d.Add(doc.Section{Title: "Why, and how sure", Caption: waterfallCaption, In: doc.Details, Blocks: append(waterfallTable(r), readingTable(r), differenceTable(sc))})
	d.Add(doc.Section{Title: "Also seen", Caption: "counters and links are no reasons", In: doc.Details, Blocks: doc.Paragraphs(judged.Seen...)})
	d.Add(faultTimeline(r))
	d.Add(doc.Section{Title: "Faults", Caption: "times count from the fault; recovery: every leaf-host path that can return has returned", In: doc.Details, Blocks: faultTables(r)})
	d.Add(doc.Section{Title: "Streams beside the workload", Caption: "GB/s of all; p99 of the slowest; share of the hottest link's bytes", In: doc.Details, Blocks: []doc.Block{streamTable(r)}})
	if repeated(r) {
		d.Add(doc.Section{Title: "Over seeds", Caption: "95 % intervals: ± of the mean time; times the time of the fastest", In: doc.Details, Blocks: []doc.Block{intervalTable(r), spreadTable(r)}})
	}
	d.Add(doc.Section{Title: "Tail and network", Caption: "flows between nodes; stalls: waits for credits; pauses: PFC frames; CNPs: for ECN marks", In: doc.Details, Blocks: []doc.Block{networkTable(r).Filled()}})
	d.Add(v.hot(hotLinks))
	d.Add(v.pauses())
	d.Add(factSection(r, sc))
	d.Add(doc.Section{Title: "Hardware and settings", In: doc.Details, Blocks: doc.Notes(judged.Setting...)})
	d.Add(doc.Section{Title: "What these numbers leave out", In: doc.Page, Blocks: []doc.Block{doc.List(leftOut(sc))}})
	d.Add(assumptionSection(sc))
	if len(resolved) > 0 {
		d.Add(scenarioSection(scenarioTitle, resolved))
	}
	return d
}

// partial is the alarm of a run that was stopped.
const partial = doc.Alarm("Partial: the run was stopped before its end. Sizes that were not finished are missing or marked with ~.")

// alarms are the failures in a run.
func alarms(r *results.Results) (out []doc.Block) {
	if r.Partial {
		out = append(out, partial)
	}
	for _, line := range append(failures(r), strings.Join(levels(r), "\n"), strings.Join(violations(r), "\n")) {
		if line != "" {
			out = append(out, doc.Alarm(line))
		}
	}
	return out
}

// names are the fabrics' names.
func names(r *results.Results) []string { return namesOf(r.Fabrics, fabricName) }

// speedQuantities are the columns of speedTable for each fabric; the first is the time.
var speedQuantities = quantity.Points.Only("time_ps", "algbw_gbytes_per_s", "busbw_gbytes_per_s")

// speedTable is time and bandwidth of the fabrics side by side. The last column names the
// fastest.
func speedTable(r *results.Results) *doc.Table {
	t := doc.NewTable("size")
	t.Keys = 1
	heads := headings(speedQuantities)
	for i, f := range r.Fabrics {
		t.AddGroup(doc.Text(f.Name).In(doc.Series(i)), heads...)
		t.Columns = append(t.Columns, make([]doc.Column, len(t.Rows[0])-len(t.Columns))...)
		t.Columns[len(t.Columns)-len(heads)+1].Spare = true // algbw: busbw says as much of a collective
	}
	contest := len(r.Fabrics) > 1
	if contest {
		t.Columns = append(t.Columns, doc.Column{Gap: 3})
		heading := "fastest"
		if !repeated(r) {
			heading = "least, in this run"
		}
		t.Rows[0] = append(t.Rows[0], doc.Text(heading))
	}
	for _, size := range sizes(r) {
		row := []doc.Cell{sizeCell(size)}
		s := standingAt(r, size)
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				row = append(row, missing(ok, p))
				row = append(row, slices.Repeat([]doc.Cell{doc.None}, len(heads)-1)...)
				continue
			}
			cells := pointCells(speedQuantities, &p, protocol.Of(f.Protocol))
			if p.Partial {
				cells[0].Text = "~" + cells[0].Text
			}
			for _, c := range cells {
				if contest && s.first(i) {
					c = c.In(doc.Strong)
				}
				row = append(row, c)
			}
		}
		if contest {
			row = append(row, doc.Text(s.text(r)))
		}
		t.Add(row...)
	}
	return t
}

func missing(stated bool, p results.Point) doc.Cell {
	if stated && p.Failure != "" {
		return doc.Instead("failed")
	}
	return doc.None
}

// standing is the ranking of the fabrics at a size.
type standing struct {
	best   int                // fabric with the least time; -1 if fewer than two fabrics can be compared
	tied   map[int]bool       // no significant difference from the best
	open   map[int]bool       // the seeds do not distinguish it from the best
	once   bool               // results of one run among results over seeds
	ratios []contest.Contrast // by fabric: to the best
	lead   float64            // ratio of the time of the next slower fabric; 0 if there is none
}

// standingAt is the ranking of the fabrics with results at a size. If they did not deliver the same
// messages, none is the best.
func standingAt(r *results.Results, size int64) standing {
	s := standing{best: -1, tied: map[int]bool{}, open: map[int]bool{}, ratios: make([]contest.Contrast, len(r.Fabrics))}
	if unequalLoss(r, size) {
		return s
	}
	measured := make(map[int]results.Point)
	for i, f := range r.Fabrics {
		if p, ok := point(f, size); ok && p.Measured() {
			measured[i] = p
			if s.best < 0 || p.Time < measured[s.best].Time {
				s.best = i
			}
		}
	}
	if len(measured) < 2 {
		s.best = -1
		return s
	}
	over := repeated(r)
	for i := range r.Fabrics {
		p, ok := measured[i]
		if !ok || i == s.best {
			continue
		}
		c := contest.ContrastOf([][2]results.Point{{p, measured[s.best]}})
		s.ratios[i], s.once = c, s.once || over && c.Once()
		switch {
		case c.Alike(over):
			s.tied[i] = true
		case !c.Behind(over):
			s.open[i] = true
		case s.lead == 0 || c.Mean < s.lead:
			s.lead = c.Mean
		}
	}
	return s
}

// first reports whether no other fabric is ahead.
func (s *standing) first(i int) bool { return i == s.best || s.tied[i] || s.open[i] }

// text names the fastest and its lead over the next slower fabric.
func (s *standing) text(r *results.Results) string {
	by := ""
	if s.lead > 0 {
		by = ", by " + times(s.lead) + "×"
	}
	switch n := 1 + len(s.tied) + len(s.open); {
	case s.best < 0:
		return none
	case s.once:
		return "one run"
	case len(s.open) > 0:
		return fmt.Sprintf("%d not told apart%s", n, by)
	case len(s.tied) == len(r.Fabrics)-1:
		return "all within 2 %"
	case len(s.tied) > 0:
		return fmt.Sprintf("%d within 2 %%%s", n, by)
	}
	return doc.Fit(r.Fabrics[s.best].Name, 20) + by
}

// leastLink is the length of a link's name, if the table is one with it.
const leastLink = 24

// networkQuantities are the columns of networkTable before the hottest link.
var networkQuantities = quantity.Points.Only("message_p50_ps", "message_p99_ps", "message_max_ps", "credit_stalls", "pfc_pauses", "ecn_marks", "cnps", "retransmissions", "drops", "packets")

// networkTable is the counters of flows and links, a row per size and fabric.
func networkTable(r *results.Results) *doc.Table {
	t := doc.NewTable(slices.Concat([]string{"size", "fabric", "algorithm"}, headings(networkQuantities), []string{"hottest link", "busy"})...)
	t.Keys, t.Columns = 2, []doc.Column{13: {Least: leastLink}}
	for _, size := range sizes(r) {
		label := sizeCell(size)
		for i, f := range r.Fabrics {
			p, ok := point(f, size)
			if !ok || !p.Measured() {
				continue
			}
			link, busy := none, doc.None
			if h, ok := hottest(p); ok {
				link, busy = h.Name, doc.Share(h.Busy)
			}
			row := []doc.Cell{label, doc.Text(doc.Fit(f.Name, 22)).In(doc.Series(i)), doc.Text(algorithmText(&p))}
			row = append(row, pointCells(networkQuantities, &p, protocol.Of(f.Protocol))...)
			row = append(row, doc.Text(link), busy)
			t.Add(row...)
			label = doc.Cell{}
		}
	}
	return t
}

// algorithmText is the algorithm of a collective, with its protocol and channels.
func algorithmText(p *results.Point) string {
	text := strings.TrimSpace(p.Algorithm + " " + p.Wire)
	if p.Channels > 0 {
		text += fmt.Sprintf(" ×%d", p.Channels)
	}
	return text
}

// failures are the points without a result, and the points with messages that were lost or
// repeated, a line each.
func failures(r *results.Results) []string {
	var lines []string
	for _, f := range r.Fabrics {
		for _, p := range f.Points {
			if p.Failure != "" {
				lines = append(lines, fmt.Sprintf("%s failed at %s: %s", quoted(f.Name), sizeText(p.Bytes), p.Failure))
				continue
			}
			if text := refused(&p); text != "" {
				lines = append(lines, fmt.Sprintf("%s at %s %s", quoted(f.Name), sizeText(p.Bytes), text))
			}
		}
	}
	return lines
}

// unequalLoss reports whether fabrics lost, or barred, different numbers of messages of a size:
// times of different amounts of work cannot be compared.
func unequalLoss(r *results.Results, size int64) bool {
	first := int64(-1)
	for _, f := range r.Fabrics {
		p, ok := point(f, size)
		if !ok || !p.Measured() {
			continue
		}
		missing := p.Counts.MessagesLost + p.Counts.MessagesBarred
		if first < 0 {
			first = missing
		}
		if missing != first {
			return true
		}
	}
	return false
}

// refused is the number of lost messages with the reason, or of messages repeated because there was
// no receive; empty if there were none.
func refused(p *results.Point) string {
	c := &p.Counts
	if c.RNRNAKs > 0 {
		return "drew " + plural(c.RNRNAKs, "RNR NAK", "RNR NAKs") + ": messages found no receive posted and came again"
	}
	if c.MessagesLost == 0 {
		return ""
	}
	var why []string
	for _, x := range []struct {
		n         int64
		one, many string
	}{
		{c.Drops(), "packet was dropped in the network", "packets were dropped in the network"},
		{c.DroppedNoReceive, "message found no receive posted", "messages found no receive posted"},
		{c.DroppedOutOfTurn, "packet of a torn or overtaken message was refused", "packets of torn or overtaken messages were refused"},
	} {
		if x.n > 0 {
			why = append(why, plural(x.n, x.one, x.many))
		}
	}
	return fmt.Sprintf("lost %s of %s messages: %s", count(c.MessagesLost), count(c.MessagesLost+p.Flows.N), list(why))
}
