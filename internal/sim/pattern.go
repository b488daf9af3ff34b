package sim

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/engine"
	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// patternRun is the application of a synthetic pattern: messages between NICs,
// each posted at its time.
type patternRun struct {
	net   *network
	flows []patternFlow
	left  []int32   // by flow: pieces that have not arrived
	order [][]int32 // by NIC: its flows, in the order in which they are posted
	next  []int     // by NIC: of them
	parts []patternPart
}

// patternPart is what one partition of the network counts.
type patternPart struct {
	times    *flowTimes
	arrived  int
	finished units.Time
	failure  error
	_        [24]byte // partitions count on cache lines of their own
}

// patternFlow is one message.
type patternFlow struct {
	from, to int32
	bytes    units.Bytes
	start    units.Time
	ends     []units.QPN // over which it is split evenly
}

// streamPattern tells the patterns' random stream from others of the seed.
const streamPattern = 2

// patternFlows are the messages of a pattern, in order of time.
func patternFlows(r *scenario.Resolved, rate units.Rate, bytes units.Bytes) []patternFlow {
	n := int32(r.Cluster.Endpoints())
	pcg := engine.Stream(r.Run.Seed, streamPattern, 0)
	rng := rand.New(&pcg)
	w := &r.Workload
	var flows []patternFlow
	switch w.Pattern {
	case scenario.Permutation:
		// One random cycle over all NICs: nobody sends to itself.
		order := rng.Perm(int(n))
		for i, from := range order {
			flows = append(flows, patternFlow{from: int32(from), to: int32(order[(i+1)%len(order)]), bytes: bytes})
		}
	case scenario.Incast:
		order := rng.Perm(int(n))
		for i := range w.Receivers {
			to := int32(order[i])
			for j := range w.FanIn {
				from := int32(order[(w.Receivers+i*w.FanIn+j)%len(order)])
				if from == to {
					from = int32(order[(w.Receivers+i*w.FanIn+j+1)%len(order)])
				}
				flows = append(flows, patternFlow{from: from, to: to, bytes: bytes})
			}
		}
	case scenario.Uniform:
		flows = poisson(rng, n, bytes, rate, w)
	case scenario.Flows:
		for _, f := range w.Flows {
			flows = append(flows, patternFlow{from: int32(f.Src), to: int32(f.Dst), bytes: f.Bytes, start: f.Start})
		}
	}
	return flows
}

// poisson is uniform traffic: every NIC posts messages with exponential gaps,
// such that their payload is the load times the rate.
func poisson(rng *rand.Rand, n int32, bytes units.Bytes, rate units.Rate, w *scenario.Workload) (flows []patternFlow) {
	gap := float64(bytes) * 8 / (float64(rate) * w.Load.Float()) * float64(units.Second)
	for from := range n {
		for at := rng.ExpFloat64() * gap; at < float64(w.Duration); at += rng.ExpFloat64() * gap {
			to := rng.Int32N(n - 1)
			if to >= from {
				to++
			}
			flows = append(flows, patternFlow{from: from, to: to, bytes: bytes, start: units.Time(at)})
		}
	}
	return flows
}

// runPattern simulates one size of a synthetic pattern.
func (j *job) runPattern(point *runstore.Point) error {
	r := j.scenario
	run := &patternRun{
		flows: patternFlows(r, j.plan.fabric.Link.Rate(), j.bytes),
		order: make([][]int32, r.Cluster.Endpoints()), next: make([]int, r.Cluster.Endpoints()),
	}
	var err error
	if run.net, err = j.plan.build(run, r.Run.Seed, r.Cluster.Nodes, scaleUp{}, j.cores); err != nil {
		return err
	}
	if err := run.start(); err != nil {
		return err
	}
	j.watch.started(j, run.net.Network)
	err = run.net.Run(r.Run.Limit.SimulatedTime, j.cores, j.stop)
	all := run.sum()
	point.Counts = counts(run.net.Network)
	point.Flows = all.times.distribution()
	open := len(run.flows) - all.arrived
	switch {
	case err != nil:
		return err
	case all.failure != nil:
		return fmt.Errorf("%w; %s", all.failure, run.net.Waiting())
	case open > 0 && run.net.NextTime() == units.Forever:
		return fmt.Errorf("no progress: %d of %d messages have not arrived and nothing moves; %s", open, len(run.flows), run.net.Waiting())
	case open > 0:
		return fmt.Errorf("%d of %d messages had not arrived after %v of simulated time; %s", open, len(run.flows), r.Run.Limit.SimulatedTime, run.net.Waiting())
	}
	point.Time = all.finished
	point.Hottest = hottest(run.net.Network, all.finished)
	total := 0.0
	for i := range run.flows {
		total += float64(run.flows[i].bytes)
	}
	if s := point.Time.Seconds(); s > 0 {
		point.AlgBW = total / s / 1e9
		point.BusBW = point.AlgBW / float64(receivers(run.flows)) // of each that receives
	}
	return nil
}

