package advise

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/internal/study/plan"
	"weft/internal/study/serve"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// mostAtOnce bounds the simulations at the same time: the first answer takes as many. Further cores
// go to each of them.
const mostAtOnce = 8

// bench runs simulations, each scenario once, several at the same time.
type bench struct {
	simulate many.Runner
	train    Trainer
	serve    Server
	message  units.Bytes
	workers  int           // of each simulation
	slots    chan struct{} // one for each simulation at the same time
	left     many.Left[piece]
	tell     func(Progress) // may be nil; called with telling locked
	telling  sync.Mutex

	results once[*results.Results]
	steps   once[*results.Training]
	limits  once[*serve.Limit]
}

func newBench(p *Profile, o *Options) *bench {
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return &bench{
		simulate: o.Simulate, train: o.Train, serve: o.Serve, message: p.Simulate.Message,
		workers: max(1, n/mostAtOnce), slots: make(chan struct{}, min(n, mostAtOnce)), tell: o.Progress,
	}
}

// piece is a kind of simulation.
type piece struct {
	what measurement
	kind scenario.FabricKind
}

// measurement is what a simulation measures.
type measurement string

const (
	ofPerformance measurement = "performance"
	ofTail        measurement = "tail"
	ofRecovery    measurement = "recovery"
)

// Progress is how far an advice is.
type Progress struct {
	Done, Total int // simulations; how many there are in all may change
	What        string
	Left        time.Duration // estimated; 0: unknown
}

// expect counts simulations that will be made, or takes some away that will not.
func (b *bench) expect(what measurement, kind scenario.FabricKind, n int) {
	b.left.Expect(piece{what, kind}, n)
}

// show tells how far the advice is, of which a simulation has begun, goes on or has ended.
func (b *bench) show(what measurement, d *plan.Design) {
	if b.tell == nil {
		return
	}
	b.telling.Lock()
	defer b.telling.Unlock()
	done, total := b.left.Count()
	left := b.left.Time(cap(b.slots), time.Now())
	b.tell(Progress{done, total, fmt.Sprintf("%s of %s", what, d.Name), left})
}

// once are simulations by their scenarios, each made once.
type once[T any] struct {
	mu   sync.Mutex
	made map[string]func() (T, error)
}

// of is the simulation of a scenario, a model of a design.
func (o *once[T]) of(
	ctx context.Context, b *bench, what measurement, d *plan.Design, r *scenario.Resolved,
	simulate func(func(sim.Progress)) (T, error),
) (out T, err error) {
	text, err := r.MarshalYAML()
	if err != nil {
		return out, err
	}
	o.mu.Lock()
	run, is := o.made[string(text)]
	if !is {
		if o.made == nil {
			o.made = map[string]func() (T, error){}
		}
		run = sync.OnceValues(func() (out T, err error) {
			select {
			case b.slots <- struct{}{}:
			case <-ctx.Done():
				return out, ctx.Err()
			}
			defer func() { <-b.slots }()
			number := b.left.Begin(piece{what, d.Kind}, time.Now())
			defer func() {
				b.left.End(number, time.Now())
				b.show(what, d)
			}()
			return simulate(func(p sim.Progress) {
				b.left.Share(number, p.Share)
				b.show(what, d)
			})
		})
		o.made[string(text)] = run
	}
	o.mu.Unlock()
	if is {
		b.expect(what, d.Kind, -1)
	}
	if out, err = run(); err != nil {
		return out, fmt.Errorf("%s, %d nodes: %w", d.Name, r.Cluster.Nodes, err)
	}
	return out, nil
}

// run simulates a scenario.
func (b *bench) run(
	ctx context.Context, what measurement, d *plan.Design, r *scenario.Resolved,
) (*results.Results, error) {
	run := func(show func(sim.Progress)) (*results.Results, error) {
		return b.simulate(ctx, r, sim.Options{Workers: b.workers, Progress: show})
	}
	return b.results.of(ctx, b, what, d, r, run)
}

// step simulates a training step.
func (b *bench) step(
	ctx context.Context, d *plan.Design, r *scenario.Resolved,
) (*results.TrainingFabric, error) {
	run := func(show func(sim.Progress)) (*results.Training, error) {
		return b.train(ctx, r, training.Options{Workers: b.workers, Progress: show})
	}
	t, err := b.steps.of(ctx, b, ofPerformance, d, r, run)
	if err != nil {
		return nil, err
	}
	return &t.Fabrics[0], nil
}

// limit searches the limit of a serving job, which may be near another rate.
func (b *bench) limit(
	ctx context.Context, d *plan.Design, r *scenario.Resolved, near float64,
) (*serve.Limit, error) {
	return b.limits.of(ctx, b, ofPerformance, d, r, func(func(sim.Progress)) (*serve.Limit, error) {
		return b.serve(ctx, r, serve.Options{Workers: b.workers, Near: near})
	})
}

// together does pieces of work at the same time; their simulations wait for each other. The error is
// that of the first piece with one.
func together(work ...func() error) error {
	errs := make([]error, len(work))
	cores.Each(len(work), len(work), func(i int) { errs[i] = work[i]() })
	return cmp.Or(errs...)
}
