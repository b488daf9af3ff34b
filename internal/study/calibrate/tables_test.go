package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/cores"
	"weft/internal/formats/logfile"
	"weft/internal/sim"
	"weft/internal/study/measured"
	"weft/internal/test/golden"
	"weft/scenario"
)

// ncclNames are nccl-tests' names of operations.
var ncclNames = map[scenario.Collective]string{
	scenario.AllReduce: "all_reduce", scenario.AllGather: "all_gather", scenario.ReduceScatter: "reduce_scatter", scenario.AllToAll: "alltoall", scenario.SendRecv: "sendrecv",
}

// part is the rows of a cluster with one operation on as many ranks, as NCCL chose its algorithm.
type part struct {
	cluster *measured.Cluster
	op      scenario.Collective
	ranks   int
	rows    []measured.Row
}

func (p *part) nodes() int { return max(p.cluster.Nodes, p.ranks/p.cluster.GPUs) }

// parts are the parts of all measured clusters that the catalog has.
func parts() (out []part) {
	clusters := measured.Clusters()
	for i := range clusters {
		c := &clusters[i]
		if c.Preset == "" {
			continue
		}
		first := len(out)
		for _, r := range c.Rows {
			if r.Algorithm != "" {
				continue
			}
			at := slices.IndexFunc(out[first:], func(p part) bool { return p.op == r.Op && p.ranks == r.Ranks })
			if at < 0 {
				at = len(out) - first
				out = append(out, part{cluster: c, op: r.Op, ranks: r.Ranks})
			}
			out[first+at].rows = append(out[first+at].rows, r)
		}
	}
	return out
}

// launchLines are nccl-tests' parameters for a harness.
var launchLines = map[scenario.Harness]string{scenario.Thread: "# nThread 8 nGpus 1\n", scenario.ForAll: "# nThread 1 nGpus 8\n", scenario.Process: "# nThread 1 nGpus 1\n"}

