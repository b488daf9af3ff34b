package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/sim/collective/nccl"
	"weft/internal/study/measured"
	"weft/scenario"
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
	insideKind = .12 // of one operation on a GPU and a number of ranks, inside a node
	longest    = 64 * mib
)

// The limits of a range of sizes: of a table, of all tables, and of an operation in all tables.
var (
	insideMean  = [measured.Ranges]float64{measured.Small: .08, measured.Medium: .07, measured.Large: .06}
	betweenMean = [measured.Ranges]float64{measured.Small: .10, measured.Medium: .08, measured.Large: .04}
)

// fitted says what was fitted, and what the score is.
const fitted = "the times of NCCL's kernels by generation of GPU, and of the software between nodes, are fitted to these tables; each is scored with times that were fitted without it. Measured clusters, above, says which tables gave no constant."

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
		if c.Fit != "" {
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
	table, chosen := make([]Row, len(c.Rows)), make([]string, len(c.Rows))
	err := e.each(len(table), func(i int) (err error) {
		table[i], chosen[i], err = ncclRow(e, c, &c.Rows[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	choices := one("choices of NCCL's debug output", Plain, 0, 0, atLeast, "")
	for i := range table {
		if want := c.Rows[i].Chosen; want != "" && chosen[i] != "" {
			choices.Reference[0]++
			if want == chosen[i] {
				choices.Weft[0]++
			} else {
				choices.Note = fmt.Sprintf("%s: %s, weft %s", table[i].Name, want, chosen[i])
			}
		}
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
		for _, f := range []*nccl.Figures{nil, c.Without} {
			if f == nil && len(r.Weft) > 0 {
				break
			}
			s := c.Scenario(m)
			p, err := e.firstPoint(c.ID, &s, f)
			if err != nil {
				return r, "", fmt.Errorf("%s: %w", r.Name, err)
			}
			if f != nil {
				r.InUse = r.Weft[0]
				notes = append(notes, fmt.Sprintf("figures in use: %s, %+.1f %%", r.Unit.text(r.InUse), 100*m.Error(units.Time(r.InUse))))
			}
			r.Weft, chosen = []float64{float64(p.Time)}, p.Algorithm+" "+p.Wire
		}
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

// Errors are errors by range of sizes: of one kind of rows, or of all kinds if the operation is
// empty.
type Errors struct {
	measured.Kind
	// Of are the errors of the score. InUse are the errors with the figures in use, without rows if
	// they are the same.
	Of, InUse [measured.Ranges]measured.Sum
}

// add counts a row.
func (e *Errors) add(r *Row) {
	at := measured.RangeOf(r.Measured.Bytes)
	e.Of[at].Add(relative(r.Reference[0], r.Weft[0]))
	if r.InUse > 0 {
		e.InUse[at].Add(relative(r.Reference[0], r.InUse))
	}
}

// Count is the number of rows.
func (e *Errors) Count() (n int) {
	for at := range e.Of {
		n += e.Of[at].Rows
	}
	return n
}

// Merge adds other errors.
func (e *Errors) Merge(of *Errors) {
	for at := range e.Of {
		e.Of[at].Merge(&of.Of[at])
		e.InUse[at].Merge(&of.InUse[at])
	}
}

// errorsOf are the errors of a table, of all kinds and of each: of the rows that count, or of all
// rows of a cluster that is not scored.
func errorsOf(c *measured.Cluster, rows []Row) []Errors {
	out := []Errors{{}}
	for _, k := range c.Kinds() {
		of := Errors{Kind: k}
		for i := range rows {
			r := &rows[i]
			if r.Measured == nil || r.Measured.Kind() != k || len(r.Weft) == 0 {
				continue
			}
			if ok, _ := c.Scores(r.Measured); ok || c.Unscored != "" {
				of.add(r)
			}
		}
		out[0].Merge(&of)
		out = append(out, of)
	}
	return out
}

// Times is the case's cluster with weft's times of this run, without the rows that were not
// simulated.
func (r *Result) Times() measured.Cluster {
	c := *r.Case.Cluster
	c.Rows = nil
	for _, row := range r.Rows {
		if row.Measured == nil || len(row.Weft) == 0 {
			continue
		}
		m := *row.Measured
		m.Predicted, m.Without = units.Time(row.Weft[0]), 0
		if row.InUse > 0 {
			m.Predicted, m.Without = units.Time(row.InUse), m.Predicted
		}
		c.Rows = append(c.Rows, m)
	}
	return c
}

// Errors are the errors of the case's cluster, nil if it has none.
func (r *Result) Errors() []Errors {
	if r.Case.Cluster == nil {
		return nil
	}
	return errorsOf(r.Case.Cluster, r.Rows)
}

// limitOf is the limit of a mean error: of one number of ranks on a GPU, or of more.
func limitOf(between, one bool, at measured.Range) float64 {
	switch {
	case between:
		return betweenMean[at]
	case one:
		return insideKind
	}
	return insideMean[at]
}

// Limits are the limits of a cluster's mean errors over all operations.
func Limits(c *measured.Cluster) (out [measured.Ranges]float64) {
	for at := range out {
		out[at] = limitOf(c.Nodes > 1, false, measured.Range(at))
	}
	return out
}

// Aim is the errors of all scored tables of a kind beside the limits.
type Aim struct {
	Between  bool                  // two nodes or more
	Blind    bool                  // only tables that gave no constant
	GPU      scenario.Architecture // empty for all
	Clusters []string
	Errors
	Limit [measured.Ranges]float64
}

// Aims are the errors of the scored tables inside a node, then between nodes: of all, of those that
// gave no constant, of each operation, and by GPU, operation and number of ranks.
func Aims(results []Result) (out []Aim) {
	for _, between := range []bool{false, true} {
		first := len(out)
		out = append(out, Aim{Between: between}, Aim{Between: between, Blind: true})
		for i := range results {
			c := results[i].Case.Cluster
			if c == nil || c.Unscored != "" || c.Nodes > 1 != between {
				continue
			}
			for _, e := range results[i].Errors() {
				if e.Count() == 0 {
					continue
				}
				out = addAims(out, first, c, &e)
			}
		}
		sorting.StableFunc(out[first+2:], func(a, b Aim) int {
			return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Ranks, b.Ranks))
		})
		for i := range out[first:] {
			a := &out[first+i]
			for at := range a.Limit {
				a.Limit[at] = limitOf(between, a.Ranks > 0, measured.Range(at))
			}
		}
	}
	return slices.DeleteFunc(out, func(a Aim) bool { return a.Count() == 0 })
}

// addAims adds errors of a cluster to the aims from first on to which they belong.
func addAims(out []Aim, first int, c *measured.Cluster, e *Errors) []Aim {
	between := out[first].Between
	to := []Aim{{GPU: c.Architecture, Errors: Errors{Kind: e.Kind}}, {Errors: Errors{Kind: measured.Kind{Op: e.Op}}}}
	if e.Op == "" {
		to = []Aim{{}}
		if c.Fit == "" {
			to = append(to, Aim{Blind: true})
		}
	}
	for i := range to {
		a := &to[i]
		at := first + slices.IndexFunc(out[first:], func(o Aim) bool { return o.Blind == a.Blind && o.GPU == a.GPU && o.Kind == a.Kind })
		if at < first {
			at = len(out)
			a.Between = between
			out = append(out, *a)
		}
		out[at].Merge(e)
		if !slices.Contains(out[at].Clusters, c.ID) {
			out[at].Clusters = append(out[at].Clusters, c.ID)
		}
	}
	return out
}

// meanRows are the means of a table beside the aims.
func meanRows(c *measured.Cluster, table []Row) (rows []Row) {
	for _, of := range errorsOf(c, table) {
		for at := range measured.Ranges {
			sum := &of.Of[at]
			if sum.Rows == 0 {
				continue
			}
			limit := limitOf(c.Nodes > 1, of.Op != "", at)
			r := one(fmt.Sprintf("mean error %s: %s", at, of.Kind), Percent, limit, sum.Mean(), atMost, "%d rows, the largest %+.1f %%", sum.Rows, 100*sum.Worst)
			if use := &of.InUse[at]; use.Rows > 0 {
				r.Note += fmt.Sprintf("; figures in use: %.1f %%, the largest %+.1f %%", 100*use.Mean(), 100*use.Worst)
			}
			if of.Op != "" {
				r.Level = 1
			}
			if c.Unscored != "" {
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
