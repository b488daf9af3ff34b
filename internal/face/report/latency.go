package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/host"
	"weft/internal/study/latency"
	"weft/units"
)

// Latencies are latency budgets side by side: their terms, their costs, their ping-pongs in
// perftest's format, published figures, and the sources.
func Latencies(all []*latency.Result, figures []latency.Figure) *doc.Document {
	refs := &references{}
	terms := latencyTable(all, refs)
	var pingPongs strings.Builder
	for i := range all {
		m := all[i]
		fmt.Fprintf(&pingPongs, "# %s, %s\n%s\n%s\n", m.Fabric, perftestName(m), perftestHeading, perftestLine(m))
	}
	numbers, reasons := figureRows(figures)
	heading := latencyHeading(all)
	return &doc.Document{
		Brand: simulation, Title: "A" + heading[1:], Heading: heading, Subtitle: list(namesOf(all, fabricOf)), Series: namesOf(all, fabricOf),
		Footer: "Made by weft. The same fabrics, message and version make the same page.",
		Sections: []doc.Section{
			{Blocks: []doc.Block{terms}},
			{Title: "Other costs", Caption: "at sender + receiver", In: doc.Details, Blocks: []doc.Block{costTable(all)}},
			{Title: "Ping-pong, as perftest reports it", In: doc.Details, Blocks: []doc.Block{doc.Listing(pingPongs.String())}},
			{Title: "Figures in circulation", Caption: "compared with weft; nothing is fitted to them", In: doc.Details, Blocks: []doc.Block{doc.Grid(numbers), doc.Grid(reasons)}},
			{Title: "Sources", In: doc.Details, Blocks: append([]doc.Block{doc.Grid(refs.rows)}, doc.Notes(trustText())...)},
		},
	}
}

func fabricOf(m *latency.Result) string { return m.Fabric }

func latencyHeading(all []*latency.Result) string {
	m := all[0]
	way := "one cable"
	switch {
	case m.Hops == 1:
		way = "one switch"
	case m.Hops > 1:
		way = strconv.Itoa(m.Hops) + " switches"
	}
	return fmt.Sprintf("a message of %v over %s", m.Bytes, way)
}

// references numbers the sources of terms.
type references struct {
	seen map[host.Source]int
	rows [][]string
}

