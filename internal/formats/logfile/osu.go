package logfile

import (
	"regexp"
	"strconv"
	"strings"
)

// osu reads the tables of the OSU Micro-Benchmarks between two processes (c/mpi/pt2pt and c/mpi/one-sided): bandwidth in
// MB/s of 10^6 bytes, latency as half of the round trip. Its collectives are those of MPI, which weft does not predict.
type osu struct {
	b       *builder
	about   Table
	prefix  string // what a launcher puts before each line
	table   *Table
	columns int
	pairs   int // of osu_mbw_mr, whose bandwidth is the sum of all
}

var (
	osuTitle   = regexp.MustCompile(`# OSU (MPI|NCCL|UPC|UPCXX|OpenSHMEM|RCCL)(-\w+)? ?(.*?) (?:Test|test) v[\w.]+`)
	osuHeading = regexp.MustCompile(`# Size\s+(Bandwidth \(MB/s\)|MB/s|(?:Avg )?Latency ?\(us\)|Avg Lat\(us\)|Bandwidth\(MB/s\))`)
	osuBuffer  = regexp.MustCompile(`Send Buffer on (DEVICE|HOST|MANAGED)`)
	osuPairs   = regexp.MustCompile(`\[ pairs: (\d{1,6}) \]`)
)

// osuTests are the operations of the tests by a part of their titles, in the order of the search.
var osuTests = []struct {
	title, op, test string
	bidirectional   bool
}{
	{"Put Bi-directional Bandwidth", "write", "osu_put_bibw", true},
	{"Bi-Directional Bandwidth", "send", "osu_bibw", true},
	{"Multiple Bandwidth / Message Rate", "send", "osu_mbw_mr", false},
	{"Put Bandwidth", "write", "osu_put_bw", false},
	{"Get Bandwidth", "read", "osu_get_bw", false},
	{"Put Latency", "write", "osu_put_latency", false},
	{"Get Latency", "read", "osu_get_latency", false},
	{"Multi Latency", "send", "osu_multi_lat", false},
	{"Multi-threaded Latency", "send", "osu_latency_mt", false},
	{"Bandwidth", "send", "osu_bw", false},
	{"Latency", "send", "osu_latency", false},
}

// osuCollectives are words of the titles of collectives.
var osuCollectives = regexp.MustCompile(`(?i)\b(?:all ?reduce|all ?gatherv?|all ?to ?allv?w?|reduce(?:[- ]scatter)?|bcast|broadcast|scatterv?|gatherv?|barrier|i?reduce_scatter|iall\w+|ibcast|neighbor\w*)\b`)

func (r *osu) line(n int, text string) {
	if r.table == nil && !strings.Contains(text, "# ") {
		return
	}
	if m := osuTitle.FindStringSubmatchIndex(text); m != nil {
		r.begin(n, text[:m[0]], osuTitle.FindStringSubmatch(text))
		return
	}
	if m := osuBuffer.FindStringSubmatch(text); m != nil {
		r.about.GPUMemory = m[1] != "HOST"
	}
	if m := osuPairs.FindStringSubmatch(text); m != nil {
		r.pairs, _ = strconv.Atoi(m[1])
	}
	if m := osuHeading.FindStringSubmatch(text); m != nil {
		r.heading(n, text, m[1])
		return
	}
	if r.table != nil {
		r.row(n, text)
	}
}

// begin takes the title of a test.
func (r *osu) begin(n int, prefix string, m []string) {
	*r = osu{b: r.b, prefix: strings.TrimSpace(prefix), about: Table{Format: OSU}}
	title := m[3]
	if osuCollectives.MatchString(title) {
		r.b.note(n, "the table of %q is left out: weft predicts NCCL's collectives, and messages between two processes of MPI; want nccl-tests, or osu_bw and osu_latency", abridged(m[0][2:]))
		return
	}
	for _, t := range osuTests {
		if strings.Contains(strings.ToLower(title), strings.ToLower(t.title)) {
			r.about.Test, r.about.Op, r.about.Bidirectional = t.test, t.op, t.bidirectional
			r.about.Latency = strings.Contains(title, "Latency")
			r.about.GPUMemory = m[2] != "" // -CUDA, -ROCM: the buffers that a heading does not name are the devices'
			return
		}
	}
}

// heading opens a table.
func (r *osu) heading(n int, text, column string) {
	r.table = nil
	if r.about.Test == "" {
		return // of a collective, or of another program
	}
	t := r.about
	t.Line, t.Latency = n, strings.Contains(column, "us")
	r.columns = 2
	if r.about.Test == "osu_mbw_mr" && strings.Contains(text, "Messages/s") {
		r.columns = 3
	}
	if r.pairs > 1 {
		t.Pairs = r.pairs
	}
	if r.table = r.b.table(t); r.table != nil {
		r.table.Cut = ""
	}
}

// row reads a row: the size and the measurement.
func (r *osu) row(n int, text string) {
	fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), r.prefix))
	values := numbers(fields)
	switch {
	case len(fields) == 0 || !isCount(fields[0]):
		return
	case len(values) < r.columns:
		r.b.note(n, "the row of %s bytes has %d of %d columns: left out", fields[0], len(values), r.columns)
		return
	case len(values) < len(fields) && len(fields) > r.columns+3:
		return // a sentence that begins with a number
	}
	row := Row{Line: n, Bytes: int64(min(values[0], 1<<53))}
	if r.table.Latency {
		row.Micros = values[1]
	} else {
		row.Gbps = values[1] * 8e-3
	}
	if row.Bytes == 0 { // an empty message
		if !r.table.Latency {
			return
		}
		row.Bytes = 1
	}
	if row.Micros <= 0 && !measures(row.Gbps) || row.Micros > mostMicros {
		r.b.note(n, "the row of %d bytes is left out: it has no measurement", row.Bytes)
		return
	}
	if last := len(r.table.Rows); last > 0 && row.Bytes < r.table.Rows[last-1].Bytes {
		r.table = nil // another table, or numbers of another program
		return
	}
	if r.b.rows++; len(r.table.Rows) < maxRows {
		r.table.Rows = append(r.table.Rows, row)
	}
}

func (r *osu) end(cut bool) {
	if cut && r.table != nil {
		r.table.Cut = "the log ends in the table"
	}
}
