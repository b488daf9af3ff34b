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

// cells reads tables with a heading of their own and bars, commas or tabs between the cells: of
// all_reduce_bench.py (stas00/ml-engineering), CSV files, pages of Markdown. The heading names the
// columns; its order is free.
type cells struct {
	b       *builder
	about   record // what the lines above a table say: operation, ranks
	columns []cell // of the open table
	mark    string // between its cells
	tables  map[record]*Table
	told    bool // which units the rows fit
}

// quantity is the meaning of a cell.
type quantity uint8

const (
	other quantity = iota
	size
	duration
	algorithmBandwidth
	busBandwidth
	operationName
	rankCount
	nodeCount
)

// cell is a column. Its unit is in us, GB/s or bytes; 0 if the heading does not name it.
type cell struct {
	what    quantity
	inPlace bool
	unit    float64
}

// value is the text of a cell.
type value struct {
	cell
	text string
}

// record names a table within a file.
type record struct {
	op           string
	ranks, nodes int
	torch        bool
}

// cellNames are the usual names of a column, without their units and signs.
var cellNames = map[string]quantity{
	"size": size, "bytes": size, "sizebytes": size, "messagesize": size, "msgsize": size, "payload": size, "payloadsize": size, "nbytes": size, "messagebytes": size, "sizeinbytes": size,
	"time": duration, "latency": duration, "lat": duration, "duration": duration, "avgtime": duration, "timeavg": duration, "avg": duration, "meantime": duration,
	"algbw": algorithmBandwidth, "algobw": algorithmBandwidth, "algorithmbandwidth": algorithmBandwidth, "algbandwidth": algorithmBandwidth,
	"busbw": busBandwidth, "busbandwidth": busBandwidth,
	"op": operationName, "operation": operationName, "collective": operationName, "test": operationName, "coll": operationName, "name": operationName,
	"ranks": rankCount, "nranks": rankCount, "gpus": rankCount, "ngpus": rankCount, "worldsize": rankCount, "numranks": rankCount,
	"nodes": nodeCount, "nnodes": nodeCount, "numnodes": nodeCount,
}

// cellUnits are the units of times in us, and of bandwidths in GB/s.
var cellUnits = map[string]float64{
	"ns": 1e-3, "us": 1, "µs": 1, "usec": 1, "ms": 1e3, "msec": 1e3, "s": 1e6, "sec": 1e6,
	"GB/s": 1, "GBps": 1, "GB/sec": 1, "Gb/s": .125, "Gbps": .125, "Gbit/s": .125, "MB/s": 1e-3, "MBps": 1e-3, "GiB/s": 1.073741824,
}

// sizeUnits are the units of sizes in bytes; K and M are powers of 1024, as in nccl-tests' flags.
var sizeUnits = map[string]float64{
	"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "kb": 1e3, "m": 1 << 20, "mib": 1 << 20, "mb": 1e6, "g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
}

// cellOps are weft's names of operations, by their letters.
var cellOps = map[string]string{
	"allreduce": "all-reduce", "allgather": "all-gather", "reducescatter": "reduce-scatter", "alltoall": "all-to-all", "broadcast": "broadcast", "sendrecv": "send-recv",
}

// mostGBps is a bus bandwidth that no GPU's links have: more than twice NVLink 5's 900 GB/s.
const mostGBps = 2000

// mostMicros is the longest time of an operation, in us: an hour.
const mostMicros = 3.6e9

var (
	overRanks  = regexp.MustCompile(`bandwidth of (\w+) over (\d{1,7}) ranks`)
	notLetters = regexp.MustCompile(`[^a-z]+`)
	namedUnit  = regexp.MustCompile(`^(.*?)[ _]*[(\[_ ]([A-Za-zµ]+(?:/[a-z]+)?)[)\]]?$`)
	valueUnit  = regexp.MustCompile(`^([-+0-9.eE]+|nan|inf|-inf) *([A-Za-zµ]+(?:/[a-z]+)?)?$`)
)

// opOf is weft's name of an operation.
func opOf(text string) string {
	return cellOps[strings.TrimSuffix(notLetters.ReplaceAllString(strings.ToLower(text), ""), "perf")]
}