func (r *references) of(sources []host.Source) (numbers []int) {
	if r.seen == nil {
		r.seen = make(map[host.Source]int)
		r.rows = [][]string{{"", "field", "value", "trust", "source"}}
	}
	for _, s := range sources {
		n, ok := r.seen[s]
		if !ok {
			n = len(r.rows)
			r.seen[s] = n
			r.rows = append(r.rows, []string{fmt.Sprintf("[%d]", n), s.Field, s.Value, s.Tag, s.Text})
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// termRow is a term of all fabrics.
type termRow struct {
	part  latency.Part
	way   string
	name  string
	times []units.Time // by fabric; negative if it has no such term
	refs  []int
}

// sumOf is a row with the sums of some rows, and their sources.
func sumOf(label doc.Cell, rows []termRow, sources string) []doc.Cell {
	out := []doc.Cell{label}
	for k := range rows[0].times {
		sum, cell := units.Time(0), doc.None
		for i := range rows {
			if t := rows[i].times[k]; t >= 0 {
				sum += t
				cell = nanoseconds(sum)
			}
		}
		out = append(out, cell)
	}
	return append(out, doc.Text(sources))
}

// nanoseconds is a term of a budget, to the picosecond: terms sum up.
func nanoseconds(t units.Time) doc.Cell { return doc.Time(t).As(host.Nanoseconds(t)) }

// leading is the first rows, as long as they belong together.
func leading(rows []termRow, belongs func(termRow) bool) []termRow {
	if n := slices.IndexFunc(rows, func(r termRow) bool { return !belongs(r) }); n >= 0 {
		return rows[:n]
	}
	return rows
}

// latencyTable is a column per fabric and a row per term, in the order of the path.
func latencyTable(all []*latency.Result, refs *references) *doc.Table {
	t := columnsOf("", all, fabricOf)
	t.Columns = append(make([]doc.Column, len(all)+1), doc.Column{Wrap: true})
	t.Rows[0] = append(t.Rows[0], doc.Text("sources"))
	t.row(doc.Text("path"), func(m *latency.Result) doc.Cell { return doc.Text(string(m.Path)) }, doc.Cell{})
	t.row(doc.Text("operation"), func(m *latency.Result) doc.Cell { return doc.Text(string(m.Op)) }, doc.Cell{})
	part, way := latency.Part(""), ""
	rows := mergeTerms(all, refs)
	for i, x := range rows {
		if x.part != part {
			part = x.part
			same := leading(rows[i:], func(r termRow) bool { return r.part == part })
			t.Add(sumOf(doc.Text(string(part)).In(doc.Strong), same, "")...)
		}
		if x.way != way && x.way != "" {
			same := leading(rows[i:], func(r termRow) bool { return r.way == x.way })
			t.Add(sumOf(doc.Cell{Text: x.way, Level: 1}, same, "")...)
		}
		way = x.way
		level := 1
		if way != "" {
			level = 2
		}
		slices.Sort(x.refs)
		numbers := ""
		for _, n := range slices.Compact(x.refs) {
			numbers += fmt.Sprintf("[%d]", n)
		}
		t.Add(sumOf(doc.Cell{Text: x.name, Level: level}, rows[i:i+1], numbers)...)
	}
	t.row(doc.Text("sum, and one way"), func(m *latency.Result) doc.Cell { return nanoseconds(m.OneWay) }, doc.Cell{})
	return t.Table
}

// mergeTerms merges the terms of the fabrics: a term that one fabric lacks comes after the term
// that precedes it in the others.
func mergeTerms(all []*latency.Result, refs *references) (rows []termRow) {
	for k, m := range all {
		at := 0
		for i := range m.Terms {
			t := &m.Terms[i]
			name := termName(t)
			j := slices.IndexFunc(rows, func(r termRow) bool { return r.part == t.Part && r.name == name && r.times[k] < 0 })
			if j < 0 {
				for at < len(rows) && partOrder(rows[at].part) < partOrder(t.Part) {
					at++
				}
				rows = slices.Insert(rows, at, termRow{part: t.Part, way: t.Way, name: name, times: slices.Repeat([]units.Time{-1}, len(all))})
				j = at
			}
			rows[j].times[k] = t.Time
			rows[j].refs = append(rows[j].refs, refs.of(t.Sources)...)
			at = j + 1
		}
	}
	return rows
}

func partOrder(p latency.Part) int {
	return slices.Index([]latency.Part{latency.AtSender, latency.InFabric, latency.AtReceiver}, p)
}

// termName is a term's name with the components of its time.
func termName(t *latency.Term) string {
	switch {
	case t.Rate > 0:
		return fmt.Sprintf("%s: %v at %s", t.Name, t.Bytes, gigabytes(t.Rate))
	case t.Time == 0 && t.Note != "":
		return t.Name + ", cut-through"
	}
	return t.Name
}

func gigabytes(r units.Rate) string {
	return strconv.FormatFloat(float64(r)/8e9, 'f', -1, 64) + " GB/s"
}

// costTable is a column per fabric with the costs of its message.
func costTable(all []*latency.Result) *doc.Table {
	t := columnsOf("", all, fabricOf)
	both := func(n [2]int) doc.Cell { return doc.Instead(fmt.Sprintf("%d + %d", n[0], n[1])) }
	t.row(doc.Text("copies by a CPU"), func(m *latency.Result) doc.Cell { return both(m.Cost.CPUCopies) })
	t.row(doc.Text("copies by a GPU"), func(m *latency.Result) doc.Cell { return both(m.Cost.GPUCopies) })
	t.row(doc.Text("times that the data move, NIC to NIC included"), func(m *latency.Result) doc.Cell { return doc.Count(m.Cost.Moves()) })
	t.row(doc.Text("system calls"), func(m *latency.Result) doc.Cell { return both(m.Cost.KernelCalls) })
	t.row(doc.Text("interrupts"), func(m *latency.Result) doc.Cell { return both(m.Cost.Interrupts) })
	t.row(doc.Text("time on a CPU, sender"), func(m *latency.Result) doc.Cell { return nanoseconds(m.Cost.CPU[0]) })
	t.row(doc.Text("time on a CPU, receiver"), func(m *latency.Result) doc.Cell { return nanoseconds(m.Cost.CPU[1]) })
	t.row(doc.Text("CPU cycles"), func(m *latency.Result) doc.Cell {
		return doc.Instead(fmt.Sprintf("%d + %d", m.Cost.Cycles[0], m.Cost.Cycles[1]))
	})
	t.row(doc.Text("at a clock of"), func(m *latency.Result) doc.Cell { return doc.Frequency(m.Clock) })
	return t.Table
}

// figureRows is a row per published figure, and a row with the differences from weft's setting.
func figureRows(figures []latency.Figure) (numbers, reasons [][]string) {
	numbers = [][]string{{"figure", "it says", "weft", "of"}}
	reasons = [][]string{{"figure", "differences"}}
	for _, f := range figures {
		says := f.Low.String()
		if f.High != f.Low {
			says += " to " + f.High.String()
		}
		numbers = append(numbers, []string{f.Name, says, f.Weft.String(), f.Case})
		reasons = append(reasons, []string{f.Name, f.Why + " (" + f.Source + ")"})
	}
	return numbers, reasons
}

// perftestHeading is the heading of perftest's latency tests.
const perftestHeading = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]"

func perftestName(m *latency.Result) string {
	switch {
	case m.Op == latency.Read:
		return "as ib_read_lat: whole round trips"
	case !protocol.Of(m.Protocol).RDMA():
		return "as a ping-pong of sockets: half of each round trip"
	}
	return "as ib_" + string(m.Op) + "_lat: half of each round trip"
}

// perftestLine is perftest's.
func perftestLine(m *latency.Result) string {
	p := m.PingPong()
	return fmt.Sprintf(" %-7d %-10d %14.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f",
		m.Bytes, len(m.Trips), p.Min, p.Max, p.Typical, p.Avg, p.Stdev, p.P99, p.P999)
}
