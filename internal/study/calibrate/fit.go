package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"weft/internal/formats/logfile"
)

// Fit is constants of the model fitted to logs.
type Fit struct {
	Fabric    string
	Constants []Fitted
	Tasks     []*Task
	Notes     []logfile.Note
	// Held marks, by task and point, the sizes that the search never saw.
	Held [][]bool
	// Off is ln(predicted / measured) before and after, by task and point.
	Off         [2][][]float64
	Evaluations int
	// Partial says that the search was interrupted: the constants are its best so far.
	Partial bool
}

// Fitted is a constant with its values before and after.
type Fitted struct {
	Name          string
	Field         string // in an overlay
	Before, After string
	Factor        float64
	// Least and Most bound the factor with a probability of 95 %.
	Least, Most float64
	// Determined says that the sizes of the search determine the constant; otherwise it keeps its
	// value.
	Determined bool
}

// chance is the probability with which a fit that gains nothing may be taken for better.
const chance = .05

// Better reports whether the held-out sizes got better by more than chance: by Student's test of the
// mean of what the sizes gain in |ln(predicted / measured)|. One size shows nothing.
func (f *Fit) Better() bool {
	var gains []float64
	for t := range f.Held {
		for j, held := range f.Held[t] {
			if held {
				gains = append(gains, math.Abs(f.Off[0][t][j])-math.Abs(f.Off[1][t][j]))
			}
		}
	}
	n := float64(len(gains))
	if n < 2 {
		return false
	}
	mean, deviation := stat.MeanStdDev(gains, nil)
	least := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - chance)
	return mean > 0 && mean >= least*deviation/math.Sqrt(n)
}

// Error is the root mean square of ln(predicted / measured) before and after, on the sizes held out
// or on those of the search.
func (f *Fit) Error(held bool) (before, after float64) {
	var both [2]match
	for stage := range both {
		for t := range f.Off[stage] {
			for j, off := range f.Off[stage][t] {
				if f.Held[t][j] == held {
					both[stage].count(off)
				}
			}
		}
	}
	return both[0].rms(), both[1].rms()
}

// isHeld reports whether a point of a task is held out: every second one.
func isHeld(point int) bool { return point%2 == 1 }

// maxFitPoints is the maximum number of sizes of a table in a fit.
const maxFitPoints = 32

// FitTo fits constants, by the names of --fit, to logs of a cluster. If interrupted, it returns the
// best so far, marked as partial, with the context's error.
func (c *Cluster) FitTo(ctx context.Context, logs []*logfile.Log, names []string, o Options) (*Fit, error) {
	chosen, err := constantsOf(names)
	if err != nil {
		return nil, err
	}
	if o.Sizes == 0 {
		o.Sizes = maxFitPoints
	}
	fit := &Fit{}
	for _, log := range logs {
		tasks, notes := c.Tasks(log, o)
		fit.Tasks, fit.Notes = append(fit.Tasks, tasks...), append(fit.Notes, notes...)
	}
	if err := fit.hold(logs); err != nil {
		return nil, err
	}
	fit.Fabric = fit.Tasks[0].base.Fabrics[0].Name
	s := &search{ctx: ctx, cluster: c, fit: fit, constants: chosen, options: &o}
	err = s.run()
	fit.Evaluations, fit.Partial = s.evaluations, ctx.Err() != nil
	return fit, err
}

// hold decides which sizes are held out.
func (f *Fit) hold(logs []*logfile.Log) error {
	if len(f.Tasks) == 0 {
		return &logfile.Error{Name: logs[0].Name, Line: f.Notes[0].Line, Text: f.Notes[0].Text}
	}
	held := 0
	for _, t := range f.Tasks {
		marks := make([]bool, len(t.Points))
		for i := range marks {
			marks[i] = isHeld(i)
			if marks[i] {
				held++
			}
		}
		f.Held = append(f.Held, marks)
	}
	if held == 0 {
		return fmt.Errorf("%s: every table has one size, so that none can be held out: want a table of two sizes or more", logs[0].Name)
	}
	return nil
}

// errPartialFit is the error for the overlay of an interrupted fit.
var errPartialFit = errors.New("the fit was interrupted: there is no overlay of half a search")
