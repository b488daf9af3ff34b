package logfile

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// ucxPerf reads the tables of ucx_perftest (openucx/ucx@9466d104, src/tools/perf/perftest_run.c): of the lines of a test the
// last one, which is that of the whole run. Its MB/s are 2^20 bytes. Which test and size it is, the command line or the
// block of lines API, Test, Message size says.
type ucxPerf struct {
	b     *builder
	test  string // as -t names it, or as the block describes it
	bytes int64
	gpu   bool
	table *Table // the open one
	run   *run   // of the open table
	last  *ucxRow
}

var (
	ucxBlock   = regexp.MustCompile(`\| (Test|Message size|Send memory|Recv memory): +([^|]*?) +\|`)
	ucxHeading = regexp.MustCompile(`# iterations \|? *(?:\d+\.\d%ile|typical)`)
	ucxTest    = regexp.MustCompile(`=====+ (\w+(?:_bw|_lat)) =====+`)
)

// ucxOps are weft's names of the tests' operations, by a word of their names or of their descriptions.
var ucxOps = []struct{ word, op string }{{"put", "write"}, {"get", "read"}, {"tag", "send"}, {"stream", "send"}, {"am", "send"}, {"active message", "send"}}

func (r *ucxPerf) line(n int, text string) {
	if r.table == nil && !strings.Contains(text, "|") && !strings.Contains(text, "=====") && !strings.Contains(text, "Final: ") {
		return
	}
	if m := ucxTest.FindStringSubmatch(text); m != nil {
		r.done()
		r.test = m[1]
		return
	}
	if m := ucxBlock.FindStringSubmatch(text); m != nil {
		r.block(m[1], m[2])
		return
	}
	if ucxHeading.MatchString(text) {
		r.done()
		r.open(n)
		return
	}
	if r.table != nil || strings.Contains(text, "Final: ") {
		r.row(n, text)
	}
}

// block takes a line of the description of a test.
func (r *ucxPerf) block(name, value string) {
	switch name {
	case "Test":
		r.test = value
	case "Message size":
		r.bytes, _ = strconv.ParseInt(value, 10, 64)
	default:
		r.gpu = r.gpu && name == "Recv memory" || strings.HasPrefix(value, "cuda") || strings.HasPrefix(value, "rocm")
	}
}

// ucxRow is a row: the latest one is that of the whole run.
type ucxRow struct {
	line              int
	micros, mib, rate float64 // us, MiB/s, messages/s: over the whole run
}

// ucxValues makes a row of its numbers: iterations, times, two bandwidths, two rates; or, of several threads, iterations and
// one of each. A row without a percentile, or with more of them, has another number of times.
func ucxValues(v []float64) (row ucxRow, ok bool) {
	switch n := len(v); {
	case n == 4:
		return ucxRow{micros: v[1], mib: v[2], rate: v[3]}, true
	case n >= 6 && n <= 10:
		return ucxRow{micros: v[n-5], mib: v[n-3], rate: v[n-1]}, true
	}
	return ucxRow{}, false
}

// row keeps the row, if the line is one. A line Final: may have lost its heading where a log is quoted.
func (r *ucxPerf) row(n int, text string) {
	_, whole, final := strings.Cut(text, "Final:")
	if !final {
		whole = text
		if i := strings.Index(text, "]"); strings.HasPrefix(strings.TrimSpace(text), "[thread") && i > 0 {
			whole = text[i+1:]
		}
	}
	fields := strings.Fields(strings.ReplaceAll(whole, ",", ""))
	for at := range fields {
		values := numbers(fields[at:])
		if len(values) != len(fields)-at || !isCount(fields[at]) || !final && len(values) != 8 {
			continue
		}
		if row, ok := ucxValues(values); ok {
			row.line = n
			if r.table == nil {
				r.open(n)
			}
			r.last = &row
			return
		}
	}
	if final {
		r.b.note(n, "the line Final: has %d values, want 8 (iterations, three times, two bandwidths, two rates): left out", len(fields))
	}
}

// open begins a table.
func (r *ucxPerf) open(n int) {
	r.run, r.table = r.b.run, r.b.table(Table{Format: UCXPerf, Line: n, Test: "ucx_perftest"})
}

// done fills the table with the last row.
func (r *ucxPerf) done() {
	v, t := r.last, r.table
	if t == nil {
		return
	}
	test, bytes := cmp.Or(r.test, r.option("--test")), r.size()
	memory := r.option("--memory")
	gpu := r.gpu || strings.HasPrefix(memory, "cuda") || strings.HasPrefix(memory, "rocm")
	r.last, r.table = nil, nil
	if v == nil {
		return
	}
	r.test, r.bytes, r.gpu = "", 0, false
	t.GPUMemory = gpu
	t.Latency = strings.Contains(test, "lat") // its heading is no help: until 1.11 it says latency for a bandwidth, too
	for _, o := range ucxOps {
		if t.Op == "" && strings.Contains(test, o.word) {
			t.Op = o.op
		}
	}
	if t.Op == "" {
		t.Op = "send"
		r.b.note(t.Line, "which test of ucx_perftest this is, the log does not say (-t): it is taken for a bandwidth of sends")
	}
	if bytes == 0 && v.rate > 0 { // the bandwidth over the rate of messages
		bytes = int64(min(v.mib*(1<<20)/v.rate+.5, 1<<53))
	}
	row := Row{Line: v.line, Bytes: bytes, Gbps: v.mib * mibit}
	if t.Latency {
		row.Gbps, row.Micros = 0, v.micros
	}
	if bytes < 1 || row.Micros <= 0 && !measures(row.Gbps) || row.Micros > mostMicros {
		r.b.note(v.line, "the row of ucx_perftest is left out: it has no size or no measurement")
		return
	}
	r.b.rows++
	t.Rows = []Row{row}
}

// option is an option of the command line above the table, "" if it is not there.
func (r *ucxPerf) option(name string) string {
	if r.run == nil {
		return ""
	}
	s, _ := lastOf(r.run.settings, name)
	return s.Value
}

// size is the size of a message by the block or the command line, 0 if neither says it.
func (r *ucxPerf) size() int64 {
	if r.bytes > 0 {
		return r.bytes
	}
	n, err := strconv.ParseInt(r.option("--size"), 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

func (r *ucxPerf) end(bool) { r.done() }
