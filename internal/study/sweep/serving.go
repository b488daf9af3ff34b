package sweep

import (
	"cmp"
	"errors"

	"weft/internal/study/quantity"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
)

// servingRow is the row of a serving job.
func servingRow(r *scenario.Resolved, s *results.Serving, err error) *Row {
	row := &Row{Status: OK, Fabric: r.Fabrics[0].Name}
	if err == nil && (s == nil || s.Partial || len(s.Points) != 1 || len(s.Points[0].Fabrics) != 1) {
		err = errors.New("the simulator gave neither results nor a reason")
	}
	var memory *serve.MemoryError
	switch {
	case errors.As(err, &memory):
		row.Status, row.Error = Invalid, oneLine(err.Error())
		return row
	case err != nil:
		row.Status, row.Error = Failed, oneLine(err.Error())
		return row
	}
	at := &s.Points[0]
	f := &at.Fabrics[0]
	if why := cmp.Or(at.Unstable, f.Unstable); why != "" {
		row.Status, row.Error = Unstable, oneLine(why)
		return row
	}
	row.Values = quantity.Serving.Filed(&quantity.Served{Run: f.Run, Ideal: at.Ideal})
	return row
}
