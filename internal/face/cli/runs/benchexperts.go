package runs

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/sim/catalog"
	"weft/results"
	"weft/scenario"
)

// benchExperts is the flags of DeepEP's tests, and weft's own.
type benchExperts struct {
	overrides.Flags
	simulator.Execution
	exchange  scenario.Exchange
	cluster   string
	nodes     int
	kernel    string
	disableNV bool
}

// expertFlags are the numbers of DeepEP's tests with the fields of the scenario.
var expertFlags = []struct{ name, field, what string }{
	{"num-tokens", "tokens", "tokens of a rank (default: 128 of low-latency kernels, else 4096)"},
	{"hidden", "hidden", "elements of a token (default: 7168)"},
	{"num-topk", "top-k", "experts of a token (default: 8)"},
	{"num-experts", "count", "experts (default: 288 of low-latency kernels, else 256, or the next multiple of the ranks)"},
	{"num-topk-groups", "node-limit", "most nodes of a token (default: 4 of throughput kernels, else any)"},
}

func newBenchExperts(e *simulator.Simulator, exchange scenario.Exchange) *cobra.Command {
	b := &benchExperts{exchange: exchange}
	what := map[scenario.Exchange]string{
		scenario.Dispatch: "simulate the dispatch of tokens to the experts of a mixture",
		scenario.Combine:  "simulate the combine of tokens from the experts of a mixture",
	}[exchange]
	cmd := &cobra.Command{
		Use:   string(exchange),
		Short: what,
		Long: `Simulates the kernels of a library of expert parallelism, packet by packet, on each
fabric, and prints what the library's tests print: the mean time of the ranks' kernels
(avg_t) with its distribution, the bandwidth as the tests count it, and what went over
RDMA and over NVLink. The flags have the names of DeepEP's tests. What weft models,
and how it compares with measurements: docs/INFERENCE.md.`,
		Example: fmt.Sprintf(`  weft bench %[1]s
  weft bench %[1]s --nodes 4 --fabric infiniband-ndr,roce-v2-400g
  weft bench %[1]s --nodes 8 --num-tokens 64 --disable-nvlink --fabric roce-v2-400g
  weft bench %[1]s --set workload.experts.gating=zipf --set workload.experts.replicas=32`, exchange),
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := b.scenario(e)
			if err != nil {
				return b.Placed(err)
			}
			return b.Placed(b.Execution.Run(cmd.Context(), e, r, func(outcome *results.Results) error {
				return e.Tell(report.Comparison(outcome, r, nil))
			}))
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.cluster, "cluster", "dgx-h100", "a node preset of the catalog, or a scenario file")
	f.IntVar(&b.nodes, "nodes", 0, "number of nodes (default: the scenario's, 2 for a preset)")
	f.StringVar(&b.kernel, "kernel", "", "low-latency or throughput (default: the scenario's, or low-latency)")
	f.BoolVar(&b.disableNV, "disable-nvlink", false, "send through NICs inside a node, too")
	for _, x := range expertFlags {
		f.Int(x.name, 0, x.what)
	}
	b.Flags.Register(cmd)
	b.Execution.Register(e, cmd)
	e.DetailsFlag(cmd)
	for _, name := range []string{"algo", "proto"} {
		_ = f.MarkHidden(name)
	}
	f.Lookup("fabric").Usage = "the scenario's fabrics, or presets (default: all of the scenario's)"
	_ = cmd.RegisterFlagCompletionFunc("cluster", overrides.CompleteCluster)
	return cmd
}

// scenario is the cluster with the exchange.
func (b *benchExperts) scenario(e *simulator.Simulator) (*scenario.Resolved, error) {
	over := []scenario.Override{scenario.Set("workload.exchange", b.exchange, "bench")}
	given := b.Given
	switch {
	case given.Changed("nodes"):
		over = append(over, scenario.Set("cluster.nodes", b.nodes, fmt.Sprintf("--nodes %d", b.nodes)))
	case slices.Contains(catalog.Names(catalog.Node), b.cluster):
		over = append(over, scenario.Set("cluster.nodes", 2, "bench"))
	}
	if b.kernel != "" {
		over = append(over, scenario.Override{Path: "workload.experts.kernel", Value: b.kernel, Origin: "--kernel " + flags.Abridged(b.kernel)})
	}
	if b.disableNV {
		over = append(over, scenario.Set("workload.experts.rdma-only", true, "--disable-nvlink"))
	}
	for _, x := range expertFlags {
		if given.Changed(x.name) {
			n, err := given.GetInt(x.name)
			if err != nil {
				return nil, err
			}
			over = append(over, scenario.Set("workload.experts."+x.field, n, fmt.Sprintf("--%s %d", x.name, n)))
		}
	}
	file, err := b.Flags.Cluster(e.Env, b.cluster)
	if err != nil {
		return nil, err
	}
	return b.Resolve(file, over...)
}
