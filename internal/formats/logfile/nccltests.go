package logfile

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ncclTests reads the tables of nccl-tests (github.com/NVIDIA/nccl-tests, src/common.cu and
// src/util.cu). The columns differ between versions (root came with 2.11, error became #wrong); the
// heading names them.
type ncclTests struct {
	b     *builder
	run   ncclRun  // of the devices listed last
	test  string   // the last one named
	shape []column // columns of the open table
	old   bool     // it is of nccl-tests 1, whose times are milliseconds
	// skipped says that its rows are not read: its times are those of the host, or its heading is not
	// known.
	skipped bool
	table   *Table   // the open table, or nil
	whole   bool     // its last line has been seen
	rowed   bool     // the run had rows, though perhaps none that could be read
	parts   []string // of a row that NCCL's messages cut
}

// ncclRun is the list of devices that stands above a table.
type ncclRun struct {
	ranks   map[int]bool
	perHost map[string]int
	hosts   []string
	gpus    []string // distinct names
	more    int      // ranks that the list leaves out
	harness string
}

// column is the meaning of a column.
type column string

// The columns, by nccl-tests' names; wrong elements have two names.
const (
	columnSize  column = "size"
	columnCount column = "count"
	columnType  column = "type"
	columnRedop column = "redop"
	columnRoot  column = "root"
	columnTime  column = "time"
	columnAlg   column = "algbw"
	columnBus   column = "busbw"
	columnWrong column = "#wrong"
	columnError column = "error"
)

// oldNames are nccl-tests' column names before 2.0, whose times were milliseconds; res is the
// largest error.
var oldNames = map[string]column{"bytes": columnSize, "N": columnCount, "op": columnRedop, "res": columnError}

// hostTime is the time column with -C 1: the duration of the call on the host.
const hostTime = "cputime"

// usualShape are the columns of nccl-tests since 2.11.
var usualShape = []column{
	columnSize, columnCount, columnType, columnRedop, columnRoot,
	columnTime, columnAlg, columnBus, columnWrong, columnTime, columnAlg, columnBus, columnWrong,
}

var (
	deviceLine = regexp.MustCompile(`\bRank\s+(\d+)\s+(?:Group\s+\d+\s+)?(?:Pid\s+\d+\s+)?on\s+(\S+)\s+device\s+\d+\s+\[[^\]]*\]\s*(.*)`)
	launchLine = regexp.MustCompile(`\bnThread(?:s:)? (\d+) nGpus:? (\d+)\b`) // rccl-tests has the colons
	parameters = regexp.MustCompile(`\b(nThreads?|nGpus|minBytes|maxBytes|step|warmup ?[iI]ters|agg iters|iters|validation|graph):? (\d+)`)
	moreRanks  = regexp.MustCompile(`\.\.\. and (\d{1,9}) more ranks`)
	testName   = regexp.MustCompile(`\b(all_reduce|all_gather|reduce_scatter|broadcast|alltoall|alltoallv|sendrecv|reduce|scatter|gather|hypercube)_perf`)
)

// ncclOps are weft's names of nccl-tests' operations; weft has no model of the others.
var ncclOps = map[string]string{
	"all_reduce": "all-reduce", "all_gather": "all-gather", "reduce_scatter": "reduce-scatter",
	"broadcast": "broadcast", "reduce": "reduce", "scatter": "scatter", "gather": "gather", "alltoall": "all-to-all", "sendrecv": "send-recv",
}

func (r *ncclTests) line(n int, text string) {
	switch {
	case strings.Contains(text, "algbw"):
		r.headed(n, text)
	case strings.Contains(text, "nThread") && strings.Contains(text, "nGpus"):
		r.close()
		r.b.again()
		r.run, r.rowed = ncclRun{harness: harnessOf(text)}, false
		r.parameters(n, text)
	case strings.Contains(text, "Using devices") && r.table != nil:
		r.close()
		r.run = ncclRun{}
	case strings.Contains(text, "Avg bus bandwidth"):
		r.ended(n, text)
	case strings.Contains(text, "Out of bounds values"):
		r.whole = r.table != nil // the line of the average, which is the next one, is often left out where logs are quoted
	}
	if strings.Contains(text, "_perf") {
		if m := testName.FindStringSubmatch(text); m != nil {
			r.test = m[1]
		}
	}
	if strings.Contains(text, "ank") { // rare lines first, so that a long log is read fast
		if m := deviceLine.FindStringSubmatch(text); m != nil {
			r.run.device(m[1], m[2], m[3])
			return
		}
		if m := moreRanks.FindStringSubmatch(text); m != nil {
			r.run.more, _ = strconv.Atoi(m[1])
			return
		}
	}
	if r.table != nil {
		text = r.joined(n, text)
	}
	r.row(n, text)
}

// parameterNames are the options of nccl-tests whose values its heading states.
var parameterNames = map[string]string{
	"nThread": "--nthreads", "nThreads": "--nthreads", "nGpus": "--ngpus", "minBytes": "--minbytes", "maxBytes": "--maxbytes", "step": "--step",
	"warmup iters": "--warmup_iters", "warmupIters": "--warmup_iters", "agg iters": "--agg_iters", "iters": "--iters", "validation": "--check", "graph": "--cudagraph",
}

// parameters keeps the parameters of the heading. A step is a factor or a number of bytes.
func (r *ncclTests) parameters(n int, text string) {
	for _, m := range parameters.FindAllStringSubmatch(text, 16) {
		name := parameterNames[m[1]]
		if name == "--step" {
			name = "--stepbytes"
			if strings.Contains(text, "(factor)") {
				name = "--stepfactor"
			}
		}
		r.b.run.settings = setIn(r.b.run.settings, n, name, m[2])
	}
}

// harnessOf is the way of launch in nccl-tests' line of its parameters, "" if it has none.
func harnessOf(text string) string {
	m := launchLine.FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[2] != "1":
		return "for-all"
	case m[1] != "1":
		return "thread"
	}
	return "process"
}

