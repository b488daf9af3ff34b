package executor

import "testing"

// TestPartsOfAMessage: queue pairs take turns with whole messages, or get equal parts in units of 128
// bytes (NCCL_IB_SPLIT_DATA_ON_QPS). Sockets get at least 64 KiB.
func TestPartsOfAMessage(t *testing.T) {
	for _, c := range []struct {
		fabric      string
		bytes, ends int64
		want        int64
	}{
		{"infiniband-ndr", 1000, 4, 1000},
		{"{preset: infiniband-ndr, transport: {split-data: true}}", 8, 4, 128}, // all in one part
		{"{preset: infiniband-ndr, transport: {split-data: true}}", 1000, 4, 256},
		{"{preset: infiniband-ndr, transport: {split-data: true}}", 1 << 20, 8, 1 << 17},
		{"tcp-400g", 100 << 10, 4, 64 << 10},
		{"tcp-400g", 1 << 20, 4, 256 << 10},
	} {
		run := idleRun(t, "cluster: {nodes: 2, node: dgx-h100}\nfabrics: ["+c.fabric+"]\n"+oneMessage)
		if got := run.partOf(c.bytes, c.ends); got != c.want {
			t.Errorf("%s: a message of %d bytes on %d connections has parts of %d bytes, want %d", c.fabric, c.bytes, c.ends, got, c.want)
		}
	}
}
