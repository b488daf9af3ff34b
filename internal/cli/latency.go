package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weft/internal/catalog"
	"weft/internal/latency"
	"weft/internal/report"
	"weft/internal/sim/host"
	"weft/scenario"
	"weft/units"
)

// explaining is the flags of weft latency.
type explaining struct {
	choice
	bytes      string
	op         string
	path       string
	cable      string
	hops       int
	iterations int
	jitter     bool
	json       bool
}

func newLatency(e *Env) *cobra.Command {
	l := &explaining{}
	cmd := &cobra.Command{
		Use:   "latency [FILE]",
		Short: "where the time of a small message goes, term by term",
		Long: `Simulates one small message between two hosts on each fabric and splits its time
into terms: the differences of the timestamps of the packet that carried it,
which sum to the whole, each with its source. Copies, system calls and CPU
cycles stand beside them, then what perftest would report of the ping-pong, and
the figures in circulation.

Without a file the fabrics are presets; with one they are the scenario's. Either
way two NICs stand on a chain of switches, idle but for the message. A WRITE and
a SEND carry immediate data, 4 bytes more on the wire than those of perftest,
whose receiver looks at its memory instead; of a READ, what the remote NIC does
is charged after the response.`,
		Example: `  weft latency
  weft latency --fabric infiniband-hdr,roce-v2-200g --path rdma-host --bytes 4K --hops 3
  weft latency examples/h100-128.yaml --op send --jitter`,
		Args:              args(0, 1, "at most one scenario file"),
		ValidArgsFunction: scenarioArg,
		RunE:              func(_ *cobra.Command, given []string) error { return l.do(e, given) },
	}
	l.flags = cmd
	f := cmd.Flags()
	f.StringSliceVar(&l.fabrics, "fabric", nil, "fabric presets, or fabrics of the scenario (default: InfiniBand, RoCE v2 and TCP at 400 Gb/s, or all of the scenario's)")
	f.StringVar(&l.bytes, "bytes", "2", "size of the message, as ib_write_lat has it (2, 4K)")
	f.StringVar(&l.op, "op", "write", "operation: write, send or read; TCP sends")
	f.StringVar(&l.path, "path", "", "data path of RDMA: cpu, rdma-host, gpudirect-p2p or gpudirect-rdma (default: the fabric's); TCP has cpu")
	f.StringVar(&l.cable, "cable", "", "length of each cable, such as 5m (default: the scenario's)")
	f.IntVar(&l.hops, "hops", 1, "switches between the two; 0 is a cable")
	f.IntVarP(&l.iterations, "iters", "n", 1000, "round trips of the ping-pong")
	f.BoolVar(&l.jitter, "jitter", false, "turn the seeded jitter of hosts, NICs and switches on (default: the scenario's)")
	f.Uint64Var(&l.seed, "seed", 0, "seed of the jitter (default: the scenario's)")
	f.StringArrayVar(&l.set, "set", nil, "change a field, such as fabrics[0].mtu=1KiB; without a file each fabric is fabrics[0]; may be repeated")
	f.BoolVar(&l.json, "json", false, "print as JSON")
	for flag, values := range map[string][]string{
		"fabric": catalog.Names(catalog.Fabric), "path": catalog.Names(catalog.Host), "op": {"write", "send", "read"},
		"bytes": nil, "cable": nil, "hops": nil, "iters": nil, "seed": nil, "set": nil,
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// measured is a latency with the scenario that it is of.
type measured struct {
	*latency.Result
	clock  int64
	jitter bool
}

func (l *explaining) do(e *Env, given []string) error {
	spec := latency.Spec{Op: latency.Op(l.op), Hops: l.hops, Iterations: l.iterations}
	var err error
	if spec.Bytes, err = units.ParseSize(l.bytes); err != nil {
		return fmt.Errorf("--bytes: %w", err)
	}
	scenarios, err := l.scenarios(e, given)
	if err != nil {
		return err
	}
	if err := l.change(scenarios); err != nil {
		return err
	}
	var all []measured
	var plain []*latency.Result
	for _, r := range scenarios {
		for i := range r.Fabrics {
			f := &r.Fabrics[i]
			s := spec
			if f.Kind == scenario.TCPKind && s.Op != latency.Send && !l.onlyTCP(scenarios, "op") {
				s.Op = latency.Send
			}
			if err := s.Check(f); err != nil {
				return err
			}
			m, err := latency.Measure(r, f, s)
			if err != nil {
				return fail(Failed, "%w", err)
			}
			all = append(all, measured{m, r.Cluster.Node.CPU.Clock, r.Run.Jitter})
			plain = append(plain, m)
		}
	}
	figures, err := latency.Figures(plain)
	if err != nil {
		return fail(Defect, "%w", err)
	}
	if l.json {
		return printJSON(e, latencyJSON(all, figures))
	}
	return tellLatency(e, all, figures)
}

// onlyTCP reports whether a flag that TCP has no choice about was given for
// fabrics of TCP alone: then it is a mistake, and not for others.
func (l *explaining) onlyTCP(scenarios []*scenario.Resolved, flag string) bool {
	for _, r := range scenarios {
		for i := range r.Fabrics {
			if r.Fabrics[i].Kind != scenario.TCPKind {
				return false
			}
		}
	}
	return l.flags.Flags().Changed(flag)
}

// usualFabrics are those that are laid side by side without a word about it.
var usualFabrics = []string{"infiniband-ndr", "roce-v2-400g", "tcp-400g"}

// latencyNodes are the nodes that a preset is tried in: the first whose NIC is
// fast enough.
var latencyNodes = []string{"dgx-h100", "dgx-b300"}

// scenarios are those of the fabrics: one of a file, or one for each preset.
func (l *explaining) scenarios(e *Env, given []string) ([]*scenario.Resolved, error) {
	if len(given) > 0 {
		r, err := l.load(e, given[0])
		return []*scenario.Resolved{r}, err
	}
	names := l.fabrics
	l.fabrics = nil // they are not a filter here
	if len(names) == 0 {
		names = usualFabrics
	}
	var out []*scenario.Resolved
	for _, name := range names {
		if _, err := catalog.Lookup(catalog.Fabric, name); err != nil {
			return nil, fmt.Errorf("--fabric: %w", err)
		}
		r, err := l.preset(name)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (l *explaining) preset(name string) (r *scenario.Resolved, err error) {
	var first error
	for _, node := range latencyNodes {
		var file *scenario.File
		file, err = scenario.Decode("--fabric "+name, []byte("name: "+name+"\ncluster: {nodes: 2, node: "+node+"}\nfabrics: ["+name+"]\n"))
		if err == nil {
			r, err = l.resolve(file)
		}
		if err == nil {
			return r, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// change lays the flags that every fabric takes over the scenarios.
func (l *explaining) change(scenarios []*scenario.Resolved) error {
	var host scenario.Host
	if l.path != "" {
		if _, err := catalog.Lookup(catalog.Host, l.path); err != nil {
			return fmt.Errorf("--path: %w", err)
		}
		if l.path != string(scenario.PathCPU) && l.onlyTCP(scenarios, "path") {
			return fmt.Errorf("--path %s: TCP in the kernel has the path cpu alone", l.path)
		}
		file, err := scenario.Decode("--path", []byte("fabrics: [{preset: infiniband-ndr, host: "+l.path+"}]\n"))
		if err != nil {
			return err
		}
		r, err := file.Resolve()
		if err != nil {
			return err
		}
		host = r.Fabrics[0].Host
	}
	length := units.Length(0)
	if l.cable != "" {
		var err error
		if length, err = units.ParseLength(l.cable); err != nil {
			return fmt.Errorf("--cable: %w", err)
		}
		if length < units.Millimetre || length > 100_000*units.Metre {
			return fmt.Errorf("--cable %s: want 1mm to 100km", l.cable)
		}
	}
	for _, r := range scenarios {
		r.Run.Jitter = r.Run.Jitter || l.jitter
		for i := range r.Fabrics {
			f := &r.Fabrics[i]
			if l.path != "" && f.Kind != scenario.TCPKind {
				f.Host = host
			}
			if length > 0 {
				f.Topology.Cables = scenario.Cables{NodeLeaf: length, LeafSpine: length, SpineCore: length, Local: length, Global: length}
			}
		}
	}
	return nil
}

// tellLatency prints the tables.
func tellLatency(e *Env, all []measured, figures []latency.Figure) error {
	style := e.style()
	refs := &references{}
	fmt.Fprintf(e.Stdout, "%s\n\n", style.Bold(latencyHeading(all)))
	if err := report.Grid(e.Stdout, latencyRows(all, refs), style); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "\n%s\n\n", style.Bold("what it costs besides time, at sender + receiver"))
	if err := report.Grid(e.Stdout, costRows(all), style); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "\n%s\n\n", style.Bold("ping-pong, as perftest reports it"))
	for _, m := range all {
		fmt.Fprintf(e.Stdout, "# %s, %s\n%s\n%s\n", m.Fabric, perftestName(m), perftestHeading, perftest(m).line(m))
	}
	fmt.Fprintf(e.Stdout, "\n%s\n\n", style.Bold("figures in circulation, beside weft; nothing is fitted to them"))
	numbers, reasons := figureRows(figures)
	if err := report.Grid(e.Stdout, numbers, style); err != nil {
		return err
	}
	fmt.Fprintln(e.Stdout)
	if err := report.Grid(e.Stdout, reasons, style); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "\n%s\n\n", style.Bold("sources"))
	if err := report.Grid(e.Stdout, refs.rows, style); err != nil {
		return err
	}
	return writeTrust(e.Stdout)
}

func latencyHeading(all []measured) string {
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
func latencyRows(all []measured, refs *references) [][]string {
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
		name := nanoseconds(m.OneWay)
		total = append(total, name)
	}
	rows = append(rows, append(total, ""))
	return rightAlign(rows, 1, len(all))
}

// mergeTerms lays the terms of the fabrics side by side: what one has and the
// others have not comes after what precedes it.
func mergeTerms(all []measured, refs *references) (rows []termRow) {
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
			rows[j].times[k] = nanoseconds(t.Time)
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

// nanoseconds is a time to the picosecond.
func nanoseconds(t units.Time) string {
	return fmt.Sprintf("%d.%03d ns", t/units.Nanosecond, t%units.Nanosecond)
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
func costRows(all []measured) [][]string {
	rows := [][]string{{""}}
	for _, m := range all {
		rows[0] = append(rows[0], m.Fabric)
	}
	add := func(label string, of func(m *measured) string) {
		row := []string{label}
		for i := range all {
			row = append(row, of(&all[i]))
		}
		rows = append(rows, row)
	}
	both := func(n [2]int) string { return fmt.Sprintf("%d + %d", n[0], n[1]) }
	add("copies by a CPU", func(m *measured) string { return both(m.Cost.CPUCopies) })
	add("copies by a GPU", func(m *measured) string { return both(m.Cost.GPUCopies) })
	add("times that the data move, NIC to NIC included", func(m *measured) string { return strconv.Itoa(m.Cost.Moves()) })
	add("system calls", func(m *measured) string { return both(m.Cost.KernelCalls) })
	add("interrupts", func(m *measured) string { return both(m.Cost.Interrupts) })
	add("time on a CPU, sender", func(m *measured) string { return nanoseconds(m.Cost.CPU[0]) })
	add("time on a CPU, receiver", func(m *measured) string { return nanoseconds(m.Cost.CPU[1]) })
	add("CPU cycles", func(m *measured) string { return fmt.Sprintf("%d + %d", m.Cost.Cycles[0], m.Cost.Cycles[1]) })
	add("at a clock of", func(m *measured) string { return strconv.FormatFloat(float64(m.clock)/1e9, 'f', -1, 64) + " GHz" })
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

func perftestName(m measured) string {
	switch {
	case m.Op == latency.Read:
		return "as ib_read_lat: whole round trips"
	case m.Protocol == scenario.TCPKind:
		return "as a ping-pong of sockets: half of each round trip"
	}
	return "as ib_" + string(m.Op) + "_lat: half of each round trip"
}

// pingPong is what perftest reports of a ping-pong.
type pingPong struct {
	min, max, typical, avg, stdev, p99, p999 float64 // microseconds
}

func perftest(m measured) (p pingPong) {
	t := slices.Clone(m.Trips)
	slices.Sort(t)
	n := len(t)
	us := func(t units.Time) float64 { return float64(t) / float64(units.Microsecond) }
	p.min, p.max = us(t[0]), us(t[n-1])
	p.typical = (us(t[(n-1)/2]) + us(t[n/2])) / 2
	for _, x := range t {
		p.avg += us(x) / float64(n)
	}
	for _, x := range t {
		p.stdev += (us(x) - p.avg) * (us(x) - p.avg) / float64(n)
	}
	p.stdev = math.Sqrt(p.stdev)
	p.p99, p.p999 = us(t[(n-1)*990/1000]), us(t[(n-1)*999/1000])
	return p
}

func (p pingPong) line(m measured) string {
	return fmt.Sprintf(" %-7d %-10d %14.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f",
		m.Bytes, len(m.Trips), p.min, p.max, p.typical, p.avg, p.stdev, p.p99, p.p999)
}