// cellOf is the column of a name in a heading.
func cellOf(name string) (c cell) {
	name = strings.Trim(name, " \"'#*")
	if rest, in := strings.CutPrefix(strings.ToLower(name), "in_place"); in {
		name, c.inPlace = strings.TrimLeft(rest, "_. "), true
	} else if rest, out := strings.CutPrefix(strings.ToLower(name), "out_of_place"); out {
		name = strings.TrimLeft(rest, "_. ")
	}
	plain := func(s string) string { return notLetters.ReplaceAllString(strings.ToLower(s), "") }
	c.what = cellNames[plain(name)]
	if m := namedUnit.FindStringSubmatch(name); len(m) == 3 && cellNames[plain(m[1])] != other {
		c.what, c.unit = cellNames[plain(m[1])], cellUnits[m[2]]
		if c.what == size {
			c.unit = sizeUnits[strings.ToLower(m[2])]
		}
	}
	if c.what == size && c.unit == 0 && strings.Contains(plain(name), "bytes") {
		c.unit = 1
	}
	return c
}

func (r *cells) line(n int, text string) {
	if strings.Contains(text, "bandwidth of ") {
		if m := overRanks.FindStringSubmatch(text); m != nil {
			ranks, _ := strconv.Atoi(m[2])
			r.about = record{op: opOf(m[1]), ranks: ranks, torch: true}
		}
	}
	if r.columns == nil || !strings.Contains(text, r.mark) {
		if r.columns != nil && strings.TrimSpace(text) == "" {
			r.columns = nil
		}
		if !strings.ContainsAny(text, "|,\t") || strings.Contains(text, "NCCL") || strings.Contains(text, "{") {
			return
		}
	}
	for _, mark := range []string{"|", ",", "\t"} {
		if strings.Contains(text, mark) && (mark != "\t" || heading(text, false) == nil) && r.heading(n, text, mark) {
			return
		}
	}
	if r.columns != nil && strings.Contains(text, r.mark) {
		r.row(n, split(text, r.mark))
	}
}

// split are the cells of a line.
func split(text, mark string) (out []string) {
	if mark == "|" {
		text = strings.Trim(text, " |")
	}
	for part := range strings.SplitSeq(text, mark) {
		out = append(out, strings.Trim(part, " \"'"))
	}
	return out
}

// heading opens a table if the line is a heading.
func (r *cells) heading(n int, text, mark string) bool {
	var columns []cell
	known := 0
	for _, name := range split(text, mark) {
		if valueUnit.MatchString(name) {
			return false
		}
		c := cellOf(name)
		columns = append(columns, c)
		if c.what != other {
			known++
		}
	}
	has := func(q quantity) bool { return slices.ContainsFunc(columns, func(c cell) bool { return c.what == q }) }
	if known < 2 || !has(size) {
		return false
	}
	if !has(duration) && !has(algorithmBandwidth) && !has(busBandwidth) {
		if has(operationName) || has(rankCount) {
			r.b.note(n, "this table has sizes and no measurement: want a column time, algbw or busbw, such as time_us")
		}
		return false
	}
	r.columns, r.mark, r.tables, r.told = columns, mark, map[record]*Table{}, false
	return true
}

// row reads a row of the open table.
func (r *cells) row(n int, fields []string) {
	if !strings.ContainsAny(strings.Join(fields, ""), "0123456789") {
		return // the rule of Markdown
	}
	if len(fields) != len(r.columns) {
		r.b.note(n, "this row has %d cells, and the table %d columns: left out", len(fields), len(r.columns))
		return
	}
	var values []value
	for i, c := range r.columns {
		if fields[i] != "" && c.what != other {
			values = append(values, value{c, fields[i]})
		}
	}
	r.add(n, values)
}

