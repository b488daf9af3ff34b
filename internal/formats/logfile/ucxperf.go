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
	b      *builder
	test   string // as -t names it, or as the block describes it
	bytes  int64
	gpu    bool
	table  *Table // the open one
	run    *run   // of the open table
	last   []float64
	lastAt int
}

var (
	ucxBlock   = regexp.MustCompile(`\| (Test|Message size|Send memory|Recv memory): +([^|]*?) +\|`)
	ucxHeading = regexp.MustCompile(`# iterations \|? *(?:\d+\.\d%ile|typical)`)
	ucxTest    = regexp.MustCompile(`=====+ (\w+(?:_bw|_lat)) =====+`)
)

// ucxOps are weft's names of the tests' operations, by a word of their names or of their descriptions.
var ucxOps = []struct{ word, op string }{{"put", "write"}, {"get", "read"}, {"tag", "send"}, {"stream", "send"}, {"am", "send"}, {"active message", "send"}}

func (r *ucxPerf) line(n int, text string) {
	if r.table == nil && !strings.Contains(text, "|") && !strings.Contains(text, "=====") {
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
		r.run, r.table = r.b.run, r.b.table(Table{Format: UCXPerf, Line: n, Test: "ucx_perftest"})
		return
	}
	if r.table != nil {
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

// row keeps the row, if the line is one: eight numbers, or seven before a percentile was printed.
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
		if values := numbers(fields[at:]); len(values) == 8 && len(values) == len(fields)-at && isCount(fields[at]) {
			r.last, r.lastAt = values, n
			return
		}
	}
	if final {
		r.b.note(n, "the line Final: has %d values, want 8 (iterations, three times, two bandwidths, two rates): left out", len(fields))
	}
}

// done fills the table with the last row.
func (r *ucxPerf) done() {
	v, t := r.last, r.table
	test, bytes := cmp.Or(r.test, r.option("--test")), r.size()
	memory := r.option("--memory")
	gpu := r.gpu || strings.HasPrefix(memory, "cuda") || strings.HasPrefix(memory, "rocm")
	r.last, r.table = nil, nil
	if v == nil || t == nil {
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
	if bytes == 0 && v[7] > 0 { // the bandwidth over the rate of messages
		bytes = int64(min(v[5]*(1<<20)/v[7]+.5, 1<<53))
	}
	row := Row{Line: r.lastAt, Bytes: bytes, Gbps: v[5] * mibit}
	if t.Latency {
		row.Gbps, row.Micros = 0, v[3]
	}
	if bytes < 1 || row.Micros <= 0 && !measures(row.Gbps) || row.Micros > mostMicros {
		r.b.note(r.lastAt, "the row of ucx_perftest is left out: it has no size or no measurement")
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
