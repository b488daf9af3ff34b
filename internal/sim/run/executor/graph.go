package executor

import (
	"context"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/streams"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Execution is the result of a workload on a fabric.
type Execution struct {
	Timeline *workload.Timeline
	Counts   results.Counts
	Flows    results.Distribution // of the messages between nodes
	Hottest  []results.HotLink
	Beside   []results.Stream // results of the fabric's streams meanwhile
	// Plans are the executed collectives with their configuration.
	Plans []PlannedCollective
}

// PlannedCollective is a collective of a size on groups of a form, with its configuration.
type PlannedCollective struct {
	Do       collective.Op
	Bytes    units.Bytes
	Nodes    int // of the group
	PerNode  int // ranks in each node
	Algo     collective.Algo
	Proto    nccl.Proto
	Channels int
}

// Execute executes a workload, packet by packet, all groups and messages at the same time. Rank i
// is the i-th GPU, node by node. The workload must have passed Check, and have no more ranks than
// the cluster has GPUs.
//
// skip makes it skip periods that repeat earlier ones. Results are the same with and without it. work, if not nil,
// counts the work of a phase: the lanes of its collectives, or the parts of its messages.
func Execute(ctx context.Context, p *network.Plan, r *scenario.Resolved, g *workload.Graph, skip bool, work *network.Work) (*Execution, error) {
	stop, release := engine.NewStop(ctx)
	defer release()
	out, err := ExecuteTask(&network.Task{
		Plan: p, Scenario: r, Stop: stop, Exact: skip, Started: func(*network.Network) {}, Work: work,
	}, g)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// ExecuteTask is Execute as the simulation of a task.
func ExecuteTask(j *network.Task, g *workload.Graph) (*Execution, error) {
	own := *j.Plan
	own.Verbs = network.Verbs{} // those of collectives, whatever the pattern of the scenario's workload sends
	p, r := &own, j.Scenario
	run := newGraphRun(r, p, g)
	beside := streams.Beside(p, run, len(run.ends))
	net, err := p.Build(beside.App(), r.Cluster.Nodes, ScaleUpOf(&r.Cluster.Node), 1)
	if err != nil {
		return nil, err
	}
	run.on(net)
	run.work = j.Work
	run.work.Expect(messageWork * int64(messages(g)))
	if err := beside.Start(run.net); err != nil {
		return nil, err
	}
	if j.Exact && run.canSkipPeriods(beside) {
		run.net.SkipPeriods(run, int64(len(g.Ranks[0])))
	}
	run.start()
	j.Started(run.net)
	limit := r.Run.Limit.SimulatedTime + 2*g.Computing() // the limit is meant for moving data, beside which computing takes up to twice as long
	err = run.net.Run(limit, 1, j.Stop)
	if err == nil {
		err = beside.Failure()
	}
	if err == nil {
		err = run.verdict(limit)
	}
	out := &Execution{Timeline: run.timeline, Counts: measure.Counts(run.net.Network), Flows: run.flowTimes().Distribution(), Plans: run.planner.list()}
	out.Counts.Skipped.Of = run.timeline.End
	var links []int32
	out.Hottest, links = measure.Hottest(run.net, run.timeline.End)
	measure.TellSeries(run.net, run.timeline.End, nil, 0)
	nameTransfers(run.net, run.dataPaths(), out.Hottest, links, func(group int32) string {
		if group == MessageGroup {
			return ""
		}
		return g.Groups[group].Name
	})
	out.Beside = beside.Results(run.timeline.End, out.Hottest, links, "the job")
	return out, err
}

// graphRun is the application that executes a workload.
type graphRun struct {
	collectives
	graph    *workload.Graph
	planner  *Planner
	progress []*workload.Progress
	timeline *workload.Timeline
	beside   []workload.Contention // by rank
	groups   []*Communicator
	pairs    map[[2]int32]*Communicator // by the two ranks of a message
	numbers  [][]int32                  // by rank and operation: the number of its message
	messages []graphMessage
	undone   int             // ranks
	leading  *operation      // whose steps are beats; nil for none
	sending  []*Communicator // pairs, in the order of their first messages
	looks    [2][]int32      // scratch for comparing operations
	ended    func()          // called when all ranks are done; may be nil
	loaded   map[*workload.Graph]numbering
}

// numbering is the numbers of a graph's messages, by rank and operation, and their count.
type numbering struct {
	numbers [][]int32
	count   int
}

// graphMessage is a message of a workload.
type graphMessage struct {
	from, to   int32 // the operations at both ends
	send, recv int32 // the same; recv is -1 until it has begun
	there      bool
}

func newGraphRun(r *scenario.Resolved, p *network.Plan, g *workload.Graph) *graphRun {
	run := &graphRun{collectives: newCollectives(r, p.Fabric, communications(g)), planner: NewPlanner(r, p.Fabric), pairs: make(map[[2]int32]*Communicator), loaded: make(map[*workload.Graph]numbering)}
	run.finished = run.memberOver
	run.divides = run.divides && g.Sender != workload.GPU
	for i := range g.Groups {
		c := NewCommunicator(int32(i), run.cluster, g.Groups[i].Ranks)
		c.FindTrees(p)
		run.groups = append(run.groups, c)
	}
	run.load(g)
	return run
}

// load makes a graph the one to execute, from its beginning.
func (r *graphRun) load(g *workload.Graph) {
	r.graph, r.undone = g, len(g.Ranks)
	r.timeline, r.beside = workload.NewTimeline(g), workload.NewContention(g)
	r.planner.sends(g)
	known, ok := r.loaded[g]
	if !ok {
		known.numbers, known.count = g.Messages()
		r.loaded[g] = known
	}
	r.numbers = known.numbers
	r.messages = make([]graphMessage, known.count)
	for i := range r.messages {
		r.messages[i].recv = -1
	}
	r.progress = make([]*workload.Progress, len(g.Ranks))
	for rank, ops := range g.Ranks {
		r.progress[rank] = workload.NewProgress(ops)
		for op, number := range r.numbers[rank] {
			switch ops[op].Kind {
			case workload.Send:
				r.messages[number].from = int32(op)
			case workload.Recv:
				r.messages[number].to = int32(op)
			}
		}
	}
}

// communications is the maximum number of communicating operations of a workload.
func communications(g *workload.Graph) (n int) {
	for _, ops := range g.Ranks {
		for i := range ops {
			if k := ops[i].Kind; k == workload.Collective || k == workload.Send {
				n++
			}
		}
	}
	return n
}

// messages is the number of messages of a workload.
func messages(g *workload.Graph) (n int) {
	for _, ops := range g.Ranks {
		for i := range ops {
			if ops[i].Kind == workload.Send {
				n++
			}
		}
	}
	return n
}

// Running reports whether ranks are still busy.
func (r *graphRun) Running() bool { return r.undone > 0 && r.failed() == nil }

// start begins the operations without dependencies.
func (r *graphRun) start() {
	for rank := range r.graph.Ranks {
		p := r.net.Partition(r.net.GPU(rank))
		r.progress[rank].First(func(op int32) { r.beginOp(p, rank, op) })
		r.settle(rank)
	}
}

// settle counts a finished rank.
func (r *graphRun) settle(rank int) {
	if !r.progress[rank].Done() {
		return
	}
	if r.undone--; r.undone == 0 && r.ended != nil {
		r.ended()
	}
}

// beginOp begins an operation of a rank.
func (r *graphRun) beginOp(p *fabric.Partition, rank int, op int32) {
	o := &r.graph.Ranks[rank][op]
	r.beat(p, rank)
	r.timeline.Began(rank, op, p.Now())
	if end, ok := r.beside[rank].Begin(o, op, p.Now()); ok {
		r.computes(p, rank, end)
	}
	switch o.Kind {
	case workload.Send:
		r.sendMessage(p, rank, op)
	case workload.Recv:
		m := &r.messages[r.numbers[rank][op]]
		m.recv = op
		if m.there { // later in this instant's events, so that a long chain does not recurse
			r.schedule(p, rank, p.Now(), host.Timer{Kind: host.TimerOver, Tag: uint64(op)})
		}
	case workload.Collective:
		r.beginCollective(p, rank, op)
	}
}

// beginCollective enters a rank into a collective; a collective of one rank does nothing.
func (r *graphRun) beginCollective(p *fabric.Partition, rank int, op int32) {
	o := &r.graph.Ranks[rank][op]
	c := r.groups[o.Group]
	if len(c.Members) == 1 {
		r.schedule(p, rank, p.Now(), host.Timer{Kind: host.TimerOver, Tag: uint64(op)})
		return
	}
	plan, err := r.planner.Plan(c, o.Do, int64(o.Bytes), int(o.Root))
	if err != nil {
		r.fail(p, int32(rank), err)
		return
	}
	member := c.member(rank)
	r.work.Expect(int64(plan.program.Lanes()))
	c.doing[member] = append(c.doing[member], op)
	if inst := r.enter(p, c, member, plan); inst != nil {
		r.lead(inst)
	}
}

// sendMessage sends a message: both ends begin it at once.
func (r *graphRun) sendMessage(p *fabric.Partition, rank int, op int32) {
	o := &r.graph.Ranks[rank][op]
	number := r.numbers[rank][op]
	r.messages[number].send = op
	c := r.between(int32(rank), o.Peer)
	plan, err := r.planner.Plan(c, collective.Send, max(1, int64(o.Bytes)), 0)
	if err != nil {
		r.fail(p, int32(rank), err)
		return
	}
	inst := r.open(c, plan)
	if inst == nil {
		r.fail(p, int32(rank), errTooMany)
		return
	}
	inst.message, inst.posting = number, o.Posting
	r.lead(inst)
	r.join(p, inst, 0)
	r.join(p, inst, 1)
}

// between is the communicator of the messages from one rank to another.
func (r *graphRun) between(from, to int32) *Communicator {
	k := [2]int32{from, to}
	c := r.pairs[k]
	if c == nil {
		c = NewCommunicator(MessageGroup, r.cluster, k[:])
		r.pairs[k] = c
		r.sending = append(r.sending, c)
	}
	return c
}

// memberOver is called when a rank has finished its part of a collective or message.
func (r *graphRun) memberOver(p *fabric.Partition, o *operation, member int) {
	if r.leading == o && o.unfinished == 1 {
		r.leadNext()
	}
	c := o.comm
	rank := int(c.Members[member])
	if o.message == workload.NoMessage {
		op := c.doing[member][0]
		c.doing[member] = c.doing[member][:copy(c.doing[member], c.doing[member][1:])]
		r.over(p, rank, op)
		return
	}
	if member == 0 {
		return // it has only posted its sends
	}
	r.work.Done(messageWork % int64(o.plan.program.Lanes()))
	m := &r.messages[o.message]
	m.there = true
	if m.recv >= 0 {
		r.over(p, rank, m.recv)
	}
	r.over(p, int(c.Members[0]), m.send)
}

// over ends an operation of a rank and begins the operations that waited for it.
func (r *graphRun) over(p *fabric.Partition, rank int, op int32) {
	if end, ok := r.beside[rank].Over(&r.graph.Ranks[rank][op], p.Now()); ok {
		r.computes(p, rank, end)
	}
	r.timeline.Over(rank, op, p.Now())
	r.progress[rank].Over(op, func(next int32) { r.beginOp(p, rank, next) })
	r.settle(rank)
}

// computes sets the timer of a new end of a rank's computation.
func (r *graphRun) computes(p *fabric.Partition, rank int, end workload.End) {
	r.schedule(p, rank, end.At, host.Timer{Kind: host.TimerOver, Tag: uint64(end.Turn)<<32 | uint64(end.Op)})
}

// Timer is called at a rank's timer.
func (r *graphRun) Timer(p *fabric.Partition, source uint32) {
	rank := int(source - r.source)
	r.hosts[rank].timers.Run(p, source, func(t *host.Timer) {
		if t.Kind == host.TimerOver {
			op := int32(t.Tag)
			if r.graph.Ranks[rank][op].Kind != workload.Compute || r.beside[rank].Holds(uint32(t.Tag>>32)) {
				r.over(p, rank, op)
			}
			return
		}
		r.runTimer(p, rank, t)
	})
}

// verdict is the reason why a completed run did not finish the workload; nil if it did.
func (r *graphRun) verdict(limit units.Time) error {
	switch {
	case r.failed() != nil:
		return fmt.Errorf("%w; %s", r.failed(), r.net.Waiting())
	case r.undone == 0:
		return nil
	case r.net.NextTime() < units.Forever:
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, r.undone, len(r.graph.Ranks), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", r.undone, len(r.graph.Ranks), r.net.Waiting())
}
