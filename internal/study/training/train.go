package training

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/pipeline"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are settings of the caller.
type Options struct {
	// Workers is the number of cores to use; 0 is all.
	Workers int
	// Whole simulates the whole step as it is, and reuses nothing.
	Whole bool
	// Exact says whether simulations skip periods in which they repeat themselves exactly. ExactCheck
	// needs Whole.
	Exact sim.Exact
	// Seeds is the number of seeds: run.seed and the following ones. 0 and 1 are run.seed alone.
	Seeds int
	// Progress, if not nil, is called after each simulation and while simulations run; never concurrently.
	Progress func(sim.Progress)
	// Timeline, if not nil, is called with the step on each fabric, never concurrently.
	Timeline func(fabric int, g *workload.Graph, t *workload.Timeline)
	// Series, if not nil, makes each simulation of run.seed record its links and messages over time. It is
	// called with their records in order, and at the end with the operations of each fabric's step.
	Series func(*results.Series)
	// Live, if not nil, shows what the simulations of run.seed have counted so far.
	Live *sim.Live
	// Again, if not nil, is called with a function once a fabric's step is put together, not with
	// Whole: the length of the step of a changed job whose communication takes the same times. A
	// change may alter the computing times only.
	Again func(fabric int, step func(change func(*llm.Job)) (units.Time, error)) error
	// Stacks are the same scenario with each stack, for the length of its step with the same times of communication. Whole
	// has none.
	Stacks []*scenario.Resolved
	// Cache, if not nil, has the results of earlier simulations of parts of the step, and takes the new ones. Simulations
	// that record, and the whole step of Whole, do not use it.
	Cache known.Store
	// Sharing, if not nil, shares the simulations of parts of the step with other processes.
	Sharing *many.Sharing
}

// Run simulates a training step of the scenario's job on each of its fabrics.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*results.Training, error) {
	job := trainingJob(r)
	if err := job.Check(); err != nil {
		return nil, err
	}
	if job.Kernels && o.Whole {
		return nil, errors.New("a whole step with training.exchange: dispatch: kernels of a library and NCCL's run one after the other here; leave --whole out, or take exchange: all-to-all")
	}
	if err := job.Fits(); err != nil {
		return nil, err
	}
	out := &results.Training{Version: results.TrainingVersion, Scenario: r.Name, Seed: r.Run.Seed, Job: describeJob(r, job)}
	fold := llm.FoldAll
	if o.Whole {
		fold = llm.FoldNone
	}
	t := &training{scenario: r, job: job, step: job.Step(fold), entire: o.Whole, exact: o.Exact, out: out, timeline: o.Timeline, again: o.Again, stacks: o.Stacks, sharing: o.Sharing, cache: o.Cache}
	if noisy(&r.Training.Noise) && !o.Whole {
		t.replicas = job.Step(llm.FoldReplicas)
	}
	out.Fabrics = make([]results.TrainingFabric, len(r.Fabrics))
	on := make([]*fabricSteps, len(r.Fabrics))
	var tasks, again []*trainingTask
	for i := range r.Fabrics {
		var err error
		if on[i], err = t.on(i, o.Seeds); err != nil {
			return nil, err
		}
		tasks = append(tasks, on[i].tasks()...)
		again = append(again, on[i].again()...)
	}
	var series *recorder
	if o.Series != nil || o.Live != nil {
		series = newRecorder(&o, out, tasks)
	}
	runTasks(ctx, &o, tasks, again)
	for _, f := range on {
		f.tell()
	}
	series.steps(on)
	if err := ctx.Err(); err != nil {
		out.Partial = true
		for i := range out.Fabrics {
			if f := &out.Fabrics[i]; f.StepPs == 0 {
				f.Failure = results.Stopped
			}
		}
		return out, err
	}
	return out, t.failures()
}

// fabricSteps are the simulations of the step on one fabric.
type fabricSteps struct {
	*steps               // of run.seed
	undisturbed *steps   // without the job's disturbances; nil if it has none
	seeds       []*steps // of the further seeds
}

