package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/results"
	"weft/scenario"
	"weft/units"
)

// maxRankLines bounds the list of devices: scripts use it to count nodes, and nobody reads ten
// thousand lines.
const maxRankLines = 4096

// NCCLTests is the heading of the table of nccl-tests: the values of its command line.
type NCCLTests struct {
	Weft      string // version
	MinBytes  units.Bytes
	MaxBytes  units.Bytes
	Step      int64 // a factor above 1, or bytes
	Factor    bool
	Iters     int
	Warmup    int
	Check     bool // print #wrong; N/A otherwise, as with -c 0
	Collect   scenario.Collective
	Op        string // the reduction, as in -o
	Root      int
	Datatype  scenario.Datatype
	GPUs      int                   // per node
	Threads   int                   // of a process
	PerThread int                   // GPUs of a thread
	GPU       string                // model
	Host      func(node int) string // the name of a node
	MinBusBW  float64
	HasMinBus bool // NCCL_TESTS_MIN_BW is set
}

// test is the difference of nccl-tests between operations.
type test struct {
	program string
	reduces bool // -o has an effect on its rows
	rooted  bool
	perRank bool // count is per rank
	inPlace bool // in-place results are checked
}

var tests = map[scenario.Collective]test{
	scenario.AllReduce:     {program: "all_reduce_perf", reduces: true, inPlace: true},
	scenario.AllGather:     {program: "all_gather_perf", perRank: true, inPlace: true},
	scenario.ReduceScatter: {program: "reduce_scatter_perf", reduces: true, perRank: true, inPlace: true},
	scenario.Broadcast:     {program: "broadcast_perf", rooted: true, inPlace: true},
	scenario.Reduce:        {program: "reduce_perf", reduces: true, rooted: true, inPlace: true},
	scenario.Scatter:       {program: "scatter_perf", rooted: true, perRank: true, inPlace: true},
	scenario.Gather:        {program: "gather_perf", rooted: true, perRank: true, inPlace: true},
	scenario.AllToAll:      {program: "alltoall_perf", perRank: true},
	scenario.SendRecv:      {program: "sendrecv_perf", reduces: true},
}

// NCCLTable prints one fabric's results as nccl-tests prints its own, row by row,
// character for character from the heading of the columns to the average. It is
// the table of the versions in circulation (2.11 to 2.16, src/common.cu); later
// ones (src/util.cu) give #wrong one more column and time more decimals, and have
// the same fields. A simulation has no difference between out-of-place and
// in-place; both columns show it.
type NCCLTable struct {
	o     NCCLTests
	t     test
	w     io.Writer
	ranks int
	sum   float64 // of the bus bandwidths
	rows  int
}

// Start prints the heading for a run with a number of ranks on a fabric; it uses the
// fabric's name and rate.
func (o NCCLTests) Start(w io.Writer, ranks int, f results.FabricResult) (*NCCLTable, error) {
	t, known := tests[o.Collect]
	if !known {
		return nil, fmt.Errorf("nccl-tests has no test of %s", o.Collect)
	}
	var b strings.Builder
	o.heading(&b, t, ranks, f)
	_, err := io.WriteString(w, b.String())
	return &NCCLTable{o: o, t: t, w: w, ranks: ranks}, err
}

// Row prints a size: its row, or a comment if it has no result.
func (n *NCCLTable) Row(p results.Point) error {
	var b strings.Builder
	if p.Measured() {
		n.o.line(&b, n.t, n.ranks, p)
		n.sum, n.rows = n.sum+p.BusBW, n.rows+1
	} else {
		why := cmp.Or(p.Failure, "interrupted")
		fmt.Fprintf(&b, "# no result at %d B: %s\n", p.Bytes, strings.ReplaceAll(why, "\n", "\n# "))
	}
	_, err := io.WriteString(n.w, b.String())
	return err
}

