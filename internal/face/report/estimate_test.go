package report

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
)

func TestTheEstimatedShareAndTheBoundStandBesideTheFigures(t *testing.T) {
	point := results.Point{Bytes: 1 << 20, Time: 1e9, AlgBW: 1, BusBW: 2}
	r := &results.Results{Fabrics: []results.FabricResult{{Name: "a", Points: []results.Point{point}}}}
	if text := Estimated(r); text != "" || len(speedTable(r).Rows[0]) != 4 {
		t.Errorf("%q, %v: nothing was asked for", text, speedTable(r).Rows[0])
	}
	r.Fabrics[0].Points[0].Estimate = &results.Estimate{Bound: 0.01, Share: 0.42, Leaps: 2}
	for name, rows := range map[string]int{"speed": len(speedTable(r).Rows), "network": len(networkTable(r).Rows)} {
		if rows < 2 {
			t.Fatalf("the table of %s has %d rows", name, rows)
		}
	}
	for _, row := range [][]string{texts(speedTable(r).Rows[1]), texts(networkTable(r).Rows[1])} {
		if last := row[len(row)-1]; last != "42 %, 1 %" {
			t.Errorf("%q, want the share and the bound", last)
		}
	}
	if text := Estimated(r); !strings.Contains(text, "up to 42 % of the time, with a bound of 1 %") || !strings.Contains(text, "of the simulated part alone") {
		t.Error(text)
	}
	r.Fabrics[0].Points[0].Estimate = &results.Estimate{Bound: 0.01}
	if text := Estimated(r); !strings.HasPrefix(text, "nothing was estimated") {
		t.Error(text)
	}
}

func texts(row []doc.Cell) (out []string) {
	for _, c := range row {
		out = append(out, c.Text)
	}
	return out
}

// A lead that is smaller than what the bounds leave open is not called one, with one run or with seeds.
func TestALeadWithinTheBoundOfAnEstimateIsNotClaimed(t *testing.T) {
	outcome := func(bound float64, leaps int, seeds *results.Seeds) *results.Results {
		slow := results.Point{Bytes: 1 << 30, Time: 1_060_000_000, BusBW: 2, Counts: results.Counts{PacketHops: 1}}
		fast := results.Point{Bytes: 1 << 30, Time: 1_000_000_000, BusBW: 2, Estimate: &results.Estimate{Bound: bound, Share: 0.5, Leaps: leaps}}
		if seeds != nil {
			slow.Seeds, fast.Seeds = seeds, &results.Seeds{TimesPs: []int64{1_000_000_000, 1_001_000_000, 1_002_000_000}}
		}
		return &results.Results{Fabrics: []results.FabricResult{{Name: "fast", Points: []results.Point{fast}}, {Name: "slow", Points: []results.Point{slow}}}}
	}
	seeds := &results.Seeds{TimesPs: []int64{1_060_000_000, 1_061_000_000, 1_062_000_000}}
	for name, c := range map[string]struct {
		r    *results.Results
		want string
	}{
		"simulated":           {outcome(0.1, 0, nil), "fast takes the least time"},
		"narrow bound":        {outcome(0.01, 1, nil), "fast takes the least time"},
		"wide bound":          {outcome(0.1, 1, nil), "near each other in this run"},
		"seeds, simulated":    {outcome(0.1, 0, seeds), "fast leads slow"},
		"seeds, narrow bound": {outcome(0.01, 1, seeds), "fast leads slow"},
		"seeds, wide bound":   {outcome(0.1, 1, seeds), "fast and slow are not told apart by the seeds and the bounds of the estimates"},
	} {
		if v := Judge(c.r, nil); len(v.Where) != 1 || !strings.Contains(v.Where[0], c.want) {
			t.Errorf("%s: %q, want %q", name, v.Where, c.want)
		}
	}
}

func TestFabricsWithinTheTieAreNotAlikeIfTheBoundIsWider(t *testing.T) {
	point := results.Point{Bytes: 1 << 30, Time: 1_000_000_000, BusBW: 2, Counts: results.Counts{PacketHops: 1}}
	other := point
	other.Time, other.Estimate = 1_005_000_000, &results.Estimate{Bound: 0.05, Leaps: 1}
	r := &results.Results{Fabrics: []results.FabricResult{{Name: "a", Points: []results.Point{point}}, {Name: "b", Points: []results.Point{other}}}}
	if v := Judge(r, nil); !strings.Contains(v.Where[0], "near each other in this run") {
		t.Errorf("%q: 5 %% are more than the tie of 2 %%", v.Where)
	}
	r.Fabrics[1].Points[0].Estimate.Bound = 0.001
	if v := Judge(r, nil); !strings.Contains(v.Where[0], "a and b are equal") {
		t.Errorf("%q: 0.5 %% and a bound of 0.1 %% are within the tie", v.Where)
	}
}
