package live

import (
	"fmt"
	"io"
	"net/netip"
	"strconv"

	"weft/internal/face/report"
	"weft/internal/live/ranks"
	"weft/internal/sim/collective"
)

// liveTable prints the ranks' measurements in the format of nccl-tests' all_reduce_perf (2.11 to
// 2.16, src/common.cu), so that scripts for that table can read it.
type liveTable struct {
	w          io.Writer
	run        *liveRun
	weft       string
	from, to   int64
	bandwidths float64
	rows       int
	wrong      int64
	received   int64
	again      int64
}

// liveRow is a size: out of place and in place.
type liveRow struct {
	bytes int64
	of    [2]*ranks.Result
}

func (t *liveTable) head(addrs []netip.AddrPort) {
	l := t.run
	check := 0
	if l.check {
		check = 1
	}
	fmt.Fprintf(t.w, "# weft %s: all_reduce_perf, measured over RoCE v2 on UDP sockets, %s\n", t.weft, l.algo)
	fmt.Fprintf(t.w, "# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %d(factor) warmup iters: %d iters: %d agg iters: 1 validation: %d graph: 0\n",
		t.from, t.to, l.factor, l.warmup, l.iters, check)
	fmt.Fprintf(t.w, "#\n# Using devices\n")
	for rank, a := range addrs {
		fmt.Fprintf(t.w, "#  Rank %2d Group  0 device %s\n", rank, a)
	}
	fmt.Fprintf(t.w, "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n", "", "", "", "", "")
	fmt.Fprintf(t.w, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  %6s  %6s %6s\n",
		"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong")
	fmt.Fprintf(t.w, "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  %6s  %6s  %5s\n",
		"(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
}

// row prints a size.
func (t *liveTable) row(row *liveRow) {
	fmt.Fprintf(t.w, "%12d  %12d  %8s  %6s  %6d", row.bytes, row.bytes/4, "float", "sum", -1)
	for _, r := range row.of {
		algbw := float64(row.bytes) / float64(max(1, r.Time.Nanoseconds()))
		busbw := algbw * collective.AllReduce.BusFactor(t.run.ranks)
		wrong := "N/A"
		if t.run.check {
			wrong = strconv.FormatInt(r.Wrong, 10)
		}
		fmt.Fprintf(t.w, "  %7s  %6.2f  %6.2f  %5s", report.TestTime(float64(r.Time.Nanoseconds())/1000), algbw, busbw, wrong)
		t.bandwidths += busbw
		t.rows++
		t.wrong += r.Wrong
		t.received, t.again = r.Received, r.Again
	}
	fmt.Fprintln(t.w)
}

// end prints the average, and the number of wrong elements.
func (t *liveTable) end() (wrong int64) {
	verdict := "OK"
	if t.wrong > 0 {
		verdict = "FAILED"
	}
	fmt.Fprintf(t.w, "# Out of bounds values : %d %s\n", t.wrong, verdict)
	fmt.Fprintf(t.w, "# Avg bus bandwidth    : %s \n#\n", strconv.FormatFloat(t.bandwidths/float64(max(1, t.rows)), 'g', 6, 64))
	fmt.Fprintf(t.w, "# the ranks' devices received %d bytes, and sent %d packets again\n", t.received, t.again)
	return t.wrong
}