// device counts a rank of the list.
func (u *ncclRun) device(rank, host, gpu string) {
	if u.ranks == nil {
		u.ranks, u.perHost = map[int]bool{}, map[string]int{}
	}
	number, err := strconv.Atoi(rank)
	if err != nil || len(u.ranks) == maxHosts {
		return
	}
	u.ranks[number] = true
	if u.perHost[host] == 0 {
		u.hosts = append(u.hosts, host)
	}
	u.perHost[host]++
	if gpu = strings.TrimSpace(gpu); gpu != "" && !slices.Contains(u.gpus, gpu) && len(u.gpus) < maxNames {
		u.gpus = append(u.gpus, gpu)
	}
}

// headed opens a table if the line is a heading.
func (r *ncclTests) headed(n int, text string) {
	old := strings.Contains(text, " bytes ")
	cpu := strings.Contains(text, hostTime)
	shape := heading(strings.ReplaceAll(text, hostTime, string(columnTime)), old)
	if shape == nil {
		r.unknown(n, text)
		return
	}
	r.close()
	if r.old, r.skipped = old, cpu; cpu {
		r.b.note(n, "the times of this table are those of the call on the host (-C 1), not of the operation: it is left out")
		return
	}
	r.shape = shape
	r.open(n)
}

// unknown takes a heading with columns that nccl-tests does not print: the rows below it are not
// read.
func (r *ncclTests) unknown(n int, text string) {
	fields := strings.Fields(text)
	if strings.ContainsAny(text, "|,{") || !slices.Contains(fields, string(columnAlg)) || !slices.Contains(fields, string(columnTime)) {
		return // of another format, or a sentence
	}
	r.close()
	r.skipped = true
	r.b.note(n, "the columns of this table are not nccl-tests': it is left out; want size, count, type, redop, root, and time, algbw, busbw, #wrong once or twice, or a CSV file with columns such as size, time_us, busbw")
}

// heading is the columns of a heading, nil if the line is not a heading.
func heading(text string, old bool) []column {
	fields := strings.Fields(text)
	if old {
		for i, f := range fields {
			if c, renamed := oldNames[f]; renamed {
				fields[i] = string(c)
			}
		}
	}
	at := slices.Index(fields, string(columnSize))
	if at < 0 || len(fields) < at+6 {
		return nil
	}
	var shape []column
	for _, f := range fields[at:] {
		c := column(f)
		if !slices.Contains(usualShape, c) && c != columnError {
			return nil
		}
		shape = append(shape, c)
	}
	if shape[0] != columnSize || !slices.Contains(shape, columnTime) || !slices.Contains(shape, columnBus) {
		return nil
	}
	return shape
}

// open begins a table.
func (r *ncclTests) open(n int) {
	t := Table{Format: NCCLTests, Line: n, Hosts: r.run.hosts, GPUs: r.run.gpus, Harness: r.run.harness, Version: r.b.library}
	if r.test != "" {
		t.Test, t.Op = r.test+"_perf", ncclOps[r.test]
	}
	for rank := range r.run.ranks { // an abridged list ends with the last rank
		t.Listed = max(t.Listed, rank+1)
	}
	t.Listed += r.run.more
	for _, count := range r.run.perHost {
		t.PerHost = max(t.PerHost, count)
	}
	if len(r.run.ranks) == 1 && t.Listed == 1 && r.run.perHost[r.run.hosts[0]] > 1 {
		r.b.note(n, "every process of the list of devices is rank 0: nccl-tests was built without MPI, and each measured itself alone")
	}
	r.table = r.b.table(t)
}

