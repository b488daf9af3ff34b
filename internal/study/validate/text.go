package validate

import (
	"io"
	"math"

	"weft/internal/base/jsontext"
)

// Texts are a row for people: its name, reference, weft's value, error, tolerance and verdict.
func (r *Row) Texts() []string {
	return []string{r.Name, r.Unit.series(r.Reference), r.Unit.series(r.Weft), r.errorText(), r.Tolerance.String(), string(r.Verdict())}
}

// jsonCase and jsonRow are a result as JSON, with values in base units:
// picoseconds, bytes, bits per second, bytes per second, parts of 1.
type jsonCase struct {
	ID         string    `json:"id"`
	Claim      string    `json:"claim"`
	Reference  string    `json:"reference"`
	Setting    string    `json:"setting,omitempty"`
	Calibrated string    `json:"calibrated,omitempty"`
	Verdict    Verdict   `json:"verdict"`
	Failure    string    `json:"failure,omitempty"`
	Rows       []jsonRow `json:"rows"`
}

type jsonRow struct {
	Name      string    `json:"name"`
	Unit      string    `json:"unit"`
	Reference []float64 `json:"reference"`
	Weft      []float64 `json:"weft"`
	Error     *float64  `json:"worst_relative_error"` // null if there is none
	Tolerance string    `json:"tolerance"`
	Verdict   Verdict   `json:"verdict"`
	Note      string    `json:"note,omitempty"`
}

var baseUnits = map[Unit]string{
	Plain: "", Nanoseconds: "ps", Microseconds: "ps", Bytes: "B", Gigabits: "bit/s", Gigabytes: "B/s", Percent: "1",
}

// Base is the base unit of values; empty for a plain number.
func (u Unit) Base() string { return baseUnits[u] }

// WriteJSON writes results as one JSON value.
func WriteJSON(w io.Writer, results []Result) error {
	out := []jsonCase{}
	for i := range results {
		r := &results[i]
		c := jsonCase{
			ID: r.Case.ID, Claim: r.Case.Claim, Reference: r.Case.Reference, Setting: r.Case.Setting,
			Calibrated: r.Case.Calibrated, Verdict: r.verdict(), Rows: []jsonRow{},
		}
		if r.Err != nil {
			c.Failure = r.Err.Error()
		}
		for j := range r.Rows {
			c.Rows = append(c.Rows, r.Rows[j].json())
		}
		out = append(out, c)
	}
	pass, miss, notScored := Count(results)
	return jsontext.Write(w, struct {
		Pass  int        `json:"pass"`
		Miss  int        `json:"miss"`
		Shown int        `json:"shown"`
		Cases []jsonCase `json:"cases"`
	}{pass, miss, notScored, out})
}

func (r *Row) json() jsonRow {
	out := jsonRow{
		Name: r.Name, Unit: baseUnits[r.Unit], Reference: r.Reference, Weft: r.Weft,
		Tolerance: r.Tolerance.String(), Verdict: r.Verdict(), Note: r.Note,
	}
	if len(r.Reference) > 0 && len(r.Weft) > 0 {
		i := r.Worst()
		if e := relative(r.Reference[i], r.Weft[i]); !math.IsInf(e, 0) {
			out.Error = &e
		}
	}
	return out
}
