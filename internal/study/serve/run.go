package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/collective"
	"weft/internal/sim/known"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/transfer"
	"weft/internal/sim/workload/serving"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are the settings of Run.
type Options struct {
	// Rates are requests in a second, a point each; none: the scenario's.
	Rates []float64
	// Knee takes rates from a fifth of saturation to beyond it instead.
	Knee bool
	// Trace, if not nil, has the requests instead of random ones. A rate changes the times between them.
	Trace *Trace
	// Seeds is the number of seeds: run.seed and the following ones. 0 and 1 are run.seed alone.
	Seeds int
	// Near is a rate near which LimitOf may find the limit; 0: near that without a network.
	Near    float64
	Workers int // 0 is all cores
	// Exact says whether layers of transfers are skipped that repeat earlier ones exactly. ExactCheck simulates both ways, and
	// a difference is the fabric's failure.
	Exact sim.Exact
	// Cache, if not nil, has the results of earlier simulations, and takes the new ones.
	Cache known.Store
	// Progress, if not nil, is called after each simulation, never concurrently.
	Progress func(sim.Progress)

	packets int64 // of exchanges beside transfers, in a run; 0: mostPackets
	met     *met
	most    int // tokens of a GPU in an exchange that is simulated alone; 0: any
}

// kneeShares are the rates of Options.Knee, as shares of the rate at which the fullest pool has no time
// left.
var kneeShares = []float64{0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.05}

// study is a serving job on all fabrics.
type study struct {
	r        *scenario.Resolved
	way      *way
	out      *results.Serving
	requests []serving.Request // at a rate of one in a second in the mean
	plans    []*network.Plan
	cache    known.Store    // nil: none
	sums     map[sum]*table // times of the collectives of tensor parallelism
	jobs     []*serving.Job // by fabric; the last without network
	// The exchanges of prompts and of answers with experts, by fabric as jobs; nil for none.
	there, here []*experts
	uneven      [2]float64 // tokens of the GPU with the busiest experts over the mean, of prompts and of answers; 0: no exchanges
	paces       []paces    // by fabric as jobs
	packets     int64      // most of a run's exchanges beside transfers
	met         *met       // slowdowns where exchanges and transfers meet; nil: runs simulate them
	most        int        // tokens of a GPU in an exchange that is simulated alone
	exact       sim.Exact  // whether layers are skipped
}

// paces are the times of the iterations of both pools: with prompts, and of answers alone.
type paces struct{ prefill, decode *pace }

// mixed is the time of an iteration that may have both.
func (p paces) mixed(groups []serving.Work) units.Time {
	if k := (serving.Iteration{Groups: groups}); k.Answers() {
		return p.decode.iteration(groups)
	}
	return p.prefill.iteration(groups)
}

// Run simulates a serving job at each rate on each fabric, and on a network that takes no time.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*results.Serving, error) {
	s, rate, err := begin(ctx, r, &o)
	if err != nil {
		return nil, err
	}
	rates := o.Rates
	switch {
	case o.Knee:
		for _, share := range kneeShares {
			rates = append(rates, share/s.loads(1, s.jobs[len(s.plans)])[0].Share)
		}
	case len(rates) == 0:
		rates = []float64{rate}
	}
	tasks := s.points(rates)
	others, more, err := s.again(ctx, &o, rates)
	if err != nil {
		return nil, err
	}
	tasks = append(tasks, more...)
	tally := many.NewTally(len(tasks), o.Progress)
	tally.Weigh(func(i int) float64 { return tasks[i].work })
	many.Each(ctx, len(tasks), o.Workers, func(i int) {
		t := &tasks[i]
		t.run(ctx, func(share float64) { tally.Share(i, t.name, share) })
		tally.Ended(i, t.name, false)
	})
	if err := ctx.Err(); err != nil {
		s.out.Partial = true
		return s.out, err
	}
	s.tellSeeds(others)
	return s.out, s.failures()
}

