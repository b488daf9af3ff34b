package infiniband

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/cabled"
	"weft/internal/sim/protocol"
	"weft/internal/study/many"
	"weft/internal/study/whatif"
	"weft/scenario"
)

// Bounds of weft fabric what-if: the shifts of a fabric of which every link is judged, and the parts that are
// simulated.
const (
	everyLinkShifts = 64
	maxSimulated    = 10 // kinds of failure
)

// whatIf is the flags of weft fabric what-if.
type whatIf struct {
	overrides.Flags
	fail      []string
	everyLink bool
	engine    string
	shifts    int
	workers   int
	asJSON    bool
}

func newFabricWhatIf(e *simulator.Simulator) *cobra.Command {
	w := &whatIf{}
	cmd := &cobra.Command{
		Use:   "what-if FILE",
		Short: "what the failure of a switch or a cable costs, ranked",
		Long: `Takes parts out of a fabric, one at a time, routes the rest anew, and says what each
costs: pairs of hosts without a path, and the bandwidth of shifts. FILE is as for weft
fabric inspect. An all-reduce between all hosts is simulated too. With a scenario, which can
name a real fabric (topology: {file: real.topo}), it is the scenario's workload at its
largest size.

--fail names a switch (leaf7), or a cable by a switch and its port (leaf7:12).
--every-link judges each switch and each cable; then a workload is simulated for a
scenario alone, without one part of each kind of failure, of the ten that cost most.`,
		Example: `  weft fabric what-if real.topo --fail leaf7 --fail leaf3:12
  weft fabric what-if real.topo --every-link
  weft fabric what-if job.yaml --fail leaf7 --fail spine2:5`,
		Args: flags.Args(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, given []string) error { return w.run(cmd.Context(), e, given[0]) },
	}
	w.RegisterFields(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&w.fail, "fail", nil, "a part that fails: a switch, or a switch and a port, such as leaf7:12; may be repeated")
	f.BoolVar(&w.everyLink, "every-link", false, "every switch and every cable, one at a time")
	f.StringVar(&w.engine, "engine", "", "routing engine: auto, ftree, updn, minhop, … (default: the scenario's, or auto)")
	f.IntVar(&w.shifts, "shifts", 0, fmt.Sprintf("shifts that judge each part; 0: all, and %d with --every-link", everyLinkShifts))
	f.IntVarP(&w.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&w.asJSON, "json", false, "print as JSON")
	for _, flag := range []string{"fail", "shifts"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	e.ReportFlags(cmd)
	return cmd
}

// whatIfRecord is the output of weft fabric what-if --json.
type whatIfRecord struct {
	File string `json:"file"`
	*whatif.Report
	Workload string       `json:"workload,omitempty"`
	Job      *whatif.Job  `json:"whole_job,omitempty"`
	Jobs     []whatif.Job `json:"jobs,omitempty"` // without the first part of each group of costs, in their order
}

func (w *whatIf) run(ctx context.Context, e *simulator.Simulator, path string) error {
	if len(w.fail) == 0 && !w.everyLink {
		return errors.New("nothing fails: give --fail leaf7, --fail leaf7:12, or --every-link")
	}
	if w.shifts < 0 {
		return fmt.Errorf("--shifts %d: want 0, for all, or a number", w.shifts)
	}
	s, r, fabric, err := w.load(e, path)
	if err != nil {
		return err
	}
	parts, alike, err := w.parts(s)
	if err != nil {
		return err
	}
	line := e.Working("the failures are routed")
	o := whatif.Options{
		Engine: route.Name(cmp.Or(w.engine, string(route.Auto))), Shifts: w.shifts, Workers: cmp.Or(w.workers, e.Cores), Grouped: w.everyLink,
		Told: func(done, total int) { line.Count(done, total, "failures") },
	}
	if o.Shifts == 0 && w.everyLink {
		o.Shifts = everyLinkShifts
	}
	found, err := whatif.Evaluate(ctx, s, parts, o)
	line.End()
	if ctx.Err() != nil {
		return exit.Errorf(exit.Partial, "interrupted while the failures were routed")
	}
	if err != nil {
		return err
	}
	found.Alike = alike
	record := whatIfRecord{File: path, Report: found}
	var whole whatif.Job
	if r != nil {
		if whole, err = w.simulate(ctx, e, r, fabric, &record); err != nil {
			return err
		}
	}
	return e.Present(report.WhatIf(path, record.Workload, found, whole, record.Jobs), w.asJSON, record)
}

// load reads the fabric, and the scenario whose workload is simulated on it. For a file of a fabric it is an all-reduce
// between its hosts, unless every part is judged or no such scenario can be made: then there is none.
func (w *whatIf) load(e *simulator.Simulator, path string) (s *subnet.Subnet, r *scenario.Resolved, fabric int, err error) {
	if overrides.NamesScenario(path) {
		if r, err = w.Load(e.Env, path); err != nil {
			return nil, nil, 0, err
		}
	} else if s, r, err = w.loadFile(e, path); err != nil || r == nil {
		return s, nil, 0, err
	}
	fabric = slices.IndexFunc(r.Fabrics, func(f scenario.Fabric) bool { return protocol.Of(f.Kind).SubnetManager })
	if s, err = subnetOf(r); err != nil {
		return nil, nil, 0, err
	}
	if len(r.Fabrics[fabric].Routing.Forwarding) > 0 {
		e.Note("weft: note: the tables of the scenario are not used: the whole fabric is routed anew too, as without each part\n")
	}
	if w.engine == "" {
		w.engine = string(r.Fabrics[fabric].IB.Engine)
	}
	return s, r, fabric, nil
}

// loadFile reads the file of a fabric, with the scenario of an all-reduce on it, if there is to be one.
func (w *whatIf) loadFile(e *simulator.Simulator, path string) (*subnet.Subnet, *scenario.Resolved, error) {
	source, err := cabled.Read(path, overrides.FabricFiles(e.Env))
	switch {
	case err != nil:
		return nil, nil, err
	case !source.InfiniBand:
		return nil, nil, fmt.Errorf("%s: a %s is of no InfiniBand subnet, whose manager would route it anew", path, source.Format)
	}
	if !w.everyLink && path != "-" {
		r, err := w.usual(e, source)
		if err == nil {
			return nil, r, nil
		}
		e.Note("weft: note: no all-reduce is simulated: %v\n", err)
	} else if len(w.Set)+len(w.Overlay)+len(w.Fabrics) > 0 {
		return nil, nil, errors.New("--set, --overlay and --fabric change a scenario, and nothing is simulated here: leave them out, or give a scenario")
	}
	overrides.TellNotes(e.Env, source.Notes)
	return source.WithoutAggregators(), nil, nil
}

// usualSize is the size of the all-reduce that is simulated on the fabric of a file.
const usualSize = "16MiB"

// usual is the scenario of an all-reduce between the hosts of a file's fabric.
func (w *whatIf) usual(e *simulator.Simulator, source *cabled.Source) (*scenario.Resolved, error) {
	text, err := source.Scenario(source.Name)
	if err != nil {
		return nil, err
	}
	file, err := scenario.DecodeIn(e.Path("."), source.Name, []byte(text))
	if err == nil {
		file, err = w.Overlaid(e.Env, file)
	}
	if err != nil {
		return nil, err
	}
	r, err := w.ResolveWith(file, []scenario.Override{{Path: "workload.sizes", Value: usualSize, Origin: source.Name}}, nil)
	if err != nil {
		return nil, err
	}
	overrides.TellNotes(e.Env, file.Notes())
	e.Note("weft: note: the all-reduce is of %s between %d hosts with as many GPUs as NICs (%d), taken as %s: weft fabric convert --to scenario writes the scenario, to change that\n",
		usualSize, r.Cluster.Nodes, r.Cluster.Node.NICs, r.Cluster.Node.Preset)
	return r, nil
}

// parts are the parts that fail, and the number of cables to hosts that are left out because each cuts off its host
// alone.
func (w *whatIf) parts(s *subnet.Subnet) (parts []whatif.Part, alike int, err error) {
	if w.everyLink && len(w.fail) > 0 {
		return nil, 0, errors.New("--every-link judges every part: leave --fail out")
	}
	for _, text := range w.fail {
		p, err := whatif.Find(s, text)
		if err != nil {
			return nil, 0, fmt.Errorf("--fail %w", err)
		}
		if slices.ContainsFunc(parts, func(o whatif.Part) bool { return o.Same(s, p) }) {
			return nil, 0, fmt.Errorf("--fail %q: this part fails already", text)
		}
		parts = append(parts, p)
	}
	if !w.everyLink {
		return parts, 0, nil
	}
	for _, p := range whatif.Every(s) {
		if p.Host {
			alike++
			continue
		}
		parts = append(parts, p)
	}
	return parts, alike, nil
}

// simulate simulates the scenario's workload without the parts that cost most.
func (w *whatIf) simulate(ctx context.Context, e *simulator.Simulator, r *scenario.Resolved, fabric int, record *whatIfRecord) (whatif.Job, error) {
	var costs []whatif.Cost
	groups := record.Groups()
	for _, g := range groups[:min(len(groups), maxSimulated)] {
		costs = append(costs, record.Costs[g.First])
	}
	line := e.Working("the simulations begin")
	defer line.End()
	whole, jobs, err := whatif.Simulate(ctx, r, fabric, costs, many.Options{
		Run: e.Study(), Workers: cmp.Or(w.workers, e.Cores),
		Progress: func(p weft.Progress) { line.Count(p.Done, p.Total, "simulations") },
	})
	if ctx.Err() != nil {
		return whole, exit.Errorf(exit.Partial, "interrupted while the workload was simulated")
	}
	if err != nil {
		return whole, err
	}
	record.Workload = cmp.Or(string(r.Workload.Collective), string(r.Workload.Pattern))
	if sizes := r.Workload.Sizes; len(sizes) > 0 {
		record.Workload += fmt.Sprintf(" of %v", slices.Max(sizes))
	}
	record.Job, record.Jobs = &whole, jobs
	return whole, nil
}
