package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/formats/logfile"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/protocol"
	"weft/internal/study/measured"
	"weft/scenario"
	"weft/units"
)

// Cluster is the cluster that a log comes from, according to the user.
type Cluster struct {
	File   *scenario.File // with its fabrics as a list (File.Explicit)
	Fabric int            // index among them
	Hops   int            // switches between two hosts, for latencies
}

// path is the path of a field of the cluster's fabric.
func (c *Cluster) path(field string) string { return fmt.Sprintf("fabrics[%d]%s", c.Fabric, field) }

// resolve is the scenario with overrides and only its fabric.
func (c *Cluster) resolve(over []scenario.Override) (*scenario.Resolved, error) {
	r, err := c.File.Resolve(over...)
	if err != nil {
		return nil, err
	}
	r.Fabrics = []scenario.Fabric{r.Fabrics[c.Fabric]}
	return r, nil
}

// kind is the way of simulating a task.
type kind uint8

const (
	collective kind = iota
	bandwidth       // of messages between two NICs
	oneMessage      // the time of a message between two NICs
	exchange        // of tokens with experts
	copies          // of blocks between two nodes, many at once
)

// Task is a table of a log in a form to simulate.
type Task struct {
	Table  *logfile.Table
	Title  string
	Nodes  int
	GPUs   int // of a node, in use
	Points []Point
	// Skipped says which sizes of the table are not compared or not simulated, with the reason.
	Skipped string
	// Told lists contradictions within the log, or with the scenario.
	Told []string
	// Stated are the settings that the log itself states, with which it is predicted.
	Stated []Stated

	// SlowPeers are the NICs that are slower than most others which the log tests in the same way; "" for none.
	SlowPeers string

	isSlowPeer bool // its own NIC is one of them
	kind       kind
	old        bool    // NCCL's release is older than the rules that are known
	wires      float64 // the busbw in GB/s that the wires carry; 0 if not known
	simulated  []int64 // sizes, ascending
	farther    []int64 // sizes, ascending, above all of these
	// described are the times of the cluster as described at all of these sizes; nil if none is farther.
	described []units.Time
	// Of an exchange: the simulated numbers of tokens of a rank, ascending, and the log's if it is another.
	tokens []int
	whole  int
	over   []scenario.Override
	base   *scenario.Resolved // with over, and what the log states
}

// Point is a compared size.
type Point struct {
	Line     int
	Bytes    int64
	Measured units.Time
	Factor   float64 // bus bandwidth over algorithm bandwidth; 0 if there is none
	// Bias is the mean of ln(measured / predicted) on healthy clusters, Known the spread around it.
	Bias, Known float64
	// Worst is the largest of these values on a healthy cluster of a published table, WorstOf the table.
	Worst   float64
	WorstOf string
	noise   float64 // of the log: ln of in-place over out-of-place
	twice   bool    // it was measured in place and out of place
}

// Ranks is the number of GPUs in use.
func (t *Task) Ranks() int { return t.Nodes * t.GPUs }

// Network reports whether the task sends anything between nodes.
func (t *Task) Network() bool { return t.Nodes > 1 }

// Tasks converts a log's tables to tasks. Tables that cannot be simulated on the cluster get a note
// instead.
func (c *Cluster) Tasks(log *logfile.Log, o Options) (tasks []*Task, notes []logfile.Note) {
	tasks, notes, _ = c.tasks(log, o)
	return tasks, notes
}

// tasks is Tasks; beyond says why the first table that is faster than the wires is so.
func (c *Cluster) tasks(log *logfile.Log, o Options) (tasks []*Task, notes []logfile.Note, beyond string) {
	for _, t := range log.Tables {
		if len(tasks) == maxTables {
			notes = append(notes, logfile.Note{File: t.File, Line: t.Line, Text: fmt.Sprintf("more than %d tables: those from here on are not compared", maxTables)})
			break
		}
		task, err := c.task(log, t, o)
		if err != nil {
			notes = append(notes, logfile.Note{File: t.File, Line: t.Line, Text: "this table is not compared: " + err.Error()})
			if e := (*beyondWires)(nil); errors.As(err, &e) && beyond == "" {
				beyond = e.text
			}
			continue
		}
		tasks = append(tasks, task)
	}
	besidePeers(tasks)
	return tasks, notes, beyond
}

