package validate

import (
	"context"
	"fmt"

	"weft/units"
)

// Collective runs one collective operation on the model of a measured system
// and gives its time, as nccl-tests counts it (out of place).
type Collective func(ctx context.Context, s *System, p *Point) (units.Time, error)

// System is a cluster with a published nccl-tests table.
type System struct {
	ID     string // the row of the list of references
	Title  string
	Source string
	// The parts of the system's model.
	Nodes, GPUs int    // GPUs of a node
	Node        string // the kind of node
	Network     string // between nodes
	NCCL        string // version, where the source says so
	// Scored is the smallest scored size of the table, within 10 %; with 0 no
	// size is scored, for the reason in Why.
	Scored int64
	Why    string
	Points []Point
}

// Point is one line of a table: bus bandwidth, time, or both.
type Point struct {
	Op    string // "all-reduce", "all-gather", "reduce-scatter", "alltoall", "sendrecv"
	Bytes int64
	Ranks int
	// Microseconds is the measured time, BusGBps the bus bandwidth; 0 is not
	// published.
	Microseconds, BusGBps float64
	Note                  string
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// systems are the published tables, tagged V (read at the source), S (read in
// a secondary source) or D (derived).
var systems = []System{
	{
		ID: "A4", Title: "one node of 8 H100, NVLink only (AWS)", Nodes: 1, GPUs: 8, Node: "dgx-h100", Network: "none",
		Source: "aws-samples/awsome-distributed-training, micro-benchmarks/nccl-tests/aws-batch/README.md L31-63 (V; 8 ranks from the ratio 1.75, D)",
		Scored: 64 * mib,
		Points: []Point{
			{Bytes: 8, Microseconds: 12.90},
			{Bytes: kib, Microseconds: 16.43},
			{Bytes: 64 * kib, Microseconds: 19.09, BusGBps: 6.01},
			{Bytes: mib, Microseconds: 28.56, BusGBps: 64.24},
			{Bytes: 8 * mib, Microseconds: 84.29, BusGBps: 174.16},
			{
				Bytes: 64 * mib, Microseconds: 326.6, BusGBps: 359.54,
				Note: "NCCL's own cost model is too fast by as much (272 us, model/1-node). The whole table gains speed at the sizes at which NCCL's rule makes the chunks larger, with the 512 KiB that AWS's plug-in sets: " +
					"from one size to the next 225 GB/s of data below 64 MiB, 255 below 4 GiB, 278 above. So the kernel loses time with each chunk, for which NCCL publishes no constant",
			},
			{Bytes: 256 * mib, Microseconds: 1121.4, BusGBps: 418.91},
			{Bytes: gib, Microseconds: 4253.0, BusGBps: 441.81},
			{Bytes: 16 * gib, Microseconds: 62239, BusGBps: 483.05},
		},
	},
	{
		ID: "A5", Title: "2 nodes of 8 H100, 16 × 200G RoCE v2, ConnectX-7 (OCI BM.GPU.H100.8)", Nodes: 2, GPUs: 8, Node: "dgx-h100",
		Network: "RoCE v2, 16 ports of 200 Gb/s a node", NCCL: "2.23.4",
		Source: "oracle-quickstart/oci-hpc, documentation/Troubleshooting.md L150-180 (V)",
		Scored: 64 * mib,
		Points: []Point{
			{Bytes: gib, Microseconds: 4478.8, BusGBps: 449.51},
			{Bytes: 2 * gib, Microseconds: 8722.7, BusGBps: 461.62},
			{Bytes: 4 * gib, Microseconds: 17228, BusGBps: 467.43},
			{Bytes: 8 * gib, Microseconds: 34280, BusGBps: 469.84},
			{Bytes: 16 * gib, Microseconds: 68359, BusGBps: 471.22},
		},
	},
	{
		ID: "A1", Title: "2 nodes of 8 A100-80, 4 × 100G EFA (AWS p4de)", Nodes: 2, GPUs: 8, Node: "hgx-a100",
		Network: "EFA, 4 ports of 100 Gb/s a node",
		Source:  "aws-samples/awsome-distributed-training, micro-benchmarks/nccl-tests/README.md L157-187 (V)",
		Why:     "NCCL's plug-in for EFA is not modelled (its time for each message, its choice of algorithm and channels), and the rate control of SRD is not public",
		Points: []Point{
			{Bytes: 8, Microseconds: 164.3},
			{Bytes: 64 * kib, Microseconds: 227.4},
			{Bytes: mib, Microseconds: 309.4, BusGBps: 6.35},
			{Bytes: 16 * mib, Microseconds: 1191.8, BusGBps: 26.39},
			{Bytes: 128 * mib, Microseconds: 3912.9, BusGBps: 64.31},
			{Bytes: gib, Microseconds: 26217, BusGBps: 76.79},
			{Bytes: 2 * gib, Microseconds: 51406, BusGBps: 78.33},
		},
	},
	{
		ID: "A2", Title: "2 nodes of 8 H100, 3200G EFAv2 (AWS p5.48xlarge)", Nodes: 2, GPUs: 8, Node: "dgx-h100",
		Network: "EFA, 32 ports of 100 Gb/s a node",
		Source:  "aws-samples/awsome-distributed-training, micro-benchmarks/nccl-tests/README.md L192-225 (V)",
		Why:     "NCCL's plug-in for EFA is not modelled (its time for each message, its choice of algorithm and channels), and the rate control of SRD is not public",
		Points: []Point{
			{Bytes: 8, Microseconds: 69.12},
			{Bytes: 64 * kib, Microseconds: 135.1},
			{Bytes: mib, Microseconds: 123.2, BusGBps: 15.95},
			{Bytes: 16 * mib, Microseconds: 298.1, BusGBps: 105.52},
			{Bytes: 64 * mib, Microseconds: 601.5, BusGBps: 209.19},
			{Bytes: 128 * mib, Microseconds: 870.3, BusGBps: 289.16},
			{Bytes: 256 * mib, Microseconds: 1468.2, BusGBps: 342.81},
			{Bytes: gib, Microseconds: 4607.6, BusGBps: 436.95},
			{Bytes: 4 * gib, Microseconds: 17286, BusGBps: 465.87},
			{Bytes: 16 * gib, Microseconds: 66132, BusGBps: 487.09},
		},
	},
	{
		ID: "A8", Title: "one rack of 72 GB200, NVLink (CoreWeave NVL72)", Nodes: 1, GPUs: 72, Node: "gb200-nvl72", Network: "none", NCCL: "2.26.2",
		Source: "coreweave/nccl-tests, L266-274 (V)",
		Why:    "it stands beside A4: the same model of a scale-up network, at the size of a rack",
		Points: []Point{
			{Bytes: 512 * mib, Microseconds: 1806.7, BusGBps: 586.06},
			{Bytes: gib, Microseconds: 3108.8, BusGBps: 681.17},
			{Bytes: 2 * gib, Microseconds: 5589.1, BusGBps: 757.78},
			{Bytes: 4 * gib, Microseconds: 10094, BusGBps: 839.16},
			{Bytes: 8 * gib, Microseconds: 20299, BusGBps: 834.57},
		},
	},
	{
		ID: "A11", Title: "2 nodes of 8 H100, 8 × 400G RoCE v2, ConnectX-7, reported as slow", Nodes: 2, GPUs: 8, Node: "dgx-h100",
		Network: "RoCE v2, 8 ports of 400 Gb/s a node", NCCL: "2.31.2",
		Source: "github.com/NVIDIA/nccl/issues/2409 (V)",
		Why:    "a cluster with a fault that nobody found: the reporter expects about 470 GB/s, and perftest gives 392 Gb/s a port",
		Points: []Point{
			{Bytes: gib, BusGBps: 216.5},
			{Bytes: 8 * gib, BusGBps: 231},
			{Op: "all-gather", Bytes: 256 * mib, BusGBps: 101, Note: "about"},
			{Op: "reduce-scatter", Bytes: 256 * mib, BusGBps: 100, Note: "about"},
			{Op: "alltoall", Bytes: 256 * mib, BusGBps: 25, Note: "about"},
			{Op: "sendrecv", Bytes: 256 * mib, Ranks: 2, BusGBps: 13.1, Note: "one rail; the size is not in the source"},
		},
	},
	{
		ID: "A12", Title: "nodes of 8 A100, 8 × 100G RoCE v2, decaying with scale", Nodes: 2, GPUs: 8, Node: "hgx-a100",
		Network: "RoCE v2, 8 ports of 100 Gb/s a node, ECMP",
		Source:  "github.com/NVIDIA/nccl-tests/issues/169 (V; the cause is not stated)",
		Why:     "a cluster with a fault: bus bandwidth falls with every node, at 1 to 8 GiB",
		Points: []Point{
			{Bytes: gib, Ranks: 16, BusGBps: 100, Note: "about"},
			{Bytes: gib, Ranks: 24, BusGBps: 70, Note: "about"},
			{Bytes: gib, Ranks: 32, BusGBps: 58, Note: "about; 32 to 40 ranks"},
			{Bytes: gib, Ranks: 48, BusGBps: 40, Note: "about"},
		},
	},
	{
		ID: "H200", Title: "2 nodes of 8 H200 with GPUDirect RDMA (GCP a3-ultragpu-8g)", Nodes: 2, GPUs: 8, Node: "dgx-h200",
		Network: "taken as RoCE v2, 8 ports of 400 Gb/s a node",
		Source:  "skypilot-org/skypilot, examples/gcp_gpu_direct_tcpx/README.md (V; the operator's own figures are the same within 1 %)",
		Why:     "the source names neither NICs nor network. NCCL's own cost model is as fast as weft: 23.3 us at 1 KiB and 384 GB/s of bus bandwidth at the largest sizes; no constant is published that would account for the rest",
		Points: []Point{
			{Op: "all-gather", Bytes: kib, Microseconds: 28.39},
			{Op: "all-gather", Bytes: 64 * kib, Microseconds: 40.62},
			{Op: "all-gather", Bytes: mib, Microseconds: 58.46, BusGBps: 16.82},
			{Op: "all-gather", Bytes: 8 * mib, Microseconds: 86.92, BusGBps: 90.47},
			{Op: "all-gather", Bytes: 64 * mib, Microseconds: 278.1, BusGBps: 226.19},
			{Op: "all-gather", Bytes: 256 * mib, Microseconds: 885.5, BusGBps: 284.21},
			{Op: "all-gather", Bytes: gib, Microseconds: 3123.9, BusGBps: 322.23},
			{Op: "all-gather", Bytes: 4 * gib, Microseconds: 12416, BusGBps: 324.30},
		},
	},
	{
		ID: "A13", Title: "2 nodes of 8 H200 NVL, 4 ConnectX-7 RoCE v2", Nodes: 2, GPUs: 8, Node: "h200-nvl",
		Network: "RoCE v2, 4 ports of 400 Gb/s a node",
		Source:  "kubernetes.recipes, nccl-all-reduce-perf-benchmark-multi-node (S: a blog)",
		Why:     "a rule of thumb of a blog: it calls less than 30 GB/s a misconfiguration",
		Points:  []Point{{Bytes: gib, BusGBps: 35, Note: "peak, at 1 GiB and above"}},
	},
}

// ncclCases compare measured nccl-tests tables with the model of the system.
func ncclCases() []*Case {
	var out []*Case
	for i := range systems {
		s := &systems[i]
		c := &Case{
			ID:        "nccl/" + s.ID,
			Claim:     s.what() + " on " + s.Title + " beside the measurement.",
			Reference: "Measured: " + s.Source + ".",
			Setting:   fmt.Sprintf("%d node(s) of %d GPUs (%s), network: %s. Bus bandwidth if it is published, else time.", s.Nodes, s.GPUs, s.Node, s.Network),
			Slow:      true,
			Run:       func(e *Env) ([]Row, error) { return ncclRows(e, s) },
		}
		if s.Scored > 0 {
			c.Claim = fmt.Sprintf("All-reduce on %s agrees with the measurement, within 10 %% from %d MiB up.", s.Title, s.Scored>>20)
		} else {
			c.Setting += " Not scored: " + s.Why + "."
		}
		out = append(out, c)
	}
	return out
}

// what is the operation of the table's first line, as the beginning of a sentence.
func (s *System) what() string {
	if s.Points[0].Op == "all-gather" {
		return "All-gather"
	}
	return "All-reduce"
}

// longest is the largest size of a short run.
const longest = 64 * mib

func ncclRows(e *Env, s *System) ([]Row, error) {
	var rows []Row
	for i := range s.Points {
		p := s.Points[i]
		if p.Op == "" {
			p.Op = "all-reduce"
		}
		if p.Ranks == 0 {
			p.Ranks = s.Nodes * s.GPUs
		}
		r := Row{Name: fmt.Sprintf("%s %s, %d ranks", p.Op, units.Bytes(p.Bytes), p.Ranks), Note: p.Note}
		if p.BusGBps > 0 {
			r.Unit, r.Reference = Gigabytes, []float64{p.BusGBps * 1e9}
		} else {
			r.Unit, r.Reference = Microseconds, []float64{p.Microseconds * 1e6}
		}
		if e.Short && p.Bytes > longest {
			r.Note = "left out of a short run"
			rows = append(rows, r)
			continue
		}
		if s.Scored > 0 && p.Bytes >= s.Scored {
			r.Tolerance = within(0.10)
		}
		took, err := e.Collective(e.Ctx, s, &p)
		switch {
		case err != nil:
			r.Note = err.Error()
		case r.Unit == Microseconds:
			r.Weft = []float64{float64(took)}
		default:
			r.Weft = []float64{busFactor(p.Op, p.Ranks) * float64(p.Bytes) / (float64(took) / 1e12)}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// busFactor is bus bandwidth over algorithm bandwidth (nccl-tests,
// doc/PERFORMANCE.md).
func busFactor(op string, ranks int) float64 {
	n := float64(ranks)
	switch op {
	case "all-reduce":
		return 2 * (n - 1) / n
	case "all-gather", "reduce-scatter", "alltoall":
		return (n - 1) / n
	}
	return 1
}
