package proof

import "fmt"

// Refutations is the reasons why the tables are refuted, a few words each. Proven tables have none.
func (r *Report) Refutations() []string {
	var out []string
	toEnds := r.FromSwitches // losses between switches are a warning
	toEnds.Lost -= r.BetweenSwitches.Lost
	for _, x := range []struct {
		reach Reach
		what  string
	}{{r.EndToEnd, "paths between ends"}, {r.EndToSwitch, "paths from ends to switches"}, {toEnds, "paths from switches"}} {
		if x.reach.Lost > 0 {
			out = append(out, fmt.Sprintf("%d %s end on the way", x.reach.Lost, x.what))
		}
		if x.reach.Looping > 0 {
			out = append(out, fmt.Sprintf("%d %s go round", x.reach.Looping, x.what))
		}
	}
	if r.EndToEnd.Proven() && r.EndToSwitch.Proven() && len(out) > 0 {
		out[len(out)-1] += ", which only management by LID takes; all packets of ends arrive"
	}
	switch {
	case r.Deadlocks() && r.AnyLevel:
		out = append(out, "there is a credit loop if paths use all service levels; the real levels are not known")
	case r.Deadlocks():
		out = append(out, "there is a credit loop")
	}
	for _, f := range r.Findings {
		if f.Kind == LostLane || f.Kind == LIDClash || f.Kind == NoLID {
			out = append(out, f.Kind.String())
		}
	}
	return out
}

// Judged is the pairs of a source and a LID that the tables were tried on, and apart the pairs that no cables
// join, with any tables. A switch's own LID is no path.
func (r *Report) Judged() (judged, apart int64) {
	for _, x := range [...]*Reach{&r.EndToEnd, &r.EndToSwitch, &r.FromSwitches} {
		judged += x.Pairs - x.Islands
		apart += x.Islands
	}
	return max(judged-int64(r.Switches), 0), apart
}

// Warnings is the faults of tables that do not refute them.
func (r *Report) Warnings() []string {
	var out []string
	if n := r.BetweenSwitches.Lost; n > 0 {
		out = append(out, fmt.Sprintf("%d paths between switches' own LIDs end on the way: engines that go up and down leave them out, and only management by LID that begins at a switch takes them", n))
	}
	for _, f := range r.Findings {
		if f.Kind == Unsaid {
			out = append(out, fmt.Sprintf("nothing is said of paths to LID %d, which the dump leaves out", f.Places[0].LID))
		}
	}
	return out
}
