package measured

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/sim/collective/nccl"
	"weft/scenario"
	"weft/units"
)

// Cluster is a cluster with a published table.
type Cluster struct {
	ID, Title string
	// Nodes is the number of nodes, GPUs of a node. A row with more ranks ran on more nodes, a row
	// with fewer on fewer GPUs of each.
	Nodes, GPUs  int
	Architecture scenario.Architecture
	// Preset is the catalog's node, NICs its number of NICs if it differs, Fabric the catalog's
	// fabric. An empty preset means that the catalog has no such node.
	Preset  string
	CPU     scenario.CPUVendor // of the hosts, if it differs from the preset's
	NICs    int
	Fabric  string
	Network string // between the nodes, in words
	NCCL    string // version; empty if unknown
	Harness scenario.Harness
	// Protocol is NCCL_PROTO; empty is NCCL's choice.
	Protocol scenario.Protocol
	// Fit is the fit that takes the cluster's rows; empty if none does.
	Fit Fit
	// Without are the figures of NCCL's kernels that were fitted without the cluster, nil if no fit
	// takes it.
	Without *nccl.Figures
	// Unscored is the reason against a score; empty if the cluster is healthy and states its launch.
	Unscored string
	Note     string // the known reason for the errors; empty if none is known
	Source   string
	Rows     []Row
}

// Row is one line of a table.
type Row struct {
	Op    scenario.Collective
	Ranks int
	Bytes int64 // size column of nccl-tests
	// Time is as published, or follows from the bus bandwidth.
	Time units.Time
	// Algorithm is what the run was forced to; empty is NCCL's choice.
	Algorithm scenario.Algorithm
	// Chosen is the algorithm and the protocol of NCCL's debug output; empty if not published.
	Chosen string
	Note   string
	// Predicted is weft's time in predicted.csv, Without its time by the cluster's figures of that
	// name; 0 if the file has none.
	Predicted, Without units.Time
}

// Fit is a fit of the figures of NCCL's kernels.
type Fit string

// The fits.
const (
	FitNode    Fit = "node"    // of kernels, to tables of one node
	FitBetween Fit = "between" // of the software between nodes, to rows up to 1 MiB
	FitBoth    Fit = "both"    // of the software between nodes, and of kernels to all rows
)

// MaxSimulated is the largest size that is simulated. A larger one takes minutes and has the same
// bandwidth.
const MaxSimulated = 4 << 30

// The limits of the launch's part of a time.
const (
	floors      = 3                       // a time of a ForAll table is at least this many launches
	mostLaunch  = 100 * units.Microsecond // the most that one takes: the published tables have 44 to 76 us
	torchLaunch = 20 * units.Microsecond  // the most that PyTorch adds
	torchPart   = 10                      // a time of a Torch table is at least this many of it
)

// LaunchBound is the least time at which the launch is a small part: below it, hosts differ by more
// than the rest of the time. For ForAll it needs the least time of the operation in the table, which is
// a launch unless the table begins at a large size. It is 0 for the other harnesses.
func LaunchBound(h scenario.Harness, least units.Time) (t units.Time, why string) {
	switch h {
	case scenario.ForAll:
		return floors * min(least, mostLaunch), "less than three times the launch for all GPUs"
	case scenario.Torch:
		return torchPart * torchLaunch, "PyTorch's launch is more than a tenth of the time"
	}
	return 0, ""
}

// Scores reports whether a row counts: the cluster is healthy, and the launch is a small part of
// the time. The launch of a ForAll table is the least time of the operation in the table. If the
// row does not count, why is the reason.
func (c *Cluster) Scores(r *Row) (ok bool, why string) {
	switch bound, why := LaunchBound(c.Harness, c.launch(r.Op)); {
	case c.Unscored != "":
		return false, c.Unscored
	case c.Harness == "":
		return false, "the launch is not known"
	case r.Time < bound:
		return false, why
	}
	return true, ""
}