// Alone is a serving job at its own rate on a network that takes no time, of all its requests, whether they pile up or not.
func Alone(ctx context.Context, r *scenario.Resolved, o Options) (*results.ServingRun, error) {
	s, rate, err := begin(ctx, r, &o)
	if err != nil {
		return nil, err
	}
	run, _ := s.onNothing(ctx, s.at(rate))
	return run, ctx.Err()
}

// begin prepares the simulations of a job; rate is the requests' own in a second.
func begin(ctx context.Context, r *scenario.Resolved, o *Options) (s *study, rate float64, err error) {
	s = &study{r: r, way: wayOf(r), cache: o.Cache, sums: map[sum]*table{}, packets: cmp.Or(o.packets, mostPackets), met: o.met, most: cmp.Or(o.most, math.MaxInt), exact: o.Exact}
	if rate, err = s.draw(o); err != nil {
		return nil, 0, err
	}
	if err := s.describe(o); err != nil {
		return nil, 0, err
	}
	if err := s.bounded(); err != nil {
		return nil, 0, err
	}
	err = s.prepare(ctx, o.Workers)
	return s, rate, err
}

// failures joins the failures of the fabrics.
func (s *study) failures() error {
	var errs []error
	for i := range s.out.Points {
		for _, f := range s.out.Points[i].Fabrics {
			if f.Failure != "" {
				errs = append(errs, fmt.Errorf("%s, %.4g requests/s: %s", f.Name, s.out.Points[i].Rate, f.Failure))
			}
		}
	}
	return errors.Join(errs...)
}

// draw makes the requests, at one a second in the mean, and gives their own rate.
func (s *study) draw(o *Options) (rate float64, err error) {
	l := &s.r.Serving.Load
	if o.Trace == nil {
		load := serving.Load{
			Rate: 1, Burst: l.Burst, Requests: l.Requests, Prompt: l.Prompt, Output: l.Output, Exponential: l.Lengths == scenario.ExponentialLengths, Hits: l.PrefixHits.Float(), Seed: s.r.Run.Seed,
		}
		s.requests = load.Draw()
		return l.Rate.Float(), nil
	}
	s.requests, rate, err = o.Trace.requests(l.PrefixHits.Float())
	return rate, err
}

// at is the requests at a rate.
func (s *study) at(rate float64) []serving.Request {
	out := slices.Clone(s.requests)
	for i := range out {
		out[i].Arrival = max(1, units.Time(float64(out[i].Arrival)/rate)) // a burst may begin the run
	}
	return out
}

// describe fills in the job; the error says what does not fit.
func (s *study) describe(o *Options) (err error) {
	v := &s.r.Serving
	s.out = &results.Serving{Version: results.ServingVersion, Scenario: s.r.Name, Seed: s.r.Run.Seed}
	j := &s.out.Job
	*j = results.ServingJob{
		Model: v.Model.Name(), GPU: s.r.Cluster.Node.GPU.Model, Nodes: v.Prefill.Nodes + v.Decode.Nodes, Collocated: v.Collocated, TokenBytes: s.way.cache.TokenBytes(),
		Requests: len(s.requests), Trace: o.Trace.describe(),
		FirstToken: int64(v.Limits.FirstToken), PerToken: int64(v.Limits.PerToken),
	}
	j.Clients, j.Burst = s.clients(), s.burst()
	prompt, whole := int64(0), int64(0)
	for _, q := range s.requests {
		prompt, whole = max(prompt, int64(q.Prompt)), max(whole, int64(q.Prompt+q.Output))
		j.Prompt += float64(q.Prompt) / float64(len(s.requests))
		j.Output += float64(q.Output) / float64(len(s.requests))
	}
	if v.Collocated {
		j.Prefill, err = memoryOf(s.r, "prefill", &v.Prefill, &s.way.cache, whole)
		return err
	}
	if j.Prefill, err = memoryOf(s.r, "prefill", &v.Prefill, &s.way.cache, prompt); err != nil {
		return err
	}
	j.Decode, err = memoryOf(s.r, "decode", &v.Decode, &s.way.cache, whole)
	return err
}

