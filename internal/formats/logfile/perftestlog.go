package logfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// perftest reads the tables of perftest (github.com/linux-rdma/perftest,
// src/perftest_parameters.h): bandwidth in Gb/s, MB/s or MiB/s (both of the latter
// are 2^20 bytes there), latency as half of the round trip.
//
// A launcher may put a text before each line, and mix the lines of several processes. The text before
// a test's name, or before the heading, is the prefix of all lines of its process.
type perftest struct {
	b    *builder
	runs []*perftestRun
	last *perftestRun // the one that a test's name or a heading belonged to
}

// perftestRun is the output of one process.
type perftestRun struct {
	b      *builder
	prefix string
	about  Table // parameters of the run, as printed last
	table  *Table
	unit   float64 // Gb/s of the table's unit
	whole  int     // whole numbers at the begin of a row: bytes, perhaps service level, iterations
	least  int     // number of columns of a row
	before int     // words of the heading's line before its first column
	median bool    // of latencies: a run by duration has only the mean
	cycles bool    // of latencies: the last command line asks for cycles of the processor
}

var (
	banner   = regexp.MustCompile(`\b(RDMA_Write|RDMA_Read|Send|Atomic)(\w*)( Bidirectional)?(?: Post List)? (BW|Latency)(?: forwarding)?(?: Multicast)? Test`)
	perfTool = regexp.MustCompile(`\bib_(write|read|send)_(bw|lat)\b`)
	// parameter matches the lines of the banner; a line may have two.
	parameter = regexp.MustCompile(`(?:^|[\s:|])(Dual-port|Device|Number of qps|Transport type|Connection type|Using SRQ|PCIe relax order|Lock-free|ibv_wr\* API|Using Enhanced Reorder|` +
		`TX depth|RX depth|Post List|CQ Moderation|CQE Poll Batch|Mtu|Link type|GID index|Max inline data|Outstand reads|rdma_cm QPs|Use ROCm memory|Data ex\. method|NUMA node)\s*:\s*(\S+)`)
	cudaLine = regexp.MustCompile(`CUDA Ctx|Picking device No\.|use_cuda`)
	latTool  = regexp.MustCompile(`\bib_\w+_lat\b([^|;&]*)`)
	// inCycles matches -C, alone or among options that have no value (perftest's getopt), and its long form,
	// which may be cut.
	inCycles = regexp.MustCompile(`\s["']?(?:-[aFegzRvhbNVHUOZP]*C\w*|--report-cy\w*)(?:[\s"']|$)`)
)

// perfOps are weft's names of perftest's operations.
var perfOps = map[string]string{"RDMA_Write": "write", "RDMA_Read": "read", "Send": "send"}

// perfUnits are perftest's units, in Gb/s.
var perfUnits = map[string]float64{
	"BW average[Gb/sec]": 1, "BW average[MB/sec]": mibit, "BW average[MiB/sec]": mibit,
}

func (p *perftest) line(n int, text string) {
	if p.last == nil {
		p.last = &perftestRun{b: p.b}
		p.runs = append(p.runs, p.last)
	}
	if !mine(text) && !p.open() {
		return
	}
	if m := banner.FindStringSubmatchIndex(text); m != nil {
		p.last = p.of(text[:m[0]], false)
		p.last.begin(banner.FindStringSubmatch(text))
		return
	}
	if at := strings.Index(text, "#bytes"); at >= 0 && strings.Contains(text[at:], "#iterations") {
		p.last = p.of(text[:at], true)
		p.last.heading(n, text, at)
		return
	}
	run, rest := p.from(text)
	switch {
	case run.table != nil:
		run.row(n, text, rest)
	case mine(text):
		run.said(n, text)
	}
}

// open reports whether a table is open.
func (p *perftest) open() bool {
	return slices.ContainsFunc(p.runs, func(r *perftestRun) bool { return r.table != nil })
}

// of is the run of the lines with a prefix. A heading without a run of its prefix, which may have a time in
// it, belongs to the last run that is without a table.
func (p *perftest) of(prefix string, heading bool) *perftestRun {
	prefix = strings.TrimRight(prefix, " \t")
	for _, r := range p.runs {
		if r.prefix == prefix {
			return r
		}
	}
	if heading && p.last.table == nil && p.last.about.Test != "" || len(p.runs) == maxProcesses {
		return p.last
	}
	r := &perftestRun{b: p.b, prefix: prefix, about: Table{GPUMemory: p.runs[0].about.GPUMemory}, cycles: p.last.cycles}
	p.runs = append(p.runs, r)
	return r
}

// from is the run that a line is from, and the line without the run's prefix; without a known prefix it is
// the last run, and the whole line.
func (p *perftest) from(text string) (run *perftestRun, rest string) {
	run = p.last
	longest := 0
	for _, r := range p.runs {
		if len(r.prefix) > longest && strings.HasPrefix(text, r.prefix) {
			run, longest = r, len(r.prefix)
		}
	}
	return run, text[longest:]
}

// begin takes the name of a test.
func (r *perftestRun) begin(m []string) {
	r.close()
	r.about = Table{
		Format: Perftest, Test: strings.TrimSuffix(m[0], " Test"), Op: perfOps[m[1]],
		Bidirectional: m[3] != "", Latency: m[4] == "Latency", GPUMemory: r.about.GPUMemory && r.about.Test == "",
	}
}

