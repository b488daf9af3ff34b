package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// Replay is the result of a workload from files on each fabric.
func Replay(r *results.Replay) *doc.Document {
	src := &r.Source
	d := &doc.Document{
		Brand: simulation, Title: r.Scenario, Heading: fmt.Sprintf("%s: %s", src.Format, files(src.Files)), Footer: sameAgain,
		Subtitle: fmt.Sprintf("%s: %s · %s nodes, %s GPUs", src.Format, files(src.Files), doc.Integer(int64(r.Nodes)), doc.Integer(int64(r.GPUs))),
	}
	d.Series = namesOf(r.Fabrics, func(f results.ReplayFabric) string { return f.Name })
	d.Add(doc.Section{
		Title:   fmt.Sprintf("On %s: %s nodes, %s GPUs", r.Scenario, doc.Integer(int64(r.Nodes)), doc.Integer(int64(r.GPUs))),
		Caption: "means over the ranks; exposed: moving data and computing nothing", Blocks: []doc.Block{replayTable(r)},
	})
	verdict := doc.Section{Verdict: true}
	if src.Stopped != "" {
		verdict.Blocks = []doc.Block{doc.Alarm(fmt.Sprintf("PARTIAL: %s; left out because of the missing part: %s", src.Stopped, exactly(src.LeftOut, "operation", "operations")))}
	}
	verdict.Blocks = append(verdict.Blocks, doc.Paragraphs(replaySentences(r)...)...)
	d.Add(verdict)
	if src.Sends+src.Collectives > 0 {
		d.Add(doc.Section{Title: "Communication", Caption: "how long a rank moves data of each kind", In: doc.Details, Blocks: []doc.Block{replayKindTable(r)}})
	}
	d.Add(doc.Section{Title: "The workload", In: doc.Details, Blocks: doc.Notes(sourceLines(src)...)})
	return d
}

// files names the files of a workload.
func files(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// sourceLines describe the files and their interpretation.
func sourceLines(src *results.ReplaySource) []string {
	parts := []string{exactly(src.Ranks, "rank", "ranks") + ", " + exactly(src.Operations, "operation", "operations")}
	if src.Sends > 0 {
		parts = append(parts, exactly(src.Sends, "message", "messages")+" of "+units.Bytes(src.SendBytes).String()+" together")
	}
	if src.Collectives > 0 {
		parts = append(parts, exactly(src.Collectives, "part", "parts")+" in collectives, whose sizes sum to "+units.Bytes(src.CollectiveBytes).String())
	}
	out := []string{strings.Join(parts, "; ") + fmt.Sprintf("; at most %s of computing on a rank", shortTime(units.Time(src.ComputingPs)))}
	out = append(out, "units: "+strings.Join(src.Units, "; "))
	for _, a := range src.Assumptions {
		out = append(out, "assumed: "+a)
	}
	return out
}

// replayTable is a row for each fabric.
func replayTable(r *results.Replay) *doc.Table {
	out := doc.NewTable("fabric", "time", "computing", "exposed", "waiting", "idle")
	best := fastestReplay(r)
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if f.Failure != "" {
			out.Add(doc.Text(f.Name), doc.Instead("failed"), doc.None, doc.None, doc.None, doc.None)
			continue
		}
		tone := doc.Plain
		if i == best && len(r.Fabrics) > 1 {
			tone = doc.Strong
		}
		row := []doc.Cell{doc.Text(f.Name), doc.Time(units.Time(f.TimePs)).In(tone)}
		for _, ps := range []int64{f.ComputingPs, f.ExposedPs, f.WaitingPs, f.IdlePs} {
			row = append(row, doc.Time(units.Time(ps)))
		}
		out.Add(row...)
	}
	return out
}

// fastestReplay is the fabric that finishes first; -1 if there is none.
func fastestReplay(r *results.Replay) int {
	return leastOf(len(r.Fabrics), func(i int) (int64, bool) { return r.Fabrics[i].TimePs, r.Fabrics[i].Failure == "" })
}

// replayKindTable is a row for each kind of communication and a column for each
// fabric.
func replayKindTable(r *results.Replay) *doc.Table {
	out := doc.NewTable("purpose", "operation", "count", "size")
	var ran []*results.ReplayFabric
	for i := range r.Fabrics {
		if f := &r.Fabrics[i]; f.Failure == "" {
			ran = append(ran, f)
			out.Rows[0] = append(out.Rows[0], doc.Text(f.Name))
		}
	}
	if len(ran) == 0 {
		return out
	}
	for k := range ran[0].Kinds { // the same on all
		kind := &ran[0].Kinds[k]
		row := []doc.Cell{doc.Text(kind.Purpose), doc.Text(kind.Kind), doc.Count(kind.Count), doc.Bytes(units.Bytes(kind.Bytes))}
		for _, f := range ran {
			row = append(row, doc.Time(units.Time(f.Kinds[k].MovingPs)))
		}
		out.Add(row...)
	}
	return out
}

// replaySentences name the winner, the busiest links and the reuse of phases.
func replaySentences(r *results.Replay) (out []string) {
	best := fastestReplay(r)
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		switch {
		case f.Failure != "":
			out = append(out, quoted(f.Name)+" failed: "+f.Failure)
		case i != best && f.TimePs == r.Fabrics[best].TimePs:
			out = append(out, fmt.Sprintf("%s takes as long as %s.", quoted(f.Name), quoted(r.Fabrics[best].Name)))
		case i != best:
			b := &r.Fabrics[best]
			diff := f.TimePs - b.TimePs
			out = append(out, fmt.Sprintf("%s takes %s longer than %s (%s).", quoted(f.Name), percent(float64(diff)/float64(max(1, b.TimePs))), quoted(b.Name), shortTime(units.Time(diff))))
		}
	}
	if len(r.Fabrics) > 1 && best >= 0 {
		out = append(out, fmt.Sprintf("This is one run (seed %d): with another --seed differences may reverse.", r.Seed))
	}
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if f.Failure != "" || len(f.Hottest) == 0 {
			continue
		}
		in := ""
		if f.HottestIn != "" {
			in = " in " + f.HottestIn
		}
		var links []string
		for _, h := range f.Hottest[:min(3, len(f.Hottest))] {
			links = append(links, fmt.Sprintf("%s (%s, busy %s of the time%s)", h.Name, units.Bytes(h.Bytes), percent(h.Busy), ofItsBytes(h)))
		}
		out = append(out, fmt.Sprintf("Hottest links of %s%s: %s.", quoted(f.Name), in, strings.Join(links, ", ")))
	}
	for i := range r.Fabrics {
		out = append(out, reductionSentences(r.Fabrics[i].Name, r.Fabrics[i].Reduction)...)
	}
	for i := range r.Fabrics {
		if f := &r.Fabrics[i]; f.Simulated > 0 {
			return append(out, fmt.Sprintf("Each of the %d distinct phases was simulated once, all its groups at once, for the %s communications of a rank; phases that overlap in time do not slow each other here. --whole simulates all as it comes.", f.Simulated, doc.Integer(f.Communications)))
		}
	}
	return out
}
