package executor

import (
	"fmt"

	"weft/internal/runstore"
	"weft/internal/sim/measure"
	"weft/internal/sim/network"
	"weft/units"
)

// RunCollective simulates one size of a collective.
func RunCollective(j *network.Task, point *runstore.Point) error {
	r, f := j.Scenario, j.Plan.Fabric
	all := NewCommunicator(0, LayoutOf(&r.Cluster), everybody(r.Cluster.Ranks()))
	all.FindTrees(j.Plan)
	c, err := choose(r, f, j.Bytes, all.trees != nil)
	if err != nil {
		return err
	}
	point.Algorithm, point.Wire, point.Channels = c.algo.String(), c.choice.Proto.String(), c.channels
	run := &collectiveRun{
		collectives: newCollectives(r, f), done: make([]int, r.Cluster.Ranks()),
		total: r.Run.Warmup + r.Run.Iterations, warmup: r.Run.Warmup,
		plan: &CollectivePlan{chosen: c, Pace: paceOf(&c.overhead, r.Cluster.Nodes, r.Cluster.Node.GPUs), inSwitch: dataRate(c.overhead.SwitchGBps, 1)},
	}
	run.plan.unicast = run.plan.inSwitch
	run.all = all
	beside := beside(j.Plan, run, len(run.ends))
	run.net, err = j.Plan.Build(beside.app(), r.Run.Seed, r.Cluster.Nodes, network.ScaleUp{Node: &r.Cluster.Node, Rate: scaleUpRate(r, &c)}, 1)
	if err != nil {
		return err
	}
	if err := beside.start(run.net); err != nil {
		return err
	}
	if err := run.start(); err != nil {
		return err
	}
	j.Started(run.net.Network)
	err = run.net.Run(r.Run.Limit.SimulatedTime, 1, j.Stop)
	if err == nil {
		err = beside.failure
	}
	if err == nil {
		err = run.verdict(r.Run.Limit.SimulatedTime)
	}
	point.Counts = measure.Counts(run.net.Network)
	point.Fault = j.Plan.Suffered(run.net.Network)
	point.Flows = run.flows.Distribution()
	if err != nil {
		return err
	}
	point.Time = (run.ended - run.began) / units.Time(r.Run.Iterations)
	point.Hottest, _ = measure.Hottest(run.net, run.ended)
	point.Beside = beside.results(run.ended)
	point.Pauses, _ = measure.PauseTree(run.net, run.ended)
	seconds := point.Time.Seconds()
	if seconds > 0 {
		point.AlgBW = float64(j.Bytes) / seconds / 1e9
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
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, r.unsent, len(r.all.Members), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", r.unsent, len(r.all.Members), r.net.Waiting())
}
