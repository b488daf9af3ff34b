package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/catalog"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// bench is the flags of nccl-tests, and weft's own.
type bench struct {
	overrides.Flags
	simulator.Execution
	cluster  string
	nodes    int
	min, max string
	stepSize string
	factor   int
	iters    int
	warmup   int
	gpus     int
	threads  int
	checks   int
	datatype string
	root     int
	op       string
	as       string
}

// NewBench is the verb weft bench.
func NewBench(e *simulator.Simulator) *cobra.Command {
	b := &bench{}
	names := overrides.CollectiveNames()
	further := []*cobra.Command{newBenchExperts(e, scenario.Dispatch), newBenchExperts(e, scenario.Combine), newBenchKV(e)}
	verbs := flags.VerbNames(further)
	cmd := &cobra.Command{
		Use:   "bench " + strings.Join(slices.Concat(names, verbs), "|"),
		Short: "simulate a collective on a cluster and print the table of nccl-tests",
		Long: `Simulates a collective as nccl-tests measures it, and prints its table, column
for column: scripts for nccl-tests can read it. Sizes (8, 64K, 1M, 8G in powers of
1024) and flags have the form of nccl-tests. A simulation does not distinguish
out-of-place from in-place; both columns show the same. --as, -t and -g say with
which program the times are compared, and how it launches kernels: one thread that
launches for several GPUs bounds the time from below, and PyTorch adds its own launch.`,
		Example: `  weft bench all-reduce -b 8 -e 8G -f 2 --cluster dgx-h100 --nodes 16
  weft bench alltoall -b 1M -e 64M -f 4 --cluster example:h100-128 --fabric roce-v2-400g
  weft bench all-reduce -b 1G -e 1G | grep 'Avg bus bandwidth'
  weft bench all-reduce -b 8 -e 1G -f 2 --nodes 1 -g 8    # a log of all_reduce_perf -g 8
  weft bench all-reduce -b 8 -e 1G -f 2 --as torch        # PyTorch's times`,
		Args: flags.Args(1, 1, "one collective, or a verb of bench"),
		ValidArgsFunction: func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(given) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, given []string) error {
			collect, err := overrides.Collective(given[0], verbs...)
			if err != nil {
				return err
			}
			return b.Placed(b.do(cmd.Context(), e, collect))
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.cluster, "cluster", "dgx-h100", "a node preset of the catalog, or a scenario file")
	f.IntVar(&b.nodes, "nodes", 0, "number of nodes (default: the scenario's, 16 for a preset)")
	f.StringVarP(&b.min, "minbytes", "b", "32M", "first size")
	f.StringVarP(&b.max, "maxbytes", "e", "32M", "last size")
	f.StringVarP(&b.stepSize, "stepbytes", "i", "1M", "increment between sizes")
	f.IntVarP(&b.factor, "stepfactor", "f", 1, "factor between sizes; above 1 it replaces the increment")
	f.IntVarP(&b.iters, "iters", "n", 1, "iterations of each size; without jitter each is the same")
	f.IntVarP(&b.warmup, "warmup_iters", "w", 0, "iterations before the measured ones")
	f.IntVarP(&b.gpus, "ngpus", "g", 0, "GPUs of each node and thread, for which one thread launches (default: all, each with a process; 1 with -t)")
	f.IntVarP(&b.threads, "nthreads", "t", 1, "threads of each node; -t times -g GPUs take part")
	f.StringVar(&b.as, "as", "", "what reports the times: nccl-tests, launched as -t and -g say, or torch (default: the scenario's)")
	f.IntVarP(&b.checks, "check", "c", 1, "0 prints N/A for #wrong; nothing else to check")
	f.StringVarP(&b.datatype, "datatype", "d", "float", "element type")
	f.IntVarP(&b.root, "root", "r", 0, "root rank of a broadcast, reduce, scatter or gather")
	f.StringVarP(&b.op, "op", "o", "sum", "reduction: "+strings.Join(reductions, ", ")+"; it has no effect on the network")
	for i := range fixedFlags {
		fixedFlags[i].register(f)
	}
	cmd.AddCommand(further...)
	b.Flags.Register(cmd)
	b.Execution.Register(e, cmd)
	e.DetailsFlag(cmd)
	f.Lookup("algo").Usage += "; all compares NCCL's choice with the fastest"
	f.Lookup("fabric").Usage = "one of the scenario's fabrics, or a preset (default: the first)"
	_ = cmd.RegisterFlagCompletionFunc("cluster", overrides.CompleteCluster)
	return cmd
}