func (c *Cluster) task(log *logfile.Log, t *logfile.Table, o Options) (*Task, error) {
	whole, err := c.resolve(nil)
	if err != nil {
		return nil, err
	}
	task := &Task{Table: t}
	switch t.Format {
	case logfile.NCCLTests, logfile.Cells:
		err = c.collective(task, whole, log, o)
	case logfile.DeepEP:
		err = c.exchange(task, whole, o)
	case logfile.NIXLBench, logfile.TransferEngine:
		err = c.copied(task, whole)
	default:
		err = c.message(task, whole)
	}
	if err != nil {
		return nil, err
	}
	if err := task.choose(whole, o); err != nil {
		return nil, err
	}
	if task.kind == collective {
		task.over = append(task.over, scenario.Override{Path: "workload.sizes", Value: task.sizes(), Origin: "the log's sizes"})
	}
	c.state(task, whole, &log.Said)
	task.base, err = c.under(task, nil)
	return task, err
}

// collective is a table of a collective.
func (c *Cluster) collective(task *Task, whole *scenario.Resolved, log *logfile.Log, o Options) error {
	t := task.Table
	if t.Op == "" {
		return fmt.Errorf("which operation it measures is not in the log, or weft has no model of it (%s): name it with --op", cmp.Or(t.Test, "no name of a test was found"))
	}
	ranks, told, err := trueRanks(t, &log.Said, whole.Cluster.Ranks())
	task.Told = told
	if err != nil {
		return err
	}
	if err := task.place(ranks, &whole.Cluster, o.Nodes); err != nil {
		return err
	}
	node := &whole.Cluster.Node
	if err := task.plausible(whole); err != nil {
		return err
	}
	task.Title = fmt.Sprintf("%s, %d ranks on %s", t.Op, ranks, wording.Counted(task.Nodes, "node", "nodes"))
	task.over = []scenario.Override{
		{Path: "workload.collective", Value: t.Op, Origin: "the log's operation"},
		{Path: "cluster.nodes", Value: fmt.Sprint(task.Nodes), Origin: "the log's nodes"},
	}
	task.release(whole, cmp.Or(task.Table.Version, log.Said.Version), &log.Said)
	if t.Harness != "" {
		task.over = append(task.over, scenario.Override{Path: "nccl.harness", Value: t.Harness, Origin: "the log's launch"})
	}
	if task.GPUs < node.GPUs {
		task.over = append(task.over, node.Part(task.GPUs, "the log's ranks")...)
	}
	return nil
}

// release takes NCCL's release, as the log has it, and tells by which rules the log is predicted. RCCL has
// one set of rules.
func (t *Task) release(whole *scenario.Resolved, version string, said *logfile.Said) {
	if whole.Cluster.Node.GPU.Architecture == scenario.CDNA3 {
		return
	}
	logged, err := nccl.ParseRelease(version)
	described, _ := nccl.ParseRelease(whole.NCCL.Version) // the scenario has been checked
	by := fmt.Sprintf("the newest that weft knows, 2.%d", nccl.NewestRelease)
	if described > 0 {
		by = whole.NCCL.Version + ", as the cluster has it"
	}
	switch {
	case version == "" && t.before25(said):
		t.old = true
		t.Told = append(t.Told, fmt.Sprintf("NCCL_TREE_THRESHOLD is a variable of releases before 2.5, whose rules are not known (2.%d is the oldest): the prediction uses the rules of %s", nccl.OldestRelease, by))
	case version == "":
		t.Told = append(t.Told, fmt.Sprintf("the log does not state NCCL's release: predicted by the rules of %s", by))
	case err != nil:
		t.old = true
		t.Told = append(t.Told, fmt.Sprintf("the rules of the log's NCCL %s are not known (2.%d is the oldest): the prediction uses the rules of %s", version, nccl.OldestRelease, by))
	default:
		t.over = append(t.over, scenario.Override{Path: "nccl.version", Value: version, Origin: "the log's NCCL"})
		told := fmt.Sprintf("predicted by the rules of NCCL %s, as the log has it", version)
		if described > 0 && described != logged {
			told += "; the cluster as described has " + whole.NCCL.Version
		}
		t.Told = append(t.Told, told)
	}
}

