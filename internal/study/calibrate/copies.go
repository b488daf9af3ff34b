package calibrate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// copied is a table of a test that copies blocks from one process to another: nixlbench, or Mooncake's
// transfer_engine_bench. All blocks of a call are in flight at once, over the NICs in turn, each with a peer of the same
// number.
func (c *Cluster) copied(task *Task, whole *scenario.Resolved) error {
	t := task.Table
	node := &whole.Cluster.Node
	switch f := &whole.Fabrics[0]; {
	case t.Op == "":
		return errors.New("which operation it measures is not in the log")
	case whole.Cluster.Nodes < 2:
		return fmt.Errorf("the cluster has one node, and %s measures between two", t.Test)
	case !protocol.Of(f.Kind).RDMA():
		return fmt.Errorf("%s has no RDMA", f.Name)
	}
	nics := len(t.Copies.Devices)
	switch {
	case nics > node.NICs:
		return fmt.Errorf("the log has %d NICs, and the cluster's node %d: this is another cluster than the log's", nics, node.NICs)
	case nics == 0 && whole.Serving.Given():
		nics = whole.Serving.KV.NICs
		task.Told = append(task.Told, fmt.Sprintf("the log does not have the NICs: weft takes the cluster's serving.kv.nics, %d", nics))
	case nics == 0:
		nics = max(1, t.Copies.GPUs*node.NICs/max(1, node.GPUs))
		task.Told = append(task.Told, fmt.Sprintf("the log does not have the NICs: weft takes %d, those of the GPUs that it copies from", nics))
	}
	if t.Copies.Assumed {
		task.Told = append(task.Told, fmt.Sprintf("the log does not have the block: %s by its bytes, with the program's usual batch of %d", units.Bytes(t.Rows[0].Bytes), t.Copies.Batch))
	}
	task.Nodes, task.GPUs, task.kind = 2, 1, copies
	task.over = []scenario.Override{pairs(nics, node.NICs, 0, "the log's NICs")}
	memory := "GPU memory"
	if !t.GPUMemory {
		memory = "host memory"
		task.over = append(task.over, c.inHostMemory(t.Test)...)
	}
	task.Title = fmt.Sprintf("%s of blocks by %s over %s of a node, %s", t.Op, t.Test, wording.Counted(nics, "NIC", "NICs"), memory)
	return nil
}

// inHostMemory is a test whose buffers are the host's own: nothing is copied to a GPU.
func (c *Cluster) inHostMemory(test string) []scenario.Override {
	return []scenario.Override{
		{Path: c.path(".host.path"), Value: string(scenario.PathRDMAHost), Origin: test + " in host memory"},
		{Path: c.path(".host.copies"), Value: "0", Origin: test + " copies nothing"},
	}
}

// pairs is the workload with a flow for each pair of NICs that blocks take: the first ones of a node, and those of
// another, whose numbers are higher by a shift.
func pairs(nics, of, shift int, origin string) scenario.Override {
	var flows []string
	for i := range nics {
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, bytes: 1B}", i, of+(i+shift)%of))
	}
	return scenario.Override{Path: "workload", Value: "{pattern: flows, flows: [" + strings.Join(flows, ", ") + "]}", Origin: origin}
}

// idleNICs leaves NICs out that blocks should take.
func idleNICs(_ *Cluster, t *Task) (out []variant, why string) {
	nics, of := len(t.base.Workload.Flows), t.base.Cluster.Node.NICs
	for _, left := range fewer(nics, nics-1, nics/2, 1) {
		label := fmt.Sprintf("%d of the %d NICs carry blocks", left, nics)
		out = append(out, variant{label: label, over: []scenario.Override{pairs(left, of, 0, label)}})
	}
	return out, "the transfers take one NIC"
}

// crossRails sends blocks to NICs of other numbers.
func crossRails(_ *Cluster, t *Task) ([]variant, string) {
	nics, of := len(t.base.Workload.Flows), t.base.Cluster.Node.NICs
	if of < 2 {
		return nil, "a node has one NIC"
	}
	const label = "each NIC sends to the peer's next one"
	return []variant{{label: label, over: []scenario.Override{pairs(nics, of, 1, label)}}}, ""
}

// largeBlock is a block beside which a request's own time is small.
const largeBlock = 1 << 20

// smallBlocks tells which part of the rate of large blocks weft predicts for the smallest block of a test of copies: that
// part is no fault.
func (t *Task) smallBlocks(ctx context.Context, o *Options, predicted []units.Time) error {
	if t.kind != copies || t.Points[0].Bytes >= largeBlock {
		return nil
	}
	large := *t
	large.simulated = []int64{largeBlock}
	took, err := large.run(ctx, t.base, 0, o)
	if err != nil {
		return err
	}
	block := t.Points[0].Bytes
	share := float64(block) / float64(predicted[0]) / (largeBlock / float64(took[0]))
	if share < 1-2*knownBandwidth {
		t.Told = append(t.Told, fmt.Sprintf("blocks of %s reach %.0f %% of what blocks of %s do, with nothing wrong: each is a request of its own, so more that lies together (larger pages) helps first",
			units.Bytes(block), 100*share, units.Bytes(largeBlock)))
	}
	return nil
}
