package logfile

import (
	"math"
	"strings"
	"testing"
)

// A table for each operation of the low-latency kernels, with the mean over the ranks, and one for
// each best of the throughput kernels, with the parameters of its test.
func TestTheTestsOfDeepEPAreRead(t *testing.T) {
	l := read(t, "deepep.log")
	if len(l.Tables) != 6 || l.Partial() {
		t.Fatalf("%d tables, notes %v, want 6 whole ones", len(l.Tables), l.Notes)
	}
	d, c := l.Tables[0], l.Tables[1]
	if row := d.Rows[0]; d.Op != "moe-dispatch" || d.Listed != 2 || d.MoE.Throughput || math.Abs(row.Micros-122.5) > 1e-9 || row.Least != 120 || row.Most != 125 || row.Bytes/1000 != 7503 {
		t.Errorf("the dispatch is %+v of %s on %d ranks, want 122.5 us of 7.5 MB on 2", row, d.Op, d.Listed)
	}
	if row := c.Rows[0]; c.Op != "moe-combine" || math.Abs(row.Micros-198.5) > 1e-9 {
		t.Errorf("the combine is %+v of %s", row, c.Op)
	}
	for i, want := range []struct {
		op     string
		micros float64
		bf16   bool
		tokens int
	}{{"moe-dispatch", 1408, false, 4096}, {"moe-dispatch", 2720, true, 4096}, {"moe-combine", 2731, true, 4096}, {"moe-dispatch", 1039.2, false, 4096}} {
		tab := l.Tables[2+i]
		if tab.Op != want.op || tab.Rows[0].Micros != want.micros || tab.MoE.BF16 != want.bf16 || tab.MoE.Tokens != want.tokens || !tab.MoE.Throughput || tab.MoE.OneNode != (i == 3) {
			t.Errorf("table %d is %s of %v us, %+v; want %+v", 2+i, tab.Op, tab.Rows[0].Micros, *tab.MoE, want)
		}
	}
}

// The lines of releases and forks (058d696, d056407 and UCCL's ep/bench). A rate alone makes a row without a time; a
// line whose time is at an unknown place makes none.
func TestTheBestOfEachReleaseOfDeepEPIsRead(t *testing.T) {
	const sizes = "[tuning] Best combine: SMs 24, NVL chunk 24, RDMA chunk 24"
	for tail, want := range map[string]Row{
		": 38.19 GB/s (RDMA), 124.92 GB/s (NVL)": {AlgGBps: 38.19}, ": 153.00 GB/s (NVL)": {AlgGBps: 153},
		": 45 + 1408 us, 43.00 GB/s (RDMA), 140.60 GB/s (NVL)":                                {AlgGBps: 43, Micros: 1408, Bytes: 60544000},
		", transmit: 4489.00 us, notify: 1130.00 us, BW: 52.06 GB/s (RDMA), 96.95 GB/s (NVL)": {AlgGBps: 52.06, Micros: 4489, Bytes: 233697340},
		", 153.00 GB/s (NVL), t: 1039.20 us":                                                  {AlgGBps: 153, Micros: 1039.2, Bytes: 158997600},
		": 12 us later, 38.19 GB/s (RDMA)":                                                    {}, ": 0.00 GB/s (RDMA), 0.00 GB/s (NVL)": {}, ": 0 + 0 us, 43.00 GB/s (RDMA)": {},
	} {
		l, err := Read("x", strings.NewReader(sizes+tail+"\n"))
		switch {
		case want.AlgGBps == 0:
			if err == nil {
				t.Errorf("%q: %+v, want no row", tail, l.Tables[0].Rows)
			}
			continue
		case err != nil:
			t.Error(err)
			continue
		}
		got := l.Tables[0].Rows[0]
		if got.Line = 0; got != want || l.Partial() || l.Tables[0].MoE.OneNode != !strings.Contains(tail, "RDMA") {
			t.Errorf("%q: %+v, notes %v, want %+v", tail, got, l.Notes, want)
		}
	}
}

// A rank that comes again begins another run; ranks that are missing make a table partial; lines
// without numbers are noted.
func TestRunsAndMissingRanksOfDeepEPAreSeen(t *testing.T) {
	const line = "[rank N] Dispatch bandwidth: 62.50 GB/s, avg_t=120.00 us | Combine bandwidth: 73.00 GB/s, avg_t=199.00 us\n"
	of := func(ranks ...string) (text string) {
		for _, r := range ranks {
			text += strings.Replace(line, "N", r, 1)
		}
		return text
	}
	if l := parse(t, of("0", "1", "0", "1")); len(l.Tables) != 4 || l.Partial() {
		t.Errorf("%d tables of two runs, notes %v, want 4", len(l.Tables), l.Notes)
	}
	if l := parse(t, of("0", "3")); l.Tables[0].Cut != "lines of 2 of at least 4 ranks are there" {
		t.Errorf("two of four ranks: %q", l.Tables[0].Cut)
	}
	l := parse(t, of("0")+"[rank 1] Dispatch bandwidth: 0.00 GB/s, avg_t=0.00 us | Combine bandwidth: 73.00 GB/s, avg_t=199.00 us\n[tuning] Best dispatch (FP8): nothing\n")
	if len(l.Notes) != 2 || l.Tables[0].Listed != 1 || l.Tables[1].Listed != 2 {
		t.Errorf("notes %v, %d and %d ranks, want two notes and a rank of a combine more", l.Notes, l.Tables[0].Listed, l.Tables[1].Listed)
	}
}
