package sim

import (
	"fmt"

	"weft/internal/runstore"
	"weft/units"
)

// runCollective simulates one size of a collective.
func (j *job) runCollective(point *runstore.Point) error {
	r, f := j.scenario, j.plan.fabric
	c, err := choose(r, f, j.bytes)
	if err != nil {
		return err
	}
	point.Algorithm, point.Wire, point.Channels = c.algo.String(), c.choice.Proto.String(), c.channels
	run := &collectiveRun{
		prog: c.program, choice: c.choice, cost: c.overhead, layout: layoutOf(&r.Cluster), pace: paceOf(&c.overhead, r.Cluster.Nodes, r.Cluster.Node.GPUs),
		path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, r.Cluster.Ranks()), links: make(map[pair]*connections), unused: -1,
		flows: newFlowTimes(), total: r.Run.Warmup + r.Run.Iterations, warmup: r.Run.Warmup,
		ranks: make([]rankState, r.Cluster.Ranks()), ends: make([][]endpoint, r.Cluster.Endpoints()),
	}
	for i := range run.ranks {
		run.ranks[i].early = make(map[uint32]arrival)
		run.ranks[i].channels = make([]channelRun, c.program.Channels())
	}
	beside := j.plan.beside(run)
	run.net, err = j.plan.build(beside.app(), r.Run.Seed, r.Cluster.Nodes, scaleUp{&r.Cluster.Node, scaleUpRate(r, &c), dataRate(c.overhead.SwitchGBps, 1)}, 1)
	if err != nil {
		return err
	}
	if err := beside.start(); err != nil {
		return err
	}
	if err := run.start(); err != nil {
		return err
	}
	j.watch.started(j, run.net.Network)
	err = run.net.Run(r.Run.Limit.SimulatedTime, 1, j.stop)
	if err == nil {
		err = beside.failure
	}
	if err == nil {
		err = run.verdict(r.Run.Limit.SimulatedTime)
	}
	point.Counts = counts(run.net.Network)
	point.Fault = j.plan.suffered(run.net.Network)
	point.Flows = run.flows.distribution()
	if err != nil {
		return err
	}
	point.Time = (run.ended - run.began) / units.Time(r.Run.Iterations)
	point.Hottest, _ = run.net.hottest(run.ended)
	point.Beside = beside.results()
	point.Pauses, _ = run.net.pauseTree(run.ended)
	seconds := point.Time.Seconds()
	if seconds > 0 {
		point.AlgBW = float64(j.bytes) / seconds / 1e9
		point.BusBW = point.AlgBW * operations[r.Workload.Collective].BusFactor(r.Cluster.Ranks())
	}
	return nil
}

// verdict is why a run that has come to its end did not finish the collective;
// nil if it did.
func (r *collectiveRun) verdict(limit units.Time) error {
	switch {
	case r.failure != nil:
		return fmt.Errorf("%w; %s", r.failure, r.net.Waiting())
	case r.unsent == 0:
		return nil
	case r.net.NextTime() < units.Forever:
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, r.unsent, len(r.ranks), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", r.unsent, len(r.ranks), r.net.Waiting())
}