// averageLine matches the line that closes a table.
var averageLine = regexp.MustCompile(`Avg bus bandwidth\s*:\s*([0-9.]+)`)

// averaged makes a row of the average, for a log whose rows are left out: if one size was measured, and the operation and
// the ranks are known, it is the row's bus bandwidth.
func (r *ncclTests) averaged(n int, text string) {
	m := averageLine.FindStringSubmatch(text)
	least, _ := lastOf(r.b.run.settings, "--minbytes")
	most, known := lastOf(r.b.run.settings, "--maxbytes")
	if m == nil || !known || r.skipped {
		return
	}
	bus, _ := strconv.ParseFloat(m[1], 64)
	bytes, err := strconv.ParseInt(most.Value, 10, 64)
	if first, e := strconv.ParseInt(least.Value, 10, 64); err != nil || e != nil || first != bytes || bytes < 1 {
		r.b.note(n, "the log has the average of the sizes %s to %s alone, which no size is compared with", least.Value, most.Value)
		return
	}
	r.open(n)
	t := r.table
	r.table = nil
	if t == nil {
		return
	}
	factor := busFactor(t.Op, t.Listed)
	if factor == 0 || !(bus > 0) || t.Op == "reduce" {
		r.b.note(n, "the log has the average alone, and says no operation (%s) or no number of ranks (%d) that make a time of it", cmp.Or(t.Test, "no test"), t.Listed)
		return
	}
	row := Row{Line: n, Bytes: bytes, BusGBps: bus, AlgGBps: bus / factor}
	row.Micros = float64(bytes) / row.AlgGBps / 1e3
	r.b.note(n, "the log has no row: the average, %s GB/s, is taken for the one size that was measured", m[1])
	if why := row.impossible(); why != "" {
		r.b.note(n, "the average is left out: %s", why)
		return
	}
	r.b.rows++
	t.Rows = append(t.Rows, row)
}

// ended takes the line that closes a table.
func (r *ncclTests) ended(n int, text string) {
	if r.table == nil || len(r.table.Rows) == 0 {
		if !r.rowed {
			r.averaged(n, text)
		}
		r.table = nil
		r.run = ncclRun{}
		return
	}
	r.whole = true
	r.close()
	r.run = ncclRun{}
}

// close ends the open table.
func (r *ncclTests) close() {
	t := r.table
	r.table, r.shape, r.parts = nil, nil, nil
	if t == nil || len(t.Rows) == 0 {
		return
	}
	if !r.whole {
		t.Cut = "it has no line \"# Avg bus bandwidth\": the run ended early, or this is a part of its table"
	}
	r.whole = false
}

// infer finds the operation of a table that does not name it: only an all-reduce of more than two
// ranks has a bus bandwidth above its algorithm bandwidth.
func (t *Table) infer() {
	if t.Op != "" || t.Test != "" {
		return
	}
	for i := range t.Rows {
		if row := &t.Rows[i]; row.BusGBps > row.AlgGBps*1.05 && row.AlgGBps > 1 {
			t.Op, t.Inferred = "all-reduce", true
			return
		}
	}
}

func (r *ncclTests) end(bool) {
	t, whole := r.table, r.whole
	r.close()
	if t != nil && len(t.Rows) > 0 && !whole {
		t.Cut = "the log ends at size " + strconv.FormatInt(t.Rows[len(t.Rows)-1].Bytes, 10) + ", before the line \"# Avg bus bandwidth\""
	}
}

// row reads a row, if the line has one.
func (r *ncclTests) row(n int, text string) {
	fields := strings.Fields(text)
	shape := r.shape
	if shape == nil {
		shape = usualShape
	}
	if len(fields) < 6 || r.skipped {
		return
	}
	for at := range fields {
		if !isCount(fields[at]) {
			continue
		}
		fit := fitting(shape, fields[at:])
		r.rowed = r.rowed || fit >= 4 && r.table != nil
		switch {
		case fit == len(shape):
			r.add(n, shape, fields[at:])
			return
		case fit < 4 || r.table == nil: // no row
		case fit == len(fields)-at:
			r.b.note(n, "the row of size %s is cut after %d of %d columns: left out", fields[at], fit, len(shape))
			return
		case len(fields)-at >= len(shape):
			r.b.note(n, "the row of size %s is left out: %q is no %s", fields[at], abridged(fields[at+fit]), shape[fit])
			return
		}
	}
}

// fitting is the number of columns that the fields match, from the first on.
func fitting(shape []column, fields []string) (n int) {
	for n < min(len(shape), len(fields)) && shape[n].fits(fields[n]) {
		n++
	}
	return n
}

