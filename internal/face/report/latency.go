package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/internal/face/doc"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/host"
	"weft/internal/study/latency"
	"weft/units"
)

// Latency is where the time of a small message goes, with what of its scenario is told
// beside it.
type Latency struct {
	*latency.Result
	Clock  int64 // of the nodes' CPUs, in Hz
	Jitter bool  // is drawn
}

// WriteLatencies prints latencies side by side: their terms, what they cost, their
// ping-pongs as perftest reports them, the figures in circulation, and the sources.
func WriteLatencies(w io.Writer, all []Latency, figures []latency.Figure, style doc.Style) error {
	refs := &references{}
	fmt.Fprintf(w, "%s\n\n", style.Bold(latencyHeading(all)))
	if err := doc.Grid(latencyRows(all, refs)).Write(w, style); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\n", style.Bold("what it costs besides time, at sender + receiver"))
	if err := doc.Grid(costRows(all)).Write(w, style); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\n", style.Bold("ping-pong, as perftest reports it"))
	for i := range all {
		m := &all[i]
		fmt.Fprintf(w, "# %s, %s\n%s\n%s\n", m.Fabric, perftestName(m), perftestHeading, perftestLine(m))
	}
	fmt.Fprintf(w, "\n%s\n\n", style.Bold("figures in circulation, beside weft; nothing is fitted to them"))
	numbers, reasons := figureRows(figures)
	if err := doc.Grid(numbers).Write(w, style); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := doc.Grid(reasons).Write(w, style); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\n", style.Bold("sources"))
	return doc.Grid(refs.rows).Write(w, style)
}

func latencyHeading(all []Latency) string {
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

// termRow is a term on all fabrics.
type termRow struct {
	part  latency.Part
	name  string
	times []string // by fabric; empty where it has no such term
	refs  []int
}

// latencyRows is a column per fabric and a row per term, in the order of the
// way.
func latencyRows(all []Latency, refs *references) [][]string {
	head, path, op := []string{""}, []string{"path"}, []string{"operation"}
	for _, m := range all {
		head, path, op = append(head, m.Fabric), append(path, string(m.Path)), append(op, string(m.Op))
	}
	rows := [][]string{append(head, "sources"), append(path, ""), append(op, "")}
	part := latency.Part("")
	for _, t := range mergeTerms(all, refs) {
		if t.part != part {
			part = t.part
			rows = append(rows, append([]string{string(part)}, make([]string, len(all)+1)...))
		}
		row := []string{"  " + t.name}
		for _, text := range t.times {
			row = append(row, cmp.Or(text, "–"))
		}
		slices.Sort(t.refs)
		numbers := ""
		for _, n := range slices.Compact(t.refs) {
			numbers += fmt.Sprintf("[%d]", n)
		}
		rows = append(rows, append(row, numbers))
	}
	total := []string{"sum, and one way"}
	for _, m := range all {
		name := host.Nanoseconds(m.OneWay)
		total = append(total, name)
	}
	rows = append(rows, append(total, ""))
	return rightAlign(rows, 1, len(all))
}

// mergeTerms lays the terms of the fabrics side by side: what one has and the
// others have not comes after what precedes it.
func mergeTerms(all []Latency, refs *references) (rows []termRow) {
	for k, m := range all {
		at := 0
		for i := range m.Terms {
			t := &m.Terms[i]
			name := termName(t)
			j := slices.IndexFunc(rows, func(r termRow) bool { return r.part == t.Part && r.name == name && r.times[k] == "" })
			if j < 0 {
				for at < len(rows) && partOrder(rows[at].part) < partOrder(t.Part) {
					at++
				}
				rows = slices.Insert(rows, at, termRow{part: t.Part, name: name, times: make([]string, len(all))})
				j = at
			}
			rows[j].times[k] = host.Nanoseconds(t.Time)
			rows[j].refs = append(rows[j].refs, refs.of(t.Sources)...)
			at = j + 1
		}
	}
	return rows
}

func partOrder(p latency.Part) int {
	return slices.Index([]latency.Part{latency.AtSender, latency.InFabric, latency.AtReceiver}, p)
}

// termName is a term's name with what its time is made of.
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

// rightAlign puts the cells of some columns on their right edge.
func rightAlign(rows [][]string, from, to int) [][]string {
	for j := from; j <= to; j++ {
		width := 0
		for _, r := range rows {
			width = max(width, utf8.RuneCountInString(r[j]))
		}
		for _, r := range rows {
			r[j] = strings.Repeat(" ", width-utf8.RuneCountInString(r[j])) + r[j]
		}
	}
	return rows
}

// costRows is a column per fabric with what its message costs.
func costRows(all []Latency) [][]string {
	rows := [][]string{{""}}
	for _, m := range all {
		rows[0] = append(rows[0], m.Fabric)
	}
	add := func(label string, of func(m *Latency) string) {
		row := []string{label}
		for i := range all {
			row = append(row, of(&all[i]))
		}
		rows = append(rows, row)
	}
	both := func(n [2]int) string { return fmt.Sprintf("%d + %d", n[0], n[1]) }
	add("copies by a CPU", func(m *Latency) string { return both(m.Cost.CPUCopies) })
	add("copies by a GPU", func(m *Latency) string { return both(m.Cost.GPUCopies) })
	add("times that the data move, NIC to NIC included", func(m *Latency) string { return strconv.Itoa(m.Cost.Moves()) })
	add("system calls", func(m *Latency) string { return both(m.Cost.KernelCalls) })
	add("interrupts", func(m *Latency) string { return both(m.Cost.Interrupts) })
	add("time on a CPU, sender", func(m *Latency) string { return host.Nanoseconds(m.Cost.CPU[0]) })
	add("time on a CPU, receiver", func(m *Latency) string { return host.Nanoseconds(m.Cost.CPU[1]) })
	add("CPU cycles", func(m *Latency) string { return fmt.Sprintf("%d + %d", m.Cost.Cycles[0], m.Cost.Cycles[1]) })
	add("at a clock of", func(m *Latency) string { return strconv.FormatFloat(float64(m.Clock)/1e9, 'f', -1, 64) + " GHz" })
	for i := range rows {
		rows[i] = append(rows[i], "") // the last column is not for numbers
	}
	return rightAlign(rows, 1, len(all))
}

// figureRows is a row per figure in circulation, and a row per figure with what
// tells it from weft's.
func figureRows(figures []latency.Figure) (numbers, reasons [][]string) {
	numbers = [][]string{{"figure", "it says", "weft", "of"}}
	reasons = [][]string{{"figure", "what is different"}}
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

// perftestHeading is perftest's, of its tests of latency.
const perftestHeading = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]"

func perftestName(m *Latency) string {
	switch {
	case m.Op == latency.Read:
		return "as ib_read_lat: whole round trips"
	case !protocol.Of(m.Protocol).RDMA():
		return "as a ping-pong of sockets: half of each round trip"
	}
	return "as ib_" + string(m.Op) + "_lat: half of each round trip"
}

// perftestLine is perftest's.
func perftestLine(m *Latency) string {
	p := m.PingPong()
	return fmt.Sprintf(" %-7d %-10d %14.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f",
		m.Bytes, len(m.Trips), p.Min, p.Max, p.Typical, p.Avg, p.Stdev, p.P99, p.P999)
}
