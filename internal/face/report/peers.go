package report

import (
	"fmt"
	"strings"
	"time"

	"weft/internal/face/doc"
	"weft/internal/study/peers"
)

// Peers is the comparison of a cluster's ports, GPUs and ranks with their peers.
func Peers(r *peers.Result, from string) *doc.Document {
	d := &doc.Document{Brand: "counters of a cluster", Title: "Peers of " + from, Heading: peersTitle(r), Footer: "Made by weft."}
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(peersSentences(r)...)})
	if len(r.Findings) > 0 {
		t := doc.NewTable("what", "metric", "value", "median of peers", "spread", "peers", "role")
		t.Keys = 1
		for i := range r.Findings {
			f := &r.Findings[i]
			t.Add(doc.Text(f.Subject), doc.Text(f.Metric), doc.Text(amount(f.Value, f.Unit)), doc.Text(amount(f.Median, f.Unit)), doc.Text(amount(f.Spread, f.Unit)), doc.Text(doc.Integer(int64(f.Peers))), doc.Text(f.Where))
		}
		d.Add(doc.Section{Title: "What stands out", Blocks: []doc.Block{t}})
	}
	t := doc.NewTable("metric", "role", "peers", "median", "spread", "stand out", "not judged")
	t.Keys = 2
	for i := range r.Groups {
		g := &r.Groups[i]
		t.Add(doc.Text(g.Metric), doc.Text(g.Where), doc.Text(doc.Integer(int64(g.Peers))), doc.Text(shortNumber(g.Median)), doc.Text(shortNumber(g.Spread)), doc.Text(doc.Integer(int64(g.Out))), doc.Text(g.Why))
	}
	d.Add(doc.Section{Title: "What was compared", In: doc.Details, Blocks: []doc.Block{t}})
	d.Add(doc.Section{Blocks: doc.Notes(peersNotes(r)...)})
	return d
}

func peersTitle(r *peers.Result) string {
	n := map[string]bool{}
	for i := range r.Findings {
		n[r.Findings[i].Subject] = true
	}
	switch {
	case len(n) == 0 && r.Judged == 0:
		return "Nothing was judged"
	case len(n) == 0 && r.Judged < r.Subjects:
		return fmt.Sprintf("None of %d ports, GPUs and ranks stands out from its peers, %d more were not judged", r.Judged, r.Subjects-r.Judged)
	case len(n) == 0:
		return fmt.Sprintf("None of %d ports, GPUs and ranks stands out from its peers", r.Judged)
	}
	return fmt.Sprintf("%d of %d ports, GPUs and ranks do not look like their peers", len(n), r.Subjects)
}

// peersSentences say for each subject what stands out, and what fits the first of it.
func peersSentences(r *peers.Result) (out []string) {
	const most = 12
	for i := 0; i < len(r.Findings); {
		f := &r.Findings[i]
		var also []string
		for i++; i < len(r.Findings) && r.Findings[i].Subject == f.Subject; i++ {
			also = append(also, r.Findings[i].Metric)
		}
		if len(out) == most {
			out = append(out, "There are more: the table has all of them.")
			break
		}
		s := fmt.Sprintf("%s: %#q is %s, the median of %d peers is %s. It fits: %s.", f.Subject, f.Metric, amount(f.Value, f.Unit), f.Peers, amount(f.Median, f.Unit), f.Fits)
		if len(also) > 0 {
			s += " Also unlike its peers: `" + strings.Join(also, "`, `") + "`."
		}
		out = append(out, s)
	}
	if len(out) == 0 && r.Judged > 0 {
		out = append(out, "No value is far from its peers. A fault that all peers share cannot be seen this way.")
	}
	return append(out, notJudged(r)...)
}

// notJudged says what was read and not judged, and why.
func notJudged(r *peers.Result) (out []string) {
	const most = 4
	var few []string
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Why != "" {
			few = append(few, fmt.Sprintf("%#q of %s (%d: %s)", g.Metric, g.Where, g.Peers, g.Why))
		}
	}
	if len(few) > 0 {
		out = append(out, fmt.Sprintf("Not judged: %d of %s: %s.", len(few), plural(len(r.Groups), "comparison", "comparisons"), firstOf(few, most)))
	}
	if len(r.Without) > 0 {
		out = append(out, "Read and not compared, since a value unlike the peers' means nothing: "+quotedNames(r.Without, most)+".")
	}
	if len(r.Unknown) > 0 {
		out = append(out, "Not in weft's table of metrics, and not read: "+quotedNames(r.Unknown, most)+".")
	}
	return out
}

// quotedNames is the first names of metrics.
func quotedNames(names []string, most int) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%#q", name)
	}
	return firstOf(quoted, most)
}

// firstOf is the first texts of a list, with the number of the others.
func firstOf(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(texts[:most], "; "), len(texts)-most)
}

func peersNotes(r *peers.Result) (out []string) {
	if r.Seconds > 0 {
		out = append(out, fmt.Sprintf("Counters are their increase within %v.", time.Duration(r.Seconds*1e9).Round(time.Second)))
	} else {
		out = append(out, "There is one time only: counters are counts since they began, which may be days ago and differ from host to host.")
	}
	if r.Resets > 0 {
		out = append(out, fmt.Sprintf("Counters went back %s, as after a restart; what came before and after is added.", plural(r.Resets, "time", "times")))
	}
	if r.Invalid > 0 {
		out = append(out, plural(r.Invalid, "value was no number and is left out.", "values were no numbers and are left out."))
	}
	return append(out, r.Notes...)
}

// amount is a value with its unit.
func amount(x float64, unit string) string {
	switch unit {
	case "bytes", "bytes/s":
		for _, step := range []struct {
			size float64
			name string
		}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
			if x >= step.size {
				return fmt.Sprintf("%.4g %sB%s", x/step.size, step.name, strings.TrimPrefix(unit, "bytes"))
			}
		}
		return fmt.Sprintf("%.4g B%s", x, strings.TrimPrefix(unit, "bytes"))
	case "state":
		return fmt.Sprintf("%g", x)
	}
	if x == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return shortNumber(x) + " " + unit
}

func shortNumber(x float64) string {
	if x == float64(int64(x)) && x < 1e15 {
		return doc.Integer(int64(x))
	}
	return fmt.Sprintf("%.4g", x)
}
