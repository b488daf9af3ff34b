package executor

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/streams"
	"weft/results"
	"weft/units"
)

// RunCollective simulates one size of a collective, or estimates it from parts.
func RunCollective(j *network.Task, point *results.Point) error {
	e, err := newEstimator(j)
	if err != nil {
		return err
	}
	if e != nil {
		if ok, err := e.run(point); ok || err != nil {
			return err
		}
	}
	*point = results.Point{Bytes: point.Bytes}
	run, err := newCollectiveRun(j.Scenario, j.Plan, j.Bytes)
	if err != nil {
		return err
	}
	return run.simulate(j, point)
}

// simulate runs a collective on its own network.
func (r *collectiveRun) simulate(j *network.Task, point *results.Point) error {
	sc, c := j.Scenario, &r.plan.chosen
	point.Algorithm, point.Wire, point.Channels = c.algo.String(), c.choice.Proto.String(), c.channels
	beside := streams.Beside(j.Plan, r, len(r.ends))
	if err := r.place(j, beside.App()); err != nil {
		return err
	}
	if err := beside.Start(r.net); err != nil {
		return err
	}
	r.recordSteps(j.Plan)
	j.Started(r.net)
	r.work = j.Work
	if r.times == nil { // else the estimator expects it
		r.work.Expect(int64(r.total) * int64(len(r.all.Members)) * int64(r.plan.program.Lanes()))
	}
	r.start()
	r.net.UseSpare(j.Spare)
	if j.Exact && r.canSkipPeriods(beside) {
		r.net.SkipPeriods(r, r.beats())
	}
	err := r.net.Run(sc.Run.Limit.SimulatedTime, j.Cores, j.Stop)
	if err == nil {
		err = beside.Failure()
	}
	if err == nil {
		err = r.verdict(sc.Run.Limit.SimulatedTime)
	}
	steps, merged := r.steps.rows()
	measure.TellSeries(r.net, r.sum().ended, steps, merged)
	point.Counts = measure.Counts(r.net.Network)
	point.Fault = j.Plan.Suffered(r.net.Network)
	point.Flows = r.flowTimes().Distribution()
	if err != nil {
		return err
	}
	all := r.sum()
	point.Counts.Skipped.Of = all.ended
	point.Time = reported(sc, c, (all.ended-all.began)/units.Time(sc.Run.Iterations))
	var links []int32
	point.Hottest, links = measure.Hottest(r.net, all.ended)
	nameTransfers(r.net, r.dataPaths(), point.Hottest, links, func(int32) string { return "" })
	point.Beside = beside.Results(all.ended, point.Hottest, links, string(sc.Workload.Collective))
	point.Pauses, _ = measure.PauseTree(r.net, all.ended)
	setBandwidth(j, point)
	return nil
}

// setBandwidth computes the bandwidths from the time.
func setBandwidth(j *network.Task, point *results.Point) {
	if seconds := point.Time.Seconds(); seconds > 0 {
		point.AlgBW = float64(j.Bytes) / seconds / 1e9
		point.BusBW = point.AlgBW * operations[j.Scenario.Workload.Collective].BusFactor(j.Scenario.Job().Ranks())
	}
}

// place puts a collective on a network with the simulation's number of partitions, if it can be
// divided.
func (r *collectiveRun) place(j *network.Task, app fabric.App) error {
	var edges []Edge
	nodes := j.Scenario.Cluster.Nodes
	parts := min(j.Parts, nodes)
	switch {
	case j.Scenario.Job().Nodes < nodes:
		parts = 1 // streams may go anywhere
	case j.Plan.Fabric.NIC.Contexts > 0:
		parts = 1 // a context's place is its queue pair's number, which are given in the order of first use
	}
	if parts > 1 {
		if edges = r.plan.allEdges(parts); !r.canPartition(j.Plan, r.all, edges) {
			parts = 1
		}
	}
	up := network.ScaleUp{Node: &j.Scenario.Cluster.Node, Rate: scaleUpRate(j.Scenario, &r.plan.chosen), StandsFor: r.rails, Rail: r.cluster.Local(int(r.all.Members[0]))}
	if r.actsByHost(j) {
		app = byHost{r}
	}
	net, err := j.Plan.Build(app, nodes, up, parts)
	if err != nil {
		return err
	}
	r.on(net)
	if net.Partitions() == 1 {
		return nil
	}
	return r.connectEdges(r.all, edges)
}

// verdict is the reason why a completed run did not finish the collective; nil if it did.
func (r *collectiveRun) verdict(limit units.Time) error {
	unsent := len(r.all.Members) - r.sum().over
	switch {
	case r.failed() != nil:
		return fmt.Errorf("%w; %s", r.failed(), r.net.Waiting())
	case unsent == 0:
		return nil
	case r.net.NextTime() < units.Forever:
		return fmt.Errorf("the limit of %v of simulated time (run.limit.simulated-time) was reached: %d of %d ranks are not done; %s", limit, unsent, len(r.all.Members), r.net.Waiting())
	}
	return fmt.Errorf("no progress: %d of %d ranks wait for messages that never come; %s", unsent, len(r.all.Members), r.net.Waiting())
}