// receivers is how many NICs get messages.
func receivers(flows []patternFlow) int {
	seen := make(map[int32]bool)
	for i := range flows {
		seen[flows[i].to] = true
	}
	return max(1, len(seen))
}

// sum joins what the partitions counted.
func (r *patternRun) sum() patternPart {
	all := patternPart{times: newFlowTimes()}
	for i := range r.parts {
		p := &r.parts[i]
		all.times.join(p.times)
		all.arrived += p.arrived
		all.finished = max(all.finished, p.finished)
		if all.failure == nil {
			all.failure = p.failure
		}
	}
	return all
}

// connections between the same pair of NICs are shared by its messages.
type nicPair struct{ from, to int32 }

// start connects the pairs that talk and asks for the first message's time of
// every NIC.
func (r *patternRun) start() error {
	ends := make(map[nicPair][]units.QPN)
	r.left = make([]int32, len(r.flows))
	for i := range r.flows {
		f := &r.flows[i]
		k := nicPair{f.from, f.to}
		if ends[k] == nil {
			var err error
			if ends[k], err = r.connect(k); err != nil {
				return err
			}
		}
		f.ends = ends[k]
		r.left[i] = int32(min(f.bytes, units.Bytes(len(f.ends))))
		r.order[f.from] = append(r.order[f.from], int32(i))
	}
	for range r.net.Partitions() {
		r.parts = append(r.parts, patternPart{times: newFlowTimes()})
	}
	for nic := range r.order {
		r.arm(r.net.Partition(int32(nic)), int32(nic))
	}
	return nil
}

// connect makes the queue pairs or sockets between two NICs.
func (r *patternRun) connect(k nicPair) (ends []units.QPN, err error) {
	plan := r.net.plan
	for i := range plan.connectionsPerPair() {
		entropy := uint32(engine.Mix(uint64(k.from)<<40 | uint64(uint32(k.to))<<8 | uint64(i)))
		end, _, err := r.net.Connect(k.from, k.to,
			plan.connection(entropy, int32(plan.port(k.from, entropy))),
			plan.connection(entropy^1, int32(plan.port(k.to, entropy))))
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	return ends, nil
}

// arm asks for the time of a NIC's next message.
func (r *patternRun) arm(p *fabric.Partition, nic int32) {
	if r.next[nic] < len(r.order[nic]) {
		p.At(max(p.Now()+1, r.flows[r.order[nic][r.next[nic]]].start), uint32(nic))
	}
}

// Timer posts the messages of a NIC that are due.
func (r *patternRun) Timer(p *fabric.Partition, source uint32) {
	nic := int32(source)
	for r.next[nic] < len(r.order[nic]) {
		i := r.order[nic][r.next[nic]]
		f := &r.flows[i]
		if f.start > p.Now() {
			break
		}
		r.next[nic]++
		if err := r.post(p, nic, i); err != nil {
			r.parts[p.ID()].failure = err
			return
		}
	}
	r.arm(p, nic)
}

// post sends a message, split evenly over the connections of its pair.
func (r *patternRun) post(p *fabric.Partition, nic, i int32) error {
	f := &r.flows[i]
	left := f.bytes
	for j, end := range f.ends {
		piece := left / units.Bytes(len(f.ends)-j)
		left -= piece
		if piece == 0 {
			continue
		}
		err := p.Post(nic, end, transport.WorkRequest{
			ID: uint64(i), Op: transport.OpWriteImm, Length: uint32(piece), Imm: uint32(i),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Complete takes the time of a message when it has arrived.
func (r *patternRun) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	part := &r.parts[p.ID()]
	if c.Status != transport.Success {
		if part.failure == nil {
			part.failure = fmt.Errorf("queue pair %d of NIC %d failed at %v: %v", c.QPN, nic, p.Now(), c.Status)
		}
		return
	}
	if !c.Recv {
		return
	}
	if r.left[c.Imm]--; r.left[c.Imm] == 0 {
		part.times.add(p.Now() - r.flows[c.Imm].start)
		part.finished = max(part.finished, p.Now())
		part.arrived++
	}
}