// before25 reports whether the log has the variable that NCCL 2.5 took away.
func (t *Task) before25(said *logfile.Said) bool {
	_, ok := setFor(t, said, "NCCL_TREE_THRESHOLD")
	return ok
}

// trueRanks is the number of ranks: by the bandwidths, or else by the log, or else by the cluster.
// told names contradictions.
func trueRanks(t *logfile.Table, said *logfile.Said, cluster int) (ranks int, told []string, err error) {
	by := t.Ranks()
	if by.Most > 0 && by.Least > by.Most {
		return 0, nil, fmt.Errorf("no number of ranks gives this busbw over algbw in an %s: the rows are of different runs, or of another operation", t.Op)
	}
	exact, isExact := by.Exact()
	for _, claim := range []struct {
		ranks int
		who   string
	}{{t.Listed, "the list of devices"}, {said.Ranks, "NCCL's initialisation"}} {
		switch {
		case claim.ranks == 0:
		case !by.Allows(claim.ranks) && isExact:
			told = append(told, fmt.Sprintf("%s says %d ranks, but busbw over algbw is for %d: weft takes %d", claim.who, claim.ranks, exact, exact))
		case !by.Allows(claim.ranks):
			told = append(told, fmt.Sprintf("%s says %d ranks, but busbw over algbw is for %d to %d", claim.who, claim.ranks, by.Least, by.Most))
		case ranks == 0:
			ranks = claim.ranks
		}
	}
	switch {
	case isExact:
		return exact, told, nil
	case ranks > 0:
		return ranks, told, nil
	case by.Allows(cluster):
		return cluster, append(told, fmt.Sprintf("the log does not have the number of ranks: weft takes the cluster's %d", cluster)), nil
	}
	return 0, told, fmt.Errorf("busbw over algbw is for %d to %d ranks, and the cluster has %d: give --nodes", by.Least, by.Most, cluster)
}

// place assigns ranks to nodes: as many as the log lists, or else full nodes.
func (t *Task) place(ranks int, c *scenario.Cluster, nodes int) error {
	per, why := min(ranks, c.Node.GPUs), "the cluster's nodes"
	switch {
	case nodes > 0:
		if ranks%nodes != 0 {
			return fmt.Errorf("%d ranks are no whole number on each of %d nodes (--nodes)", ranks, nodes)
		}
		per, why = ranks/nodes, "--nodes"
	case t.Table.Nodes > 0:
		if ranks%t.Table.Nodes != 0 {
			return fmt.Errorf("%d ranks are no whole number on each of the table's %d nodes", ranks, t.Table.Nodes)
		}
		per, why = ranks/t.Table.Nodes, "the table"
	case t.Table.Listed == ranks && len(t.Table.Hosts) > 0 && len(t.Table.Hosts)*t.Table.PerHost == ranks:
		per, why = t.Table.PerHost, "the list of devices"
	}
	switch {
	case per > c.Node.GPUs:
		return fmt.Errorf("%s puts %d ranks on a node, and the cluster's have %d GPUs: this is another cluster than the log's", why, per, c.Node.GPUs)
	case ranks%per != 0:
		return fmt.Errorf("%d ranks are no whole number of nodes with %d GPUs: give --nodes", ranks, per)
	}
	t.Nodes, t.GPUs = ranks/per, per
	return nil
}

