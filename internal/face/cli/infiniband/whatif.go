package infiniband

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/base/jsontext"
	"weft/internal/base/topology"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/cabled"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/internal/sim/runstore"
	"weft/internal/study/many"
	"weft/internal/study/whatif"
	"weft/scenario"
	"weft/units"
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
	simulator.StudyFlags
	fail      []string
	everyLink bool
	engine    string
	shifts    int
}

// whatIfResult is the file with the result in --out.
const whatIfResult = "what-if.json"

// failing is a fabric that loses parts, and the scenario whose workload is simulated on it.
type failing struct {
	subnet    *subnet.Subnet     // its names; on InfiniBand all of it
	graph     *topology.Graph    // on Ethernet; nil on InfiniBand
	r         *scenario.Resolved // of InfiniBand nil if nothing is simulated
	simulated bool               // whether the scenario's workload is simulated
	fabric    int                // of the scenario
	bySpeed   bool               // the scenario's ib.by-speed
}

func newFabricWhatIf(e *simulator.Simulator) *cobra.Command {
	w := &whatIf{}
	cmd := &cobra.Command{
		Use:   "what-if FILE",
		Short: "what the failure of a switch or a cable costs, ranked",
		Long: `Takes parts out of a fabric, one at a time, routes the rest anew, and says what each
costs: pairs of hosts without a path, and the bandwidth of shifts. FILE is as for weft
fabric diff, of InfiniBand or Ethernet. An all-reduce between all hosts is simulated too.
With a scenario, which can name a real fabric (topology: {file: real.topo}), it is the
scenario's workload at its largest size.

--fail names a switch (leaf7), or a cable by a switch and its port (leaf7:12,
leaf7:Ethernet48). --every-link judges each switch and each cable; then a workload is
simulated for a scenario alone, without one part of each kind of failure, of the ten
that cost most. Ctrl-C prints what was judged.`,
		Example: `  weft fabric what-if real.topo --fail leaf7 --fail leaf3:12
  weft fabric what-if configs/ --every-link
  weft fabric what-if job.yaml --fail leaf7 --fail spine2:5
  weft fabric what-if job.yaml --every-link --out failures --slurm`,
		Args: flags.Args(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, given []string) error {
			memory := func() (units.Bytes, error) { return w.memory(e, given[0]) }
			return w.Do(cmd, e, memory, func(ctx context.Context) error { return w.run(ctx, e, given[0]) })
		},
	}
	w.RegisterFields(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&w.fail, "fail", nil, "a switch, or a switch and a port, that fails: leaf7, leaf7:12; may be repeated")
	f.BoolVar(&w.everyLink, "every-link", false, "every switch and every cable, one at a time")
	f.StringVar(&w.engine, "engine", "", "InfiniBand's routing engine: auto, ftree, updn, minhop, … (default: the scenario's, or auto)")
	f.IntVar(&w.shifts, "shifts", 0, fmt.Sprintf("shifts that judge each part; 0: all, and %d with --every-link", everyLinkShifts))
	w.RegisterStudy(cmd, e, "what-if.json and report.html")
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
	f, err := w.load(e, path)
	if err != nil {
		return err
	}
	parts, alike, err := w.parts(f.subnet)
	if err != nil {
		return err
	}
	folder := process.OwnFolder{Name: w.Out, Mark: whatIfResult, What: "failures"}
	if err := folder.Open(e.Env); err != nil {
		return err
	}
	defer folder.Close()
	found, err := w.judge(ctx, e, f, parts)
	if found == nil && ctx.Err() != nil {
		return exit.Errorf(exit.Partial, "interrupted while the whole fabric was routed")
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	found.Alike = alike
	record := whatIfRecord{File: path, Report: found}
	var whole whatif.Job
	if f.simulated && ctx.Err() == nil {
		if whole, err = w.simulate(ctx, e, f, &record); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if err := w.present(e, &folder, report.WhatIf(path, record.Workload, found, whole, record.Jobs), record); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return exit.Errorf(exit.Partial, "interrupted: %d of %d failures judged", len(found.Costs), len(parts))
	}
	return nil
}

// judge judges the fabric without each of the parts.
func (w *whatIf) judge(ctx context.Context, e *simulator.Simulator, f *failing, parts []whatif.Part) (*whatif.Report, error) {
	line := e.Working("the failures are routed")
	defer line.End()
	o := whatif.Options{
		Engine: route.Name(cmp.Or(w.engine, string(route.Auto))), Shifts: w.shifts, Workers: cmp.Or(w.Workers, e.Cores), Grouped: w.everyLink,
		BySpeed: f.bySpeed, Told: func(done, total int) { line.Count(done, total, "failures") }, Sharing: e.Sharing,
	}
	if o.Shifts == 0 && w.everyLink {
		o.Shifts = everyLinkShifts
	}
	if f.graph != nil {
		fabric := &f.r.Fabrics[f.fabric]
		return whatif.EvaluateECMP(ctx, f.graph, fabric.Link.Rate(), network.Multipath(fabric, f.graph), parts, o)
	}
	return whatif.Evaluate(ctx, f.subnet, parts, o)
}

// present prints the report, and writes the folder, if it was asked for.
func (w *whatIf) present(e *simulator.Simulator, folder *process.OwnFolder, d *doc.Document, record whatIfRecord) error {
	if w.Out != "" {
		var page, answer bytes.Buffer
		if err := jsontext.Write(&answer, record); err != nil {
			return err
		}
		if err := d.HTML(&page); err != nil {
			return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
		}
		files := []runstore.File{{Name: runstore.ReportFile, Text: page.Bytes()}, {Name: whatIfResult, Text: answer.Bytes()}}
		if err := folder.Store(e.Env, files, w.JSON); err != nil {
			return err
		}
	}
	return e.Present(d, w.JSON, record)
}

// memory is what a simulation of the workload needs.
func (w *whatIf) memory(e *simulator.Simulator, path string) (units.Bytes, error) {
	f, err := w.load(e, path)
	if err != nil || f.r == nil {
		return 256 * units.MiB, err
	}
	return f.r.Estimate().Memory, nil
}

// load reads the fabric, and the scenario whose workload is simulated on it. For a file of InfiniBand it is an all-reduce
// between its hosts, unless every part is judged or no such scenario can be made: then there is none. On Ethernet the
// scenario is needed for the fabric.
func (w *whatIf) load(e *simulator.Simulator, path string) (f *failing, err error) {
	f = &failing{simulated: true}
	switch is, failed := isScenario(e.Env, path); {
	case failed != nil:
		return nil, failed
	case is:
		f.r, err = w.Load(e.Env, path)
	default:
		f, err = w.loadFile(e, path)
	}
	if err != nil || f.r == nil {
		return f, err
	}
	f.fabric = slices.IndexFunc(f.r.Fabrics, func(f scenario.Fabric) bool { return protocol.Of(f.Kind).SubnetManager })
	if f.fabric < 0 {
		f.fabric = 0
		if w.engine != "" {
			return nil, fmt.Errorf("--engine %s: %s is Ethernet, which BGP routes: leave --engine out", w.engine, f.r.Fabrics[0].Name)
		}
		if f.graph, err = graphOf(f.r, &f.r.Fabrics[0]); err != nil {
			return nil, err
		}
		f.subnet, err = network.Subnet(&f.r.Fabrics[0], f.graph)
		return f, err
	}
	fabric := &f.r.Fabrics[f.fabric]
	if f.subnet, err = subnetOfFabric(f.r, fabric); err != nil {
		return nil, err
	}
	if len(fabric.Routing.Forwarding) > 0 {
		e.Note("weft: note: the tables of the scenario are not used: the whole fabric is routed anew too, as without each part\n")
	}
	if w.engine == "" {
		w.engine = string(fabric.IB.Engine)
	}
	if f.bySpeed = fabric.IB.BySpeed; f.bySpeed && w.engine == string(route.Auto) {
		w.engine = "updn" // as the simulation
	}
	return f, nil
}

// loadFile reads the file of a fabric, with the scenario of an all-reduce on it, if there is to be one.
func (w *whatIf) loadFile(e *simulator.Simulator, path string) (*failing, error) {
	source, err := cabled.Read(path, overrides.FabricFiles(e.Env))
	if err != nil {
		return nil, err
	}
	if !source.InfiniBand || !w.everyLink && path != "-" {
		r, err := w.usual(e, source)
		switch {
		case err == nil:
			return &failing{r: r, simulated: !w.everyLink}, nil
		case !source.InfiniBand:
			return nil, err
		}
		e.Note("weft: note: no all-reduce is simulated: %v\n", err)
	} else if len(w.Set)+len(w.Overlay)+len(w.Fabrics) > 0 {
		return nil, errors.New("--set, --overlay and --fabric change a scenario, and nothing is simulated here: leave them out, or give a scenario")
	}
	overrides.TellNotes(e.Env, source.Notes)
	return &failing{subnet: source.WithoutAggregators()}, nil
}

// usualSize is the size of the all-reduce that is simulated on the fabric of a file.
const usualSize = "16MiB"

// usual is the scenario of an all-reduce between the hosts of a file's fabric.
func (w *whatIf) usual(e *simulator.Simulator, source *cabled.Source) (*scenario.Resolved, error) {
	r, file, err := scenarioOf(e, &w.Flags, source)
	if err != nil {
		return nil, err
	}
	overrides.TellNotes(e.Env, file.Notes())
	if w.everyLink {
		return r, nil
	}
	e.Note("weft: note: the all-reduce is of %s between %d hosts with as many GPUs as NICs (%d), taken as %s: weft fabric convert --to scenario writes the scenario, to change that\n",
		usualSize, r.Cluster.Nodes, r.Cluster.Node.NICs, r.Cluster.Node.Preset)
	return r, nil
}

// scenarioOf is the scenario that weft fabric convert writes for a fabric.
func scenarioOf(e *simulator.Simulator, c *overrides.Flags, source *cabled.Source) (*scenario.Resolved, *scenario.File, error) {
	text, err := source.Scenario(source.Name)
	if err != nil {
		return nil, nil, err
	}
	file, err := scenario.DecodeIn(e.Path("."), "the scenario of "+source.Name, []byte(text))
	if err == nil {
		file, err = c.Overlaid(e.Env, file)
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := c.ResolveWith(file, []scenario.Override{{Path: "workload.sizes", Value: usualSize, Origin: source.Name}}, nil)
	return r, file, err
}

// parts are the parts that fail, and the number of cables to hosts that are left out because each cuts off its host
// alone.
func (w *whatIf) parts(s *subnet.Subnet) (parts []whatif.Part, alike int, err error) {
	if w.everyLink && len(w.fail) > 0 {
		return nil, 0, errors.New("--every-link judges every part: leave --fail out")
	}
	var wrong []error
	for _, text := range w.fail {
		p, err := whatif.Find(s, text)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("--fail %w", err))
		case slices.ContainsFunc(parts, func(o whatif.Part) bool { return o.Same(s, p) }):
			wrong = append(wrong, fmt.Errorf("--fail %q: this part fails already", text))
		default:
			parts = append(parts, p)
		}
	}
	if len(wrong) > 0 && len(parts) > 0 {
		wrong = append(wrong, fmt.Errorf("nothing was judged, nor was %s: mend or leave out the above", parts[0].Name))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, 0, err
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
func (w *whatIf) simulate(ctx context.Context, e *simulator.Simulator, f *failing, record *whatIfRecord) (whatif.Job, error) {
	var costs []whatif.Cost
	groups := record.Groups()
	for _, g := range groups[:min(len(groups), maxSimulated)] {
		costs = append(costs, record.Costs[g.First])
	}
	line := e.Working("the simulations begin")
	defer line.End()
	whole, jobs, err := whatif.Simulate(ctx, f.r, f.fabric, costs, many.Options{
		Run: e.Study(), Workers: cmp.Or(w.Workers, e.Cores),
		Progress: func(p weft.Progress) { line.Count(p.Done, p.Total, "simulations") },
	})
	if err != nil {
		return whole, err
	}
	r := f.r
	record.Workload = cmp.Or(string(r.Workload.Collective), string(r.Workload.Pattern))
	if sizes := r.Workload.Sizes; len(sizes) > 0 {
		record.Workload += fmt.Sprintf(" of %v", slices.Max(sizes))
	}
	record.Job, record.Jobs = &whole, jobs
	return whole, nil
}
