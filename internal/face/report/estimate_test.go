package report

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
)

func TestTheEstimatedShareAndTheBoundStandBesideTheFigures(t *testing.T) {
	point := runstore.Point{Bytes: 1 << 20, Time: 1e9, AlgBW: 1, BusBW: 2}
	r := &runstore.Results{Fabrics: []runstore.FabricResult{{Name: "a", Points: []runstore.Point{point}}}}
	if text := Estimated(r); text != "" || len(speedTable(r).Rows[0]) != 4 {
		t.Errorf("%q, %v: nothing was asked for", text, speedTable(r).Rows[0])
	}
	r.Fabrics[0].Points[0].Estimate = &runstore.Estimate{Bound: 0.01, Share: 0.42, Leaps: 2}
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
	r.Fabrics[0].Points[0].Estimate = &runstore.Estimate{Bound: 0.01}
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
