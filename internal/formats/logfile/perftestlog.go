package logfile

import (
	"regexp"
	"strconv"
	"strings"
)

// perftest reads the tables of perftest (github.com/linux-rdma/perftest,
// src/perftest_parameters.h): bandwidth in Gb/s, MB/s or MiB/s (both of the latter
// are 2^20 bytes there), latency as half of the round trip.
type perftest struct {
	b      *builder
	about  Table // parameters of the run, as printed last
	table  *Table
	unit   float64 // Gb/s of the table's unit
	least  int     // number of columns of a row
	median bool    // of latencies: a run by duration has only the mean
}

var (
	banner    = regexp.MustCompile(`\b(RDMA_Write|RDMA_Read|Send|Atomic\w*)( Bidirectional)? (BW|Latency) Test`)
	perfTool  = regexp.MustCompile(`\bib_(write|read|send)_(bw|lat)\b`)
	parameter = regexp.MustCompile(`\b(Mtu|Link type)\s*:\s*(\S+)`)
	cudaLine  = regexp.MustCompile(`CUDA Ctx|Picking device No\.|use_cuda`)
)

// perfOps are weft's names of perftest's operations.
var perfOps = map[string]string{"RDMA_Write": "write", "RDMA_Read": "read", "Send": "send"}

// perfUnits are perftest's units, in Gb/s.
var perfUnits = map[string]float64{
	"BW average[Gb/sec]": 1, "BW average[MB/sec]": 8 * (1 << 20) / 1e9, "BW average[MiB/sec]": 8 * (1 << 20) / 1e9,
}

func (r *perftest) line(n int, text string) {
	if r.table != nil && !strings.Contains(text, "Test") && !strings.Contains(text, "#bytes") {
		r.row(n, text)
		return
	}
	if !r.mine(text) {
		return
	}
	if m := banner.FindStringSubmatch(text); m != nil {
		r.close()
		r.about = Table{Format: Perftest, Test: strings.TrimSuffix(m[0], " Test"), Op: perfOps[m[1]], Bidirectional: m[2] != "", Latency: m[3] == "Latency", GPUMemory: r.about.GPUMemory && r.about.Test == ""}
		return
	}
	if m := perfTool.FindStringSubmatch(text); m != nil && r.table == nil && r.about.Test == "" {
		r.about.Op = m[1]
	}
	if cudaLine.MatchString(text) {
		r.about.GPUMemory = true
	}
	for _, m := range parameter.FindAllStringSubmatch(text, 4) {
		r.parameter(m[1], m[2])
	}
	if strings.Contains(text, "#bytes") && strings.Contains(text, "#iterations") {
		r.heading(n, text)
	}
}

// mine reports quickly whether a line can be from perftest; most lines of a log are not.
func (r *perftest) mine(text string) bool {
	for _, word := range []string{" Test", "#bytes", "ib_", "CUDA", "cuda", "Picking device", " : "} {
		if strings.Contains(text, word) {
			return !strings.Contains(text, "NCCL INFO")
		}
	}
	return false
}

// parameter takes a parameter of the run.
func (r *perftest) parameter(name, value string) {
	digits, _, _ := strings.Cut(value, "[")
	number, err := strconv.ParseInt(digits, 10, 32)
	switch {
	case name == "Link type":
		r.about.LinkType = value
	case err != nil || number < 1:
	default:
		r.about.MTU = number
	}
}

// heading begins a table.
func (r *perftest) heading(n int, text string) {
	r.close()
	t := r.about
	t.Format, t.Line = Perftest, n
	r.median = false
	r.unit, r.least = 0, 2+strings.Count(text, "[")
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
	r.table = r.b.table(t)
}

// row reads a row, if the line has one: two whole numbers, and numbers after them.
func (r *perftest) row(n int, text string) {
	if strings.Contains(text, "----------") {
		r.close()
		return
	}
	fields := strings.Fields(text)
	for at := range fields {
		values := numbers(fields[at:])
		if len(values) < 2 || !isCount(fields[at]) || !isCount(fields[at+1]) {
			continue
		}
		if len(values) < r.least {
			if len(values) >= len(fields)-at-1 && len(values) > 2 {
				r.b.note(n, "the row of %s bytes is cut after %d columns: left out", fields[at], len(values))
			}
			return
		}
		r.add(n, values)
		return
	}
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

func (r *perftest) add(n int, v []float64) {
	row := Row{Line: n, Bytes: int64(min(v[0], 1<<53))}
	switch {
	case !r.table.Latency:
		row.Gbps, row.Most = v[3]*r.unit, v[2]*r.unit
	case !r.median:
		row.Micros = v[2]
	default:
		row.Least, row.Most, row.Micros = v[2], v[3], v[4]
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

func (r *perftest) close() {
	if r.table != nil {
		r.table, r.about = nil, Table{}
	}
}

func (r *perftest) end(bool) {
	if t := r.table; t != nil && len(t.Rows) > 0 {
		t.Cut = "the log ends within the table, before the line of dashes that closes it"
	}
	r.close()
}