// message is a table of perftest or clusterkit: two NICs of two nodes.
func (c *Cluster) message(task *Task, whole *scenario.Resolved) error {
	t := task.Table
	f := &whole.Fabrics[0]
	switch {
	case t.Op == "":
		return errors.New("which operation it measures is not in the log")
	case whole.Cluster.Nodes < 2:
		return errors.New("the cluster has one node, and perftest measures between two")
	case !protocol.Of(f.Kind).RDMA():
		return fmt.Errorf("%s has no RDMA", f.Name)
	}
	task.Nodes, task.GPUs = 2, 1
	task.kind = bandwidth
	what := "bandwidth"
	if t.Latency {
		task.kind, what = oneMessage, "latency"
	}
	memory := "host memory"
	if t.GPUMemory {
		memory = "GPU memory"
	} else {
		task.over = append(task.over, c.inHostMemory("perftest")...)
	}
	task.Title = fmt.Sprintf("%s of %s between two NICs, %s", what, t.Op, memory)
	if name := device(t); name != "" {
		task.Title += ", " + name
	}
	if t.MTU > 0 && t.MTU != int64(f.MTU) {
		task.Told = append(task.Told, fmt.Sprintf("perftest ran with an MTU of %s, and the cluster's fabric has %s", units.Bytes(t.MTU), f.MTU))
	}
	return nil
}

// choose chooses the sizes to compare: at most maxPoints, evenly spread.
func (t *Task) choose(whole *scenario.Resolved, o Options) error {
	rows := slices.Clone(t.Table.Rows)
	sorting.StableFunc(rows, func(a, b logfile.Row) int { return int(min(1, max(-1, a.Bytes-b.Bytes))) })
	rows = slices.CompactFunc(rows, func(a, b logfile.Row) bool { return a.Bytes == b.Bytes })
	rows = slices.DeleteFunc(rows, func(r logfile.Row) bool { return r.Bytes < 1 || t.kind == oneMessage && r.Bytes > 64<<10 })
	if len(rows) == 0 {
		return errors.New("it has no size that weft simulates")
	}
	if rows = t.withoutOwnWork(rows); len(rows) == 0 {
		return errors.New("at every size the test's own work for a message is the larger part of the time: want larger sizes")
	}
	all := len(rows)
	if rows = slices.DeleteFunc(rows, dominated(t.Table.Harness, rows)); len(rows) == 0 {
		return fmt.Errorf("at every size the launch (%s) is too large a part of the time: want larger sizes", t.Table.Harness)
	}
	if short := all - len(rows); short > 0 {
		t.Skipped = fmt.Sprintf("not compared: %s, of which the launch (%s) is a large part", wording.Counted(short, "size", "sizes"), t.Table.Harness)
	}
	most := maxPoints
	if o.Sizes > 0 {
		most = o.Sizes
	}
	if len(rows) > most {
		t.Skipped = strings.TrimPrefix(fmt.Sprintf("%s; %d of %d sizes are compared (--sizes)", t.Skipped, most, len(rows)), "; ")
	}
	for i := range min(most, len(rows)) {
		at := i
		if len(rows) > most {
			at = int(math.Round(float64(i) * float64(len(rows)-1) / float64(max(1, most-1))))
		}
		t.Points = append(t.Points, t.point(&rows[at], whole, o))
	}
	t.reach(o)
	return nil
}

// withoutOwnWork leaves out the sizes of a bandwidth at which the test itself is slower than the
// network.
func (t *Task) withoutOwnWork(rows []logfile.Row) []logfile.Row {
	all := len(rows)
	rows = slices.DeleteFunc(rows, func(r logfile.Row) bool { return t.Table.Own(&r) })
	if short := all - len(rows); short > 0 {
		t.Told = append(t.Told, fmt.Sprintf("not compared: %s, of which the test's own work for a message is a large part", wording.Counted(short, "size", "sizes")))
	}
	return rows
}

