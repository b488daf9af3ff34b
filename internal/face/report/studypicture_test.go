package report

import (
	"math"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/study/advise"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// judgedAdvice is an advice with two criteria: InfiniBand leads by 4 of 10 points in the first, RoCE v2
// by 3 of 20 in the second.
func judgedAdvice() *advise.Advice {
	return &advise.Advice{
		Profile:    &advise.Profile{},
		Candidates: []*advise.Candidate{{Kind: scenario.InfiniBandKind, Design: &plan.Design{}}, {Kind: scenario.RoCEv2Kind, Design: &plan.Design{}}},
		Verdict: advise.Verdict{
			Points: [2]float64{27, 26},
			Criteria: []advise.Criterion{
				{Name: "tail", Weight: 10, Scored: true, Points: [2]float64{10, 6}},
				{Name: "cost", Weight: 20, Scored: true, Points: [2]float64{17, 20}},
				{Name: "power", Weight: 5},
			},
		},
	}
}

// TestTheChoiceTurnsAtTheWeightAtWhichPointsAreEqual: RoCE v2 is chosen up to a weight of tail of 7.5,
// at which it has 3 points less from it, and from a weight of cost of 26⅔ on.
func TestTheChoiceTurnsAtTheWeightAtWhichPointsAreEqual(t *testing.T) {
	a := judgedAdvice()
	lanes := weightLanes(a)[0].(doc.Lanes)
	if len(lanes.Rows) != 2 {
		t.Fatalf("%d rows, want the two criteria that are scored", len(lanes.Rows))
	}
	for i, want := range []struct {
		turn        float64
		first, last string
	}{{0.075, "s1", "s0"}, {0.2 + 0.2/3, "s0", "s1"}} {
		spans := lanes.Rows[i].Tracks[0]
		if len(spans) != 2 || math.Abs(spans[0].To-want.turn) > 1e-9 || spans[0].Class != want.first || spans[1].Class != want.last || spans[1].To != 1 {
			t.Errorf("%s: %+v, want a turn at %v from %s to %s", lanes.Rows[i].Name, spans, want.turn, want.first, want.last)
		}
		now, weight := lanes.Rows[i].Tracks[1][0], float64(a.Verdict.Criteria[i].Weight)/100
		if math.Abs((now.From+now.To)/2-weight) > 1e-9 {
			t.Errorf("%s: the present weight is at %v, want %v", lanes.Rows[i].Name, (now.From+now.To)/2, weight)
		}
	}
	a.Verdict.Points = [2]float64{40, 26}
	if row := weightLanes(a)[0].(doc.Lanes).Rows[0]; len(row.Tracks[0]) != 1 || !strings.Contains(row.Note, "always InfiniBand") {
		t.Errorf("with a large lead elsewhere tail does not turn the choice: %+v", row)
	}
}

// TestPointsAreDrawnOverTheirWeights: the longest row is the largest weight.
func TestPointsAreDrawnOverTheirWeights(t *testing.T) {
	rows := pointLanes(judgedAdvice())[0].(doc.Lanes).Rows
	for i, want := range [][4]float64{{0.5, 0.5, 0.3, 0.5}, {0.85, 1, 1, 1}, {0, 0.25, 0, 0.25}} {
		for k := range 2 {
			if got := rows[i].Tracks[k]; math.Abs(got[0].To-want[2*k]) > 1e-9 || math.Abs(got[1].To-want[2*k+1]) > 1e-9 {
				t.Errorf("%s, fabric %d: %+v, want %v of %v", rows[i].Name, k, got, want[2*k], want[2*k+1])
			}
		}
	}
}

// TestDesignsAreDrawnByTheirPower: at equal distances for equal differences, the front as a line, and
// without the designs whose figure is unknown.
func TestDesignsAreDrawnByTheirPower(t *testing.T) {
	design := func(name string, kw int64, ratio int64, front bool) *plan.Design {
		return &plan.Design{Name: name, Kind: scenario.RoCEv2Kind, Power: plan.Sum{Known: kw * int64(units.Kilowatt)}, Oversubscription: scenario.Ratio{Num: ratio, Den: 1}, Front: front}
	}
	unknown := design("unknown", 25, 1, true)
	unknown.Power.Missing = []string{"the power of a switch"}
	p := &plan.Plan{Request: &plan.Request{}, Designs: []*plan.Design{design("c<", 40, 1, true), design("a", 20, 3, true), design("b", 30, 3, false), unknown}}
	blocks := planPlots(p).Blocks
	plots := blocks[0].(doc.Plots).Plots
	svg := string(plots[len(plots)-1].SVG)
	line := lineOf(t, svg, 0)
	if len(line) != 2 || line[0][0] != plotLeft || math.Abs(line[1][0]-plotLeft-innerWidth) > 0.06 || line[0][1] >= line[1][1] {
		t.Errorf("the front is %v, want a line downwards over the whole axis", line)
	}
	for _, want := range []string{"c&lt;, 40 kW: 1<", "b, 30 kW: 3<", `class="mark s0 hollow"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the plot lacks %q:\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "unknown") {
		t.Error("a design of unknown power is drawn")
	}
}

// TestAConfiguredAmountIsShownAsItWasWritten: and a measured one in powers of 1024.
func TestAConfiguredAmountIsShownAsItWasWritten(t *testing.T) {
	for text, want := range map[string]string{"100KB": "100 KB", "97.65625KiB": "100 KB", "8KiB": "8 KiB", "40.5MiB": "40.5 MiB", "123B": "123 B", "0B": "0 B"} {
		b, err := units.ParseBytes(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(b); got != want {
			t.Errorf("%s is shown as %q, want %q", text, got, want)
		}
	}
}
