package logfile

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestPublishedLogsOfEachToolAreRead has logs that were published with a question about their bandwidth. Names and
// addresses are replaced.
func TestPublishedLogsOfEachToolAreRead(t *testing.T) {
	for _, c := range []struct {
		name, source    string
		format          Format
		op              string
		tables, rows    int
		bytes           int64 // of the last row of the first table
		gbps            float64
		bidirectional   bool
		gpu             bool
		nodes, listed   int
		settings, signs string
	}{
		{name: "osu-bw-cuda.log", source: "openucx/ucx issue 9287", format: OSU, op: "send", tables: 1, rows: 23, bytes: 4 << 20, gbps: 3840.19 * 8e-3, gpu: true, nodes: 2, settings: "buffers=D D"},
		{name: "osu-bibw.log", source: "open-mpi/ompi issue 3216", format: OSU, op: "send", tables: 1, rows: 23, bytes: 4 << 20, gbps: 24700.13 * 8e-3, bidirectional: true, nodes: 2, settings: "--nodes=2"},
		{name: "nccl-broadcast.log", source: "NVIDIA/nccl issue 307", format: NCCLTests, op: "broadcast", tables: 1, rows: 3, bytes: 2 << 30, gbps: 17 * 8, listed: 16, settings: "NCCL_IB_HCA=^mlx5_2"},
		{name: "health-check.log", source: "Azure/azurehpc-health-checks issue 152", format: Perftest, op: "write", tables: 8, rows: 1, bytes: 1 << 20, gbps: 399.71, gpu: true, settings: "--ib-dev=mlx5_ib3"},
		{name: "pinned.log", source: "open-mpi/ompi issue 6888", format: Perftest, op: "read", tables: 1, rows: 1, bytes: 65536, gbps: 5896.37 * mibit, settings: "taskset --cpu-list=0", signs: "pinned"},
		{name: "tagged.log", source: "mpirun --tag-output", format: Perftest, op: "write", tables: 1, rows: 1, bytes: 65536, gbps: 98.01, settings: "PCIe relax order=ON"},
		{name: "nixlbench-tcp.log", source: "ai-dynamo/nixl issue 791", format: NIXLBench, op: "write", tables: 1, rows: 1, bytes: 8 << 20, gbps: 14.4, gpu: true, settings: "--num_threads=1", signs: "mpi-tcp"},
		{name: "transfer-engine-no-unit.log", source: "kvcache-ai/Mooncake issue 39", format: TransferEngine, op: "read", tables: 1, rows: 1, bytes: 4096, gbps: 6.56 * 8, settings: "--operation=read"},
		{name: "ucx-perftest.log", source: "openucx/ucx issues 10649 and 11865, and src/tools/perf/perftest_run.c", format: UCXPerf, op: "send", tables: 2, rows: 1, bytes: 100 << 20, gbps: 46743.62 * mibit, gpu: true, settings: "--memory=cuda"},
		{name: "simple-order.log", source: "NVIDIA/nccl issue 1876", format: NCCLTests, op: "all-reduce", tables: 1, rows: 3, bytes: 8 << 30, gbps: 7 * 8, listed: 8, settings: "--ntasks-per-node=4", signs: "one-nic"},
	} {
		l := read(t, c.name)
		if len(l.Tables) != c.tables {
			t.Errorf("%s (%s): %d tables, want %d; notes %v", c.name, c.source, len(l.Tables), c.tables, l.Notes)
			continue
		}
		to := l.Tables[0]
		row := to.Rows[len(to.Rows)-1]
		got := max(row.Gbps, row.AlgGBps*8)
		if to.Format != c.format || to.Op != c.op || len(to.Rows) != c.rows || row.Bytes != c.bytes || math.Abs(got/c.gbps-1) > 1e-3 || to.Cut != "" {
			t.Errorf("%s (%s): %s, %s, %d rows, the last of %d bytes with %g Gb/s, cut %q; want %s, %s, %d, %d, %g, complete", c.name, c.source, to.Format, to.Op, len(to.Rows), row.Bytes, got, to.Cut, c.format, c.op, c.rows, c.bytes, c.gbps)
		}
		if to.Bidirectional != c.bidirectional || to.GPUMemory != c.gpu || to.Nodes != c.nodes || to.Listed != c.listed {
			t.Errorf("%s: in both directions %v, GPU memory %v, %d nodes, %d ranks listed; want %v, %v, %d, %d", c.name, to.Bidirectional, to.GPUMemory, to.Nodes, to.Listed, c.bidirectional, c.gpu, c.nodes, c.listed)
		}
		if !strings.Contains(spelled(to.Settings), c.settings) {
			t.Errorf("%s: the settings are %s, want %s among them", c.name, spelled(to.Settings), c.settings)
		}
		if _, ok := l.Said.Sign(SignKind(c.signs)); !ok && c.signs != "" || c.signs == "" && len(l.Said.Signs) > 0 {
			t.Errorf("%s: the signs are %v, want %q", c.name, l.Said.Signs, c.signs)
		}
	}
}

