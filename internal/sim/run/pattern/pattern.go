package pattern

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// patternRun is the application of a synthetic pattern: messages between the
// hosts of NICs, each posted at its time.
type patternRun struct {
	net    *network.Network
	verbs  network.Verbs
	path   host.Path
	jitter *jitter.Jitter // nil is none
	flows  []patternFlow
	left   []int32 // by flow: number of pieces still to arrive, set before the first arrives
	hosts  []patternHost
	parts  []patternPart
}

// patternHost is the host behind a NIC: the messages that it still has to post, and the times at
// which its copies are done.
type patternHost struct {
	timers             host.Timers
	flows              []int32 // in the order of posting
	next               int     // of them
	sending, receiving units.Time
	// With jitter: the time at which the last piece left the host's software and the NIC's
	// pipeline, by side and the number of the connection's end.
	latest [2][]units.Time
	taken  []units.Time // with inline data: by end, the time at which the NIC takes the last piece
}

// bind makes room for the end of a connection.
func (h *patternHost) bind(end units.QPN) {
	for len(h.taken) <= int(end) {
		h.taken = append(h.taken, 0)
	}
	for s := range h.latest {
		for len(h.latest[s]) <= int(end) {
			h.latest[s] = append(h.latest[s], 0)
		}
	}
}

// patternPart is the counters of one simulation partition.
type patternPart struct {
	times    *measure.FlowTimes
	levels   levelTimes // nil if all have the same level
	arrived  int
	pieces   int64   // that have arrived
	leaders  []int32 // the messages whose packets are beats, one after the other; the first is the present one
	finished units.Time
	failure  error
	broken   []brokenPair // failed connections
	_        [56]byte     // each partition has its own cache lines
}

// patternFlow is one message.
type patternFlow struct {
	from, to int32
	bytes    units.Bytes
	start    units.Time
	done     units.Time // time at which it was complete in its host's memory
	sl       int        // its service level, or on Ethernet its priority; 0: the fabric's
	level    units.SL   // that it has
	qkey     uint32     // Q_Key of its datagrams; 0: their queue pair's
	ends     []qpPair   // the connections that share it evenly
}

// qpPair is a connection: its end at the posting NIC, and the other.
type qpPair struct{ end, peer units.QPN }

// streamPattern separates the patterns' random stream from the seed's other streams.
const streamPattern = 2

// patternFlows are the messages of a pattern, in order of time.
func patternFlows(r *scenario.Resolved, fabric *scenario.Fabric, bytes units.Bytes) []patternFlow {
	n := int32(r.Cluster.Endpoints())
	pcg := engine.Stream(r.Run.Seed, streamPattern, 0)
	rng := rand.New(&pcg)
	w := &r.Workload
	var flows []patternFlow
	switch w.Pattern {
	case scenario.Permutation:
		// One random cycle over all NICs: no NIC sends to itself.
		order := rng.Perm(int(n))
		for i, from := range order {
			flows = append(flows, patternFlow{from: int32(from), to: int32(order[(i+1)%len(order)]), bytes: bytes})
		}
	case scenario.Incast:
		order := rng.Perm(int(n))
		for i := range w.Receivers {
			to, next := int32(order[i]), w.Receivers+i*w.FanIn
			for senders := 0; senders < w.FanIn; next++ {
				if from := int32(order[next%len(order)]); from != to {
					flows = append(flows, patternFlow{from: from, to: to, bytes: bytes})
					senders++
				}
			}
		}
	case scenario.Uniform:
		flows = poisson(rng, n, bytes, fabric.Link.Rate(), w)
	case scenario.Flows:
		for _, f := range w.AllFlows(&r.Cluster) {
			flows = append(flows, patternFlow{from: int32(f.Src), to: int32(f.Dst), bytes: f.Bytes, start: f.Start, sl: f.ClassOn(fabric), qkey: uint32(f.QKey)})
		}
	}
	return flows
}