// check finds invalid numbers and names in the flags.
func (b *bench) check() error {
	var errs []error
	given := b.Given
	for _, x := range []struct {
		flag, name string
		value      int
		least      int
	}{
		{"-n", "iters", b.iters, 1},
		{"-w", "warmup_iters", b.warmup, 0},
		{"-g", "ngpus", b.gpus, 1},
		{"-t", "nthreads", b.threads, 1},
		{"-c", "check", b.checks, 0},
		{"-r", "root", b.root, 0},
		{"--nodes", "nodes", b.nodes, 1},
	} {
		if given.Changed(x.name) && x.value < x.least {
			errs = append(errs, fmt.Errorf("%s %d: want %d or more", x.flag, x.value, x.least))
		}
	}
	if b.factor < 1 {
		errs = append(errs, fmt.Errorf("-f %d: the factor between sizes is 2 or more, or 1 to use -i", b.factor))
	}
	if !slices.Contains(reductions, b.op) {
		errs = append(errs, fmt.Errorf("-o %s: no reduction of that name; valid are %s", flags.Abridged(b.op), strings.Join(reductions, ", ")))
	}
	for i := range fixedFlags {
		if err := fixedFlags[i].check(given); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sweep is the sizes in the form of a scenario.
func (b *bench) sweep() (from, to, step units.Bytes, err error) {
	var errs []error
	parse := func(flag, text string) units.Bytes {
		v, err := units.ParseBytes(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", flag, err))
		} else if v <= 0 {
			errs = append(errs, fmt.Errorf("%s %s: a size is 1 byte or more", flag, text))
		}
		return v
	}
	from, to, step = parse("-b", b.min), parse("-e", b.max), parse("-i", b.stepSize)
	if len(errs) == 0 && from > to {
		errs = append(errs, fmt.Errorf("-b %s is more than -e %s: the first size may not exceed the last", b.min, b.max))
	}
	return from, to, step, errors.Join(errs...)
}

func (b *bench) do(ctx context.Context, e *simulator.Simulator, collect scenario.Collective) error {
	from, to, step, err := b.sweep()
	if err := errors.Join(err, b.check()); err != nil {
		return err
	}
	every := b.Algo == everyAlgorithm
	switch {
	case every && b.Series:
		return fmt.Errorf("--series cannot be used with --algo %s, which writes no run folder", everyAlgorithm)
	case every:
		b.Algo = ""
	case e.Details:
		return fmt.Errorf("--details is for --algo %s", everyAlgorithm)
	}
	r, err := b.scenario(e, collect, from, to, step)
	if err != nil {
		return err
	}
	if every {
		return b.algorithms(ctx, e, r)
	}
	header := report.NCCLTests{
		Weft: e.Version.Weft, MinBytes: from, MaxBytes: to, Step: int64(step),
		Iters: r.Run.Iterations, Warmup: r.Run.Warmup, Check: b.checks != 0,
		Collect: collect, Op: b.op, Root: r.Workload.Root, Datatype: r.Workload.Datatype,
		GPUs: r.Cluster.Node.GPUs, Threads: b.threads, PerThread: max(1, b.gpus), GPU: gpuTitle(r.Cluster.Node.GPU.Model), Host: r.Cluster.HostName,
	}
	if b.factor > 1 {
		header.Step, header.Factor = int64(b.factor), true
	}
	if text := e.Getenv("NCCL_TESTS_MIN_BW"); text != "" {
		if header.MinBusBW, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("NCCL_TESTS_MIN_BW=%s: want a number of GB/s", text)
		}
		header.HasMinBus = true
	}
	for _, own := range [][2]string{{"NCCL_ALGO", "--algo"}, {"NCCL_PROTO", "--proto"}} {
		if e.Getenv(own[0]) != "" {
			e.Note("weft: %s of the environment is not read: set %s\n", own[0], own[1])
		}
	}
	table := &benchTable{e: e.Env, header: header, r: r, waiting: map[int]results.Point{}}
	if !b.JSON {
		b.Each = table.finished
	}
	err = b.Execution.Run(ctx, e, r, table.end)
	if err == nil && !b.JSON && !table.met {
		return exit.Errorf(exit.Failed, "the average bus bandwidth is below 0.9 of NCCL_TESTS_MIN_BW=%s", e.Getenv("NCCL_TESTS_MIN_BW"))
	}
	return err
}

func gpuTitle(model string) string {
	if entry, err := catalog.Lookup(catalog.GPU, model); err == nil {
		return entry.Title
	}
	return model
}

// scenario is the cluster with the collective, on one fabric.
func (b *bench) scenario(e *simulator.Simulator, collect scenario.Collective, from, to, step units.Bytes) (*scenario.Resolved, error) {
	over := []scenario.Override{
		scenario.Set("workload.collective", collect, "bench"),
		{Path: "workload.sizes", Value: b.sizes(from, to, step), Origin: b.asked("minbytes", "maxbytes", "stepbytes", "stepfactor")},
		scenario.Set("run.iterations", b.iters, b.asked("iters")),
		scenario.Set("run.warmup", b.warmup, b.asked("warmup_iters")),
	}
	if b.Changed("nodes") {
		over = append(over, scenario.Set("cluster.nodes", b.nodes, b.asked("nodes")))
	}
	if b.Changed("datatype") {
		over = append(over, scenario.Override{Path: "workload.datatype", Value: b.datatype, Origin: b.asked("datatype")})
	}
	if slices.Contains([]scenario.Collective{scenario.Broadcast, scenario.Reduce, scenario.Scatter, scenario.Gather}, collect) {
		over = append(over, scenario.Set("workload.root", b.root, b.asked("root")))
	}
	file, err := b.Flags.Cluster(e.Env, b.cluster)
	if err != nil {
		return nil, err
	}
	if over, err = b.reduced(file, over); err != nil {
		return nil, err
	}
	if over, err = b.harness(over); err != nil {
		return nil, err
	}
	r, err := b.Resolve(file, over...)
	if err != nil {
		return nil, err
	}
	overrides.TellIdle(e.Env, file, r)
	r.Fabrics = r.Fabrics[:1]
	return r, nil
}

// asked is the origin of a value: those of the named flags that the user typed, or bench if none.
func (b *bench) asked(names ...string) string {
	var given []string
	for _, name := range names {
		switch f := b.Given.Lookup(name); {
		case f.Changed && f.Shorthand != "":
			given = append(given, fmt.Sprintf("-%s %s", f.Shorthand, flags.Abridged(f.Value.String())))
		case f.Changed:
			given = append(given, fmt.Sprintf("--%s %s", name, flags.Abridged(f.Value.String())))
		}
	}
	return cmp.Or(strings.Join(given, " "), "bench")
}

// reduced is a node with a part of its GPUs, with their share of its NICs.
func (b *bench) reduced(file *scenario.File, over []scenario.Override) ([]scenario.Override, error) {
	given := b.Given
	if !given.Changed("ngpus") && !given.Changed("nthreads") {
		return over, nil
	}
	gpus, asked := b.threads*max(1, b.gpus), b.asked("nthreads", "ngpus")
	whole, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	node := whole.Cluster.Node
	if max(b.threads, b.gpus, gpus) > node.GPUs {
		return nil, fmt.Errorf("%s: a node has %d GPUs", asked, node.GPUs)
	}
	return append(over, node.Part(gpus, asked)...), nil
}

func (b *bench) sizes(from, to, step units.Bytes) string {
	if b.factor > 1 {
		return fmt.Sprintf("{from: %s, to: %s, factor: %d}", from.Exact(), to.Exact(), b.factor)
	}
	if from == to {
		return "[" + from.Exact() + "]"
	}
	return fmt.Sprintf("{from: %s, to: %s, step: %s}", from.Exact(), to.Exact(), step.Exact())
}
