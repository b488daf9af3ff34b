package logfile

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNixlbenchIsRead(t *testing.T) {
	l := read(t, "nixlbench.log")
	if len(l.Tables) != 1 || l.Partial() {
		t.Fatalf("%d tables, notes %v, want a whole one", len(l.Tables), l.Notes)
	}
	x := l.Tables[0]
	if x.Format != NIXLBench || x.Op != "write" || !x.GPUMemory || len(x.Rows) != 2 || x.Copies.Batch != 64 || !slices.Equal(x.Copies.Devices, []string{"mlx5_0", "mlx5_1"}) {
		t.Errorf("%+v, %+v", x, x.Copies)
	}
	if r := x.Rows[1]; r.Bytes != 1<<20 || math.Abs(r.Gbps-383.2) > 1e-9 {
		t.Errorf("a MiB at %v Gb/s, want 47.9 GB/s", r.Gbps)
	}
}

// With several initiators the sum counts; a row that is cut is noted.
func TestTheSumOfNixlbenchsInitiatorsCounts(t *testing.T) {
	const text = `Block Size (B)      Batch Size     B/W (GB/Sec)   Aggregate B/W (GB/Sec)   Network Util (%)    Avg Lat. (us)
4096                1              2.000000       8.000000                 4.000000            1.5
8192                1              3.0
`
	l := parse(t, text)
	if x := l.Tables[0]; len(x.Rows) != 1 || x.Rows[0].Gbps != 64 || x.Op != "write" {
		t.Errorf("%+v", x)
	}
	if len(l.Notes) != 1 || l.Notes[0].Line != 3 {
		t.Errorf("notes %v, want one on line 3", l.Notes)
	}
}

func TestTransferEngineBenchIsRead(t *testing.T) {
	l := read(t, "transfer-engine.log")
	x := l.Tables[0]
	if x.Format != TransferEngine || x.Op != "write" || !x.GPUMemory || x.Rows[0].Bytes != 65536 || x.Rows[0].Gbps != 384 || len(x.Copies.Devices) != 2 || x.Copies.Assumed {
		t.Errorf("%+v, %+v", x, x.Copies)
	}
	// Without the command the block follows from the bytes, with the usual batch.
	text := "Test completed: duration 10.02, batch count 57340, throughput 44.70 GiB/s\nTest completed: duration 0.00, batch count 0, throughput 0.00 GB/s\n"
	l = parse(t, text)
	if x := l.Tables[0]; x.Rows[0].Bytes != 65536 || !x.Copies.Assumed || x.Op != "read" || math.Abs(x.Rows[0].Gbps-44.7*8*1.073741824) > 1e-6 {
		t.Errorf("%+v, %+v", x.Rows, x.Copies)
	}
	if len(l.Tables) != 1 || len(l.Notes) != 1 || !strings.Contains(l.Notes[0].Text, "no throughput") {
		t.Errorf("%d tables, notes %v", len(l.Tables), l.Notes)
	}
}
