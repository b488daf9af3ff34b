package report

import (
	"fmt"
	"slices"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// changesTable is a row for each change on each fabric, below one of the job as it is.
func changesTable(s *results.Serving) *doc.Table {
	t := doc.NewTable("fabric", "change", "first token", "per token", "transfer", "good")
	for i := range s.Points[0].Fabrics {
		f := &s.Points[0].Fabrics[i]
		row := func(name string, c *results.ServingChanged) {
			if c.Unstable != "" {
				t.Add(doc.Text(f.Name), doc.Text(name), doc.Instead("unstable"), doc.None, doc.None, doc.None)
				return
			}
			t.Add(doc.Text(f.Name), doc.Text(name), doc.Time(units.Time(c.FirstToken.Mean)), doc.Time(units.Time(c.PerToken.Mean)), doc.Time(units.Time(c.Transfer.Mean)), doc.Tenths(c.Good))
		}
		row("as it is", asItIs(f))
		for j := range s.Changes {
			c := &s.Changes[j]
			if c.Refused != "" {
				t.Add(doc.Text(f.Name), doc.Text(c.Name), doc.Instead("refused"), doc.None, doc.None, doc.None)
				continue
			}
			if own := &c.Fabrics[i]; !own.Unchanged {
				row(c.Name, own)
			}
		}
	}
	return t
}

// asItIs is the times of the job without a change.
func asItIs(f *results.ServingFabric) *results.ServingChanged {
	if f.Run == nil {
		return &results.ServingChanged{Name: f.Name, Unstable: "unstable"}
	}
	return &results.ServingChanged{Name: f.Name, FirstToken: f.Run.FirstToken, PerToken: f.Run.PerToken, Transfer: f.Run.Transfer, Good: f.Run.Good}
}

// leastGain is the least gain for which a change is recommended, as a share: the order of requests alone
// changes times by 1 or 2 %.
const leastGain = 0.02

// changeSentences name for each fabric the change with the largest gain.
func changeSentences(s *results.Serving) (out []string) {
	if len(s.Changes) == 0 {
		return nil
	}
	for i := range s.Points[0].Fabrics {
		out = append(out, changeFirst(s, i))
	}
	for i := range s.Changes {
		if c := &s.Changes[i]; c.Refused != "" {
			out = append(out, fmt.Sprintf("Not simulated: %s: %s.", c.Name, c.Refused))
		}
	}
	if slices.ContainsFunc(s.Points[0].Fabrics, func(f results.ServingFabric) bool { return f.Contention != nil && f.Contention.Sampled }) {
		out = append(out, "With --changes half as many exchanges are simulated beside transfers. Compare the rows with each other, not with a plain run, whose P99 differs.")
	}
	return out
}

// changeFirst says what to change first on a fabric.
func changeFirst(s *results.Serving, fabric int) string {
	f := &s.Points[0].Fabrics[fabric]
	was, name, most := asItIs(f), "", leastGain
	var to *results.ServingChanged
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.Refused != "" || c.Fabrics[fabric].Unstable != "" || c.Fabrics[fabric].Unchanged {
			continue
		}
		if g := gain(was, &c.Fabrics[fabric]); g > most {
			name, most, to = c.Name, g, &c.Fabrics[fabric]
		}
	}
	switch {
	case to == nil:
		return fmt.Sprintf("On %s none of the changes gains as much as %.0f %%.", quoted(f.Name), 100*leastGain)
	case was.Unstable != "":
		return fmt.Sprintf("Change first on %s: %s. The job has a steady state then, with %s to the first token and %s for each after it in the mean.", quoted(f.Name), name,
			units.Time(to.FirstToken.Mean), units.Time(to.PerToken.Mean))
	}
	return fmt.Sprintf("Change first on %s: %s. The mean time to the first token goes from %s to %s, and of each token after it from %s to %s.", quoted(f.Name), name,
		units.Time(was.FirstToken.Mean), units.Time(to.FirstToken.Mean), units.Time(was.PerToken.Mean), units.Time(to.PerToken.Mean))
}

// gain is the sum of two shares: by how much the mean times to the first token and for each later token
// become less. If the job was unstable before, it is 1 plus the share of good requests.
func gain(was, is *results.ServingChanged) float64 {
	if was.Unstable != "" {
		return 1 + is.Good
	}
	share := func(a, b results.ServingTimes) float64 { return float64(a.Mean-b.Mean) / float64(max(1, a.Mean)) }
	return share(was.FirstToken, is.FirstToken) + share(was.PerToken, is.PerToken)
}
