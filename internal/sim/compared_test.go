package sim

import (
	"strings"
	"testing"

	"weft/results"
)

// A difference between a run with skipping and one without is a failure, which names the first field of results.json
// that differs and both values. The engine's events are no result.
func TestADifferenceIsAFailure(t *testing.T) {
	point := func(change func(*results.Point)) *results.Point {
		p := &results.Point{Bytes: 8, Algorithm: "ring", Time: 1000, Hottest: []results.HotLink{{Name: "a"}, {Name: "b", Busy: 0.5}}}
		p.Counts.Packets, p.Counts.Skipped.Periods = 100, 7
		change(p)
		return p
	}
	same := func(*results.Point) {}
	if p := compared(point(same), point(func(p *results.Point) { p.Counts.Skipped, p.Counts.Events = results.Skipped{}, 3 }), [2]*results.Series{}); p.Failure != "" || p.Time != 1000 || p.Counts.Skipped.Periods != 7 || p.Counts.Events != 3 {
		t.Errorf("equal results: %+v", p)
	}
	for want, change := range map[string]func(*results.Point){
		"counts.packets is 100 if repeated periods are skipped, and 101 if all are simulated (7 periods": func(p *results.Point) { p.Counts.Packets++ },
		"time_ps is 1000 if repeated periods are skipped, and 999 ":                                      func(p *results.Point) { p.Time--; p.Counts.Packets++ },
		"hottest_links[1].busy is 0.5 if repeated periods are skipped, and 0.51 ":                        func(p *results.Point) { p.Hottest[1].Busy = 0.51 },
		"the length of hottest_links is 2 if repeated periods are skipped, and 1 ":                       func(p *results.Point) { p.Hottest = p.Hottest[:1] },
		"pauses is missing if repeated periods are skipped, and present ":                                func(p *results.Point) { p.Pauses = new(results.Pauses) },
		`failure is "" if repeated periods are skipped, and "no progress" `:                              func(p *results.Point) { p.Time, p.Failure = 0, "no progress" },
	} {
		p := compared(point(same), point(change), [2]*results.Series{})
		if !strings.Contains(p.Failure, want) || !strings.Contains(p.Failure, "this is a defect of weft, please report it with the scenario; --exact off") || p.Time != 0 || p.Algorithm != "ring" {
			t.Errorf("want %q: %+v", want, p)
		}
	}
}
