package serve

import (
	"cmp"
	"context"
	"math/bits"

	"weft/internal/sim/run/exchange"
	"weft/internal/sim/run/transfer"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/serving"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// together runs the iterations of pools with experts layer by layer. While keys and values cross the
// fabric, the exchanges of a layer are simulated beside them, packet by packet, and each slows the
// other. At other times an exchange takes its time alone.
//
// A run simulates exchanges of about mostPackets packets. Later ones that meet keys and values take
// their time alone, multiplied by the mean slowdown of the simulated ones. So do transfers.
type together struct {
	ctx     context.Context
	floor   *floor
	study   *study
	fabric  int
	prefill *mixing   // of iterations with prompts; nil: no exchanges
	decode  *mixing   // of answers alone
	going   []running // iterations so far
	packets int64     // of exchanges so far
	apart   *serving.Scheduler
	slowed  float64 // slowdown of transfers, once mostPackets are used up; 0 before
	moved   int     // transfers until then
	err     error
}

// mostPackets bounds the packets of a run's exchanges, to about a minute of a core.
const mostPackets = 20_000_000

// met holds three slowdowns: Prefill and Decode of the exchanges of prompts and of answers beside
// transfers, Transfers of transfers beside exchanges. A slowdown is the time in company over the time alone.
type met struct{ Prefill, Decode, Transfers float64 }

// metOf takes the slowdowns from a run; nil if exchanges and transfers did not meet in it.
func metOf(f *results.ServingFabric) *met {
	c := f.Contention
	if c == nil || f.Run == nil {
		return nil
	}
	m := &met{1, 1, 1}
	for _, x := range c.Exchanges {
		if x.Pool == prefillPool {
			m.Prefill = x.Slowed
		} else {
			m.Decode = x.Slowed
		}
	}
	if alone := c.Apart.Transfer.Mean; alone > 0 {
		m.Transfers = max(1, float64(f.Run.Transfer.Mean)/float64(alone))
	}
	return m
}

// The names of the pools in results.
const prefillPool, decodePool = "prefill", "decode"

// mixing is the exchanges of a pool.
type mixing struct {
	pool   *scenario.Pool
	kernel scenario.ExpertKernel
	pace   *pace
	first  int // rank of the first instance
	known  map[size]*sized
	meet   int        // exchanges that met keys and values
	done   int        // those of them that were simulated beside them
	taken  units.Time // by the simulated ones
	alone  units.Time // that the simulated ones take alone
	factor float64    // taken over alone, if another run found it; else 0
}

// size is what an exchange is simulated for.
type size struct {
	first  int // rank
	what   scenario.Exchange
	tokens int // of a GPU
}

// sized is an exchange of a size.
type sized struct {
	graph   *workload.Graph
	packets int64
	alone   units.Time
}

// running is a stage's work at an iteration.
type running struct {
	passage   int
	of        *mixing
	first     int        // rank
	tokens    int        // of a group, in an exchange
	computing units.Time // of a layer
	left      int        // layers
	halves    bool       // the tokens are divided into two halves
	phases    [4]phase   // of a layer, of halves
	step      int        // of a layer: exchanges that are over
	exchanges int        // of a layer
	open      int        // what the layer, or the phase, waits for
	began     units.Time // of the exchange under way
}

// together prepares exchanges beside transfers of a job on a fabric; nil if no pool has exchanges, or nothing is
// transferred. apart
// has served the same requests as if the two did not meet.
func (s *study) together(ctx context.Context, apart *serving.Scheduler, fabric int) *together {
	v := &s.r.Serving
	if v.Collocated {
		return nil
	}
	t := &together{ctx: ctx, study: s, fabric: fabric, apart: apart}
	mix := func(p *scenario.Pool, own *pace, kernel scenario.ExpertKernel, first int32) *mixing {
		if own.experts == nil {
			return nil
		}
		return &mixing{pool: p, kernel: kernel, pace: own, first: int(first), known: make(map[size]*sized)}
	}
	t.prefill = mix(&v.Prefill, s.paces[fabric].prefill, scenario.Throughput, 0)
	t.decode = mix(&v.Decode, s.paces[fabric].decode, scenario.LowLatency, s.way.first)
	if t.prefill == nil && t.decode == nil {
		return nil
	}
	t.takeOver(s.met)
	return t
}

// takeOver takes the slowdowns from another run; if m is nil they are simulated.
func (t *together) takeOver(m *met) {
	if m == nil {
		return
	}
	t.slowed = m.Transfers
	if t.prefill != nil {
		t.prefill.factor = m.Prefill
	}
	if t.decode != nil {
		t.decode.factor = m.Decode
	}
}

// of is the exchanges of an iteration's pool; nil if the pool has none on the fabric.
func (t *together) of(k *serving.Iteration) *mixing {
	switch {
	case t == nil:
		return nil
	case k.Decode:
		return t.decode
	}
	return t.prefill
}

// begin begins a stage's work at an iteration.
func (t *together) begin(passage int) {
	p := &t.floor.stages.passages[passage]
	m := t.of(&p.Iteration)
	layers, stages := m.pace.experts.layers, m.pool.Pipeline
	i := running{
		passage: passage, of: m, first: m.first + p.Instance*m.pool.GPUs() + p.stage*m.pool.Tensor*m.pool.Data, tokens: p.Tokens(), exchanges: 2,
		left: (p.stage+1)*layers/stages - p.stage*layers/stages, computing: m.pace.computing(&p.Iteration) / units.Time(layers),
	}
	if i.halves = m.pace.divided(&p.Iteration); i.halves {
		i.tokens, i.exchanges, i.phases = (i.tokens+1)/2, 4, m.pace.phases(&p.Iteration)
	}
	t.going = append(t.going, i)
	t.layer(len(t.going) - 1)
}

// layer begins the next layer of an iteration, or ends the iteration.
func (t *together) layer(number int) {
	i := &t.going[number]
	if i.left == 0 {
		t.floor.stages.over(i.passage)
		return
	}
	i.left--
	m, slowed := i.of, 1.0
	if t.floor.open+t.floor.stages.moving > 0 && t.err == nil {
		m.meet += i.exchanges
		if t.slowed == 0 {
			t.meet(number)
			return
		}
		slowed = m.slowed()
	}
	t.at(t.floor.Now()+i.takes(slowed), tagLayer, number)
}

// meet begins a layer whose exchanges are simulated beside keys and values.
func (t *together) meet(number int) {
	i := &t.going[number]
	i.step = 0
	if i.halves {
		t.phase(number)
		return
	}
	i.open = 1
	t.at(t.floor.Now()+i.computing/2, tagComputed, number)
}

// phase begins the next phase of a layer in two halves: an exchange, and what is computed beside it.
func (t *together) phase(number int) {
	i := &t.going[number]
	i.open = 2
	t.at(t.floor.Now()+i.phases[i.step].beside, tagComputed, number)
	t.exchange(number)
}

// takes is the time of a layer whose exchanges take some times as long as alone.
func (i *running) takes(slowed float64) (sum units.Time) {
	x := i.of.pace.experts
	exchange := func(what scenario.Exchange) units.Time { return units.Time(float64(x.layer(what, i.tokens)) * slowed) }
	if !i.halves {
		return i.computing + exchange(scenario.Dispatch) + exchange(scenario.Combine)
	}
	for _, p := range i.phases {
		sum += p.takes(exchange(p.what))
	}
	return sum
}

func (t *together) at(at units.Time, kind, number int) { t.floor.board.At(at, tagOf(kind, number)) }

// computed is called at the end of a computation. If computations overlap with exchanges that is what is beside an
// exchange, else a half of a layer: each exchange follows a half.
func (t *together) computed(number int) {
	i := &t.going[number]
	if i.halves {
		t.part(number)
		return
	}
	t.exchange(number)
}

// exchange begins the next exchange of a layer.
func (t *together) exchange(number int) {
	i := &t.going[number]
	if t.slowed > 0 { // the packets have been used up meanwhile
		takes := float64(i.of.pace.experts.layer(i.what(), i.tokens)) * i.of.slowed()
		t.next(number, t.floor.Now()+units.Time(takes))
		return
	}
	x := t.sized(i)
	if x == nil {
		return
	}
	t.packets += x.packets
	i.began = t.floor.Now()
	t.floor.board.Launch(x.graph, tagOf(tagExchange, number))
}

// what is the exchange of a layer that is under way.
func (i *running) what() scenario.Exchange {
	if i.halves {
		return i.phases[i.step].what
	}
	if i.step < i.exchanges/2 {
		return scenario.Dispatch
	}
	return scenario.Combine
}

// exchanged is called at the end of a simulated exchange. It was simulated with a rounded-down number of
// tokens (sized), so it is due later, in proportion.
func (t *together) exchanged(number int) {
	i := &t.going[number]
	m, x, now := i.of, t.sized(i), t.floor.Now()
	took := now - i.began
	m.done++
	m.taken += took
	m.alone += x.alone
	due := i.began + units.Time(float64(m.pace.experts.layer(i.what(), i.tokens))*float64(took)/float64(x.alone))
	if t.packets > t.study.packets && t.slowed == 0 {
		t.exhaust()
	}
	t.next(number, due)
}

// next goes on after an exchange of a layer that ends at a time.
func (t *together) next(number int, due units.Time) {
	i := &t.going[number]
	i.step++
	if i.step == i.exchanges || i.halves {
		t.at(due, tagPart, number)
		return
	}
	t.at(max(due, t.floor.Now())+i.computing-i.computing/2, tagComputed, number)
}

// part ends one of the parts that a layer, or one of its phases, waits for; the last part ends it.
func (t *together) part(number int) {
	i := &t.going[number]
	if i.open--; i.open > 0 {
		return
	}
	if !i.halves {
		t.layer(number)
		return
	}
	kind := tagNext
	if i.step == i.exchanges {
		kind = tagLayer
	}
	t.at(t.floor.Now()+i.phases[i.step-1].then, kind, number)
}

// slowed is how many times as long as alone exchanges take beside keys and values.
func (m *mixing) slowed() float64 {
	if m.alone == 0 {
		return cmp.Or(m.factor, 1)
	}
	return float64(m.taken) / float64(m.alone)
}

// sized is the next exchange of an iteration as it is simulated: with its number of tokens rounded down
// to three binary digits, so that few sizes occur. It is nil if the simulation alone failed.
func (t *together) sized(i *running) *sized {
	m := i.of
	k := size{i.first, i.what(), rounded(m.pace.experts.each(i.tokens))}
	if x := m.known[k]; x != nil {
		return x
	}
	r, err := t.study.alone(&exchangeRun{fabric: t.fabric, pool: m.pool, kernel: m.kernel, what: k.what, tokens: k.tokens})
	if err != nil {
		t.fail(err)
		return nil
	}
	x := &sized{graph: exchange.GraphOf(r).Among(t.study.r.Cluster.Ranks(), i.first)}
	x.packets = packets(x.graph, int64(t.study.plans[t.fabric].Fabric.MTU))
	p := &single{graph: x.graph}
	t.packets += x.packets
	if _, err := transfer.Run(t.ctx, t.study.plans[t.fabric], t.study.r, transfer.Options{Limit: t.study.r.Run.Limit.SimulatedTime, Graphs: true}, p); err != nil {
		t.fail(err)
		return nil
	}
	x.alone = p.took
	m.known[k] = x
	return x
}

func (t *together) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// rounded is a number with its three highest binary digits.
func rounded(n int) int {
	low := max(0, bits.Len(uint(n))-3)
	return n >> low << low
}

// packets is about the number of packets that a graph's messages take.
func packets(g *workload.Graph, mtu int64) (n int64) {
	for _, ops := range g.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Send {
				n += 1 + int64(o.Bytes)/mtu
				if o.Posting != nil {
					n += int64(o.Posting.Requests)
				}
			}
		}
	}
	return n
}

