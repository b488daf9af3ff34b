package validate

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/study/measured"
	"weft/units"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// The limits of a scored table. They are aims, not what the models reach.
const (
	rowLimit   = .25 // of a row
	insideMean = .08 // of a range of sizes inside a node
	insideKind = .12 // of one operation on one number of ranks in it
	longest    = 64 * mib
)

// betweenMean is the limit of a range of sizes between nodes.
var betweenMean = [measured.Ranges]float64{measured.Small: .20, measured.Medium: .10, measured.Large: .05}

// fitted says what was taken from the fitted rows.
const fitted = "the times of NCCL's kernels by generation of GPU, and of the software between nodes, are fitted to the rows marked \"fitted\". Those rows are shown and not scored. The form of the model, not its constants, was chosen with the held-out tables T1, V4 and H200 in view."

// ncclCases compare published tables with the model of the cluster.
func ncclCases() []*Case {
	clusters := measured.Clusters()
	var out []*Case
	for i := range clusters {
		c := &clusters[i]
		k := &Case{
			ID:        "nccl/" + c.ID,
			Claim:     fmt.Sprintf("Collectives on %s take the measured time.", c.Title),
			Reference: "Measured: " + c.Source + ".",
			Setting:   fmt.Sprintf("Network between nodes: %s. Harness: %s.", c.Network, c.Harness),
			Slow:      true,
			Cluster:   c,
			Run:       func(e *Env) ([]Row, error) { return ncclRows(e, c) },
		}
		if c.NCCL != "" {
			k.Setting += " NCCL " + c.NCCL + "."
		}
		if c.Note != "" {
			k.Setting += " Known: " + c.Note + "."
		}
		if slices.ContainsFunc(c.Rows, func(r measured.Row) bool { return r.Fitted }) {
			k.Calibrated = fitted
		}
		if c.Unscored != "" {
			k.Claim = fmt.Sprintf("Collectives on %s, beside the measurement.", c.Title)
			k.Setting += " Not scored: " + c.Unscored + "."
		}
		out = append(out, k)
	}
	return out
}

// ncclRows are the mean errors of a cluster, then its table.
func ncclRows(e *Env, c *measured.Cluster) ([]Row, error) {
	var table []Row
	choices := one("choices of NCCL's debug output", Plain, 0, 0, atLeast, "")
	for i := range c.Rows {
		r, chosen, err := ncclRow(e, c, &c.Rows[i])
		if err != nil {
			return nil, err
		}
		if want := c.Rows[i].Chosen; want != "" && chosen != "" {
			choices.Reference[0]++
			if want == chosen {
				choices.Weft[0]++
			} else {
				choices.Note = fmt.Sprintf("%s: %s, weft %s", r.Name, want, chosen)
			}
		}
		table = append(table, r)
	}
	rows := meanRows(c, table)
	if choices.Reference[0] > 0 {
		rows = append(rows, choices)
	}
	return append(rows, table...), nil
}

// ncclRow simulates a line of a table, and says what weft chose.
func ncclRow(e *Env, c *measured.Cluster, m *measured.Row) (r Row, chosen string, err error) {
	r = Row{
		Name: fmt.Sprintf("%s %s, %d ranks", m.Op, units.Bytes(m.Bytes), m.Ranks), Level: 1,
		Unit: Microseconds, Reference: []float64{float64(m.Time)}, Measured: m,
	}
	if m.Algorithm != "" {
		r.Name += ", " + string(m.Algorithm)
	}
	notes := []string{m.Note}
	switch scores, why := c.Scores(m); {
	case m.Fitted:
		notes = append(notes, "fitted")
	case scores:
		r.Tolerance = within(rowLimit)
	case c.Unscored == "":
		notes = append(notes, "not scored: "+why)
	}
	switch {
	case c.Preset == "":
		notes = append(notes, "the catalog has no such node")
	case m.Bytes > measured.MaxSimulated:
		notes = append(notes, "not simulated: larger than "+units.Bytes(measured.MaxSimulated).String())
	case e.Short && m.Bytes > longest:
		notes = append(notes, "left out of a short run")
	default:
		s := c.Scenario(m)
		p, err := firstPoint(e.Ctx, c.ID, &s)
		if err != nil {
			return r, "", fmt.Errorf("%s: %w", r.Name, err)
		}
		r.Weft, chosen = []float64{float64(p.Time)}, p.Algorithm+" "+p.Wire
	}
	if len(r.Weft) == 0 {
		r.Tolerance = shown
	}
	if r.Verdict() == Miss {
		notes = append(notes, c.Note)
	}
	r.Note = noteOf(notes)
	return r, chosen, nil
}

// noteOf is the notes that are not empty.
func noteOf(notes []string) string {
	var out []string
	for _, n := range notes {
		if n != "" {
			out = append(out, n)
		}
	}
	return strings.Join(out, "; ")
}

// Errors are a cluster's errors by range of sizes: of one kind of rows, or of all kinds if the
// operation is empty.
type Errors struct {
	measured.Kind
	Of [measured.Ranges]measured.Sum
}

// errorsOf are the errors of a table: of the rows that count, or of all rows of a cluster that is
// not scored. Fitted rows and the others stay apart.
func errorsOf(c *measured.Cluster, rows []Row) (out []Errors) {
	kinds := c.Kinds()
	for _, sample := range []bool{false, true} {
		all := Errors{Kind: measured.Kind{Fitted: sample}}
		var apart []Errors
		for _, k := range kinds {
			if k.Fitted != sample {
				continue
			}
			of := Errors{Kind: k}
			for i := range rows {
				m := rows[i].Measured
				if m == nil || m.Kind() != k || len(rows[i].Weft) == 0 {
					continue
				}
				if ok, _ := c.Scores(m); !ok && c.Unscored == "" {
					continue
				}
				e := relative(rows[i].Reference[0], rows[i].Weft[0])
				at := measured.RangeOf(m.Bytes)
				of.Of[at].Add(e)
				all.Of[at].Add(e)
			}
			apart = append(apart, of)
		}
		if len(apart) > 0 {
			out = append(append(out, all), apart...)
		}
	}
	return out
}

// Errors are the errors of the case's cluster, nil if it has none.
func (r *Result) Errors() []Errors {
	if r.Case.Cluster == nil {
		return nil
	}
	return errorsOf(r.Case.Cluster, r.Rows)
}

// meanRows are the means of a table beside the aims.
func meanRows(c *measured.Cluster, table []Row) (rows []Row) {
	for _, of := range errorsOf(c, table) {
		for at := range measured.Ranges {
			sum := &of.Of[at]
			if sum.Rows == 0 {
				continue
			}
			limit := insideKind
			switch {
			case c.Nodes > 1:
				limit = betweenMean[at]
			case of.Op == "":
				limit = insideMean
			}
			r := one(fmt.Sprintf("mean error %s: %s", at, of.Kind), Percent, limit, sum.Mean(), atMost, "%d rows, the largest %+.1f %%", sum.Rows, 100*sum.Worst)
			if of.Op != "" {
				r.Level = 1
			}
			if c.Unscored != "" || of.Fitted {
				r.Tolerance, r.Reference = shown, nil
			}
			if r.Verdict() == Miss {
				r.Note = noteOf([]string{r.Note, c.Note})
			}
			rows = append(rows, r)
		}
	}
	return rows
}