// TestATableOfATrafficGeneratorIsRefusedWithWhatItSays has the table of sonic-net/sonic-mgmt's pull request 25347.
func TestATableOfATrafficGeneratorIsRefusedWithWhatItSays(t *testing.T) {
	log := "# RoCE v2 incast\n+----+---------------+-----------+-----------+----------------+\n" +
		"|    | flow_name     | port_tx   |   ip_dscp |   message_fail |\n|----+---------------+-----------+-----------+----------------|\n" +
		"|  0 | RoCEv2 Flow 1 | Port 1    |         3 |              0 |\n|  2 | RoCEv2 Flow 3 | Port 3    |        47 |        1452969 |\n"
	_, err := Read("log", strings.NewReader(log))
	if err == nil || !strings.HasPrefix(err.Error(), "log:3: this table lists 2 flows") || !strings.Contains(err.Error(), "Flow 3 (ip_dscp 47): message_fail 1452969") || strings.Contains(err.Error(), "Flow 1") {
		t.Errorf("the error is %v, want the line, the flow that lost messages and its class", err)
	}
}

// TestAnAverageAloneIsTheRowOfItsOneSize has logs that keep the summary of nccl-tests alone.
func TestAnAverageAloneIsTheRowOfItsOneSize(t *testing.T) {
	head := "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 8 minBytes 17179869184 maxBytes %BYTES% step: 2(factor) warmup iters: 5\n"
	for i := range 8 {
		head += "#  Rank  " + string(rune('0'+i)) + " Group  0 Pid  21000 on    node01 device  0 [0x00] NVIDIA H200\n"
	}
	one := strings.ReplaceAll(head, "%BYTES%", "17179869184") + "# Avg bus bandwidth    : 480.11\n"
	l := parse(t, one)
	row := l.Tables[0].Rows[0]
	if len(l.Tables) != 1 || row.Bytes != 16<<30 || math.Abs(row.AlgGBps-480.11/1.75) > 1e-9 || math.Abs(row.Micros-float64(16<<30)/(480.11/1.75)/1e3) > 1e-6 || len(l.Notes) != 1 {
		t.Errorf("the row is %+v, notes %v, want 16 GiB at 480.11 GB/s of busbw", row, l.Notes)
	}
	_, err := Read("log", strings.NewReader(strings.ReplaceAll(head, "%BYTES%", "34359738368")+"# Avg bus bandwidth    : 480.11\n"))
	if err == nil || !strings.Contains(err.Error(), "the average of the sizes 17179869184 to 34359738368 alone") {
		t.Errorf("the error is %v, want one that says the average is of several sizes", err)
	}
	if l := parse(t, one+"# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n"+usualHead+threeRows+average1); len(l.Tables) != 2 {
		t.Errorf("an average and a table: %d tables, want 2", len(l.Tables))
	}
}