// on prepares the step on a fabric.
func (t *training) on(fabric, seeds int) (*fabricSteps, error) {
	r := t.scenario
	f := &r.Fabrics[fabric]
	t.out.Fabrics[fabric] = results.TrainingFabric{Name: f.Name, Protocol: string(f.Kind), Rate: f.PortRate(&r.Cluster), Whole: t.entire}
	part := known.PartOf(r, fabric)
	p, err := planOf(part, t.step.Phases)
	if err != nil {
		return nil, err
	}
	t.out.Fabrics[fabric].Reduction = p.Aggregation.Result()
	out := &fabricSteps{steps: t.stepsOn(part, p, fabric, &t.out.Fabrics[fabric])}
	if calm := phases.Undisturbed(p); calm != nil {
		out.undisturbed = t.stepsOn(part, calm, fabric, new(results.TrainingFabric))
		out.undisturbed.calm = true
	}
	for k := 1; k < seeds; k++ {
		out.seeds = append(out.seeds, out.withSeed(r.Run.Seed+uint64(k)))
	}
	return out, nil
}

// stepsOn is the step on a plan; its results go to result.
func (t *training) stepsOn(part *known.Part, p *network.Plan, fabric int, result *results.TrainingFabric) *steps {
	s := &steps{training: t, part: part, bare: part.WithoutSlowLinks(), plan: p, fabric: fabric, result: result}
	if !t.entire {
		s.fold = phases.Fold(p, t.scenario, t.step.Phases)
		s.divided()
	}
	return s
}

// tasks are the simulations without dependencies.
func (f *fabricSteps) tasks() []*trainingTask {
	tasks := f.steps.tasks()
	if f.undisturbed != nil {
		tasks = append(tasks, f.undisturbed.tasks()...)
	}
	return tasks
}

// divided prepares the simulations of the folding.
func (s *steps) divided() {
	s.open = len(s.fold.Islands)
	s.islands, s.doubts, s.wholes = make([]*phases.IslandRun, s.open), s.fold.Doubtful(), make([]*whole, len(s.step.Phases))
}

// tell fills in the results that need several simulations of the step.
func (f *fabricSteps) tell() {
	if f.undisturbed != nil && f.undisturbed.result.StepPs > 0 {
		f.result.UndisturbedPs = f.undisturbed.result.StepPs
		longest := f.result.LongestPs()
		for i := range f.scenario.Faults {
			if int64(f.scenario.Faults[i].At) >= longest {
				f.result.FaultsUnmet++
			}
		}
	}
	f.tellSeeds()
}

// tasks are the simulations of a step.
func (s *steps) tasks() (tasks []*trainingTask) {
	if s.entire {
		return []*trainingTask{{steps: s, island: -1, phase: -1}}
	}
	for number := range s.islands {
		tasks = append(tasks, &trainingTask{steps: s, island: number, work: new(network.Work)})
	}
	return tasks
}

// training is shared by all fabrics.
type training struct {
	scenario *scenario.Resolved
	job      *llm.Job
	step     *llm.Step
	entire   bool // nothing is reused
	exact    sim.Exact
	replicas *llm.Step // with noise: every replica's
	out      *results.Training
	mu       sync.Mutex // of timeline
	timeline func(fabric int, g *workload.Graph, t *workload.Timeline)
	stacks   []*scenario.Resolved
	again    func(fabric int, step func(change func(*llm.Job)) (units.Time, error)) error
	sharing  *many.Sharing
	cache    known.Store
}

// steps is a step on one fabric.
type steps struct {
	*training
	part    *known.Part // what its simulations are given
	bare    *known.Part // the part without slow cables
	plan    *network.Plan
	fabric  int
	calm    bool // without the job's disturbances
	result  *results.TrainingFabric
	fold    *phases.Folding
	base    *steps              // of run.seed, if this step has another seed
	own     sync.Mutex          // guards the fields below
	islands []*phases.IslandRun // by number in the folding
	doubts  [][]int             // by island: the phases that it may make necessary to simulate whole
	wholes  []*whole            // by phase; nil if it is not simulated whole
	open    int                 // simulations that have not ended
	line    *workload.Timeline  // of the step, once it is known
	failed  error
	runs    []*phases.Run // by phase, once all islands are run
}

// failures joins the errors of the fabrics.
func (t *training) failures() error {
	var errs []error
	for i := range t.out.Fabrics {
		if f := &t.out.Fabrics[i]; f.Failure != "" {
			errs = append(errs, fmt.Errorf("%s: %s", f.Name, f.Failure))
		}
	}
	return errors.Join(errs...)
}

// whole simulates the whole step as it is.
func (s *steps) whole(ctx context.Context, plan *network.Plan, progress func(sim.Progress)) error {
	x, err := sim.Execute(ctx, plan, s.part.Scenario, s.step.Graph, s.exact, progress)
	if err != nil {
		return err
	}
	s.tell(x.Timeline)
	s.result.Counts, s.result.Hottest, s.result.HottestIn = x.Counts, x.Hottest, "the whole step"
	s.result.Beside = x.Beside
	s.result.Communications = s.communications()
	s.result.Simulated = s.result.Communications
	return nil
}

