package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/advise"
)

// servingLines say up to which rate each fabric keeps a serving job's limits, what ends it, and what to change first.
func servingLines(a *advise.Advice) (out []string) {
	for _, c := range a.Candidates {
		s := c.Performance.Serving
		if s == nil {
			continue
		}
		verb := "keeps"
		if !s.Keeps() {
			verb = "does not keep"
		}
		text := fmt.Sprintf("%s (%s, routing %s) %s the limits at %s requests in a second", c.Name(), c.Design.Shape, c.Design.Resolved.Fabrics[0].Routing.Mode, verb, advise.RateText(s.Asked))
		if s.Limit > 0 {
			text += fmt.Sprintf("; it breaks between %s and %s", advise.RateText(s.Limit), advise.RateText(s.Limit+s.Step))
		} else {
			text += "; it keeps them at none of the searched rates"
		}
		switch {
		case s.Limit < s.Alone:
			text += fmt.Sprintf(", where a network that takes no time keeps them up to %s", advise.RateText(s.Alone))
		default:
			text += ", as on a network that takes no time"
		}
		out = append(out, text+fmt.Sprintf(". %s is full first.", begun(s.Full)))
	}
	if len(a.Moves) == 0 {
		return out
	}
	best := map[string]bool{}
	for i := range a.Moves {
		m := &a.Moves[i]
		if best[m.Fabric] || !m.Helps() {
			continue
		}
		best[m.Fabric] = true
		out = append(out, fmt.Sprintf("What to change first on %s: %s. %s.", m.Fabric, m.Change, begun(moveText(m))))
	}
	if len(best) == 0 {
		out = append(out, "None of the changes that were tried helps: neither routing, congestion control, NICs nor another division of the nodes.")
	}
	return out
}

// moveText is the effect of a change.
func moveText(m *advise.Move) string {
	text := fmt.Sprintf("the limits are kept up to %s requests in a second, before up to %s", advise.RateText(m.After.Limit), advise.RateText(m.Before.Limit))
	if m.After.FirstP99 > 0 && m.Before.FirstP99 > 0 && m.After.FirstP99.String() != m.Before.FirstP99.String() {
		text += fmt.Sprintf("; the first token at P99 takes %s, before %s", m.After.FirstP99, m.Before.FirstP99)
	}
	return text
}

// movesSection is a row for each change of a serving job.
func movesSection(a *advise.Advice) doc.Section {
	if len(a.Moves) == 0 {
		return doc.Section{}
	}
	t := doc.Wrapped("fabric", "change", "limits kept up to", "first token, P99", "token, P99", "good")
	row := func(fabric, change string, s *advise.Served) {
		first, per, good := doc.Instead("unstable"), doc.Instead("unstable"), doc.Instead("unstable")
		if s.Unstable == "" {
			first, per, good = doc.Time(s.FirstP99), doc.Time(s.PerP99), doc.Tenths(s.Good)
		}
		t.Add(doc.Text(fabric), doc.Text(change), doc.Text(advise.RateText(s.Limit)+"/s"), first, per, good)
	}
	step := 0.0
	for _, c := range a.Candidates {
		if s := c.Performance.Serving; s != nil {
			row(c.Name(), "none", s)
			step = max(step, s.Step)
		}
	}
	for i := range a.Moves {
		m := &a.Moves[i]
		if m.After == nil {
			t.Add(doc.Text(m.Fabric), doc.Text(m.Change+": "+shortRefusal(m.Refused)), doc.Instead("cannot be"), doc.None, doc.None, doc.None)
			continue
		}
		row(m.Fabric, m.Change, m.After)
	}
	return doc.Section{Title: "What to change first", Blocks: append([]doc.Block{t}, doc.Notes(fmt.Sprintf(
		"One thing is changed at a time. Rates were searched in steps of %s in a second; the last three columns are at the asked rate. All of it is one run of the seed for each rate.", advise.RateText(step)))...)}
}

// shortRefusal is the first line of a refusal, without its place.
func shortRefusal(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.LastIndex(text, ": "); i >= 0 && i+2 < len(text) {
		return text[i+2:]
	}
	return text
}
