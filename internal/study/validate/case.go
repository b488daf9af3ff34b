package validate

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/measured"
)

// Case is one claim about weft with its reference.
type Case struct {
	// ID names the case; a path, so that a glob can choose.
	ID string
	// Claim is the statement that the case tests, as a sentence.
	Claim string
	// Reference is the origin of the reference values: a formula with every term,
	// or a measurement with its source.
	Reference string
	// Setting is the simulated parameters, with their source if they are
	// published.
	Setting string
	// Calibrated says which parameter values were taken from which data; empty
	// is none.
	Calibrated string
	// Slow is a case of more than a second: its numbers are on the page, but a
	// test repeats it shortened.
	Slow bool
	// Cluster is the measured cluster of a case that compares a table; nil in others.
	Cluster *measured.Cluster
	// Run simulates and computes.
	Run func(*Env) ([]Row, error)
}

// Env is the surroundings of a case.
type Env struct {
	Ctx context.Context
	// Workers is the number of cores of a case whose parts are independent; 0 is 1.
	Workers int
	// Short shortens slow cases; the tolerance of a statistical case grows with
	// its confidence interval.
	Short bool
	// Exact says whether the simulations of scenarios skip what repeats itself, as in [sim.Options].
	Exact sim.Exact
	// Change, if not nil, changes the models before the network is built: a test
	// uses it to show that every case can fail.
	Change func(*Models)
}

// each does the n independent parts of a case, and returns the first of their errors.
func (e *Env) each(n int, do func(i int) error) error {
	errs := make([]error, n)
	cores.Each(n, max(1, e.Workers), func(i int) {
		if errs[i] = e.Ctx.Err(); errs[i] == nil {
			errs[i] = do(i)
		}
	})
	return cmp.Or(errs...)
}

// Row is a number, or a series of numbers of one kind, with its reference.
type Row struct {
	Name            string
	Level           int // 1: part of the nearest row above with level 0
	Unit            Unit
	Reference, Weft []float64
	Tolerance       Tolerance
	// Measured is the line of the cluster's table, nil in other rows.
	Measured *measured.Row
	// InUse is weft's time of such a line by the figures of NCCL's kernels in use, if Weft is by
	// other ones; else 0.
	InUse float64
	// Note explains the numbers, above all a miss.
	Note string
}

// Tolerance is the allowed difference of a row from its reference.
type Tolerance struct {
	Kind  ToleranceKind
	Limit float64
}

// ToleranceKind is the kind of a tolerance.
type ToleranceKind uint8

// The tolerances.
const (
	// ToleranceNone shows the numbers and scores nothing.
	ToleranceNone ToleranceKind = iota
	// ToleranceExact is equality.
	ToleranceExact
	// ToleranceRelative bounds the relative error by the limit.
	ToleranceRelative
	// ToleranceAtLeast wants weft's value to be the reference or more.
	ToleranceAtLeast
	// ToleranceAtMost wants weft's value to be the reference or less.
	ToleranceAtMost
)

// The tolerances of rows.
var (
	shown   = Tolerance{}
	exact   = Tolerance{Kind: ToleranceExact}
	atLeast = Tolerance{Kind: ToleranceAtLeast}
	atMost  = Tolerance{Kind: ToleranceAtMost}
)

// within is a relative tolerance.
func within(limit float64) Tolerance { return Tolerance{ToleranceRelative, limit} }

// String is the tolerance for people.
func (t Tolerance) String() string {
	switch t.Kind {
	case ToleranceExact:
		return "exact"
	case ToleranceRelative:
		return "±" + percent(t.Limit)
	case ToleranceAtLeast:
		return "at least"
	case ToleranceAtMost:
		return "at most"
	}
	return "not scored"
}

// Verdict is the outcome of a row.
type Verdict string

// The verdicts.
const (
	Pass  Verdict = "pass"
	Miss  Verdict = "MISS"
	Shown Verdict = "shown"
)

// Verdict compares the row with its tolerance.
func (r *Row) Verdict() Verdict {
	if r.Tolerance.Kind == ToleranceNone {
		return Shown
	}
	if len(r.Weft) != len(r.Reference) || len(r.Weft) == 0 {
		return Miss
	}
	for i, want := range r.Reference {
		if !r.Tolerance.holds(want, r.Weft[i]) {
			return Miss
		}
	}
	return Pass
}

func (t Tolerance) holds(want, got float64) bool {
	switch t.Kind {
	case ToleranceExact:
		return got == want
	case ToleranceRelative:
		return math.Abs(got-want) <= t.Limit*math.Abs(want)
	case ToleranceAtMost:
		return got <= want
	}
	return got >= want
}

// Worst is the index of the value whose relative error is the largest.
func (r *Row) Worst() int {
	worst, at := -1.0, 0
	for i := range min(len(r.Reference), len(r.Weft)) {
		if e := math.Abs(relative(r.Reference[i], r.Weft[i])); e > worst {
			worst, at = e, i
		}
	}
	return at
}

// relative is the error as a part of the reference.
func relative(want, got float64) float64 {
	switch {
	case got == want:
		return 0
	case want == 0:
		return math.Inf(1)
	}
	return got/want - 1
}

// Result is the outcome of a case.
type Result struct {
	Case *Case
	Rows []Row
	Err  error
}

// verdict is the worst verdict of the rows; an error is a miss.
func (r *Result) verdict() Verdict {
	v := Shown
	if r.Err != nil {
		return Miss
	}
	for i := range r.Rows {
		switch r.Rows[i].Verdict() {
		case Miss:
			return Miss
		case Pass:
			v = Pass
		}
	}
	return v
}

// one is a row of one value.
func one(name string, u Unit, want, got float64, t Tolerance, note string, args ...any) Row {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	return Row{Name: name, Unit: u, Reference: []float64{want}, Weft: []float64{got}, Tolerance: t, Note: note}
}
