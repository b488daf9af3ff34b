package report

import (
	"weft/internal/face/doc"
	"weft/internal/study/calibrate"
	"weft/units"
)

// taskPlots are the diagrams of a table of the log: the log, the prediction, and the
// likeliest explanations, each a colour.
func taskPlots(d *calibrate.Diagnosis, task int, likeliest []calibrate.Explanation) doc.Plots {
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
	var out doc.Plots
	speedPlot := &plot{title: "Bandwidth", note: "more is better", unit: "Gb/s", format: axisNumber}
	if t.Points[0].Factor > 0 {
		speedPlot.title, speedPlot.unit = "Bus bandwidth", "GB/s"
	}
	timePlot := &plot{title: "Time", note: "of one operation, less is better", log: true, format: timeText}
	for i := range t.Points {
		speedPlot.sizes = append(speedPlot.sizes, t.Points[i].Bytes)
	}
	timePlot.sizes = speedPlot.sizes
	for i, l := range lines {
		out.Legend = append(out.Legend, l.name)
		speeds, times := series{fabric: i, label: l.name}, series{fabric: i, label: l.name}
		for j, took := range l.times {
			speeds.values = append(speeds.values, speedOf(&t.Points[j], took))
			times.values = append(times.values, float64(took))
		}
		speedPlot.series, timePlot.series = append(speedPlot.series, speeds), append(timePlot.series, times)
	}
	out.Plots = drawn(speedPlot, timePlot)
	return out
}
