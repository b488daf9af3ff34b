package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/units"
)

// lineOf is the points of a fabric's first line in a drawing.
func lineOf(t *testing.T, svg string, fabric int) (out [][2]float64) {
	t.Helper()
	m := regexp.MustCompile(`class="line s` + strconv.Itoa(fabric) + `"[^>]* d="M([^"]*)"`).FindStringSubmatch(svg)
	if m == nil {
		t.Fatalf("there is no line of fabric %d in\n%s", fabric, svg)
	}
	for pair := range strings.SplitSeq(m[1], "L") {
		x, y, _ := strings.Cut(pair, " ")
		at := [2]float64{}
		for i, text := range []string{x, y} {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			at[i] = v
		}
		out = append(out, at)
	}
	return out
}

// TestDistancesFromTheFastestAreDrawnAsTheyAre: of a logarithmic axis equal ratios are equally high,
// and the fastest of a size is on the line below the axis.
func TestDistancesFromTheFastestAreDrawnAsTheyAre(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf()[:4])
	for j, percent := range []units.Time{1, 10, 100, 0} {
		least := r.Fabrics[0].Points[j].Time
		r.Fabrics[1].Points[j].Time = least + least*percent/100
	}
	svg := string(newComparison(r).behindPlot().draw())
	first, second := lineOf(t, svg, 0), lineOf(t, svg, 1)
	floor := plotTop + innerHeight
	for i, at := range first {
		if math.Abs(at[1]-floor) > 0.06 {
			t.Errorf("the fastest is drawn at %v at size %d, want the line at %v", at[1], i, floor)
		}
	}
	one, ten, hundred, tie := second[0][1], second[1][1], second[2][1], second[3][1]
	if d1, d2 := one-ten, ten-hundred; d1 <= 0 || math.Abs(d1-d2) > 0.3 {
		t.Errorf("1, 10 and 100 %% are at %v, %v and %v, want equal distances upwards", one, ten, hundred)
	}
	if math.Abs(tie-floor) > 0.06 || one > floor-zeroRoom+0.1 {
		t.Errorf("a tie is at %v and 1 %% at %v, want the tie at %v and the axis above it", tie, one, floor)
	}
	if !strings.Contains(svg, "% longer, logarithmic axis") || !strings.Contains(svg, ">fastest<") {
		t.Error("the axis does not say that it is logarithmic, or where the fastest is")
	}
}

// TestALogarithmicAxisHasAMarkForEachDigit: 1 to 9 of each decade, each once.
func TestALogarithmicAxisHasAMarkForEachDigit(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{1, 100}, {0.02, 5000}, {1, 1e6}} {
		major := logTicks(c.lo, c.hi)
		all := slices.Sorted(slices.Values(slices.Concat(major, minorTicks(c.lo, c.hi, major))))
		for i := 1; i < len(all); i++ {
			decade := math.Pow(10, math.Floor(math.Log10(all[i-1])+1e-9))
			if got := all[i] - all[i-1]; math.Abs(got-decade) > decade*1e-6 {
				t.Errorf("%v to %v: after %v there is %v, want a step of %v", c.lo, c.hi, all[i-1], all[i], decade)
			}
		}
	}
}

// TestACounterOfZeroIsNotDrawn: a plot without any event is none.
func TestACounterOfZeroIsNotDrawn(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf())
	for i := range r.Fabrics {
		for j := range r.Fabrics[i].Points {
			r.Fabrics[i].Points[j].Counts.CreditStalls = int64(j * (1 - i))
			r.Fabrics[i].Points[j].Counts.Pauses, r.Fabrics[i].Points[j].Counts.Marks = 0, 0
		}
	}
	titles := map[string]string{}
	for _, p := range drawn(newComparison(r).plots()...) {
		titles[p.Title] = string(p.SVG)
	}
	if svg := titles["Credit stalls"]; !strings.Contains(svg, `class="line s0"`) || strings.Contains(svg, `class="line s1"`) {
		t.Errorf("credit stalls: want a line of the first fabric only\n%s", svg)
	}
	if _, ok := titles["Pauses, marks and drops"]; ok {
		t.Error("a plot without events is drawn")
	}
}

func TestTicksOfWeightsAreExact(t *testing.T) {
	text := ""
	for _, tick := range weightTicks(25) {
		text += tick.Label + " "
	}
	if text != "0 6.25 12.5 18.75 25 " {
		t.Errorf("the quarters of 25 are %q", text)
	}
}