// launch is the least time of an operation.
func (c *Cluster) launch(op scenario.Collective) units.Time {
	least := units.Time(math.MaxInt64)
	for i := range c.Rows {
		if c.Rows[i].Op == op {
			least = min(least, c.Rows[i].Time)
		}
	}
	return least
}

// Scenario is the model of the cluster for a row: presets of the catalog, and what the source says
// of the differences.
func (c *Cluster) Scenario(r *Row) scenario.Scenario {
	nodes := max(c.Nodes, r.Ranks/c.GPUs)
	node := scenario.Node{Preset: c.Preset, NICs: c.NICs}
	node.CPU.Vendor = c.CPU
	if gpus := r.Ranks / nodes; gpus < c.GPUs {
		node.GPUs, node.NICs = gpus, gpus
	}
	return scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: nodes, Node: node},
		Fabrics:  []scenario.Fabric{{Preset: c.Fabric}},
		NCCL:     scenario.NCCL{Version: c.NCCL, Harness: c.Harness},
		Workload: scenario.Workload{Collective: r.Op, Algorithm: r.Algorithm, Protocol: c.Protocol, Sizes: []units.Bytes{units.Bytes(r.Bytes)}},
	}
}

// Error is a time's distance from the row's, as a part of it: positive if weft is slower.
func (r *Row) Error(predicted units.Time) float64 { return float64(predicted)/float64(r.Time) - 1 }

// BusFactor is bus bandwidth over algorithm bandwidth (nccl-tests, doc/PERFORMANCE.md). It is not that of package
// collective: measurements are references, and take nothing from what they are compared with.
func BusFactor(op scenario.Collective, ranks int) float64 {
	n := float64(ranks)
	switch op {
	case scenario.AllReduce:
		return 2 * (n - 1) / n
	case scenario.AllGather, scenario.ReduceScatter, scenario.AllToAll, scenario.Scatter, scenario.Gather:
		return (n - 1) / n
	}
	return 1
}

// Range is a range of sizes.
type Range int

// The ranges.
const (
	Small  Range = iota // below 1 MiB
	Medium              // 1 to 64 MiB
	Large               // above 64 MiB
	Ranges              // their number
)

func (r Range) String() string { return [...]string{"below 1 MiB", "1 to 64 MiB", "above 64 MiB"}[r] }

// RangeOf is the range of a size.
func RangeOf(bytes int64) Range {
	switch {
	case bytes < 1<<20:
		return Small
	case bytes <= 64<<20:
		return Medium
	}
	return Large
}

// Kind is rows of one operation on as many ranks.
type Kind struct {
	Op    scenario.Collective
	Ranks int
}

// String is the kind for people. Without an operation it is all operations.
func (k Kind) String() string {
	if k.Op == "" {
		return "all operations"
	}
	return fmt.Sprintf("%s, %d ranks", k.Op, k.Ranks)
}

// Kind is the kind of the row.
func (r *Row) Kind() Kind { return Kind{r.Op, r.Ranks} }

// Kinds are the kinds of the cluster's rows, in their order.
func (c *Cluster) Kinds() (out []Kind) {
	for i := range c.Rows {
		if k := c.Rows[i].Kind(); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// Sum adds up errors.
type Sum struct {
	Rows  int
	total float64
	Worst float64 // the largest error, with its sign
}

// Add counts an error.
func (s *Sum) Add(e float64) {
	s.Rows++
	s.total += math.Abs(e)
	if math.Abs(e) > math.Abs(s.Worst) {
		s.Worst = e
	}
}

// Merge adds the errors of another sum.
func (s *Sum) Merge(of *Sum) {
	s.Rows += of.Rows
	s.total += of.total
	if math.Abs(of.Worst) > math.Abs(s.Worst) {
		s.Worst = of.Worst
	}
}

// Mean is the mean of the errors without their signs.
func (s *Sum) Mean() float64 { return s.total / float64(s.Rows) }