// number is a cell with its unit: us, GB/s or bytes.
func (v *value) number() (x float64, ok bool) {
	m := valueUnit.FindStringSubmatch(v.text)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	unit := cmp.Or(cellUnits[m[2]], v.unit, 1)
	if v.what == size {
		unit = sizeUnits[strings.ToLower(m[2])]
		if m[2] == "" {
			unit = cmp.Or(v.unit, 1)
		}
	}
	return x * unit, err == nil && x > 0 && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// add takes the values of a row.
func (r *cells) add(n int, values []value) {
	row, in, of := Row{Line: n}, Row{}, r.about
	unnamed := false // the unit of the time
	var units rowUnits
	for _, v := range values {
		x, ok := v.number()
		switch {
		case v.what == operationName:
			of.op = opOf(v.text)
			continue
		case !ok && v.text == "N/A":
			continue
		case !ok:
			r.b.note(n, "the row is left out: %q is no positive number", abridged(v.text))
			return
		}
		to := &row
		if v.inPlace {
			to = &in
		}
		switch v.what {
		case size:
			row.Bytes = int64(min(x, 1<<53))
			units.size = v.sizeUnit()
		case duration:
			to.Micros = x
			unnamed = unnamed || v.unit == 0 && !strings.ContainsAny(v.text, "s")
		case algorithmBandwidth:
			to.AlgGBps = x
			units.named = units.named || v.unit > 0 || strings.Contains(v.text, "/")
		case busBandwidth:
			to.BusGBps = x
		case rankCount:
			of.ranks = int(min(x, maxHosts))
		case nodeCount:
			of.nodes = int(min(x, maxHosts))
		}
	}
	if row.Micros == 0 && row.AlgGBps == 0 && row.BusGBps == 0 {
		in.Bytes, in.Line = row.Bytes, n
		row, in = in, Row{}
	}
	if !unnamed {
		if taken := units.fit(&row); taken != "" && !r.told {
			r.told = true
			r.b.note(n, "%s, by which algbw is the size over the time", taken)
			if last := len(r.b.Notes) - 1; last >= 0 && r.b.Notes[last].Line == n {
				r.b.Notes[last].Kept = true
			}
		}
	}
	if why := row.complete(of, unnamed); why != "" {
		r.b.note(n, "the row of size %d is left out: %s", row.Bytes, why)
		return
	}
	row.InPlace = in.Micros
	t := r.tables[of]
	if t == nil {
		t = r.b.table(Table{Format: Cells, Line: n, Op: of.op, Listed: of.ranks, Nodes: of.nodes})
		if r.tables[of] = t; t == nil {
			return
		}
		if of.torch {
			t.Harness = "torch"
		}
	}
	if r.b.rows++; len(t.Rows) < maxRows {
		t.Rows = append(t.Rows, row)
	}
}

// complete computes the values that a row does not have, and returns the reason if it cannot.
func (row *Row) complete(of record, unnamed bool) string {
	factor := busFactor(of.op, of.ranks)
	switch {
	case row.Bytes < 1:
		return "it has no size"
	case row.AlgGBps == 0 && row.BusGBps > 0 && row.Micros == 0 && factor == 0:
		return "busbw alone gives no time: want a column time or algbw, or the operation and the ranks"
	case row.AlgGBps == 0 && row.BusGBps > 0 && factor > 0:
		row.AlgGBps = row.BusGBps / factor
	}
	if unnamed && row.AlgGBps == 0 {
		return "its time has no unit: want a column such as time_us, or algbw"
	}
	if unnamed {
		for _, unit := range []float64{1, 1e3, 1e6} {
			if contradiction(row.Bytes, row.Micros*unit, row.AlgGBps) == "" {
				row.Micros *= unit
				break
			}
		}
	}
	if row.Micros == 0 {
		row.Micros = float64(row.Bytes) / row.AlgGBps / 1e3
	}
	if row.AlgGBps == 0 {
		row.AlgGBps = float64(row.Bytes) / row.Micros / 1e3
	}
	if wrong := contradiction(row.Bytes, row.Micros, row.AlgGBps); wrong != "" {
		return wrong
	}
	return row.impossible()
}

// impossible is the reason why no cluster has this row, "" if one could.
func (row *Row) impossible() string {
	switch {
	case row.BusGBps > mostGBps:
		return fmt.Sprintf("its busbw of %g GB/s is above what any GPU's links have, %d GB/s", row.BusGBps, mostGBps)
	case row.Micros > mostMicros:
		return fmt.Sprintf("its time of %g us is longer than an hour", row.Micros)
	}
	return ""
}

// busFactor is bus bandwidth over algorithm bandwidth (nccl-tests, doc/PERFORMANCE.md), 0 if the
// ranks are not known.
func busFactor(op string, ranks int) float64 {
	n := float64(ranks)
	switch {
	case ranks < 2 || op == "":
		return 0
	case op == "all-reduce":
		return 2 * (n - 1) / n
	case op == "broadcast" || op == "send-recv":
		return 1
	}
	return (n - 1) / n
}

func (r *cells) end(bool) {}