// End prints the average, the use of reductions in switches, and a note if the run is partial. The
// result reports whether NCCL_TESTS_MIN_BW was met, as nccl-tests' exit code does.
func (n *NCCLTable) End(partial bool, f *results.FabricResult) (ok bool, err error) {
	average := n.sum / float64(max(1, n.rows))
	ok, verdict := true, ""
	if n.o.HasMinBus {
		ok, verdict = average >= 0.9*n.o.MinBusBW, "OK"
		if !ok {
			verdict = "FAILED"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Out of bounds values : 0 OK\n")
	if n.rows > 0 { // no number where nothing was measured
		fmt.Fprintf(&b, "# Avg bus bandwidth    : %s %s\n", strconv.FormatFloat(average, 'g', 6, 64), verdict) // C's %g
	}
	fmt.Fprintf(&b, "#\n")
	for _, sentence := range reductionSentences(f.Name, f.Reduction) {
		fmt.Fprintf(&b, "# %s\n", sentence)
	}
	for i := range f.Points {
		if p := &f.Points[i]; p.Estimate != nil {
			fmt.Fprintf(&b, "# %d B: %s; --error none simulates every packet\n", p.Bytes, estimateText(p.Estimate))
		}
	}
	if partial {
		fmt.Fprintf(&b, "# partial: the run was stopped before its end\n")
	}
	_, err = io.WriteString(n.w, b.String())
	return ok, err
}

func (o NCCLTests) heading(b *strings.Builder, t test, ranks int, f results.FabricResult) {
	check := 0
	if o.Check {
		check = 1
	}
	step := "bytes"
	if o.Factor {
		step = "factor"
	}
	fmt.Fprintf(b, "# weft %s: %s simulated on %s, %s a port; #wrong counts what did not arrive\n", o.Weft, t.program, f.Name, f.Rate)
	fmt.Fprintf(b, "# nThread %d nGpus %d minBytes %d maxBytes %d step: %d(%s) warmup iters: %d iters: %d agg iters: 1 validation: %d graph: 0\n",
		max(1, o.Threads), max(1, o.PerThread), o.MinBytes, o.MaxBytes, o.Step, step, o.Warmup, o.Iters, check)
	fmt.Fprintf(b, "#\n# Using devices\n")
	gpus := max(1, o.GPUs)
	for rank := range min(ranks, maxRankLines) {
		fmt.Fprintf(b, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [0x%02x] %s\n",
			rank, 0, rank+1, o.Host(rank/gpus), rank%gpus, rank%gpus, o.GPU)
	}
	if ranks > maxRankLines {
		fmt.Fprintf(b, "#  ... and %d more ranks\n", ranks-maxRankLines)
	}
	fmt.Fprintf(b, "#\n")
	fmt.Fprintf(b, "# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n", "", "", "", "", "")
	fmt.Fprintf(b, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s\n",
		"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong")
	fmt.Fprintf(b, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s\n",
		"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
}

func (o NCCLTests) line(b *strings.Builder, t test, ranks int, p results.Point) {
	elements := p.Bytes / max(1, int64(o.Datatype.ElementBytes()))
	if t.perRank {
		elements /= int64(max(1, ranks))
	}
	root, redop := -1, "none"
	if t.reduces {
		redop = o.Op
	}
	if t.rooted {
		root = o.Root
	}
	fmt.Fprintf(b, "%12d  %12d  %8s  %6s  %6d", p.Bytes, elements, o.Datatype, redop, root)
	for _, checked := range []bool{o.Check, o.Check && t.inPlace} {
		us := float64(p.Time) / float64(units.Microsecond)
		wrong := "N/A"
		if checked {
			wrong = "0"
		}
		fmt.Fprintf(b, "  %7s  %6.2f  %6.2f  %5s", TestTime(us), p.AlgBW, p.BusBW, wrong)
	}
	b.WriteByte('\n')
}

// TestTime is a time in microseconds, with the decimals that nccl-tests gives it.
func TestTime(us float64) string {
	switch {
	case us >= 10000:
		return fmt.Sprintf("%7.0f", us)
	case us >= 100:
		return fmt.Sprintf("%7.1f", us)
	}
	return fmt.Sprintf("%7.2f", us)
}
