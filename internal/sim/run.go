package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"weft/internal/base/cores"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/known"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/exchange"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/pattern"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// job is one simulation: a size on a fabric.
type job struct {
	network.Task
	part          *known.Part
	key           known.Key      // of the simulation, if there is a cache
	known         *results.Point // its result in the cache; nil if it must be simulated
	fabric, point int
	into          *results.Point // its result; no other job writes it
	further       bool           // with another seed than the scenario's
	work          float64        // before anything of it is known; see executor.WorkOf
	hidden        bool           // another simulation that is compared with it is shown instead
	watch         *watch
	observe       func(*fabric.Network) // nil, or called with the network
	ended         func()                // nil, or called at its end
	number        int32                 // in the series
}

// Run simulates a scenario. If ctx is cancelled, it returns the finished simulations, marked as
// partial, and ctx's error.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*results.Results, error) {
	return simulate(ctx, r, o, nil)
}

// Pausable is [engine.Pausable].
func Pausable(ctx context.Context) (pausable context.Context, hold func(bool)) {
	return engine.Pausable(ctx)
}

// Observe simulates a scenario, one simulation after the other. It passes the network of each to
// the caller before its first event, to follow packets ([fabric.Network.Follow]). It omits the runs
// without faults that faults are compared with.
func Observe(ctx context.Context, r *scenario.Resolved, see func(*fabric.Network)) (*results.Results, error) {
	return simulate(ctx, r, Options{Workers: 1}, see)
}

func simulate(ctx context.Context, r *scenario.Resolved, o Options, see func(*fabric.Network)) (*results.Results, error) {
	if err := o.check(r); err != nil {
		return nil, err
	}
	out := &results.Results{
		Version: results.ResultsVersion, Scenario: r.Name, Seed: r.Run.Seed, Workload: workloadName(&r.Workload),
		Ranks: ranksOf(r), Nodes: nodesOf(r),
	}
	jobs, err := jobsOf(r, out, see)
	if err != nil {
		return nil, err
	}
	var calm []*job
	if o.Seeds == AutoSeeds {
		calm = withoutJitter(r, jobs)
	}
	if see != nil || o.Series != nil || o.Live != nil || o.Exact == ExactCheck {
		o.Cache = nil
	}
	recall(&o, jobs)
	stop, release := engine.NewStop(ctx)
	defer release()
	w := newWatch(len(jobs)*o.Exact.ways(), o)
	defer w.end()
	w.expect(jobs, o.Exact.ways())
	if o.Series == nil && o.Live != nil {
		o.Series = func(*results.Series) {}
	}
	if o.Series != nil {
		record(jobs, o.Series, o.Live != nil && !o.Live.SeriesOnly)
	}
	work(ctx, jobs, o, w, stop)
	for _, j := range calm {
		j.into.WithoutJitter = true
	}
	if ctx.Err() == nil && (o.Seeds > 1 || o.Seeds == AutoSeeds) {
		runFurtherSeeds(ctx, r, jobs, out, o, w, stop)
	}
	if err := ctx.Err(); err != nil {
		out.Partial = true
		return out, err
	}
	return out, failures(out)
}

// record makes simulations record their series, and the counters of NICs' ports if they are shown.
func record(jobs []job, tell func(*results.Series), ports bool) {
	order := &results.SeriesOrder{Pass: tell}
	for i := range jobs {
		j := &jobs[i]
		plan, bytes := *j.Plan, int64(j.Bytes)
		plan.CountPorts = ports
		var own *results.Series
		plan.Series = func(s *results.Series) {
			s.Simulation.Bytes = bytes
			own = s
		}
		j.Plan = &plan
		j.ended = func() {
			if own != nil {
				own.Simulation.Complete = j.into.Failure == "" && !j.into.Partial
			}
			order.Ended(i, own)
		}
		j.number = int32(i)
	}
}

func workloadName(w *scenario.Workload) string {
	return w.Name()
}

func ranksOf(r *scenario.Resolved) int {
	if r.Workload.Pattern == "" {
		return r.Job().Ranks()
	}
	return r.Cluster.Endpoints()
}

func nodesOf(r *scenario.Resolved) int {
	if r.Workload.Pattern == "" {
		return r.Job().Nodes
	}
	return r.Cluster.Nodes
}

