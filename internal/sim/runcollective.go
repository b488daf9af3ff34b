package sim

import (
	"fmt"

	"weft/internal/runstore"
	"weft/units"
)

// runCollective simulates one size of a collective.
func (j *job) runCollective(point *runstore.Point) error {
	r, f := j.scenario, j.plan.fabric
	members := everybody(r.Cluster.Ranks())
	trees := j.plan.forest.of(members)
	c, err := choose(r, f, j.bytes, trees != nil)
	if err != nil {
		return err
	}
	point.Algorithm, point.Wire, point.Channels = c.algo.String(), c.choice.Proto.String(), c.channels
	run := &collectiveRun{
		collectives: newCollectives(r, f), done: make([]int, r.Cluster.Ranks()),
		total: r.Run.Warmup + r.Run.Iterations, warmup: r.Run.Warmup,
		plan: &collectivePlan{chosen: c, pace: paceOf(&c.overhead, r.Cluster.Nodes, r.Cluster.Node.GPUs), inSwitch: dataRate(c.overhead.SwitchGBps, 1)},
	}
	run.plan.unicast = run.plan.inSwitch
	run.all = newCommunicator(0, run.cluster, members)
	run.all.trees = trees
	beside := j.plan.beside(run, len(run.ends))
	run.net, err = j.plan.build(beside.app(), r.Run.Seed, r.Cluster.Nodes, scaleUp{&r.Cluster.Node, scaleUpRate(r, &c)}, 1)
	if err != nil {
		return err
	}
	if err := beside.start(run.net); err != nil {
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
	point.Beside = beside.results(run.ended)
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
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, r.unsent, len(r.all.members), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", r.unsent, len(r.all.members), r.net.Waiting())
}
