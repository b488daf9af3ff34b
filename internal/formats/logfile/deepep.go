package logfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// deepEP reads what the tests of DeepEP's kernels print (deepseek-ai/DeepEP@dd758ca, tests/legacy):
// test_low_latency.py a line for each rank, test_internode.py and test_intranode.py the best of the
// sizes that they try. Tests of other libraries print the same lines. At 058d696 (June 2025) and before, the best has
// its rates and no time; forks print "transmit: … us, notify: … us, BW: …" (the rate is that of transmit).
type deepEP struct {
	b      *builder
	run    map[string]*Table // by operation: of the ranks so far
	ranks  map[string]map[int]bool
	config *MoE // of the last line of parameters
}

// MoE is the parameters of an exchange of tokens with experts, as far as a log says them; others
// are 0.
type MoE struct {
	Throughput bool // the kind of kernel
	Tokens     int
	Hidden     int
	TopK       int
	Groups     int // nodes of a token, at most
	BF16       bool
	OneNode    bool
}

var (
	ofRank     = regexp.MustCompile(`\[rank (\d+)\]`)
	ofExchange = regexp.MustCompile(`\b(Dispatch|Combine) bandwidth: ([0-9.]+) GB/s, avg_t=([0-9.]+) us`)
	ofBest     = regexp.MustCompile(`\[tuning\] Best (dispatch|combine)(?: \((FP8|BF16)\))?:(.*)`)
	bestRate   = regexp.MustCompile(`([0-9.]+) GB/s \((RDMA|NVL)\)`)
	// bestTime is behind transmit, behind t, or before the rate.
	bestTime = regexp.MustCompile(`transmit: ([0-9.]+) us|, t: ([0-9.]+) us|([0-9.]+) us, [0-9.]+ GB/s`)
	setting  = regexp.MustCompile(`\b(num_tokens|hidden|num_topk_groups|num_topk)=(\d+)`)
)

// exchangeOps are weft's names of the tests' operations.
var exchangeOps = map[string]string{"dispatch": "moe-dispatch", "combine": "moe-combine"}

func (r *deepEP) line(n int, text string) {
	switch {
	case strings.Contains(text, "avg_t="):
		r.rank(n, text)
	case strings.Contains(text, "[tuning] Best"):
		r.best(n, text)
	case strings.Contains(text, "[config] num_tokens="):
		r.parameters(text)
	}
}

// rank reads the line of a rank. A rank that comes again begins another run.
func (r *deepEP) rank(n int, text string) {
	of := ofRank.FindStringSubmatch(text)
	if of == nil {
		return
	}
	rank, err := strconv.Atoi(of[1])
	if err != nil || rank >= maxHosts {
		return
	}
	for _, m := range ofExchange.FindAllStringSubmatch(text, 2) {
		op := exchangeOps[strings.ToLower(m[1])]
		gbps, micros := number(m[2]), number(m[3])
		if gbps <= 0 || micros <= 0 {
			r.b.note(n, "the %s of rank %d has no bandwidth or no time: left out", op, rank)
			continue
		}
		if r.run[op] == nil || r.ranks[op][rank] {
			r.begin(n, op)
		}
		if r.run[op] != nil {
			r.add(op, rank, gbps, micros)
		}
	}
}

// begin begins the table of an operation.
func (r *deepEP) begin(n int, op string) {
	if r.run == nil {
		r.run, r.ranks = make(map[string]*Table), make(map[string]map[int]bool)
	}
	r.run[op] = r.b.table(Table{Format: DeepEP, Line: n, Test: "test_low_latency", Op: op, MoE: &MoE{}})
	r.ranks[op] = make(map[int]bool)
	if t := r.run[op]; t != nil {
		t.Rows = []Row{{Line: n}}
	}
}

// add adds a rank to the mean of its table.
func (r *deepEP) add(op string, rank int, gbps, micros float64) {
	r.ranks[op][rank] = true
	t := r.run[op]
	row, seen := &t.Rows[0], float64(len(r.ranks[op]))
	row.Micros += (micros - row.Micros) / seen
	row.AlgGBps += (gbps - row.AlgGBps) / seen
	row.Bytes = int64(row.Micros * row.AlgGBps * 1e3)
	if seen == 1 {
		row.Least = micros
	}
	row.Least, row.Most = min(row.Least, micros), max(row.Most, micros)
	t.Listed = max(t.Listed, rank+1)
}

// best reads the best of the sizes that a test of throughput kernels has tried. Without a time the row has the rate
// alone.
func (r *deepEP) best(n int, text string) {
	m := ofBest.FindStringSubmatch(text)
	if m == nil {
		r.b.note(n, "this line of a test of DeepEP is not known: left out")
		return
	}
	op, element, rate, took := m[1], m[2], bestRate.FindStringSubmatch(m[3]), bestTime.FindStringSubmatch(m[3])
	if rate == nil || took == nil && strings.Contains(m[3], " us") {
		r.b.note(n, "this line of a test of DeepEP is not known: left out")
		return
	}
	row, one := Row{Line: n, AlgGBps: number(rate[1])}, rate[2] == "NVL"
	if took != nil {
		row.Micros = number(took[1] + took[2] + took[3])
		row.Bytes = int64(row.Micros * row.AlgGBps * 1e3)
	}
	if row.AlgGBps <= 0 || took != nil && row.Bytes < 1 {
		r.b.note(n, "the best %s has no bandwidth or no time: left out", op)
		return
	}
	about := MoE{}
	if r.config != nil {
		about = *r.config
	}
	about.Throughput, about.OneNode, about.BF16 = true, one, element == "BF16" || op == "combine"
	test := "test_internode"
	if one {
		test = "test_intranode"
	}
	if t := r.b.table(Table{Format: DeepEP, Line: n, Test: test, Op: exchangeOps[op], MoE: &about}); t != nil {
		t.Rows = []Row{row}
	}
}

// parameters reads the line of a test's parameters.
func (r *deepEP) parameters(text string) {
	r.config = &MoE{}
	for _, m := range setting.FindAllStringSubmatch(text, 8) {
		v, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		switch m[1] {
		case "num_tokens":
			r.config.Tokens = v
		case "hidden":
			r.config.Hidden = v
		case "num_topk_groups":
			r.config.Groups = v
		default:
			r.config.TopK = v
		}
	}
}

// end tells of ranks that are missing.
func (r *deepEP) end(cut bool) {
	for op, t := range r.run {
		if t == nil {
			continue
		}
		if missing := t.Listed - len(r.ranks[op]); missing > 0 || cut {
			t.Cut = fmt.Sprintf("lines of %d of at least %d ranks are there", len(r.ranks[op]), t.Listed)
		}
	}
}

// number is the value of a text, 0 if it is none.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return x
}