// bounded refuses more transfers than a simulation has memory for.
func (s *study) bounded() error {
	w, v := s.way, &s.r.Serving
	consignments, tokens := 0, 0
	for _, q := range s.requests {
		if consignments++; v.KV.Send == scenario.KVLayers {
			consignments += q.Prompt / v.Prefill.Tokens
		}
		tokens += q.Output + q.Prompt/v.Prefill.Tokens
	}
	messages := int64(consignments) * int64(w.cache.Layers) * int64(len(w.shares))
	if need := units.Bytes(messages * transfer.MessageBytes); need > s.r.Run.Limit.Memory {
		return fmt.Errorf("the keys and values of %d requests are %d messages, of %d layers between %d pairs of GPUs each, which take %v of memory: run.limit.memory is %v; serve fewer requests",
			len(s.requests), messages, w.cache.Layers, len(w.shares), need, s.r.Run.Limit.Memory)
	}
	for _, p := range s.pools() {
		messages += int64(tokens) * int64(p.Pipeline-1) * int64(p.Tensor)
	}
	if need := units.Bytes(messages * transfer.MessageBytes); need > s.r.Run.Limit.Memory {
		return fmt.Errorf("stages pass on up to %d messages for the tokens of %d requests, which take %v of memory: run.limit.memory is %v; serve fewer requests",
			messages, len(s.requests), need, s.r.Run.Limit.Memory)
	}
	return nil
}

// prepare plans the fabrics and computes the times of iterations on each.
func (s *study) prepare(ctx context.Context, workers int) error {
	r := s.r
	for i := range r.Fabrics {
		plan, err := control.NewPlan(r, &r.Fabrics[i])
		if err != nil {
			return err
		}
		s.plans = append(s.plans, plan)
	}
	err := s.sum(ctx)
	if err != nil {
		return err
	}
	if s.there, s.here, err = s.exchanges(ctx, workers); err != nil {
		return err
	}
	s.out.Job.Busiest = s.uneven[:]
	for fabric := range len(s.plans) + 1 {
		s.jobs = append(s.jobs, s.job(fabric))
	}
	return nil
}

// job is the job on a fabric, whose paces it fills in.
func (s *study) job(fabric int) *serving.Job {
	v, w := &s.r.Serving, s.way
	j := &serving.Job{Clients: s.clients(), Host: v.HostRequest, HostToken: v.HostToken, Layers: w.cache.Layers, Early: v.KV.Send == scenario.KVLayers && !v.Collocated, Lanes: w.posting().Pipeline}
	own := paces{s.pace(&v.Prefill, fabric, s.there[fabric], s.uneven[0]), s.pace(w.answering(), fabric, s.here[fabric], s.uneven[1])}
	s.paces = append(s.paces, own)
	j.Prefill = pool(&v.Prefill, &s.out.Job.Prefill)
	j.Prefill.Time = own.mixed
	answers := &j.Prefill
	if !v.Collocated {
		j.Decode = pool(&v.Decode, &s.out.Job.Decode)
		answers = &j.Decode
		j.Prefill.Time, j.Decode.Time = own.prefill.iteration, own.decode.iteration
	}
	answers.Drafts, answers.Holds, answers.HoldsOf = v.Speculation.Draft, v.Speculation.Accepted.Num, max(1, v.Speculation.Accepted.Den)
	if fabric == len(s.plans) {
		j.Prefill.Between, j.Decode.Between = s.between(&v.Prefill, fabric), s.between(&v.Decode, fabric)
	}
	return j
}

// pool is a pool as the scheduler has it.
func pool(p *scenario.Pool, m *results.ServingMemory) serving.Pool {
	return serving.Pool{Instances: m.Instances, Groups: p.Data, Stages: p.Pipeline, Tokens: p.Tokens, Requests: p.Requests, Room: m.Room, Reserve: p.Reserve}
}