// said takes a line above a table.
func (r *perftestRun) said(n int, text string) {
	if m := perfTool.FindStringSubmatch(text); m != nil && r.about.Test == "" {
		r.about.Op = m[1]
	}
	if m := latTool.FindStringSubmatch(text); m != nil {
		r.cycles = inCycles.MatchString(m[1])
	}
	if cudaLine.MatchString(text) {
		r.about.GPUMemory = true
	}
	for _, m := range parameter.FindAllStringSubmatch(text, 4) {
		r.about.Settings = setIn(r.about.Settings, n, m[1], m[2])
		r.parameter(m[1], m[2])
	}
}

// mine reports quickly whether a line can be from perftest; most lines of a log are not.
func mine(text string) bool {
	for _, word := range []string{" Test", "#bytes", "ib_", "CUDA", "cuda", "Picking device", " : ", "order: "} {
		if strings.Contains(text, word) {
			return !strings.Contains(text, "NCCL INFO")
		}
	}
	return false
}

// parameter takes a parameter of the run.
func (r *perftestRun) parameter(name, value string) {
	digits, _, _ := strings.Cut(value, "[")
	number, err := strconv.ParseInt(digits, 10, 32)
	switch {
	case name == "Link type":
		r.about.LinkType = value
	case name != "Mtu" || err != nil || number < 1:
	default:
		r.about.MTU = number
	}
}

// heading begins a table.
func (r *perftestRun) heading(n int, text string, at int) {
	r.close()
	t := r.about
	t.Format, t.Line = Perftest, n
	r.median = false
	r.before, text = len(strings.Fields(text[:at])), text[at:]
	r.whole = strings.Count(text, "#")
	r.unit, r.least = 0, r.whole+strings.Count(text, "[")
	for name, unit := range perfUnits {
		if strings.Contains(strings.ReplaceAll(text, "_average[", " average["), name) {
			r.unit = unit
		}
	}
	switch {
	case r.unit > 0:
		t.Latency = false
	case strings.Contains(text, "t_typical[usec]"):
		t.Latency, r.median = true, true
	case strings.Contains(text, "t_avg[usec]"): // of a run by duration
		t.Latency = true
	default:
		r.b.note(n, "the columns of this table of perftest are not known: expected BW average[Gb/sec], [MB/sec] or [MiB/sec], t_typical[usec] or t_avg[usec]")
		return
	}
	if t.Latency && r.cycles {
		r.b.note(n, "the figures of this table are cycles of the processor (-C, --report-cycles), whatever its heading says: left out; want the test without that option")
		return
	}
	r.table = r.b.table(t)
}

// row reads a row, if the line has one: whole numbers, and numbers after them. Rest is the line without the
// prefix of the run; if it has none, a row begins where the heading did, or anywhere.
func (r *perftestRun) row(n int, text, rest string) {
	if strings.Contains(text, "----------") {
		r.close()
		return
	}
	fields := strings.Fields(rest)
	if len(rest) == len(text) && r.before > 0 && r.before < len(fields) && r.rowAt(n, fields[r.before:]) {
		return
	}
	for at := range fields {
		if r.rowAt(n, fields[at:]) {
			return
		}
	}
}

// rowAt reports whether the fields are those of a row, and takes it.
func (r *perftestRun) rowAt(n int, fields []string) bool {
	values := numbers(fields)
	if len(values) < r.whole || slices.ContainsFunc(fields[:r.whole], func(f string) bool { return !isCount(f) }) {
		return false
	}
	switch {
	case len(values) >= r.least:
		r.add(n, values)
	case len(values) >= len(fields)-1 && len(values) > r.whole:
		r.b.note(n, "the row of %s bytes is cut after %d of %d columns: left out", fields[0], len(values), r.least)
	}
	return true
}

// numbers are the leading numeric values of the fields.
func numbers(fields []string) (out []float64) {
	for _, f := range fields {
		if !isNumber(f) {
			break
		}
		x, _ := strconv.ParseFloat(f, 64)
		out = append(out, x)
	}
	return out
}

func (r *perftestRun) add(n int, v []float64) {
	row, measured := Row{Line: n, Bytes: int64(min(v[0], 1<<53))}, v[r.whole:]
	switch {
	case !r.table.Latency:
		row.Gbps, row.Most = measured[1]*r.unit, measured[0]*r.unit
	case !r.median:
		row.Micros = measured[0]
	default:
		row.Least, row.Most, row.Micros = measured[0], measured[1], measured[2]
		if row.Micros < row.Least || row.Micros > row.Most {
			r.b.note(n, "the row of %d bytes is left out: its median %g us is not between its least %g and most %g", row.Bytes, row.Micros, row.Least, row.Most)
			return
		}
	}
	if row.Gbps <= 0 && row.Micros <= 0 || row.Bytes == 0 {
		r.b.note(n, "the row of %d bytes is left out: it has no measurement", row.Bytes)
		return
	}
	if r.b.rows++; len(r.table.Rows) < maxRows {
		r.table.Rows = append(r.table.Rows, row)
	}
}

func (r *perftestRun) close() {
	if r.table != nil {
		r.table, r.about = nil, Table{}
	}
}

func (p *perftest) end(bool) {
	for _, r := range p.runs {
		if t := r.table; t != nil && len(t.Rows) > 0 {
			t.Cut = "the log ends within the table, before the line of dashes that closes it"
		}
		r.close()
	}
}