// TestOSUsOtherTables has other titles: a collective of MPI is no message.
func TestOSUsOtherTables(t *testing.T) {
	for title, want := range map[string]string{
		"# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n":                                                                                    "send, latency true, 3 rows from 1 B: 1.5 us",
		"# OSU MPI_Put Bandwidth Test v5.3\n# Window creation: MPI_Win_allocate\n# Size      Bandwidth (MB/s)\n":                                         "write, latency false, 2 rows from 8 B: 0.012 Gb/s",
		"# OSU MPI Multiple Bandwidth / Message Rate Test v5.7.1\n# [ pairs: 48 ] [ window size: 64 ]\n# Size                  MB/s        Messages/s\n": "send, latency false, 2 rows from 8 B: 0.012 Gb/s",
	} {
		to := parse(t, title+"0     1.5  3\n8     1.5  3\n16    1.5  3\n").Tables[0]
		got := fmt.Sprintf("%s, latency %v, %d rows from %d B: %.3g Gb/s", to.Op, to.Latency, len(to.Rows), to.Rows[0].Bytes, to.Rows[0].Gbps)
		if to.Latency {
			got = strings.ReplaceAll(got, "0 Gb/s", fmt.Sprintf("%.3g us", to.Rows[0].Micros))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	_, err := Read("log", strings.NewReader("# OSU MPI Allreduce Latency Test v5.6\n# Size       Avg Latency(us)\n8    3.2\n"))
	if err == nil || !strings.Contains(err.Error(), "log:1: the table of \"OSU MPI Allreduce Latency Test v5.6\" is left out") {
		t.Errorf("the error is %v, want one about a collective of MPI", err)
	}
}

// TestALineFinalIsReadWithoutItsHeading has what is left of ucx_perftest where a log is quoted, and the line of several
// threads.
func TestALineFinalIsReadWithoutItsHeading(t *testing.T) {
	for line, want := range map[string]string{
		"$ ucx_perftest n2 -t tag_bw -s 1048576\nFinal:                  1000      0.240  80.9  80.5    12422.0   12422.4         12422         12422\n": "send 1048576 B 104.21 Gb/s 0 us",
		"$ ucx_perftest n2 -t ucp_put_lat\nFinal:                  1000      1.879  2.112  2.064    3.70   3.70         485000         485000\n":         "write 8 B 0.00 Gb/s 2.064 us",
		"$ ucx_perftest n2 -t tag_bw -T 2\nFinal:  1000 80.5 12422.4 12422\n":                                                                            "send 1048610 B 104.21 Gb/s 0 us",
	} {
		to := parse(t, line).Tables[0]
		if got := fmt.Sprintf("%s %d B %.2f Gb/s %g us", to.Op, to.Rows[0].Bytes, to.Rows[0].Gbps, to.Rows[0].Micros); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestOldUnitsOfNixlbench has a heading with fewer columns and another unit.
func TestOldUnitsOfNixlbench(t *testing.T) {
	row := parse(t, "Block Size (B)      Batch Size     B/W (MiB/Sec)\n------\n8388608             1              1716.6\n").Tables[0].Rows[0]
	if math.Abs(row.Gbps-1716.6*mibit) > 1e-9 {
		t.Errorf("the bandwidth is %g Gb/s, want %g", row.Gbps, 1716.6*mibit)
	}
}

// TestSmallMessagesAreTheProgramsOwnWork has healthy logs with small sizes, which say nothing about a network; and a log
// whose break between 8 and 16 KiB is a fault, which must be kept.
func TestSmallMessagesAreTheProgramsOwnWork(t *testing.T) {
	for name, want := range map[string]int64{"osu-bibw.log": 256 << 10, "osu-bw-cuda.log": 16 << 10, "health-check.log": 1 << 20, "write-bw.log": 0} {
		to := read(t, name).Tables[0]
		least := int64(math.MaxInt64)
		for i := range to.Rows {
			if !to.Own(&to.Rows[i]) {
				least = min(least, to.Rows[i].Bytes)
			}
		}
		if want > 0 && least != want {
			t.Errorf("%s: the least size that the network carries is %d B, want %d", name, least, want)
		}
		if least == math.MaxInt64 {
			t.Errorf("%s: no size is the network's", name)
		}
	}
}
