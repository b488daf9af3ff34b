package runs

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/study/serve"
	"weft/scenario"
)

// benchKV is the flags of weft bench kv.
type benchKV struct {
	overrides.Flags
	cluster string
	tokens  []int
	batch   int
	workers int
	json    bool
}

// kvFields are flags that stand for fields of the scenario.
var kvFields = []struct{ flag, path, usage string }{
	{"model", "serving.model", "a model of the catalog (default: the scenario's, llama3-70b for a node preset)"},
	{"prefill-nodes", "serving.prefill.nodes", "nodes that compute prompts (default: half of the cluster)"},
	{"decode-nodes", "serving.decode.nodes", "nodes that compute answers (default: the other half)"},
	{"prefill-tp", "serving.prefill.tensor", "GPUs of a prefill instance that divide a layer (default: the scenario's, a node's for a preset)"},
	{"decode-tp", "serving.decode.tensor", "the same of a decode instance"},
	{"page", "serving.kv.page", "tokens of a page of memory; 0: a request's tokens lie together"},
	{"nics", "serving.kv.nics", "NICs that a GPU sprays slices over"},
	{"slice", "serving.kv.slice", "most bytes of a work request; 0: a page"},
	{"op", "serving.kv.operation", "write, by prefill, or read, by decode; TCP writes"},
	{"layer-time", "serving.kv.layer-time", "time of the library for each layer"},
}

func newBenchKV(e *simulator.Simulator) *cobra.Command {
	b := &benchKV{}
	cmd := &cobra.Command{
		Use:   "kv",
		Short: "simulate transfers of keys and values from prefill to decode",
		Long: `Simulates the transfer of the keys and values of requests from the GPUs that
computed their prompts to those that compute their answers, packet by packet, layer
by layer, and prints the columns of nixlbench and the last line of Mooncake's
transfer_engine_bench. Each prefill instance passes on one request, all at the same
time; with more prefill than decode instances that is an incast. The cluster's
scenario may have the job (serving:); flags change its fields.`,
		Example: `  weft bench kv --model llama3-70b --tokens 1024,8192
  weft bench kv --cluster example:serve-llama3-70b --tokens 4096 --op read --page 16
  weft bench kv --prefill-nodes 3 --decode-nodes 1 --fabric roce-v2-400g`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return b.Placed(b.do(cmd.Context(), e)) },
	}
	b.Given = cmd.Flags()
	f := cmd.Flags()
	f.StringVar(&b.cluster, "cluster", "dgx-h100", "a node preset of the catalog, or a scenario file")
	f.IntSliceVar(&b.tokens, "tokens", []int{1024, 4096}, "tokens of a request, a row for each")
	f.IntVar(&b.batch, "batch", 0, "requests at the same time (default: one for each prefill instance)")
	for _, x := range kvFields {
		f.String(x.flag, "", x.usage)
		_ = cmd.RegisterFlagCompletionFunc(x.flag, cobra.NoFileCompletions)
	}
	f.StringSliceVar(&b.Fabrics, "fabric", nil, "only these fabrics of the scenario, or a fabric preset")
	f.Uint64Var(&b.Seed, "seed", 0, "seed of everything random (default: the scenario's)")
	f.StringArrayVar(&b.Set, "set", nil, "change a field of the scenario, such as serving.kv.layout=hnd; may be repeated")
	b.RegisterOverlay(cmd)
	f.IntVarP(&b.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.BoolVar(&b.json, "json", false, "print as JSON")
	_ = cmd.RegisterFlagCompletionFunc("cluster", overrides.CompleteCluster)
	for _, flag := range []string{"tokens", "batch", "seed", "set", "workers"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
	e.ReportFlags(cmd)
	return cmd
}

// mostTokens bounds a request: the longest contexts of models have some ten million.
const mostTokens = 100_000_000

func (b *benchKV) do(ctx context.Context, e *simulator.Simulator) error {
	if err := flags.CheckWorkers(b.workers); err != nil {
		return err
	}
	for _, n := range b.tokens {
		if n < 1 || n > mostTokens {
			return fmt.Errorf("--tokens %d: want 1 to %d", n, mostTokens)
		}
	}
	if b.Changed("batch") && b.batch < 1 {
		return fmt.Errorf("--batch %d: want 1 or more", b.batch)
	}
	r, err := b.scenario(e)
	if err != nil {
		return err
	}
	line := e.Working("transfers begin")
	out, err := serve.Transfers(ctx, r, serve.TransferOptions{
		Tokens: b.tokens, Batch: b.batch, Workers: b.workers, Progress: line.Pieces,
	})
	line.End()
	if out == nil {
		return err
	}
	return e.PresentRun(&simulator.Concluded{Document: report.KVTransfers(out), Results: out, Err: simulator.Conclusion(ctx, err), AsJSON: b.json})
}

// scenario is the cluster with the job.
func (b *benchKV) scenario(e *simulator.Simulator) (*scenario.Resolved, error) {
	file, err := b.Flags.Cluster(e.Env, b.cluster)
	if err != nil {
		return nil, err
	}
	var over []scenario.Override
	if !file.Writes("serving") {
		bare, err := file.Resolve()
		if err != nil {
			return nil, err
		}
		over = append(over, scenario.Set("serving.model", "llama3-70b", "bench kv"))
		for _, pool := range []string{"prefill", "decode"} {
			over = append(over, scenario.Set("serving."+pool+".tensor", bare.Cluster.Node.GPUs, "a node's GPUs"))
		}
		if !file.Writes("cluster.nodes") { // --prefill-nodes and --decode-nodes come after
			over = append(over, scenario.Set("cluster.nodes", 2, "prefill and decode"))
		}
	}
	given := b.Given
	if given.Changed("prefill-nodes") && given.Changed("decode-nodes") && !file.Writes("cluster.nodes") {
		nodes := 0
		for _, flag := range []string{"prefill-nodes", "decode-nodes"} {
			n, err := strconv.Atoi(given.Lookup(flag).Value.String())
			if err != nil {
				return nil, fmt.Errorf("--%s %s: want a number of nodes", flag, flags.Abridged(given.Lookup(flag).Value.String()))
			}
			nodes += n
		}
		over = append(over, scenario.Set("cluster.nodes", nodes, "--prefill-nodes and --decode-nodes"))
	}
	for _, x := range kvFields {
		if f := b.Given.Lookup(x.flag); f.Changed {
			over = append(over, scenario.Override{Path: x.path, Value: f.Value.String(), Origin: "--" + x.flag + " " + flags.Abridged(f.Value.String())})
		}
	}
	return b.Resolve(file, over...)
}