// pace is the times of a pool's iterations; busiest is the number of tokens of the GPU with the busiest
// experts, over the mean.
func (s *study) pace(p *scenario.Pool, fabric int, x *experts, busiest float64) *pace {
	c, job := &s.way.cache, modelOn(s.r, p)
	job.Busiest = busiest
	job.Model.Layers += s.r.Serving.Speculation.Draft // each guess takes a layer of its own
	v, launches := &s.r.Serving, 0
	for l := range job.Model.Layers {
		launches++
		if job.Model.MoE(l) {
			launches += expertLaunches - 1
		}
	}
	return &pace{
		job: job, cache: c.RankBytes(p.Tensor) / int64(c.Layers), sums: s.sums[s.sumOf(collective.AllReduce, p, fabric)], experts: x, overlap: p.Overlap,
		host: v.HostIteration, launch: units.Time(launches) * v.HostLayer, graph: v.GraphTokens,
	}
}

// expertLaunches is the time in which a host launches the kernels of a layer with experts, over that of one without: a token
// takes 82.6 ms through the 3 and 58 layers of DeepSeek-V3 without a CUDA graph (sgl-project/sglang pull request 12160).
const expertLaunches = 3

// task is a simulation of requests on a fabric.
type task struct {
	name string  // of the fabric
	work float64 // of the task, where that of a simulation of packets is 1
	// run simulates, and tells now and then which share of its work is done.
	run func(ctx context.Context, tell func(share float64))
}

// points makes a point of each rate, and the simulations of those with a steady state.
func (s *study) points(rates []float64) (tasks []task) {
	s.out.Points = make([]results.ServingPoint, len(rates))
	alone := s.jobs[len(s.plans)]
	for i, rate := range rates {
		p := &s.out.Points[i]
		p.Rate, p.Loads = rate, s.loads(rate, alone)
		p.Most, p.Full = rate/max(1e-9, p.Loads[0].Share), p.Loads[0].Resource
		p.Fabrics = make([]results.ServingFabric, len(s.plans))
		if most := p.Loads[0]; most.Share >= 1 && !s.finite() {
			p.Unstable = overloaded(most)
		}
		requests := s.at(rate)
		for j := range s.plans {
			f := &p.Fabrics[j]
			*f = s.fabric(j)
			if most := s.loadsOn(rate, j); most.Share >= 1 && p.Unstable == "" && !s.finite() {
				f.Unstable = overloaded(most)
			}
			if p.Unstable == "" && f.Unstable == "" {
				tasks = append(tasks, task{f.Name, 1, func(ctx context.Context, tell func(float64)) {
					s.remembered(ctx, j, requests, f, tell)
					s.paced(f.Run, rate)
					if f.Contention != nil {
						s.paced(f.Contention.Apart, rate)
					}
				}})
			}
		}
		if p.Unstable == "" {
			tasks = append(tasks, task{"without network", 0.01, func(ctx context.Context, _ func(float64)) {
				p.Ideal, p.Unstable = s.onNothing(ctx, requests)
				s.paced(p.Ideal, rate)
			}})
		}
		if !s.steady() {
			p.Rate, p.Loads = 0, []results.ServingLoad{}
		}
	}
	return tasks
}

// clients is the number of clients of a closed loop; 0 for requests of a rate or a trace.
func (s *study) clients() int {
	if s.out.Job.Trace != "" {
		return 0
	}
	return s.r.Serving.Load.Concurrency
}

// finite reports whether requests come in bursts or from clients that wait: their times are figures of that many requests,
// and not of a steady state.
func (s *study) finite() bool {
	return s.clients() > 0 || s.burst() > 1
}

// burst is the number of random requests that arrive together.
func (s *study) burst() int {
	if s.out.Job.Trace != "" {
		return 0
	}
	return s.r.Serving.Load.Burst
}

// steady reports whether requests come at a rate: not from clients that wait, nor all at once.
func (s *study) steady() bool {
	return s.clients() == 0 && (s.burst() < 2 || s.burst() < len(s.requests))
}