// exhaust ends the simulation of exchanges. It takes the slowdown of transfers from the requests served so
// far, compared with the run in which exchanges and transfers did not meet.
func (t *together) exhaust() {
	var here, there units.Time
	for i, r := range t.floor.scheduler.Records() {
		if own := t.apart.Records()[i]; r.First >= 0 && own.First >= 0 {
			here, there = here+exposed(&r), there+exposed(&own)
			t.moved++
		}
	}
	t.slowed = 1
	if here > there && there > 0 {
		t.slowed = float64(here) / float64(there)
	}
}

// exposed is the time of a request's transfer after its prompt was computed.
func exposed(r *serving.Record) units.Time { return r.First - max(r.Sent, r.Computed) }

// late is the delay by exchanges of a transfer that arrives now, given the end of its prompt's computation.
func (t *together) late(computed units.Time) units.Time {
	if t == nil || t.slowed <= 1 {
		return 0
	}
	return units.Time(float64(t.floor.Now()-computed) * (t.slowed - 1))
}

// tell reports the exchanges that met transfers.
func (t *together) tell(apart *results.ServingRun) *results.ServingContention {
	out := &results.ServingContention{Apart: apart, Transfers: t.moved, Sampled: t.slowed > 0}
	for _, x := range []struct {
		name string
		of   *mixing
	}{{prefillPool, t.prefill}, {decodePool, t.decode}} {
		if x.of != nil {
			out.Exchanges = append(out.Exchanges, results.ServingSlowed{Pool: x.name, Meet: x.of.meet, Simulated: x.of.done, Slowed: x.of.slowed()})
		}
	}
	return out
}

// single is the program of a graph alone.
type single struct {
	graph *workload.Graph
	took  units.Time
}

// Begin implements transfer.Program.
func (s *single) Begin(b *transfer.Board) { b.Launch(s.graph, 0) }

// Timer implements transfer.Program.
func (s *single) Timer(b *transfer.Board, _ uint64) { s.took = b.Now() }

// Arrived implements transfer.Program.
func (s *single) Arrived(*transfer.Board, int) {}

// Running implements transfer.Program.
func (s *single) Running() bool { return s.took == 0 }
