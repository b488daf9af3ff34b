package sim

import (
	"fmt"

	"weft/internal/fabric"
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
	total := r.Run.Warmup + r.Run.Iterations
	run := &collectiveRun{
		collectives: newCollectives(r, f, total), done: make([]int, r.Cluster.Ranks()), total: total, warmup: r.Run.Warmup,
		plan: &collectivePlan{chosen: c, pace: paceOf(&c.overhead, r.Cluster.Nodes, r.Cluster.Node.GPUs), inSwitch: dataRate(c.overhead.SwitchGBps, 1)},
	}
	run.plan.unicast = run.plan.inSwitch
	run.all = newCommunicator(0, run.cluster, everybody(r.Cluster.Ranks()))
	if err := checkPlan(run.plan.program); err != nil {
		return err
	}
	beside := j.plan.beside(run, len(run.ends))
	if err := j.place(run, beside.app(), scaleUp{&r.Cluster.Node, scaleUpRate(r, &c)}); err != nil {
		return err
	}
	if err := beside.start(run.net); err != nil {
		return err
	}
	run.start()
	j.watch.started(j, run.net.Network)
	run.net.Hire(j.spare)
	err = run.net.Run(r.Run.Limit.SimulatedTime, j.cores, j.stop)
	if err == nil {
		err = beside.failure
	}
	if err == nil {
		err = run.verdict(r.Run.Limit.SimulatedTime)
	}
	point.Counts = counts(run.net.Network)
	point.Fault = j.plan.suffered(run.net.Network)
	point.Flows = run.flowTimes().distribution()
	if err != nil {
		return err
	}
	all := run.sum()
	point.Time = (all.ended - all.began) / units.Time(r.Run.Iterations)
	point.Hottest, _ = run.net.hottest(all.ended)
	point.Beside = beside.results(all.ended)
	point.Pauses, _ = run.net.pauseTree(all.ended)
	seconds := point.Time.Seconds()
	if seconds > 0 {
		point.AlgBW = float64(j.bytes) / seconds / 1e9
		point.BusBW = point.AlgBW * operations[r.Workload.Collective].BusFactor(r.Cluster.Ranks())
	}
	return nil
}

// place puts a collective on a network of as many partitions as the simulation is to be
// cut into, where it can be divided.
func (j *job) place(run *collectiveRun, app fabric.App, up scaleUp) error {
	r := j.scenario
	var legs []leg
	parts := min(j.parts, r.Cluster.Nodes)
	if parts > 1 {
		if legs = run.plan.allLegs(j.parts); !run.divisible(j.plan, run.all, legs) {
			parts = 1
		}
	}
	net, err := j.plan.build(app, r.Run.Seed, r.Cluster.Nodes, up, parts)
	if err != nil {
		return err
	}
	run.on(net)
	if net.Partitions() == 1 {
		return nil
	}
	return run.connectAll(run.all, legs)
}

// verdict is why a run that has come to its end did not finish the collective;
// nil if it did.
func (r *collectiveRun) verdict(limit units.Time) error {
	unsent := len(r.all.members) - r.sum().over
	switch {
	case r.failed() != nil:
		return fmt.Errorf("%w; %s", r.failed(), r.net.Waiting())
	case unsent == 0:
		return nil
	case r.net.NextTime() < units.Forever:
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, unsent, len(r.all.members), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", unsent, len(r.all.members), r.net.Waiting())
}
