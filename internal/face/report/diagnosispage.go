package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"weft/internal/study/calibrate"
	"weft/units"
)

// DiagnosisPage writes the self-contained HTML page of a diagnosis.
func DiagnosisPage(w io.Writer, d *calibrate.Diagnosis) error {
	v := &diagnosisView{
		heading: heading{"diagnosis", d.Log.Name, LogHeading(d.Log) + " · beside weft's prediction on " + d.Fabric},
		Finding: finding(d), Notes: logNotes(d), Partial: d.Partial, Stopped: stoppedEarly, Legend: diagnosisLegend,
	}
	likeliest := d.Likeliest(shownLikeliest)
	for i := range likeliest {
		v.Likeliest = append(v.Likeliest, likelyOf(i, &likeliest[i]))
	}
	for i := range d.Tasks {
		v.Tasks = append(v.Tasks, taskOf(d, i, likeliest))
	}
	if len(d.Explanations) > 0 {
		v.All = pageOf(explanationTable(d), "").Rows
	}
	for _, u := range d.Untried {
		v.Untried = append(v.Untried, u.ID+": "+u.Why)
	}
	return pages.ExecuteTemplate(w, "diagnosis.html.tmpl", v)
}

// diagnosisView is what the template shows.
type diagnosisView struct {
	heading
	Finding   string
	Notes     []string
	Partial   bool
	Stopped   string
	Legend    string
	Likeliest []likelyView
	Tasks     []taskView
	All       [][]string
	Untried   []string
}

type likelyView struct {
	Heading, Match, Evidence, Set string
	Check                         []string
}

type taskView struct {
	pageTable
	Notes  []string
	Legend []legendEntry
	Plots  []Plot
}

func likelyOf(i int, e *calibrate.Explanation) likelyView {
	v := likelyView{
		Heading: fmt.Sprintf("%d. %s: %s", i+1, e.Title, e.Label), Evidence: e.Evidence, Check: e.Check,
		Match: fmt.Sprintf("Probability %s; off by %s on the average, by %s at the worst size.", percent(e.Posterior), percent(math.Expm1(e.Match)), percent(math.Expm1(math.Abs(e.Worst)))),
	}
	var sets []string
	for _, o := range e.Changes {
		sets = append(sets, fmt.Sprintf("--set '%s=%s'", o.Path, o.Value))
	}
	v.Set = strings.Join(sets, " ")
	return v
}

// taskOf is a table of the log with its diagrams: the log, the prediction, and the
// likeliest explanations, each a colour.
func taskOf(d *calibrate.Diagnosis, task int, likeliest []calibrate.Explanation) taskView {
	t := d.Tasks[task]
	lines := []struct {
		name  string
		times []units.Time
	}{{"the log", nil}, {"weft, as described", d.Predicted[task]}}
	for _, p := range t.Points {
		lines[0].times = append(lines[0].times, p.Measured)
	}
	for _, e := range likeliest {
		lines = append(lines, struct {
			name  string
			times []units.Time
		}{e.ID, e.Predicted[task]})
	}
	v := taskView{Notes: taskNotes(t)}
	speedPlot := &plot{title: "Bandwidth", note: "Gb/s, more is better", format: axisNumber}
	if t.Points[0].Factor > 0 {
		speedPlot.title, speedPlot.note = "Bus bandwidth", "GB/s, more is better"
	}
	timePlot := &plot{title: "Time", note: "of one operation, less is better", log: true, format: timeText}
	for i := range t.Points {
		speedPlot.sizes = append(speedPlot.sizes, t.Points[i].Bytes)
	}
	timePlot.sizes = speedPlot.sizes
	for i, l := range lines {
		v.Legend = append(v.Legend, legendEntry{legendMarker(i), l.name})
		speeds, times := series{fabric: i, label: l.name}, series{fabric: i, label: l.name}
		for j, took := range l.times {
			speeds.values = append(speeds.values, speedOf(&t.Points[j], took))
			times.values = append(times.values, float64(took))
		}
		speedPlot.series, timePlot.series = append(speedPlot.series, speeds), append(timePlot.series, times)
	}
	v.Plots = drawn(speedPlot, timePlot)
	v.pageTable = pageOf(taskTable(d, task, likeliest), t.Title)
	return v
}
