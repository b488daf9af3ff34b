package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"weft/internal/formats/logfile"
	"weft/internal/sim/scenario"
)

// Fit is constants of the model fitted to logs.
type Fit struct {
	Fabric    string
	Constants []Fitted
	Tasks     []*Task
	Notes     []logfile.Note
	// Held marks, by task and point, the sizes that the search never saw.
	Held [][]bool
	// Error is the root mean square of ln(predicted / measured) before and after, on
	// the sizes of the search and on those held out.
	Seen, HeldOut [2]float64
	Evaluations   int
	// Partial says that the search was interrupted: the constants are its best so far.
	Partial bool
}

// Fitted is a constant with its values before and after.
type Fitted struct {
	Name          string
	Field         string // in an overlay
	Before, After string
	Factor        float64
	AtBound       bool // the search ended at a bound
}

// Better reports whether the fit is better on held-out sizes.
func (f *Fit) Better() bool { return f.HeldOut[1] < f.HeldOut[0] }

// heldEvery: of three sizes the middle one is held out, because the inside of a curve does not
// predict its ends.
const heldEvery = 3

// isHeld reports whether a point of a task is held out.
func isHeld(point int) bool { return point%heldEvery == heldEvery/2 }

// maxFitPoints is the maximum number of sizes of a table in a fit.
const maxFitPoints = 15

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
	if o.MaxSize == 0 {
		o.moved = maxFitted
	}
	fit := &Fit{}
	for _, log := range logs {
		tasks, notes := c.Tasks(log, o)
		fit.Tasks, fit.Notes = append(fit.Tasks, tasks...), append(fit.Notes, notes...)
	}
	if err := fit.hold(logs, len(chosen)); err != nil {
		return nil, err
	}
	fit.Fabric = fit.Tasks[0].base.Fabrics[0].Name
	s := &fitting{ctx: ctx, cluster: c, fit: fit, constants: chosen, options: &o}
	factors := make([]float64, len(chosen)) // their logarithms
	if fit.Seen[0], fit.HeldOut[0], err = s.errors(factors); err != nil {
		return nil, err
	}
	if factors, err = s.search(factors); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		fit.Partial = true
		return fit, ctx.Err()
	}
	if fit.Seen[1], fit.HeldOut[1], err = s.errors(factors); err != nil {
		return nil, err
	}
	fit.Evaluations = s.evaluations
	s.tell(factors)
	return fit, nil
}

// hold decides which sizes are held out.
func (f *Fit) hold(logs []*logfile.Log, constants int) error {
	if len(f.Tasks) == 0 {
		return &logfile.Error{Name: logs[0].Name, Line: f.Notes[0].Line, Text: f.Notes[0].Text}
	}
	seen, held := 0, 0
	for _, t := range f.Tasks {
		marks := make([]bool, len(t.Points))
		for i := range marks {
			marks[i] = isHeld(i)
			if marks[i] {
				held++
			} else {
				seen++
			}
		}
		f.Held = append(f.Held, marks)
	}
	if held == 0 || seen <= constants {
		return fmt.Errorf("%d sizes to fit %d constants to and %d to hold out: want at least %d and 1; take fewer constants, or a log of more sizes", seen, constants, held, constants+1)
	}
	return nil
}

// fitting is the state of a search.
type fitting struct {
	ctx         context.Context
	cluster     *Cluster
	fit         *Fit
	constants   []constant
	options     *Options
	evaluations int
}

// search returns the logarithms of the best factors from a start, by the method of Nelder and Mead
// ("A simplex method for function minimization", Computer Journal 7, 1965) with their coefficients.
// It uses no random numbers: equal calls give equal results. It ends when the best has hardly
// improved for a while, or with the context.
func (s *fitting) search(start []float64) ([]float64, error) {
	const step, enough, idle = .4, 1e-4, 8 // of the first simplex; of the error; turns
	found, err := optimize.Minimize(
		optimize.Problem{Func: s.objective, Status: func() (optimize.Status, error) {
			select {
			case <-s.ctx.Done():
				return optimize.RuntimeLimit, nil
			default:
				return optimize.NotTerminated, nil
			}
		}},
		start,
		&optimize.Settings{FuncEvaluations: maxEvals, Converger: &optimize.FunctionConverge{Absolute: enough, Iterations: idle}},
		&optimize.NelderMead{SimplexSize: step, Reflection: 1, Expansion: 2, Contraction: .5, Shrink: .5},
	)
	if err != nil {
		return nil, fmt.Errorf("the search for the constants: %w", err)
	}
	return found.X, nil
}

// objective is the minimised function: the error on the visible sizes, and a larger value than any
// error beyond a bound of a factor.
func (s *fitting) objective(logs []float64) float64 {
	for i, k := range s.constants {
		if x := math.Exp(logs[i]); x < k.least || x > k.most {
			return 1e6 + math.Abs(logs[i])
		}
	}
	seen, _, err := s.errors(logs)
	if err != nil {
		return math.Inf(1) // an impossible scenario: the search turns back
	}
	return seen
}

// errors simulates every task with the constants changed.
func (s *fitting) errors(logs []float64) (seen, held float64, err error) {
	s.evaluations++
	if s.options.Progress != nil {
		s.options.Progress(s.evaluations, maxEvals+2, "fitting")
	}
	var both [2]match
	for i, t := range s.fit.Tasks {
		predicted, err := s.cluster.predict(s.ctx, t, s.overrides(t, logs), s.options)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", t.Title, err)
		}
		for j := range t.Points {
			part := &both[0]
			if s.fit.Held[i][j] {
				part = &both[1]
			}
			off := offBy(predicted[j], t.Points[j].Measured)
			part.squares, part.n = part.squares+off*off, part.n+1
		}
	}
	return both[0].rms(), both[1].rms(), nil
}

// overrides are the constants with their factors. A factor of one adds no override.
func (s *fitting) overrides(t *Task, logs []float64) (out []scenario.Override) {
	for i := range s.constants {
		k := &s.constants[i]
		if logs[i] != 0 {
			out = append(out, scenario.Override{Path: k.path(s.cluster), Value: k.text(k.value(t.base) * math.Exp(logs[i])), Origin: "fitting " + k.name})
		}
	}
	return out
}

// tell stores the result of the search.
func (s *fitting) tell(logs []float64) {
	base := s.fit.Tasks[0].base
	for i := range s.constants {
		k := &s.constants[i]
		factor := math.Exp(logs[i])
		s.fit.Constants = append(s.fit.Constants, Fitted{
			Name: k.name, Field: k.field, Factor: factor,
			Before: k.text(k.value(base)), After: k.text(k.value(base) * factor),
			AtBound: factor < k.least*1.05 || factor > k.most/1.05,
		})
	}
}

// errPartialFit is the error for the overlay of an interrupted fit.
var errPartialFit = errors.New("the fit was interrupted: there is no overlay of half a search")