// poisson is uniform traffic: every NIC posts messages at exponentially distributed intervals.
// Their payload per time is the load times the rate.
func poisson(rng *rand.Rand, n int32, bytes units.Bytes, rate units.Rate, w *scenario.Workload) (flows []patternFlow) {
	gap := meanGap(bytes, rate, w)
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

// meanGap is the mean time between two messages of a NIC, in picoseconds.
func meanGap(bytes units.Bytes, rate units.Rate, w *scenario.Workload) float64 {
	return float64(bytes) * 8 / (float64(rate) * w.Load.Float()) * float64(units.Second)
}

// Run simulates one size of a synthetic pattern.
func Run(j *network.Task, point *results.Point) error {
	r := j.Scenario
	run := &patternRun{
		flows: patternFlows(r, j.Plan.Fabric, j.Bytes),
		verbs: j.Plan.Verbs,
		path:  path(&j.Plan.Verbs, j.Plan.Fabric, &r.Cluster.Node),
		hosts: make([]patternHost, r.Cluster.Endpoints()), jitter: jitter.Of(&r.Run, j.Plan.Fabric, r.Cluster.Endpoints()),
	}
	if len(run.flows) == 0 {
		return fmt.Errorf("no message of %s is sent: at a load of %s a NIC sends one every %v in the mean, and workload.duration is %v, in which this seed draws none; give a longer duration, more load or smaller messages",
			j.Bytes, r.Workload.Load, units.Time(meanGap(j.Bytes, j.Plan.Fabric.Link.Rate(), &r.Workload)), r.Workload.Duration)
	}
	var err error
	if run.net, err = j.Plan.Build(run, r.Cluster.Nodes, network.ScaleUp{}, j.Parts); err != nil {
		return err
	}
	if err := run.start(); err != nil {
		return err
	}
	j.Started(run.net)
	run.net.UseSpare(j.Spare)
	if j.Exact {
		run.skipPeriods(r.Workload.Pattern)
	}
	err = run.net.Run(r.Run.Limit.SimulatedTime, j.Cores, j.Stop)
	all := run.sum()
	measure.TellSeries(run.net, all.finished, nil, 0)
	point.Counts = measure.Counts(run.net.Network)
	if err := run.violations(point, &r.Control); err != nil {
		return err
	}
	point.Fault = j.Plan.Suffered(run.net.Network)
	point.Flows, point.Levels = all.times.Distribution(), all.levels.distributions()
	barred := run.barred()
	point.Counts.MessagesBarred = int64(barred)
	open := len(run.flows) - all.arrived - barred
	abandoned := run.abandoned(&all)
	if abandoned != nil && run.net.NextTime() == units.Forever {
		point.Counts.MessagesLost = int64(open)
	}
	switch {
	case err != nil:
		return err
	case abandoned != nil:
		return network.Unfinished{Why: abandoned}
	case all.failure != nil:
		return fmt.Errorf("%w; %s", all.failure, run.net.Waiting())
	case barred > 0 && barred == len(run.flows):
		return fmt.Errorf("all %d messages are between NICs that share no partition, or carry a Q_Key that is not their receiver's: see ib.partitions, workload.qkey and workload.flows", barred)
	case open > 0 && run.lost():
		point.Counts.MessagesLost = int64(open)
		if all.arrived == 0 {
			return run.allLost(open, point.Counts.DroppedOutOfTurn)
		}
	case open > 0:
		return run.unfinished(open, r.Run.Limit.SimulatedTime)
	}
	point.Counts.Skipped.Of = all.finished
	point.Time = all.finished
	if r.Workload.Pattern == scenario.Uniform {
		// The offered load determines the time, which is the same on all fabrics: the time of a
		// message distinguishes them.
		point.Time = point.Flows.Mean
	}
	point.Hottest = run.hottest(all.finished)
	run.bandwidth(point, all.finished)
	var pauses []pauses.Pausing
	if point.Pauses, pauses = measure.PauseTree(run.net, all.finished); pauses != nil {
		run.pausedFlows(pauses, point.Pauses)
	}
	return nil
}

// unfinished is the error for messages that have not arrived at the end.
func (r *patternRun) unfinished(open int, limit units.Time) error {
	if r.net.NextTime() == units.Forever {
		return network.Unfinished{Why: fmt.Errorf("no progress: %d of %d messages have not arrived and nothing moves; %s", open, len(r.flows), r.net.Waiting())}
	}
	return network.Unfinished{Why: fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d messages have not arrived; %s", limit, open, len(r.flows), r.net.Waiting())}
}

// bandwidth is the received bytes over the time, in total and per receiving NIC.
func (r *patternRun) bandwidth(point *results.Point, took units.Time) {
	total := 0.0
	receivers := make(map[int32]bool)
	for i := range r.flows {
		f := &r.flows[i]
		receivers[f.to] = true
		if r.left[i] == 0 {
			total += float64(f.bytes)
		}
	}
	if s := took.Seconds(); s > 0 {
		point.AlgBW = total / s / 1e9
		point.BusBW = point.AlgBW / float64(len(receivers))
	}
}

// sum adds up the counters of the partitions.
func (r *patternRun) sum() patternPart {
	all := patternPart{times: measure.NewFlowTimes(), levels: r.levels()}
	for i := range r.parts {
		p := &r.parts[i]
		all.times.Join(p.times)
		all.levels.join(p.levels)
		all.arrived += p.arrived
		all.finished = max(all.finished, p.finished)
		all.broken = append(all.broken, p.broken...)
		if all.failure == nil {
			all.failure = p.failure
		}
	}
	all.broken = inOrder(all.broken)
	return all
}

// The messages of a pair of NICs share its connections.
type nicPair struct {
	from, to int32
	sl       int // level of the messages
}

// start connects the communicating pairs and requests the time of every NIC's first message.
func (r *patternRun) start() error {
	ends := make(map[nicPair][]qpPair)
	r.left = make([]int32, len(r.flows))
	for i := range r.flows {
		f := &r.flows[i]
		k := endsOf(&r.verbs, f)
		if ends[k] == nil {
			var err error
			if ends[k], err = r.connect(k); err != nil {
				return err
			}
		}
		f.ends = ends[k]
		f.level = level(r.net, k)
		r.left[i] = r.pieces(f, nil)
		r.hosts[k.from].flows = append(r.hosts[k.from].flows, int32(i))
	}
	for range r.net.Partitions() {
		r.parts = append(r.parts, patternPart{times: measure.NewFlowTimes(), levels: r.levels()})
	}
	for nic := range r.hosts {
		// A list of flows may be in any order, and so may be the READs of a host.
		slices.SortStableFunc(r.hosts[nic].flows, func(a, b int32) int { return cmp.Compare(r.flows[a].start, r.flows[b].start) })
		r.askNext(r.net.Partition(int32(nic)), int32(nic))
	}
	return nil
}

// connect makes the queue pairs or sockets between two NICs; the first posts.
func (r *patternRun) connect(k nicPair) (ends []qpPair, err error) {
	number := func(i int) uint32 {
		return uint32(engine.Mix(uint64(k.from)<<40 | uint64(uint32(k.to))<<8 | uint64(i)))
	}
	for i := range r.net.Plan.ConnectionsPerPair() {
		entropy := r.net.Plan.InTurn(k.from, number(0), number(i), i)
		end, peer, err := r.net.ConnectNICs(k.from, k.to, entropy, 0, k.sl)
		if err != nil {
			return nil, err
		}
		if err := r.stock(k.to, peer); err != nil {
			return nil, err
		}
		r.hosts[k.from].bind(end)
		r.hosts[k.to].bind(peer)
		ends = append(ends, qpPair{end, peer})
	}
	return ends, nil
}

// askNext requests the time of a host's next message.
func (r *patternRun) askNext(p *fabric.Partition, nic int32) {
	h := &r.hosts[nic]
	if h.next < len(h.flows) {
		h.timers.Schedule(p, uint32(nic), r.flows[h.flows[h.next]].start, host.Timer{Kind: host.TimerBegin})
	}
}

// Timer executes the due actions of a host.
func (r *patternRun) Timer(p *fabric.Partition, source uint32) {
	nic := int32(source)
	h := &r.hosts[nic]
	h.timers.Run(p, source, func(t *host.Timer) {
		switch t.Kind {
		case host.TimerBegin:
			r.post(p, nic, h.flows[h.next])
			h.next++
			r.askNext(p, nic)
		case host.TimerPost:
			r.handOver(p, &t.Transfer)
		case host.TimerArrive:
			r.arrived(p, int32(t.Tag))
		case host.TimerRepost:
			r.fail(p, p.PostRecv(t.Transfer.NIC, t.Transfer.End, anyReceive))
		}
	})
}

// longestPiece is the maximum size of a work request of a pattern: a queue pair takes messages of
// up to 2 GiB.
const longestPiece = int64(units.GiB)

// pieces divides a message evenly over the connections of its pair, and each part into pieces for
// the host's path. It returns the number of pieces.
func (r *patternRun) pieces(f *patternFlow, each func(end qpPair, bytes int64)) (n int32) {
	most := longestPiece
	if r.path.Piece > 0 {
		most = r.path.Piece
	}
	rest := int64(f.bytes)
	for i, end := range f.ends {
		part := rest / int64(len(f.ends)-i)
		rest -= part
		for ; part > 0; n++ {
			piece := min(part, most)
			part -= piece
			if each != nil {
				each(end, piece)
			}
		}
	}
	return n
}

// post takes a message from a host to its NIC.
func (r *patternRun) post(p *fabric.Partition, nic, flow int32) {
	h := &r.hosts[nic]
	extra := r.jitter.Draw(jitter.Sender, int(nic))
	r.pieces(&r.flows[flow], func(qp qpPair, bytes int64) {
		h.sending = max(h.sending, p.Now()) + r.sendCopy(bytes)
		t := host.Transfer{NIC: nic, End: qp.end, Peer: qp.peer, Tag: uint32(flow), Bytes: bytes}
		at := r.path.InTurn(&h.taken[qp.end], r.jitter.InOrder(&h.latest[jitter.Sender][qp.end], h.sending+r.sendTime(bytes)+extra))
		h.timers.Schedule(p, uint32(nic), at, host.Timer{Kind: host.TimerPost, Transfer: t})
	})
}

// handOver posts a piece on the NIC.
func (r *patternRun) handOver(p *fabric.Partition, t *host.Transfer) {
	err := p.Post(t.NIC, t.End, transport.WorkRequest{
		ID: uint64(t.Tag), Op: r.verbs.Op, Length: uint32(t.Bytes), Imm: t.Tag, DestQP: t.Peer,
		QKey: cmp.Or(r.flows[t.Tag].qkey, r.verbs.QKey),
	})
	if !r.isBarred(int32(t.Tag)) { // the queue pair of a barred message may have failed
		r.fail(p, err)
	}
}

// fail keeps the first error of a partition.
func (r *patternRun) fail(p *fabric.Partition, err error) {
	if part := &r.parts[p.ID()]; err != nil && part.failure == nil {
		part.failure = err
	}
}

// arrived counts a piece in its host's memory.
func (r *patternRun) arrived(p *fabric.Partition, flow int32) {
	part := &r.parts[p.ID()]
	part.pieces++
	if r.left[flow]--; r.left[flow] == 0 {
		r.flows[flow].done = p.Now()
		part.times.Add(p.Now() - r.flows[flow].start)
		part.levels.add(r.flows[flow].level, p.Now()-r.flows[flow].start)
		part.finished = max(part.finished, p.Now())
		part.arrived++
		if len(part.leaders) > 0 && flow == part.leaders[0] {
			r.lead(p)
		}
	}
}

// Complete takes an arrived piece from the NIC to the host.
func (r *patternRun) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if c.Status != transport.Success && !c.Recv && r.isBarred(int32(c.ID)) {
		return
	}
	if c.Status != transport.Success {
		r.gaveUp(p, nic, c)
		return
	}
	if flow, ok := brings(&r.verbs, c); ok {
		h := &r.hosts[nic]
		h.receiving = max(h.receiving, p.Now()) + r.path.CopyTime(int64(c.Bytes))
		arrival := r.jitter.InOrder(&h.latest[jitter.Receiver][c.QPN], h.receiving+r.path.Receive+r.jitter.Draw(jitter.Receiver, int(nic)))
		h.timers.Schedule(p, uint32(nic), arrival, host.Timer{Kind: host.TimerArrive, Tag: uint64(flow)})
		r.again(p, nic, c.QPN, arrival)
	}
}

// violations adds to a point the packets discarded for keys or VRFs, and the times at which the
// Subnet Manager knew.
func (r *patternRun) violations(point *results.Point, spec *scenario.Control) (err error) {
	all := r.net.Violations()
	point.Violations = measure.Violations(r.net, all)
	point.Traps, err = control.Trapped(r.net.Plan, all, point.Violations, spec)
	return err
}
