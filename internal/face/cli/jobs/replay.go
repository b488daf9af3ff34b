package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats"
	"weft/internal/formats/source"
	"weft/internal/sim/catalog"
	"weft/internal/sim/run/control"
	"weft/internal/sim/runstore"
	"weft/internal/sim/workload"
	"weft/internal/study/replay"
	"weft/results"
	"weft/scenario"
)

// replayFile is the results in the folder of --out, and its mark.
const replayFile = "replay.json"

// replayFlags are the flags of weft replay.
type replayFlags struct {
	overrides.Flags
	cluster string
	sender  string
	partial bool
	whole   bool
	json    bool
	out     string
}

// NewReplay is the verb weft replay.
func NewReplay(e *simulator.Simulator) *cobra.Command {
	var x replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE... | DIR",
		Short: "simulate workload files of other simulators and tracers",
		Long: `Reads an unmodified workload file of another program, and simulates it packet by
packet on each fabric of a cluster. The format is recognised by content; weft reads ` + formats.Names() + `.
A topology file beside it (` + formats.TopologyNames() + `) takes the place
of --cluster; alone it is printed as a scenario.

Prints a summary of the file, the units of its numbers and the assumptions about its
format, then the time on each fabric, the time by kind of communication and the hottest
links. A file that is cut or foreign is refused with the place and the reason;
--partial runs the readable part.

A folder of the simulator published with HPCC is simulated as that simulator did: config.txt
with its topology and flow files, and no other file. --out then receives fct.txt and pfc.txt
in that simulator's format.`,
		Example: `  weft replay binary_tree_16.goal
  weft replay binary_tree_16.goal --cluster example:h100-128 --json
  weft replay workload.txt topology.txt
  weft replay topo.xml > node.yaml
  weft replay cut.goal --partial --fabric infiniband-ndr
  weft replay mix --out mix-weft`,
		Args: flags.Args(1, maxReplayFiles, "workload files"),
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 1 && process.IsFolder(e.Path(given[0])) {
				return x.replayCase(cmd, e, given[0])
			}
			return x.run(cmd, e, given)
		},
	}
	x.RegisterFields(cmd)
	x.RegisterSeed(cmd)
	flags.Absent(cmd, "only a collective alone is estimated from a part of it", "error")
	flags.Absent(cmd, "NCCL chooses for each collective of the job; nccl.tuner changes its choice", "algo", "proto")
	f := cmd.Flags()
	f.StringVar(&x.cluster, "cluster", "dgx-h100", "a node preset of the catalog, with as many nodes as the ranks need, or a scenario file")
	f.StringVar(&x.sender, "messages", "", "who sends messages between two ranks: "+strings.Join(workload.SenderNames(), ", ")+" (default: by the format; the assumptions name it)")
	f.BoolVar(&x.partial, "partial", false, "run the readable part of files that are cut, wrong or incomplete")
	f.BoolVar(&x.whole, "whole", false, "simulate every communication in full, even if all ranks do the same")
	e.ExactFlag(cmd)
	f.Lookup("exact").Usage = simulator.StepsExactUsage
	f.BoolVar(&x.json, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	flags.OutFolder(cmd, &x.out, replayFile)
	_ = cmd.RegisterFlagCompletionFunc("cluster", overrides.CompleteCluster)
	return cmd
}

// maxReplayFiles bounds the files of a job, which are open at the same time.
const maxReplayFiles = 4096