// dominated reports whether the launch is a large part of a row's time.
func dominated(harness string, rows []logfile.Row) func(logfile.Row) bool {
	least := slices.MinFunc(rows, func(a, b logfile.Row) int { return cmp.Compare(a.Micros, b.Micros) })
	bound, _ := measured.LaunchBound(scenario.Harness(harness), time(least.Micros))
	return func(r logfile.Row) bool { return time(r.Micros) < bound }
}

// reach chooses the sizes to simulate: the compared ones up to a limit. If some are larger, two
// neighbours give the bandwidth of all of them: the limit and its half. A table that begins above
// the limit raises it, since NCCL may choose otherwise at smaller sizes.
func (t *Task) reach(o Options) {
	if t.kind == exchange { // its size follows from the tokens
		for _, n := range t.tokens {
			t.simulated = append(t.simulated, t.Points[0].Bytes*int64(n)/int64(max(t.whole, t.tokens[len(t.tokens)-1])))
		}
		return
	}
	limit := int64(maxInNode)
	if t.Network() {
		limit = min(maxBetween, maxMoved/int64(t.Ranks()))
	}
	if o.MaxSize > 0 {
		limit = int64(o.MaxSize)
	}
	limit = max(limit, min(t.Points[0].Bytes, maxRaised*limit))
	limit = max(limit/8, 1) * 8 // a half of it has whole elements, too
	large := 0
	for i := range t.Points {
		if t.Points[i].Bytes <= limit {
			t.simulated = append(t.simulated, t.Points[i].Bytes)
		} else {
			large++
		}
	}
	if large == 0 {
		return
	}
	t.simulated = slices.Compact(slices.Sorted(slices.Values(append(t.simulated, limit/2, limit))))
	t.Skipped = strings.TrimPrefix(fmt.Sprintf("%s; above %s (--max-size), %s: by the bandwidth between %s and %s", t.Skipped, units.Bytes(limit), wording.Counted(large, "size", "sizes"), units.Bytes(limit/2), units.Bytes(limit)), "; ")
}

// least is the time that the wires of the described cluster take for a size at least; 0 if no bound is
// known.
func (t *Task) least(bytes int64) units.Time {
	if t.wires == 0 {
		return 0
	}
	factor := measured.BusFactor(scenario.Collective(t.Table.Op), t.Ranks())
	return time(float64(bytes) * factor / t.wires / 1e3)
}

// unknown is the time of a size that has not been simulated.
const unknown units.Time = 0

// time is a time in us.
func time(micros float64) units.Time { return units.Time(micros * float64(units.Microsecond)) }

// point converts a row for the comparison.
func (t *Task) point(r *logfile.Row, whole *scenario.Resolved, o Options) Point {
	p := Point{Line: r.Line, Bytes: r.Bytes}
	switch {
	case r.Micros > 0:
		p.Measured = time(r.Micros)
	default:
		p.Measured = units.Time(float64(r.Bytes) * 8 * 1000 / r.Gbps)
	}
	if r.InPlace > 0 {
		p.noise, p.twice = math.Abs(math.Log(r.InPlace/r.Micros)), r.Micros > 0
	}
	if t.kind == collective {
		p.Factor = measured.BusFactor(scenario.Collective(t.Table.Op), t.Ranks())
	}
	if p.Bias, p.Known = t.known(whole, r.Bytes, &o); t.old {
		p.Known = math.Hypot(p.Known, oldSpread)
	}
	if t.kind == collective && o.Known == 0 {
		p.Worst, p.WorstOf = worstError(t.stack(whole), r.Bytes, o.without)
	}
	return p
}

// sizes is the list in the form of a scenario.
func (t *Task) sizes() string {
	var list []string
	for _, bytes := range t.simulated {
		list = append(list, units.Bytes(bytes).Exact())
	}
	return "[" + strings.Join(list, ", ") + "]"
}
