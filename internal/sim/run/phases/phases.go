package phases

import (
	"context"
	"fmt"
	"slices"

	"weft/internal/base/canon"
	"weft/internal/sim/collective"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Run is the result of simulating a phase of a workload by itself, all its groups at once.
type Run struct {
	Took    []units.Time // by rank of the cluster; -1 for ranks outside the phase
	Groups  int          // groups simulated for it
	Parts   int          // number of simulations that its messages were divided into by their paths
	Counts  results.Counts
	Flows   results.Distribution
	Hottest []results.HotLink
	Plan    *executor.PlannedCollective // nil if nothing was planned
	Beside  []results.Stream            // results of the streams meanwhile
}

// IslandRun is the result of a simulated island.
type IslandRun struct {
	*executor.Execution
	times []units.Time // by rank of the cluster
}

// islandRun is an IslandRun in canonical bytes.
type islandRun struct {
	Execution *executor.Execution
	Times     []units.Time
}

// MarshalBinary is the result for another process: every bit of it.
func (r *IslandRun) MarshalBinary() ([]byte, error) {
	return canon.Append(nil, islandRun{r.Execution, r.times})
}

// Results is the result without the engine's work, which is none.
func (r *IslandRun) Results() *IslandRun {
	x, own := *r.Execution, *r
	x.Counts.Events, x.Counts.Skipped = 0, results.Skipped{}
	own.Execution = &x
	return &own
}

// UnmarshalBinary reads the result of another process.
func (r *IslandRun) UnmarshalBinary(text []byte) error {
	var x islandRun
	err := canon.Decode(text, &x)
	*r = IslandRun{x.Execution, x.Times}
	return err
}

// RunPhases simulates phases, one after another. skip makes it skip periods that repeat earlier ones;
// results are the same with and without it.
func RunPhases(ctx context.Context, p *network.Plan, r *scenario.Resolved, phases []workload.Phase, skip bool) ([]*Run, error) {
	f := Fold(p, r, phases)
	runs := make([]*IslandRun, len(f.Islands))
	for i, own := range f.Islands {
		var err error
		if runs[i], err = RunIsland(ctx, p, r, &own.Phase, skip, nil); err != nil {
			return nil, err
		}
	}
	return Of(r.Cluster.Ranks(), phases, f, runs, func(whole *workload.Phase) (*IslandRun, error) {
		return RunIsland(ctx, p, r, whole, skip, nil)
	})
}

// RunIsland simulates an island. Disturbances of the fabric do not affect an island inside nodes. The
// workload of the scenario is the exchange of a phase of exchanges. skip is that of RunPhases. work, if not nil,
// counts the island's work while it runs.
func RunIsland(ctx context.Context, p *network.Plan, r *scenario.Resolved, phase *workload.Phase, skip bool, work *network.Work) (*IslandRun, error) {
	if calm := Undisturbed(p); calm != nil && inNodes(executor.LayoutOf(&r.Cluster, p.Fabric), phase) {
		p = calm
	}
	x, err := executor.Execute(ctx, p, r, graphOf(r, phase), skip, work)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", phase.Name, err)
	}
	return &IslandRun{Execution: x, times: phase.Times(x.Timeline)}, nil
}

// inNodes reports whether each group of a phase stays inside a node.
func inNodes(cluster collective.Layout, phase *workload.Phase) bool {
	for _, g := range phase.Groups {
		for _, rank := range g {
			if cluster.Node(int(rank)) != cluster.Node(int(g[0])) {
				return false
			}
		}
	}
	return true
}

// trouble reports whether islands may have affected each other in shared switches: by queues, or by
// random draws.
func (r *IslandRun) trouble() bool {
	return r.Counts.Marks > 0 || r.Counts.Pauses > 0 || r.Counts.Drops() > 0
}

// spread reports whether queues on the links of an island's messages may have delayed other
// messages: through pauses, or a shared buffer.
func (r *IslandRun) spread() bool { return r.Counts.Pauses > 0 || r.Counts.Drops() > 0 }