// fits reports whether a field is valid in a column.
func (c column) fits(field string) bool {
	switch c {
	case columnSize, columnCount:
		return isCount(field)
	case columnType, columnRedop:
		return field[0] >= 'a' && field[0] <= 'z'
	case columnRoot:
		_, err := strconv.Atoi(field)
		return err == nil
	}
	return field == "N/A" || isNumber(field)
}

// isCount reports whether a field is a non-negative whole number.
func isCount(field string) bool {
	if field == "" || field[0] < '0' || field[0] > '9' { // most words: an error takes longer
		return false
	}
	_, err := strconv.ParseInt(field, 10, 64)
	return err == nil
}

// isNumber reports whether a field is a finite non-negative number.
func isNumber(field string) bool {
	x, err := strconv.ParseFloat(field, 64)
	return err == nil && x >= 0 && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// add takes a row with matching fields.
func (r *ncclTests) add(n int, shape []column, fields []string) {
	if r.table == nil {
		if r.b.rows == 0 {
			r.b.note(n, "there is no heading above this row: the columns are taken to be those of nccl-tests since 2.11")
		}
		r.shape = usualShape
		if r.open(n); r.table == nil {
			return
		}
	}
	row := Row{Line: n}
	var halves [2]struct{ micros, alg, bus float64 } // out of place and in place
	var elements int64
	times := 0
	for i, c := range shape {
		x, _ := strconv.ParseFloat(fields[i], 64) // N/A is 0: unknown
		if c == columnTime {
			times++
		}
		half := &halves[1]
		if times == 1 {
			half = &halves[0]
		}
		switch c {
		case columnSize:
			row.Bytes, _ = strconv.ParseInt(fields[i], 10, 64)
		case columnCount:
			elements, _ = strconv.ParseInt(fields[i], 10, 64)
		case columnTime:
			if r.old {
				x *= 1000
			}
			half.micros = x
		case columnAlg:
			half.alg = x
		case columnBus:
			half.bus = x
		case columnWrong:
			row.Wrong += int64(min(x, 1<<53))
		}
	}
	out, in := halves[0], halves[1]
	if out.micros == 0 && in.micros > 0 { // N/A out of place
		out, in.micros = in, 0
	}
	row.Micros, row.AlgGBps, row.BusGBps, row.InPlace = out.micros, out.alg, out.bus, in.micros
	if wrong := cmp.Or(fraction(row.Bytes, elements), contradiction(row.Bytes, row.Micros, row.AlgGBps), row.impossible()); wrong != "" {
		r.b.note(n, "the row of size %d is left out: %s", row.Bytes, wrong)
		return
	}
	r.begun(n, row.Bytes)
	if row.InPlace > 0 && contradiction(row.Bytes, row.InPlace, in.alg) != "" {
		r.b.note(n, "the row of size %d is cut or garbled in its in-place half, which is left out", row.Bytes)
		row.InPlace = 0
	}
	r.b.rows++
	if len(r.table.Rows) < maxRows {
		r.table.Rows = append(r.table.Rows, row)
	}
}

// begun opens a further table if a size is smaller than the one before: nccl-tests' sizes ascend, so
// that another run begins here.
func (r *ncclTests) begun(n int, bytes int64) {
	if last := len(r.table.Rows); last == 0 || bytes >= r.table.Rows[last-1].Bytes {
		return
	}
	r.b.note(n, "the sizes begin anew: from here on this is another table")
	shape := r.shape
	r.whole = true // its rows are, though its last line is not here
	r.close()
	r.shape = shape
	if r.open(n); r.table == nil {
		r.table = &Table{} // too many tables
	}
}

// fraction is the reason why a size and a count of elements do not agree, "" if they do. A count is of
// one rank or of all, and 0 if a rank has less than an element.
func fraction(bytes, elements int64) string {
	if elements > 0 && bytes%elements != 0 {
		return fmt.Sprintf("%d elements do not have this size: want a multiple of the count", elements)
	}
	return ""
}

// contradiction is the reason why a size, a time and a bandwidth do not agree, "" if they do: the
// bandwidth is size over time, within its two decimals and the four digits of the time.
func contradiction(bytes int64, micros, gbps float64) string {
	if micros <= 0 {
		return "it has no time"
	}
	is := float64(bytes) / micros / 1e3
	if math.Abs(is-gbps) > 0.0051+0.005*is {
		return "its algbw of " + strconv.FormatFloat(gbps, 'f', 2, 64) + " GB/s is not its size over its time, " + strconv.FormatFloat(is, 'f', 2, 64) + " GB/s"
	}
	return ""
}
