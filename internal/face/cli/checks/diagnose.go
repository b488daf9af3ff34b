package checks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/logfile"
	"weft/internal/sim/protocol"
	"weft/internal/study/calibrate"
	"weft/scenario"
	"weft/units"
)

// logged is the flags of the verbs that compare a log with a prediction.
type logged struct {
	overrides.Flags
	name    string // of the cluster
	nodes   int
	op      string
	maxSize string
	sizes   int
	hops    int
	known   string
	workers int
	json    bool
}

func (l *logged) register(e *simulator.Simulator, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.name, "cluster", "dgx-h100", "a node preset of the catalog, or a scenario file")
	f.IntVar(&l.nodes, "nodes", 0, "nodes that took part (default: from the log)")
	f.StringVar(&l.op, "op", "", "the operation, if the log does not name it: all-reduce, all-gather, …")
	f.StringVar(&l.maxSize, "max-size", "", "largest simulated size (default: 128 MiB in one node; between nodes 4 GiB over the ranks, at most 64 MiB)")
	f.IntVar(&l.hops, "hops", 1, "switches between two hosts, for latencies of perftest")
	f.IntVarP(&l.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&l.json, "json", false, "print as JSON")
	e.ExactFlag(cmd)
	l.Flags.Register(cmd)
	f.Lookup("fabric").Usage = "one of the scenario's fabrics, or a preset (default: the first with the links in the log)"
	_ = cmd.RegisterFlagCompletionFunc("cluster", overrides.CompleteCluster)
}

// options are the flags for a comparison.
func (l *logged) options(e *simulator.Simulator) (o calibrate.Options, err error) {
	o = calibrate.Options{Workers: l.workers, Nodes: l.nodes, Sizes: l.sizes, Simulate: e.Study()}
	errs := []error{flags.CheckWorkers(l.workers)}
	given := l.Given
	if given.Changed("nodes") && l.nodes < 1 {
		errs = append(errs, fmt.Errorf("--nodes %d: want 1 or more", l.nodes))
	}
	if given.Changed("sizes") && l.sizes < 1 {
		errs = append(errs, fmt.Errorf("--sizes %d: want 1 or more", l.sizes))
	}
	if l.maxSize != "" {
		if o.MaxSize, err = units.ParseBytes(l.maxSize); err != nil || o.MaxSize < 1 {
			errs = append(errs, fmt.Errorf("--max-size %s: want a size such as 8G", flags.Abridged(l.maxSize)))
		}
	}
	if l.known != "" {
		share, err := scenario.ParseRatio(l.known)
		if o.Known = share.Float(); err != nil || o.Known <= 0 || o.Known > 1 {
			errs = append(errs, fmt.Errorf("--known-error %s: want a share such as 3%%", flags.Abridged(l.known)))
		}
	}
	if l.op != "" {
		collect, err := overrides.Collective(l.op)
		l.op = string(collect)
		errs = append(errs, err)
	}
	return o, errors.Join(errs...)
}

// readLog reads a log; "-" is standard input.
func (l *logged) readLog(e *simulator.Simulator, path string) (*logfile.Log, error) {
	from := e.Stdin
	name := "standard input"
	if path != "-" {
		name = path
		f, err := e.Open(path)
		if err != nil {
			return nil, process.CannotRead("the log "+path, err)
		}
		defer f.Close()
		from = f
	}
	log, err := logfile.Read(name, from)
	if err != nil {
		return nil, err
	}
	l.nameOp(log)
	return log, nil
}

// nameOp gives the tables without an operation that of the flags.
func (l *logged) nameOp(log *logfile.Log) {
	for _, t := range log.Tables {
		if t.Op == "" && l.op != "" {
			t.Op = l.op
		}
	}
}

// clusterOf is the cluster of the flags, on the fabric of the flags or of the log.
func (l *logged) clusterOf(e *simulator.Simulator, logs []*logfile.Log) (*calibrate.Cluster, error) {
	file, err := l.Cluster(e.Env, l.name)
	if err != nil {
		return nil, err
	}
	own, err := l.Overrides()
	if err == nil {
		file, err = file.With(own...)
	}
	if err == nil {
		file, err = file.Explicit()
	}
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	c := &calibrate.Cluster{File: file, Hops: l.hops}
	if len(l.Fabrics) > 1 {
		return nil, fmt.Errorf("--fabric %s: a log is from one fabric", strings.Join(l.Fabrics, ","))
	}
	names := overrides.FabricNames(r)
	if err := l.Filter(r); err != nil { // its error lists the fabrics
		return nil, err
	}
	c.Fabric = slices.Index(names, r.Fabrics[0].Name)
	if len(l.Fabrics) == 0 {
		c.Fabric = max(0, slices.IndexFunc(r.Fabrics, func(f scenario.Fabric) bool { return fits(protocol.Of(f.Kind), logs) }))
	}
	return c, nil
}