// assemble assembles the step from its phases.
func (s *steps) assemble() (err error) {
	wholes, errs := make(map[*workload.Phase]*phases.IslandRun), make([]error, len(s.wholes))
	for i, w := range s.wholes {
		if w != nil {
			wholes[&s.step.Phases[i]], errs[i] = w.run, w.err
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	whole := func(phase *workload.Phase) (*phases.IslandRun, error) { return wholes[phase], nil }
	if s.runs, err = phases.Of(s.scenario.Cluster.Ranks(), s.step.Phases, s.fold, s.islands, whole); err != nil {
		return err
	}
	line, err := workload.Replay(s.step.Graph, s.took(s.step))
	if err != nil {
		return err
	}
	s.tell(line)
	s.tellPhases()
	if s.replicas != nil {
		if err := s.withNoise(); err != nil {
			return err
		}
	}
	if err := errors.Join(s.onStacks(), s.hideExperts()); err != nil {
		return err
	}
	if s.again != nil {
		return s.again(s.fabric, func(change func(*llm.Job)) (units.Time, error) {
			job := *s.job
			change(&job)
			return s.changed(&job)
		})
	}
	return nil
}

// changed is the length of the step of another job, with the same times of communication. The error says which of its
// communication this step has not.
func (s *steps) changed(job *llm.Job) (units.Time, error) {
	step := job.Step(llm.FoldAll)
	of := make([]int32, len(step.Keys)) // the phases of this step by those of the other
	for i, key := range step.Keys {
		if of[i] = int32(slices.Index(s.step.Keys, key)); of[i] < 0 {
			return 0, fmt.Errorf("%w: %s", errOtherPhase, step.Phases[i].Name)
		}
	}
	took := s.took(step)
	line, err := workload.Replay(step.Graph, func(phase int32, rank int) units.Time { return took(of[phase], rank) })
	if err != nil {
		return 0, err
	}
	return line.End, nil
}

// took is the time of the ranks of a step's graph in a phase. A rank of the graph stands for
// several; its time is the slowest one's.
func (s *steps) took(step *llm.Step) func(phase int32, rank int) units.Time {
	took := make([][]units.Time, len(s.runs)) // by phase and rank of the graph
	for phase, run := range s.runs {
		took[phase] = make([]units.Time, len(step.Stands))
		for rank, stands := range step.Stands {
			took[phase][rank] = -1
			for _, real := range stands {
				took[phase][rank] = max(took[phase][rank], run.Took[real])
			}
		}
	}
	return func(phase int32, rank int) units.Time { return took[phase][rank] }
}

// tell fills in the results of a timeline.
func (s *steps) tell(line *workload.Timeline) {
	s.line = line
	if s.timeline != nil && s.result == &s.out.Fabrics[s.fabric] {
		s.mu.Lock()
		s.timeline(s.fabric, s.step.Graph, line)
		s.mu.Unlock()
	}
	f, j := s.result, &s.out.Job
	accounts := workload.Accounts(s.step.Graph, line)
	n := int64(len(accounts))
	var sum workload.Account
	for i := range accounts {
		a := &accounts[i]
		sum.Computing, sum.Waiting, sum.Bubble = sum.Computing+a.Computing, sum.Waiting+a.Waiting, sum.Bubble+a.Bubble
		for p := range a.Moving {
			sum.Moving[p] += a.Moving[p]
			sum.Exposed[p] += a.Exposed[p]
		}
	}
	step := line.End
	if f.Storage = s.storing(step); f.Storage != nil {
		f.StoragePs = f.Storage.AddedPs
	}
	step += units.Time(f.StoragePs)
	f.StepPs, f.Failures = int64(step), s.failing(step)
	f.ComputingPs, f.WaitingPs, f.BubblePs = int64(sum.Computing)/n, int64(sum.Waiting)/n, int64(sum.Bubble)/n
	for p := range sum.Moving {
		if sum.Moving[p] > 0 {
			f.Purposes = append(f.Purposes, results.PurposeTime{
				Purpose: workload.Purpose(p).String(), MovingPs: int64(sum.Moving[p]) / n, ExposedPs: int64(sum.Exposed[p]) / n,
			})
		}
	}
	if seconds := step.Seconds(); seconds > 0 {
		f.TokensPS = float64(j.Tokens) / seconds
		f.MFU = j.FLOPs / seconds / float64(j.GPUs) / float64(j.Peak)
	}
}

// tellPhases fills in the phases, and the simulated parts.
func (s *steps) tellPhases() {
	f := s.result
	uses := s.uses()
	for i, run := range s.runs {
		p := &s.step.Phases[i]
		out := results.TrainingPhase{Name: p.Name, Purpose: p.Purpose.String(), Groups: len(p.Groups), Ranks: len(p.Groups[0]), Uses: uses[i], LeastPs: int64(units.Forever)}
		n := int64(0)
		for _, t := range run.Took {
			if t < 0 {
				continue
			}
			n++
			out.LeastPs, out.MostPs = min(out.LeastPs, int64(t)), max(out.MostPs, int64(t))
			out.MeanPs += int64(t)
		}
		out.MeanPs /= max(1, n)
		for _, bytes := range p.Bytes {
			out.Bytes = max(out.Bytes, int64(bytes))
		}
		switch {
		case p.Exchange != workload.NoExchange:
			out.Algorithm = string(s.scenario.Training.Experts.Kernel)
		case run.Plan != nil:
			out.Algorithm, out.Wire = run.Plan.Algo.String(), run.Plan.Proto.String()
		}
		out.Folded = len(p.Groups) - run.Groups
		if run.Parts > 1 {
			out.Parts = run.Parts
		}
		out.Beside = run.Beside
		f.Phases = append(f.Phases, out)
		f.Simulated += int64(run.Groups)
		f.Counts.Add(&run.Counts)
		if phases.Busier(run.Hottest, f.Hottest) {
			f.Hottest, f.HottestIn = run.Hottest, p.Name
		}
	}
	f.Communications = s.communications()
}

// uses is the maximum number of times that each phase occurs in a rank's list.
func (s *steps) uses() []int {
	uses := make([]int, len(s.step.Phases))
	for _, ops := range s.step.Graph.Ranks {
		own := make([]int, len(uses))
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Collective || o.Kind == workload.Send {
				own[o.Phase]++
				uses[o.Phase] = max(uses[o.Phase], own[o.Phase])
			}
		}
	}
	return uses
}

// communications is the number of collectives of groups, and of messages, in a step.
func (s *steps) communications() (n int64) {
	for i, uses := range s.uses() {
		n += int64(uses) * int64(len(s.step.Phases[i].Groups))
	}
	return n
}

// describeJob is the job in the form of the results.
func describeJob(r *scenario.Resolved, j *llm.Job) results.TrainingJob {
	p := &j.Parallel
	out := results.TrainingJob{
		Model: r.Training.Model.Name(), Parameters: j.Model.Parameters(), GPU: r.Cluster.Node.GPU.Model, GPUs: p.GPUs(), Nodes: r.Training.Nodes,
		Precision: string(r.Training.Precision), Tensor: p.Tensor, Context: p.Context, Pipeline: p.Pipeline, Interleave: p.Chunks, Schedule: p.Schedule.String(),
		Data: p.Data, Expert: p.Expert, ZeRO: p.ZeRO, Sequences: j.Batch.Global, Micros: j.Micros(),
		Tokens: int64(j.Batch.Global) * int64(j.Batch.Sequence), Memory: j.GPU.Memory, Stack: string(r.Training.Stack), Framework: r.Training.Framework.Float(),
	}
	if s := r.Training.Stack; s != "" && r.Training.Framework.Float() == s.Framework().Float() {
		out.HeldOut = s.HeldOut(j.Model.Experts > 0)
	}
	if p := &r.Training.Published; p.MFU.Den > 0 {
		out.PublishedMFU, out.PublishedSource = p.MFU.Float(), p.Source
	}
	out.ExpertsHidden = j.Overlap.Experts || p.Schedule >= pipeline.DualPipe
	if x := &r.Training.Experts; j.Kernels {
		out.Kernels, out.Busiest = fmt.Sprintf("%s kernels of %s", x.Kernel, x.Library), j.Busiest
	}
	out.FLOPs = j.Model.StepFLOPs(j.Batch.Sequence) * float64(out.Tokens)
	out.Peak, _ = r.Cluster.Node.GPU.Peak(r.Training.Precision)
	for stage := range p.Pipeline {
		u := j.Use(stage)
		out.Stages = append(out.Stages, results.StageMemory{
			Weights: int64(u.Weights), Gradients: int64(u.Gradients), Optimizer: int64(u.Optimizer), Activations: int64(u.Activations), Logits: int64(u.Logits),
		})
	}
	return out
}