// fabric is a fabric without a run.
func (s *study) fabric(number int) results.ServingFabric {
	f := s.plans[number].Fabric
	return results.ServingFabric{Name: f.Name, Protocol: string(f.Kind), Rate: f.PortRate(&s.r.Cluster), Exchanges: append(s.there[number].tell("prefill"), s.here[number].tell("decode")...)}
}

func overloaded(l results.ServingLoad) string {
	return fmt.Sprintf("the requests need %.0f %% of %s", 100*l.Share, l.Resource)
}

// onFabric simulates the requests on a fabric. If pools have exchanges with experts there are two runs: in
// the first, exchanges and transfers do not meet.
func (s *study) onFabric(ctx context.Context, fabric int, requests []serving.Request, out *results.ServingFabric, tell func(share float64)) {
	if s.met != nil {
		s.carried(ctx, fabric, requests, s.together(ctx, nil, fabric), out, tell)
		return
	}
	first := 1.0 // share of the first run
	if s.there[fabric] != nil || s.here[fabric] != nil {
		first = 0.4
	}
	apart := s.carried(ctx, fabric, requests, nil, out, func(share float64) { tell(first * share) })
	t := s.together(ctx, apart.scheduler, fabric)
	if t == nil || out.Run == nil {
		return
	}
	alone := out.Run
	*out = results.ServingFabric{Name: out.Name, Protocol: out.Protocol, Rate: out.Rate, Exchanges: out.Exchanges}
	s.carried(ctx, fabric, requests, t, out, func(share float64) { tell(first + (1-first)*share) })
	out.Contention = t.tell(alone)
}

// carried simulates the requests on a fabric, with exchanges beside transfers if t is not nil, and returns
// the program above the fabric. Beside exchanges nothing is skipped, and so nothing is to be checked.
func (s *study) carried(ctx context.Context, fabric int, requests []serving.Request, t *together, out *results.ServingFabric, tell func(share float64)) *floor {
	if s.exact != sim.ExactCheck || t != nil {
		return s.once(ctx, fabric, requests, t, out, tell, s.exact == sim.ExactOff)
	}
	skipping := *out
	s.once(ctx, fabric, requests, nil, &skipping, func(share float64) { tell(share / 2) }, false)
	f := s.once(ctx, fabric, requests, nil, out, func(share float64) { tell((1 + share) / 2) }, true)
	whole := *out
	out.Counts.Skipped = skipping.Counts.Skipped
	skipping.Counts, whole.Counts = skipping.Counts.WithoutWork(), whole.Counts.WithoutWork()
	if ctx.Err() == nil && !reflect.DeepEqual(skipping, whole) {
		out.Run, out.Failure = nil, "the job has other results if repeated layers are skipped: "+sim.Differs
	}
	return f
}

// once is carried, with layers skipped or whole.
func (s *study) once(ctx context.Context, fabric int, requests []serving.Request, t *together, out *results.ServingFabric, tell func(share float64), whole bool) *floor {
	f := &floor{together: t, tell: tell, consignments: len(requests)}
	for i := range requests {
		f.tokens += requests[i].Prompt
	}
	f.courier = courier{way: s.way, rate: s.way.nodeRate(s.plans[fabric].Fabric), lane: make(map[int]int32), delivered: f.delivered}
	f.stages = newStages(f, s, fabric)
	f.scheduler = serving.NewScheduler(s.jobs[fabric], f, requests)
	if t != nil {
		t.floor = f
	}
	alone := serving.Alone(s.jobs[fabric], requests, s.r.Serving.KV.LayerTime, func() bool { return ctx.Err() != nil })
	limit := max(s.r.Run.Limit.SimulatedTime, patience*alone.End())
	x, err := transfer.Run(ctx, s.plans[fabric], s.r, transfer.Options{Limit: limit, Graphs: t != nil, Whole: whole}, f)
	if t != nil && t.err != nil {
		err = t.err
	}
	if x != nil {
		out.Counts, out.Hottest, out.Beside = x.Counts, x.Hottest, x.Beside
	}
	var unfinished network.Unfinished
	switch {
	case ctx.Err() != nil:
		out.Failure = results.Stopped
	case errors.As(err, &unfinished) || err == nil && f.scheduler.Undone() > 0:
		out.Unstable = fmt.Sprintf("%d of %d requests had no complete answer after %v, of which a network that takes no time needs %v", f.scheduler.Undone(), len(requests), limit, alone.End())
	case err != nil:
		out.Failure = err.Error()
	default:
		out.Run = s.summary(f.scheduler)
		if !s.finite() {
			out.Unstable = growing(out.Run, f.scheduler)
		}
	}
	return f
}