func (x *replayFlags) run(cmd *cobra.Command, e *simulator.Simulator, paths []string) error {
	w, cluster, err := x.read(e, paths)
	if err != nil {
		return err
	}
	if w == nil { // a topology alone
		if err := x.buildable(e, cluster); err != nil {
			return err
		}
		return x.tellCluster(e, cluster)
	}
	if err := cmp.Or(e.CheckSteps(x.whole || w.Folded == nil), x.chooseSender(w)); err != nil {
		return err
	}
	left, err := x.carriable(w)
	if err != nil {
		return err
	}
	r, err := x.scenario(e, w, cluster)
	if err != nil {
		return err
	}
	if w.Sized != nil {
		if p := w.Sized(r.Cluster.Ranks()); p != nil {
			return p
		}
	}
	if cluster != nil {
		w.Assumptions = append(w.Assumptions, cluster.Assumptions...)
		w.Files = append(w.Files, cluster.File)
	}
	folder := process.OwnFolder{Name: x.out, Mark: replayFile, What: "results of weft replay"}
	if err := folder.Open(e.Env); err != nil {
		return err
	}
	defer folder.Close()
	p := simulator.NewProgress(e)
	out, err := replay.Run(cmd.Context(), r, w, replay.Options{Whole: x.whole, Exact: e.Exact, Progress: p.Update})
	p.End()
	switch {
	case out == nil:
		return err
	case cmd.Context().Err() != nil:
		return exit.Errorf(exit.Partial, "stopped before the workload was carried out")
	}
	out.Source.LeftOut = left
	if err := x.tell(e, out, &folder, err); err != nil {
		return err
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "the run failed: %w", err)
	}
	return nil
}

// read reads the files.
func (x *replayFlags) read(e *simulator.Simulator, paths []string) (*source.Workload, *source.Cluster, error) {
	files := make([]source.File, len(paths))
	var closers []io.Closer
	defer func() {
		for _, c := range closers {
			c.Close()
		}
	}()
	for i, path := range paths {
		f, err := e.Open(path)
		if err != nil {
			return nil, nil, fmt.Errorf("the workload %s cannot be read: %w", path, regular.Reason(err))
		}
		closers = append(closers, f)
		files[i] = source.File{Name: path, Reader: f}
	}
	return formats.Read(files)
}

// buildable checks that the scenario of a topology can be built, on every fabric.
func (x *replayFlags) buildable(e *simulator.Simulator, c *source.Cluster) error {
	r, err := x.scenario(e, &source.Workload{Ranks: 1}, c)
	if err != nil {
		return fmt.Errorf("%s was read, and no scenario can have it: %w", c.File, err)
	}
	for i := range r.Fabrics {
		if _, err := control.NewPlan(r, &r.Fabrics[i]); err != nil {
			return fmt.Errorf("%s was read, and %s cannot be built of it: %w", c.File, r.Fabrics[i].Name, err)
		}
	}
	return nil
}

// clusterJSON is a topology in JSON.
type clusterJSON struct {
	Format      string   `json:"format"`
	File        string   `json:"file"`
	Units       []string `json:"units"`
	Assumptions []string `json:"assumptions"`
	Scenario    string   `json:"scenario"` // YAML
}

// tellCluster prints a topology as a scenario.
func (x *replayFlags) tellCluster(e *simulator.Simulator, c *source.Cluster) error {
	if x.json {
		return process.PrintJSON(e.Env, clusterJSON{c.Format, c.File, c.Units, c.Assumptions, c.YAML()})
	}
	_, err := io.WriteString(e.Stdout, c.YAML())
	return err
}

// carriable finds the errors of a workload; with --partial it keeps the part that can be executed,
// and left is the number of removed operations.
func (x *replayFlags) carriable(w *source.Workload) (left int, err error) {
	var problems error
	if w.Stopped != nil {
		problems = w.Stopped
	} else if w.Graph != nil {
		problems = placed(w, w.Graph.Check())
	}
	if problems == nil {
		return 0, nil
	}
	n := w.Ops()
	if n == 0 {
		return 0, problems
	}
	if !x.partial {
		return 0, fmt.Errorf("%w\n%s", problems, offer(w, n))
	}
	if w.Graph == nil { // all ranks do the same: no rank lacks a partner
		return 0, nil
	}
	w.Graph, left = w.Graph.Matched()
	w.Where = nil
	if err := w.Graph.Check(); err != nil {
		return 0, fmt.Errorf("%w\nnor can the part that was read be executed: %w", problems, err)
	}
	if w.Stopped == nil {
		first, _, _ := strings.Cut(problems.Error(), "\n")
		w.Stopped = &source.Problem{File: w.Files[0], Want: "a workload that can be carried out: " + first}
	}
	return left, nil
}