// Of assembles phases from the simulated islands. If the islands of a phase may have affected each
// other after all, simulate simulates the whole phase. ranks is the size of the cluster.
func Of(ranks int, phases []workload.Phase, f *Folding, runs []*IslandRun, simulate func(whole *workload.Phase) (*IslandRun, error)) ([]*Run, error) {
	out := make([]*Run, len(phases))
	for i := range phases {
		places, islands, own := f.places[i], f.Islands, runs
		if troubled(i, places, islands, runs) {
			whole, err := simulate(&phases[i])
			if err != nil {
				return nil, err
			}
			places, islands, own = nil, []*Island{{Phase: phases[i], home: i}}, []*IslandRun{whole}
			for g := range phases[i].Groups {
				places = append(places, placed{0, int32(g)})
			}
		}
		out[i] = gather(&phases[i], i, ranks, places, islands, own)
	}
	return out, nil
}

// Troubled lists the phases, by number, whose islands may have affected each other: Of simulates them whole. An island
// without a run, which is nil, shows nothing.
func (f *Folding) Troubled(runs []*IslandRun) (list []int) {
	for i, places := range f.places {
		if troubled(i, places, f.Islands, runs) {
			list = append(list, i)
		}
	}
	return list
}

// troubled reports whether a phase has times from an island that must not represent others, or that
// may have been affected by others. An island that is the whole phase represents itself.
func troubled(number int, places []placed, islands []*Island, runs []*IslandRun) bool {
	for _, at := range places {
		own, run := islands[at.island], runs[at.island]
		if run != nil && !own.isWhole(number, places) && (own.stands && run.trouble() || own.apart && run.spread()) {
			return true
		}
	}
	return false
}

// isWhole reports whether an island is all of a phase, by its number and its groups' places.
func (i *Island) isWhole(number int, places []placed) bool {
	return i.home == number && len(i.Phase.Groups) == len(places)
}

// Doubtful lists, for each island, the phases that may be troubled by it, by number.
func (f *Folding) Doubtful() [][]int {
	out := make([][]int, len(f.Islands))
	for number, places := range f.places {
		for _, at := range places {
			own := f.Islands[at.island]
			if (own.stands || own.apart) && !own.isWhole(number, places) && !slices.Contains(out[at.island], number) {
				out[at.island] = append(out[at.island], number)
			}
		}
	}
	return out
}

// gather takes the times of a phase's groups from the islands that represent them.
func gather(phase *workload.Phase, number, ranks int, places []placed, islands []*Island, runs []*IslandRun) *Run {
	out := &Run{Took: make([]units.Time, ranks)}
	for i := range out.Took {
		out.Took[i] = -1
	}
	used := make(map[int32]bool)
	for g, at := range places {
		members := islands[at.island].Phase.Groups[at.group]
		for k, rank := range phase.Groups[g] {
			if phase.Kind == workload.Send && k > 0 {
				continue // its time is the time of its own sends
			}
			out.Took[rank] = max(out.Took[rank], runs[at.island].times[members[k]])
		}
		if used[at.island] {
			continue
		}
		used[at.island] = true
		out.add(islands[at.island], number, runs[at.island])
	}
	return out
}

// add adds the results of an island's run, except the times.
func (r *Run) add(own *Island, number int, run *IslandRun) {
	if r.Plan == nil && len(run.Plans) > 0 {
		r.Plan = &run.Plans[0]
	}
	if own.home != number { // simulated for an earlier phase
		return
	}
	r.Groups += len(own.Phase.Groups)
	if own.apart {
		r.Parts++
	}
	r.Counts.Add(&run.Counts)
	r.Beside = append(r.Beside, run.Beside...)
	if Busier(run.Hottest, r.Hottest) {
		r.Hottest, r.Flows = run.Hottest, run.Flows
	}
}

// Busier reports whether the busiest link of one list carries more than the busiest of another.
func Busier(a, b []results.HotLink) bool {
	return len(a) > 0 && (len(b) == 0 || a[0].Bytes > b[0].Bytes)
}
