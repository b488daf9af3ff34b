package calibrate

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/base/wording"
	"weft/internal/formats/logfile"
	"weft/internal/sim"
	kernels "weft/internal/sim/run/exchange"
	"weft/scenario"
	"weft/units"
)

// maskedChoices is the number of a rank's choices of experts that test_low_latency.py leaves out, at
// most.
const maskedChoices = 10

// exchange is a table of a test of kernels for experts. Experts are as the cluster has them; the log
// has the kernel, and tokens and nodes as far as it says them.
func (c *Cluster) exchange(task *Task, whole *scenario.Resolved, o Options) error {
	t, about := task.Table, task.Table.MoE
	ranks := t.Listed
	switch {
	case ranks > 0:
	case about.OneNode:
		ranks = whole.Cluster.Node.GPUs
	case o.Nodes > 0:
		ranks = o.Nodes * whole.Cluster.Node.GPUs
	default:
		ranks = whole.Cluster.Ranks()
		task.Told = append(task.Told, fmt.Sprintf("the log does not have the number of ranks: weft takes the cluster's %d (--nodes)", ranks))
	}
	if t.Cut != "" {
		task.Told = append(task.Told, t.Cut)
	}
	if err := task.place(ranks, &whole.Cluster, 0); err != nil {
		return err
	}
	if task.GPUs < whole.Cluster.Node.GPUs {
		return fmt.Errorf("%d ranks are a part of a node of %d GPUs: describe a node of so many", ranks, whole.Cluster.Node.GPUs)
	}
	task.kind = exchange
	kernel := scenario.LowLatency
	if about.Throughput {
		kernel = scenario.Throughput
	}
	run := scenario.Override{Path: "workload", Value: fmt.Sprintf("{exchange: %s}", t.Op), Origin: "the log's operation"}
	if whole.Workload.Exchange != "" { // with its experts
		run = scenario.Override{Path: "workload.exchange", Value: t.Op, Origin: "the log's operation"}
	}
	task.over = []scenario.Override{
		run,
		{Path: "workload.experts.kernel", Value: string(kernel), Origin: "the log's kernels"},
		{Path: "cluster.nodes", Value: fmt.Sprint(task.Nodes), Origin: "the log's nodes"},
	}
	if about.BF16 {
		task.over = append(task.over, scenario.Override{Path: "workload.experts.element", Value: string(scenario.ElementBF16), Origin: "the log's elements"})
	}
	for _, x := range []struct {
		field string
		value int
	}{{"tokens", about.Tokens}, {"hidden", about.Hidden}, {"top-k", about.TopK}, {"node-limit", min(about.Groups, task.Nodes)}} {
		if x.value > 0 {
			task.over = append(task.over, scenario.Override{Path: "workload.experts." + x.field, Value: fmt.Sprint(x.value), Origin: "the log's parameters"})
		}
	}
	if err := c.timed(task); err != nil {
		return err
	}
	fit := c.tokens
	if about.Throughput {
		fit = func(t *Task) error { return t.few(c) }
	}
	if err := fit(task); err != nil {
		return err
	}
	task.Title = fmt.Sprintf("%s by %s kernels, %d ranks on %s", t.Op, kernel, ranks, wording.Counted(task.Nodes, "node", "nodes"))
	return nil
}

// timed gives a row that has a rate alone its bytes, by the tokens and the experts, and the time that they take at
// the rate.
func (c *Cluster) timed(task *Task) error {
	row := task.Table.Rows[0]
	if row.Micros > 0 {
		return nil
	}
	r, err := c.resolve(task.over)
	if err != nil {
		return err
	}
	bytes, x := kernels.Bytes(r), &r.Workload.Experts
	row.Bytes, row.Micros = int64(bytes), float64(bytes)/row.AlgGBps/1e3
	table := *task.Table // the log's own stays as it is
	table.Rows = []logfile.Row{row}
	task.Table = &table
	task.Told = append(task.Told, fmt.Sprintf("the log has a rate and no time: %.0f us for %s at %g GB/s, of %d tokens of %s to %d of %d experts",
		row.Micros, bytes, row.AlgGBps, x.Tokens, x.TokenBytes(), x.TopK, x.Count))
	return nil
}

// fewTokens bounds the tokens of a rank that are simulated of throughput kernels: a second of a core for 64
// ranks. It is a whole number of chunks of the usual channels, and so is its half.
const fewTokens = 384

// few has throughput kernels simulated with two small numbers of tokens, if the log has more: the time
// of further tokens is that between the two.
func (t *Task) few(c *Cluster) error {
	r, err := c.resolve(t.over)
	if err != nil {
		return err
	}
	t.tokens = []int{r.Workload.Experts.Tokens}
	if all := t.tokens[0]; all > fewTokens {
		t.tokens = []int{fewTokens / 2, fewTokens}
		t.Told = append(t.Told, fmt.Sprintf("%d and %d tokens of a rank are simulated, and the time of %d by the rate between the two", fewTokens/2, fewTokens, all))
		t.whole = all
	}
	return nil
}

// exchanges simulates an exchange with each number of tokens.
func exchanges(ctx context.Context, r *scenario.Resolved, t *Task, o *Options) (out []units.Time, err error) {
	for _, tokens := range t.tokens {
		run := *r
		run.Workload.Experts.Tokens = tokens
		results, err := o.Simulate(ctx, &run, sim.Options{Workers: o.Workers})
		if err != nil {
			return nil, shortened(err)
		}
		out = append(out, times(results)...)
	}
	return out, nil
}

// tokens finds a rank's tokens by the bytes of the log.
func (c *Cluster) tokens(task *Task) error {
	r, err := c.resolve(task.over)
	if err != nil {
		return err
	}
	x := &r.Workload.Experts
	bytes := float64(x.TokenBytes()) * float64(x.TopK)
	tokens := int(float64(task.Table.Rows[0].Bytes)/bytes + maskedChoices/float64(x.TopK))
	if tokens < 1 {
		return errors.New("its bytes are less than those of one token: the cluster's experts are not the log's (workload.experts.hidden, top-k)")
	}
	task.tokens = []int{tokens}
	return nil
}