// jobsOf plans every fabric and lists the simulations, the smallest first: an interrupted run has
// as many sizes as possible, each on every fabric.
func jobsOf(r *scenario.Resolved, out *results.Results, see func(*fabric.Network)) ([]job, error) {
	sizes := r.Workload.Sizes
	if len(sizes) == 0 {
		sizes = []units.Bytes{0}
	}
	var jobs []job
	var errs []error
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		out.Fabrics = append(out.Fabrics, results.FabricResult{
			Name: f.Name, Protocol: string(f.Kind), Rate: f.PortRate(&r.Cluster), Points: make([]results.Point, len(sizes)),
		})
		part := known.PartOf(r, i)
		anySeed := part.WithSeed(0).Scenario // the plan is every seed's
		p, err := control.NewPlan(anySeed, &anySeed.Fabrics[0])
		if err == nil {
			err = executor.AllocateForAll(p, part.Scenario)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Run = &part.Scenario.Run
		out.Fabrics[i].Reduction = p.Aggregation.Result()
		out.Fabrics[i].Engine, out.Fabrics[i].EngineWhy = string(p.Routed.Used), p.Routed.Reason
		if p.Faults != nil {
			out.Fabrics[i].Control = &p.Faults.Control
		}
		for j := range sizes {
			jobs = append(jobs, job{part: part, Task: network.Task{Bytes: sizes[j], Plan: p, Scenario: part.Scenario}, fabric: i, point: j, into: &out.Fabrics[i].Points[j], observe: see})
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return jobs, errors.Join(errs...)
}

// work runs the jobs on as many cores as allowed.
func work(ctx context.Context, jobs []job, o Options, w *watch, stop *engine.Stop) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	a := newAllotment(len(jobs), workers)
	cores.Each(len(jobs), workers, func(i int) {
		j := &jobs[i]
		j.Stop, j.watch = stop, w
		a.begin(j)
		defer a.end(j)
		point := j.into
		*point = results.Point{Bytes: int64(j.Bytes), Partial: true}
		if j.known != nil {
			*point = *j.known
		} else if ctx.Err() == nil {
			*point = j.inWay(o.Exact)
			j.keep(o.Cache)
		}
		if j.ended != nil {
			j.ended()
		}
		w.finished(j, point)
	})
}

// run is one simulation. With faults, it first runs another simulation without them.
func (j *job) run() results.Point {
	if j.Plan.Faults == nil {
		return j.once()
	}
	clean := *j
	clean.Plan, clean.observe, clean.Work = j.Plan.Unbroken(), nil, nil
	before := clean.once()
	j.watch.left(&clean)
	broken := *j
	var arrived results.FaultPoint
	if !j.further { // of the first seed: the other seeds give their times alone
		broken.withArrivals(&arrived)
	}
	point := broken.once()
	if point.Fault != nil {
		point.Fault.Slice, point.Fault.Arrived = arrived.Slice, arrived.Arrived
		if before.Failure == "" {
			point.Fault.Clean = before.Time
		}
	}
	return point
}

// once is one simulation; its error becomes the point's failure.
func (j *job) once() results.Point {
	point := results.Point{Bytes: int64(j.Bytes)}
	j.Started = func(n *network.Network) {
		j.watch.started(j, n)
		if j.observe != nil {
			j.observe(n.Network)
		}
	}
	j.Whole = j.observe != nil
	var err error
	switch w := &j.Scenario.Workload; {
	case w.Collective != "":
		err = executor.RunCollective(&j.Task, &point)
	case w.Exchange != "":
		err = exchange.Run(&j.Task, &point)
	default:
		err = pattern.Run(&j.Task, &point)
	}
	switch {
	case err == nil:
	case j.Stop.Ended():
		point.Partial = true
	default:
		failed := failed(&point, err)
		// The progress of an abandoned run depends on the partitioning: the failure has only the
		// reason.
		if errors.As(err, &network.Unfinished{}) {
			failed.Counts, failed.Flows, failed.Fault = point.Counts, point.Flows, point.Fault
		}
		point = failed
	}
	return point
}

// failed is the point of a simulation that failed.
func failed(p *results.Point, err error) results.Point {
	return results.Point{Bytes: p.Bytes, Algorithm: p.Algorithm, Wire: p.Wire, Channels: p.Channels, Failure: err.Error()}
}

// failures joins the failures of the points.
func failures(out *results.Results) error {
	var errs []error
	for i := range out.Fabrics {
		for _, p := range out.Fabrics[i].Points {
			if p.Failure != "" {
				errs = append(errs, fmt.Errorf("%s, %v: %s", out.Fabrics[i].Name, units.Bytes(p.Bytes), p.Failure))
			}
		}
	}
	return errors.Join(errs...)
}