// offer describes the readable part of a workload, and whether --partial runs it.
func offer(w *source.Workload, ops int) string {
	read := fmt.Sprintf("%d operations of %d ranks could be read", ops, w.Ranks)
	if ops == 1 {
		read = fmt.Sprintf("1 operation of %d ranks could be read", w.Ranks)
	}
	if w.Graph != nil {
		if left, _ := w.Graph.Matched(); left.Check() != nil {
			return read + ", and no part of it can be carried out by itself"
		}
	}
	return read + ": --partial runs the part that can be executed"
}

// placed puts the places in the files before the problems of a graph.
func placed(w *source.Workload, err error) error {
	var list workload.Problems
	if !errors.As(err, &list) || w.Where == nil {
		return err
	}
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = list[i].Error()
		if list[i].Rank >= 0 && list[i].Op >= 0 {
			lines[i] = w.Where(list[i].Rank, list[i].Op) + ": " + lines[i]
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// scenario is the cluster: a topology file's, or --cluster's. With a node preset the number of
// nodes follows from the ranks, with a minimum of two.
func (x *replayFlags) scenario(e *simulator.Simulator, w *source.Workload, cluster *source.Cluster) (*scenario.Resolved, error) {
	var file *scenario.File
	var err error
	pattern := slices.Contains(catalog.Names(catalog.Node), x.cluster)
	switch {
	case cluster != nil && x.Changed("cluster"):
		return nil, fmt.Errorf("%s is a topology and --cluster %s is given: one cluster at a time", cluster.File, x.cluster)
	case cluster != nil:
		pattern = cluster.Nodes == 0
		if file, err = scenario.Decode(cluster.File+" as a scenario", []byte(cluster.YAML())); err == nil {
			file, err = file.With(scenario.Set("name", cluster.File, "the file's name"))
		}
		if err == nil {
			file, err = x.Overlaid(e.Env, file)
		}
	default:
		file, err = x.Flags.Cluster(e.Env, x.cluster)
	}
	if err != nil {
		return nil, err
	}
	var over []scenario.Override
	if w.Hosts && cluster == nil && !x.Changed("cluster") {
		over = append(over, hostsOver("cluster.node.gpus", 1), hostsOver("cluster.node.nics", 1))
	}
	r, err := x.Resolve(file, over...)
	if err != nil || !pattern {
		return r, err
	}
	nodes := max(2, (w.Ranks+r.Cluster.Node.GPUs-1)/r.Cluster.Node.GPUs)
	return x.Resolve(file, append(over, hostsOver("cluster.nodes", nodes))...)
}

// hostsOver is a field that follows from the ranks of a workload.
func hostsOver(path string, n int) scenario.Override {
	return scenario.Set(path, n, "the ranks of the workload")
}

// senders lists the software that sends messages, with its costs.
var senders = map[workload.Sender]string{
	workload.NCCL:  "a message is NCCL's send and receive, with its software times (--messages nccl)",
	workload.Verbs: "a message is one RDMA WRITE, which costs no software but the host's posting and polling (--messages verbs)",
	workload.MPI:   "a message is one RDMA WRITE and 0.5 us of an MPI library, an assumption; the library's rendezvous is left out (--messages mpi)",
}

// chooseSender sets the sender that the user names, else the sender that the format implies.
func (x *replayFlags) chooseSender(w *source.Workload) error {
	if w.Graph == nil {
		if x.sender != "" {
			return fmt.Errorf("--messages %s: the workload has collectives alone", flags.Abridged(x.sender))
		}
		return nil
	}
	if x.sender != "" {
		sender, ok := workload.SenderOf(x.sender)
		if !ok {
			return fmt.Errorf("--messages %s: want one of %s", flags.Abridged(x.sender), strings.Join(workload.SenderNames(), ", "))
		}
		w.Graph.Sender = sender
	}
	if w.Graph.Sends() {
		w.Assume(senders[w.Graph.Sender])
	}
	return nil
}

// tell prints and stores the results. failed is the run's error.
func (x *replayFlags) tell(e *simulator.Simulator, out *results.Replay, folder *process.OwnFolder, failed error) error {
	text, err := out.Encode()
	if err != nil {
		return err
	}
	if x.out != "" {
		if err := folder.Store(e.Env, []runstore.File{{Name: replayFile, Text: text}}, true); err != nil {
			return err
		}
	}
	err = e.Present(report.Replay(out), x.json, text)
	e.SkippedPeriods(out.Skipped(), failed)
	return err
}