// fits reports whether the logs name links of the protocol, or no known links.
func fits(p *protocol.Protocol, logs []*logfile.Log) bool {
	for _, log := range logs {
		link := log.Said.Link
		for _, t := range log.Tables {
			if t.LinkType != "" {
				link = t.LinkType
			}
		}
		if slices.ContainsFunc(protocol.All, func(q *protocol.Protocol) bool { return slices.Contains(q.Logs, link) }) {
			return slices.Contains(p.Logs, link)
		}
	}
	return true
}

// diagnosing is the flags of weft diagnose.
type diagnosing struct {
	logged
	peers comparing
}

// NewDiagnose is the verb weft diagnose.
func NewDiagnose(e *simulator.Simulator) *cobra.Command {
	d := &diagnosing{}
	cmd := &cobra.Command{
		Use:   "diagnose LOG... | --prometheus URL|FILE",
		Short: "explain why a cluster is slow, from a measured log or its counters",
		Long: `Reads a log of nccl-tests, of perftest (ib_write_bw, ib_send_lat, …), of DeepEP's tests,
nixlbench, Mooncake's transfer_engine_bench, or the report of clusterkit, and compares it
with weft's prediction for the cluster, size by size. Other lines of the log are skipped. Then it simulates possible causes of the difference:
fewer rails, one slow cable, GPUDirect off, NVLink off, a smaller MTU,
loss, colliding flows, narrow PCIe slots, a forced algorithm and others. Each gets a
probability, from its frequency, the noise of the log and weft's error on healthy
clusters. Causes that the log cannot distinguish are named together, with checks to
make on the cluster. "-" is standard input.

Several files, and folders with all of their files, are evidence of one cluster: logs; messages of
NCCL (NCCL_DEBUG_FILE); bandwidths or latencies between pairs of nodes (matrices of clusterkit,
CSV, JSON, many logs of ib_write_bw); records of each rank's collectives (NCCL Inspector, PyTorch's
flight recorder as JSON); and what weft fabric health reads of ports. Two logs of one operation are
compared as before and after, in the order of the command line. Without a log the rest is judged alone.

With --prometheus it compares the counters of ports, GPUs and ranks with those of
their peers, and says which stand out and what that fits. Without a log nothing is simulated.
The token for a Prometheus that asks for one is in WEFT_PROMETHEUS_TOKEN.

The exit code is 0 for a healthy cluster, 5 for a cluster that falls short, explained
or not, or for evidence that stands out, 6 if nothing was judged, and 7 if the log proves
neither a fault nor a healthy cluster.`,
		Example: `  weft diagnose slurm-4711.out --cluster dgx-h100 --fabric infiniband-ndr
  weft diagnose nccl.log --cluster example:two-nodes-h100 --html why.html
  weft diagnose before.log after.log nccl-debug.log counters/
  weft diagnose --prometheus http://prometheus:9090 --last 2h --match 'job="node"'
  ib_write_bw host2 | weft diagnose - --cluster my.yaml --json`,
		Args: func(cmd *cobra.Command, given []string) error {
			least := 1
			if len(d.peers.from) > 0 {
				least = 0
			}
			return flags.Args(least, 10_000, "a log, a folder or --prometheus")(cmd, given)
		},
		RunE: func(cmd *cobra.Command, given []string) error {
			if len(given) == 0 {
				return d.peers.do(cmd.Context(), e, d.json)
			}
			return d.do(cmd.Context(), e, given)
		},
	}
	f := cmd.Flags()
	f.IntVar(&d.sizes, "sizes", 0, "maximum number of compared sizes of a table (default: 6)")
	f.StringVar(&d.known, "known-error", "", "error of weft on this cluster, as weft calibrate finds it (default: that on published tables)")
	d.register(e, cmd)
	d.peers.register(cmd)
	e.ReportFlags(cmd)
	return cmd
}