// nccltests is the part as a log of nccl-tests.
func (p *part) nccltests() string {
	if p.cluster.Harness == "torch" && p.op == scenario.AllReduce {
		return p.table(fmt.Sprintf("The average bandwidth of all_reduce over %d ranks:\n| payload | busbw | algbw |\n|---|---|---|", p.ranks), "|", func(r *measured.Row, us float64) string {
			alg := float64(r.Bytes) / us / 1e3
			return fmt.Sprintf("%d,%.2fGBps,%.2fGBps", r.Bytes, alg*measured.BusFactor(r.Op, r.Ranks), alg)
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Collective test starting: %s_perf\n%s# Using devices\n", ncclNames[p.op], launchLines[p.cluster.Harness])
	for rank := range p.ranks {
		per := p.ranks / p.nodes()
		fmt.Fprintf(&b, "#  Rank %2d Group  0 Pid %6d on node%d device %2d [0x00] some GPU\n", rank, rank+1, rank/per, rank%per)
	}
	b.WriteString("#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n")
	for _, r := range p.rows {
		us := float64(r.Time) / 1e6
		alg := float64(r.Bytes) / us / 1e3
		half := fmt.Sprintf(" %.2f %.2f %.2f 0", us, alg, alg*measured.BusFactor(r.Op, r.Ranks))
		fmt.Fprintf(&b, "%d %d float sum -1%s%s\n", r.Bytes, r.Bytes/4, half, half)
	}
	b.WriteString("# Avg bus bandwidth    : 1\n")
	return b.String()
}

// table is the part in cells, as a heading, rows and what stands between two cells.
func (p *part) table(heading, between string, row func(r *measured.Row, us float64) string) string {
	b := heading + "\n"
	for i := range p.rows {
		b += strings.ReplaceAll(row(&p.rows[i], float64(p.rows[i].Time)/1e6), ",", between) + "\n"
	}
	return b
}

// describe is the cluster as a user knows it: preset, nodes, NICs and fabric.
func (p *part) describe(t *testing.T) *Cluster {
	t.Helper()
	nics := ""
	if p.cluster.NICs > 0 {
		nics = fmt.Sprintf(", nics: %d", p.cluster.NICs)
	}
	return describe(t, fmt.Sprintf("cluster: {nodes: %d, node: {preset: %s%s}}\nfabric: %s", p.nodes(), p.cluster.Preset, nics, p.cluster.Fabric))
}

func (p *part) String() string { return fmt.Sprintf("%s, %s, %d ranks", p.cluster.ID, p.op, p.ranks) }

// read reads logs that a test wrote.
func read(t *testing.T, logs ...string) (out []*logfile.Log) {
	t.Helper()
	for _, text := range logs {
		l, err := logfile.Read("log", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		out = append(out, l)
	}
	return out
}

// TestEveryMeasuredTableIsReadInEveryForm writes each table as a log of nccl-tests, as CSV and as
// JSON. All forms give the same sizes and times, on the same nodes.
func TestEveryMeasuredTableIsReadInEveryForm(t *testing.T) {
	for _, p := range parts() {
		c := p.describe(t)
		forms := []string{
			p.nccltests(),
			p.table("op,nodes,ranks,size,time_us", ",", func(r *measured.Row, us float64) string {
				return fmt.Sprintf("%s,%d,%d,%d,%.3f", r.Op, p.nodes(), r.Ranks, r.Bytes, us)
			}),
			p.table("| operation | nodes | gpus | message size | latency (us) |\n|---|---|---|---|---|", "|", func(r *measured.Row, us float64) string {
				return fmt.Sprintf("%s,%d,%d,%d,%.3f", ncclNames[r.Op], p.nodes(), r.Ranks, r.Bytes, us)
			}),
			p.table("", ",", func(r *measured.Row, us float64) string {
				return fmt.Sprintf(`{"collective": %q; "nodes": %d; "world_size": %d; "size": %d; "out_of_place": {"time_us": %.3f}}`, r.Op, p.nodes(), r.Ranks, r.Bytes, us)
			}),
		}
		forms[3] = strings.ReplaceAll(forms[3], ";", ",")
		for i, text := range forms {
			tasks, notes := c.Tasks(read(t, text)[0], Options{Simulate: sim.Run, Sizes: 100})
			if len(tasks) != 1 || len(notes) > 0 {
				t.Errorf("%s, form %d: %d tasks, notes %v", &p, i, len(tasks), notes)
				continue
			}
			task := tasks[0]
			if i == 0 && (p.cluster.Harness == scenario.ForAll || p.cluster.Harness == scenario.Torch) {
				p.holdsLaunches(t, task)
				continue
			}
			if len(task.Points) != len(p.rows) || task.Ranks() != p.ranks || task.Nodes != p.nodes() {
				t.Errorf("%s, form %d: %d sizes of %d ranks on %d nodes, want %d of %d on %d", &p, i, len(task.Points), task.Ranks(), task.Nodes, len(p.rows), p.ranks, p.nodes())
				continue
			}
			for j, point := range task.Points {
				if want := float64(p.rows[j].Time); math.Abs(float64(point.Measured)/want-1) > .005 {
					t.Errorf("%s, form %d, %d B: %v, want %v", &p, i, point.Bytes, point.Measured, p.rows[j].Time)
				}
			}
		}
	}
}

// TestTheLogSaysTheReleaseOfNCCL takes NCCL's release from the log, and says by which rules it
// predicts. A release that is not known, or none, leaves the cluster's.
func TestTheLogSaysTheReleaseOfNCCL(t *testing.T) {
	for _, c := range []struct{ said, cluster, version, told string }{
		{"", "", "", "does not state NCCL's release: predicted by the rules of the newest that weft knows, 2.30"},
		{"", "\nnccl: {version: 2.27}", "2.27", "predicted by the rules of 2.27, as the cluster has it"},
		{"NCCL version 2.23.4+cuda12.6\n", "", "2.23.4+cuda12.6", "by the rules of NCCL 2.23.4"},
		{"# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803\n", "\nnccl: {version: 2.27}", "2.28.3", "2.28.3, as the log has it; the cluster as described has 2.27"},
		{"# nccl-tests version 2.19.7 nccl-headers=21803 nccl-library=21803\n# nThread 1 nGpus 1\nTest NCCL failure\n" +
			"# nccl-tests version 2.19.7 nccl-headers=22803 nccl-library=22803\n", "", "2.28.3", "2.28.3, as the log has it"}, // of two runs the table's
		{"NCCL version 2.8.4+cuda11.1\n", "", "", "NCCL 2.8.4+cuda11.1 are not known (2.9 is the oldest)"},
	} {
		cluster := describe(t, "cluster: {nodes: 1, node: dgx-h100}\nfabric: infiniband-ndr"+c.cluster)
		tasks, notes := cluster.Tasks(read(t, c.said+parts()[0].nccltests())[0], Options{Simulate: sim.Run})
		if len(tasks) != 1 {
			t.Fatalf("%q: %v", c.said, notes)
		}
		if got, told := tasks[0].base.NCCL.Version, strings.Join(tasks[0].Told, "; "); got != c.version || !strings.Contains(told, c.told) {
			t.Errorf("%q: NCCL %q, told %q; want %q and %q", c.said, got, told, c.version, c.told)
		}
	}
}

// TestDifferentGPUsInOneListAreRefused has a list of devices with H100 and A100.
func TestDifferentGPUsInOneListAreRefused(t *testing.T) {
	text := strings.Replace(strings.ReplaceAll(parts()[0].nccltests(), "some GPU", "NVIDIA H100 80GB HBM3"), "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", 1)
	_, notes := describe(t, "cluster: {nodes: 1, node: dgx-h100}\nfabric: infiniband-ndr").Tasks(read(t, text)[0], Options{Simulate: sim.Run})
	if len(notes) != 1 || !strings.Contains(notes[0].Text, "different GPUs (NVIDIA A100-SXM4-80GB, NVIDIA H100 80GB HBM3)") {
		t.Errorf("the notes are %v", notes)
	}
}

// holdsLaunches checks that a table whose header names the launch is compared at the sizes that
// package measured would score.
func (p *part) holdsLaunches(t *testing.T, task *Task) {
	t.Helper()
	scored := 0
	for i := range p.rows {
		if ok, _ := p.cluster.Scores(&p.rows[i]); ok {
			scored++
		}
	}
	if scored == 0 || len(task.Points) != scored {
		t.Errorf("%s: %d of %d sizes are compared, want %d: %s", p, len(task.Points), len(p.rows), scored, task.Skipped)
	}
}

// fitted is a fit to tables of one cluster.
type fitted struct {
	name    string
	cluster *Cluster
	logs    []*logfile.Log
	sizes   int
	before  measured.Sum // on the sizes held out
	after   measured.Sum
	fit     *Fit
	err     error
}

// fitOf is a fit to parts of a cluster, not yet run.
func fitOf(t *testing.T, name string, of ...part) *fitted {
	t.Helper()
	var logs []string
	for i := range of {
		logs = append(logs, of[i].nccltests())
	}
	return &fitted{name: name, cluster: of[0].describe(t), logs: read(t, logs...)}
}

// largestFitted is the largest simulated size of a fit of the page: larger ones have most of the
// cost.
const largestFitted = 128 * mib

// run fits on one core.
func (f *fitted) run() {
	f.fit, f.err = f.cluster.FitTo(context.Background(), f.logs, []string{"nccl"}, Options{Simulate: sim.Run, Workers: 1, Sizes: fittedSizes, MaxSize: largestFitted})
	if f.err != nil {
		return
	}
	for i := range f.fit.Held {
		for j, held := range f.fit.Held[i] {
			if f.sizes++; held {
				f.before.Add(math.Expm1(f.fit.Off[0][i][j]))
				f.after.Add(math.Expm1(f.fit.Off[1][i][j]))
			}
		}
	}
}

// The marks of the section of the exam with the fits.
const (
	fitsBegin  = "<!-- fits -->"
	fitsEnd    = "<!-- /fits -->"
	fitsHeader = "| fitted to | sizes | held out | before | after | worst after |\n|---|---:|---:|---:|---:|---:|\n"
)

func (f *fitted) String() string {
	return fmt.Sprintf("| %s | %d | %d | %.1f %% | %.1f %% | %+.0f %% |\n", f.name, f.sizes, f.before.Rows, 100*f.before.Mean(), 100*f.after.Mean(), 100*f.after.Worst)
}

// fittedSizes bounds the sizes of a table in a fit of the page, half of which are held out.
const fittedSizes = 12

// quickFits are the fits of a test without -update: few sizes, large ones, several operations.
var quickFits = []string{"T1-tuned, send-recv, 16 ranks", "H100, all-gather, 2 ranks", "H200, all-gather, 16 ranks"}

// TestTheFitsAgreeWithThePage fits to every second size of each measured table, and compares the
// errors on the other sizes with the exam. -update fits to all tables of clusters without a known
// fault that have a small size.
func TestTheFitsAgreeWithThePage(t *testing.T) {
	var fits []*fitted
	fit := func(name string, of ...part) {
		if golden.Updating() || slices.Contains(quickFits, name) {
			fits = append(fits, fitOf(t, name, of...))
		}
	}
	all := slices.DeleteFunc(parts(), func(p part) bool { return stateOf(p.cluster) == isFaulty || p.rows[0].Bytes > largestFitted })
	for i, p := range all {
		if len(p.rows) > 1 {
			fit(p.String(), p)
		}
		if i+1 == len(all) || all[i+1].cluster != p.cluster {
			of := slices.DeleteFunc(slices.Clone(all[:i+1]), func(q part) bool { return q.cluster != p.cluster })
			if len(of) > 1 {
				fit(p.cluster.ID+", all together", of...)
			}
		}
	}
	cores.Each(len(fits), 0, func(i int) { fits[i].run() })
	rows := make(map[string]string)
	var b strings.Builder
	b.WriteString(fitsHeader)
	for _, f := range fits {
		if f.err != nil {
			t.Fatalf("%s: %v", f.name, f.err)
		}
		rows[f.name] = f.String()
		b.WriteString(f.String())
		if testing.Verbose() {
			t.Log(f.String(), f.fit.Evaluations, f.fit.Constants, f.fit.Off)
		}
	}
	stands := golden.Section(t, examFile, fitsBegin, fitsEnd, b.String())
	for name, row := range rows {
		_, rest, found := strings.Cut(stands, "| "+name+" |")
		page, _, _ := strings.Cut(rest, "\n")
		if is, want := shares(row), shares(page); !found || math.Abs(is[0]-want[0]) > pageSlack || math.Abs(is[1]-want[1]) > pageSlack {
			t.Errorf("the page has %q, want %q: rewrite it with -update", page, row)
		}
	}
}

// pageSlack is the difference in per cent at which the page must be rewritten: a small change of a
// model moves some figures.
const pageSlack = 3

// shares are the mean errors of a row in per cent, before and after.
func shares(row string) (out [2]float64) {
	cells := strings.Split(row, "|")
	for i := range out {
		if at := len(cells) - 4 + i; at > 0 {
			fmt.Sscanf(strings.TrimSpace(cells[at]), "%f", &out[i])
		}
	}
	return out
}