// onNothing is the run of requests on a network that takes no time.
func (s *study) onNothing(ctx context.Context, requests []serving.Request) (run *results.ServingRun, unstable string) {
	done := serving.Alone(s.jobs[len(s.plans)], requests, s.r.Serving.KV.LayerTime, func() bool { return ctx.Err() != nil })
	run = s.summary(done)
	if s.finite() {
		return run, ""
	}
	return run, growing(run, done)
}

// patience is how much longer than without a network a run may last.
const patience = 10

// floor is a fabric with the scheduler above it.
type floor struct {
	courier
	scheduler *serving.Scheduler
	stages    *stages
	together  *together // nil: exchanges take the time that they take alone
	tell      func(share float64)
	tokens    int // of all prompts
	moved     int // of them that decode has
	// consignments is about the number of them.
	consignments int
}

// Begin implements transfer.Program.
func (f *floor) Begin(b *transfer.Board) {
	f.board = b
	f.scheduler.Begin()
}

// Timer implements transfer.Program.
func (f *floor) Timer(_ *transfer.Board, tag uint64) {
	kind, number := tagKind(tag)
	if kind == tagLane {
		f.post(number)
		return
	}
	f.anew()
	switch kind {
	case tagJob:
		f.scheduler.Timer(uint64(number))
	case tagLayer:
		f.together.layer(number)
	case tagComputed:
		f.together.computed(number)
	case tagExchange:
		f.together.exchanged(number)
	case tagNext:
		f.together.phase(number)
	case tagPart:
		f.together.part(number)
	case tagLate:
		f.open--
		f.scheduler.Delivered(number)
	case tagStage:
		f.stages.over(number)
	case tagPassed:
		f.stages.arrived(number)
	}
}

// delivered tells the scheduler that a consignment is there.
func (f *floor) delivered(number int) {
	k := &f.sent[number]
	f.moved += k.tokens
	f.tell(min(1, float64(f.moved)/float64(f.tokens)))
	computed := k.at + units.Time(f.way.cache.Layers)*k.each
	if late := f.together.late(computed); late > 0 { // so long exchanges meet it
		f.open++
		f.board.At(f.Now()+late, tagOf(tagLate, number))
		return
	}
	f.scheduler.Delivered(number)
}

// Arrived implements transfer.Program.
func (f *floor) Arrived(_ *transfer.Board, message int) {
	if number, is := f.stages.messages[message]; is {
		f.anew()
		delete(f.stages.messages, message)
		f.stages.arrived(number)
		return
	}
	f.arrived(message)
}

// Running implements transfer.Program.
func (f *floor) Running() bool {
	return f.scheduler.Undone() > 0 && (f.together == nil || f.together.err == nil)
}

// Now implements serving.World.
func (f *floor) Now() units.Time { return f.board.Now() }

// At implements serving.World.
func (f *floor) At(at units.Time, tag uint64) { f.board.At(at, tagOf(tagJob, int(tag))) }

// Iterate implements serving.World.
func (f *floor) Iterate(k *serving.Iteration, over, free uint64) { f.stages.begin(k, over, free) }

// Ship implements serving.World.
func (f *floor) Ship(s serving.Shipment) {
	f.send(consignment{
		from: site{s.From.Instance, s.From.Group}, to: site{s.To.Instance, s.To.Group}, tokens: s.Tokens, at: s.At, each: s.Each,
	})
}
