package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/study/measured"
	"weft/internal/test/golden"
	"weft/scenario"
	"weft/units"
)

// rig is a cluster without weft's models. Between nodes an all-reduce is arithmetic:
//
//	start + size · factor of bus bandwidth / bandwidth + drag · √size,
//
// The bandwidth is the least of a GPU's links and, between nodes, of all NICs of a node. With a NIC for
// each GPU each byte crosses between two nodes once each way, as in a tree: tables V1 and A5 have 470
// to 485 GB/s with NICs of 400. With fewer NICs it is a ring. Inside a node it is a published table, with start and the difference that slower links
// make in addition. Figures are in GB/s and us, drag is in us per root of a MiB.
type rig struct {
	nodes, gpus, nics   int
	start, drag         float64
	scale               float64 // of the published times of one node
	inside, nic, shares float64 // of a GPU's links as bus bandwidth; of a NIC; of its rate that NCCL uses
}

// publishedNode is the time of an all-reduce on eight H100 in us: at 1 and 64 MiB of table A4, at 4
// and 16 MiB of T2, and at 256 KiB between A4's neighbours and those of aiconfigurator's table.
var publishedNode = map[int64]float64{256 * kib: 21.5, mib: 28.6, 4 * mib: 57.9, 16 * mib: 125.9, 64 * mib: 327}

// nodeBandwidth is the bus bandwidth of NVLS in the published tables.
const nodeBandwidth = 480

// healthyRig draws a healthy cluster: one node within 2 % and 2 us of the published times, or two
// nodes of eight H100 or H200 with 455 to 485 GB/s in the NVSwitches, 93 to 98 % of the NICs, a start
// of 40 to 60 us and a drag of 5 to 12 us per root of a MiB. Table V4, the only published one of
// healthy nodes on InfiniBand or RoCE v2 with small sizes, has a start of 57 us (its times at 256 KiB,
// 1 and 4 MiB without the bytes); V1 has 312 us beside its bytes at 512 MiB, a drag of 12.
func healthyRig(nodes, gpus int, rng *rand.Rand) rig {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	r := rig{nodes: nodes, gpus: gpus, nics: gpus, nic: 50, shares: between(.93, .98)}
	if nodes == 1 {
		r.inside, r.scale, r.start = nodeBandwidth, between(.98, 1.02), between(-2, 2)
		return r
	}
	r.inside, r.start, r.drag = between(455, 485), between(40, 60), between(5, 12)
	return r
}

func (r *rig) ranks() int { return r.nodes * r.gpus }

// micros is the time of an all-reduce.
func (r *rig) micros(bytes int64) float64 {
	data := float64(bytes) * measured.BusFactor(scenario.AllReduce, r.ranks()) / 1e3
	if r.nodes == 1 {
		return r.start + r.scale*publishedNode[bytes] + data*(1/r.inside-1/float64(nodeBandwidth))
	}
	network := float64(r.nics) * r.nic * r.shares
	if r.nics == r.gpus {
		network *= measured.BusFactor(scenario.AllReduce, r.ranks())
	}
	bandwidth := min(r.inside, network)
	return r.start + data/bandwidth + r.drag*math.Sqrt(float64(bytes)/mib)
}

// planted is a fault as arithmetic.
type planted struct {
	id    string
	nodes int
	what  string
	harm  func(r *rig, between func(low, high float64) float64)
}

var plantedFaults = []planted{
	{"", 1, "nothing", func(*rig, func(a, b float64) float64) {}},
	{"nvlink-off", 1, "20 to 45 GB/s among the GPUs, 10 to 20 us more", func(r *rig, between func(a, b float64) float64) {
		r.inside, r.start = between(20, 45), r.start+between(10, 20)
	}},
	{"nvls-off", 1, "a ring's 360 GB/s", func(r *rig, between func(a, b float64) float64) { r.inside = between(350, 370) }},
	{"", 2, "nothing", func(*rig, func(a, b float64) float64) {}},
	{"fewer-rails", 2, "one NIC of eight", func(r *rig, _ func(a, b float64) float64) { r.nics-- }},
	{"fewer-rails", 2, "two NICs of eight", func(r *rig, _ func(a, b float64) float64) { r.nics -= 2 }},
	{"fewer-rails", 2, "four NICs of eight", func(r *rig, _ func(a, b float64) float64) { r.nics -= 4 }},
	{"slow-nic", 2, "one NIC at a tenth to a half, for which all wait", func(r *rig, between func(a, b float64) float64) { r.nic *= between(.1, .5) }},
	{"link-rate", 2, "a half or a quarter", func(r *rig, between func(a, b float64) float64) { r.nic /= math.Round(between(1, 2)) * 2 }},
	{"gpudirect-off", 2, "8 to 20 GB/s a GPU, 10 to 30 us more, half more drag", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start, r.drag = between(8, 20), r.start+between(10, 30), 1.5*r.drag
	}},
	{"peer-path", 2, "10 to 30 GB/s between GPU and NIC", func(r *rig, between func(a, b float64) float64) { r.nic = between(10, 30) }},
	{"tcp", 2, "2 to 5 GB/s a NIC, 100 to 300 us more", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start = between(2, 5), r.start+between(100, 300)
	}},
	{"nvlink-off", 2, "20 to 45 GB/s among the GPUs, 10 to 20 us more", func(r *rig, between func(a, b float64) float64) {
		r.inside, r.start = between(20, 45), r.start+between(10, 20)
	}},
	{"software, proxy", 2, "60 to 240 us more at every size", func(r *rig, between func(a, b float64) float64) { r.start += between(60, 240) }},
}

// severe are faults that cost half of the bandwidth of large messages or more, or more than a
// start: no log with one is called healthy.
var severe = map[string]bool{
	"20 to 45 GB/s among the GPUs, 10 to 20 us more": true,
	"four NICs of eight":                             true,
	"2 to 5 GB/s a NIC, 100 to 300 us more":          true,
	"60 to 240 us more at every size":                true,
	"a NIC at 0.25 of its rate":                      true,
	"10 GB/s between GPU and NIC":                    true,
}

// sizedFaults are faults of given sizes: they show from which size on a log convicts.
func sizedFaults() (out []planted) {
	add := func(id string, nodes int, what string, harm func(r *rig, by float64), sizes ...float64) {
		for _, by := range sizes {
			out = append(out, planted{id, nodes, fmt.Sprintf(what, by), func(r *rig, _ func(a, b float64) float64) { harm(r, by) }})
		}
	}
	add("nvls-off", 1, "%g GB/s instead of 480", func(r *rig, by float64) { r.inside = by }, 450, 420, 390, 330, 270)
	add("slow-nic", 2, "a NIC at %g of its rate", func(r *rig, by float64) { r.nic *= by }, .9, .8, .7, .5, .25)
	add("peer-path", 2, "%g GB/s between GPU and NIC", func(r *rig, by float64) { r.nic = min(r.nic, by) }, 40, 30, 20, 10)
	add("software, proxy", 2, "%g us more", func(r *rig, by float64) { r.start += by }, 5, 10, 20, 40, 80)
	return out
}

// outcome counts the verdicts on logs with one planted fault.
type outcome struct{ logs, found, named, healthy, other, unexplained int }

func (o *outcome) count(d *Diagnosis, planted string) {
	o.logs++
	ids := strings.Split(planted, ", ") // hypotheses with the same arithmetic
	named := slices.ContainsFunc(d.Alike(), func(e Explanation) bool { return slices.Contains(ids, e.ID) })
	switch {
	case d.Verdict == Explained && slices.Contains(ids, d.Explanations[0].ID):
		o.found++
	case d.Verdict != Healthy && named, planted == "" && d.Verdict == Undecided && d.Healthy >= worthTelling:
		o.named++
	case d.Verdict == Healthy:
		o.healthy++
	case d.Verdict == Unexplained || d.Verdict == Faster:
		o.unexplained++
	default:
		o.other++
	}
}

// logsOf is the number of logs with each fault, sizesOf their sizes, noiseOf the noise of each
// time.
const (
	logsOf     = 20
	hitNoise   = .015
	hitsBegin  = "<!-- hits -->"
	hitsEnd    = "<!-- /hits -->"
	hitsHeader = "| planted | nodes | as arithmetic | logs | the answer | among those named | called healthy | another cause | nothing explains it |\n|---|---:|---|---:|---:|---:|---:|---:|---:|\n"
)

var hitSizes = []int64{256 * kib, mib, 4 * mib, 16 * mib, 64 * mib}

// simulations are weft's predictions for a cluster and for its faults.
type simulations struct {
	predicted [][]units.Time
	trials    []*trial
}

// simulate makes the predictions for the tasks of a log.
func simulate(t *testing.T, c *Cluster, d *Diagnosis, o Options) *simulations {
	t.Helper()
	s := &simulations{}
	for _, task := range d.Tasks {
		predicted, err := c.predict(context.Background(), task, nil, &o)
		if err != nil {
			t.Fatal(err)
		}
		s.predicted = append(s.predicted, predicted)
	}
	d.Predicted = s.predicted
	o.whole = true // for other logs of these sizes, too
	var err error
	if s.trials, err = d.try(context.Background(), c, &o); err != nil {
		t.Fatal(err)
	}
	return s
}

// written is the log of a cluster that arithmetic has drawn, with the fault.
func written(t *testing.T, p *planted, rng *rand.Rand) *logfile.Log {
	t.Helper()
	r := healthyRig(p.nodes, 8, rng)
	p.harm(&r, func(low, high float64) float64 { return low + (high-low)*rng.Float64() })
	var text strings.Builder
	text.WriteString("# Collective test starting: all_reduce_perf\n")
	for _, size := range hitSizes {
		row(&text, size, r.ranks(), r.micros(size), hitNoise, rng)
	}
	l, err := logfile.Read("log", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// firstFew are the likeliest explanations of a diagnosis.
func firstFew(d *Diagnosis) string {
	var few []string
	for _, e := range d.Explanations[:min(4, len(d.Explanations))] {
		few = append(few, fmt.Sprintf("%s %.2f (%s)", e.ID, e.Posterior, e.Label))
	}
	return strings.Join(few, ", ")
}

// TestTheHitsAgreeWithThePage diagnoses logs that arithmetic wrote, with noise: healthy logs, and
// faults of random severity. It compares the counts of verdicts with DIAGNOSE.md. -v shows every
// log.
func TestTheHitsAgreeWithThePage(t *testing.T) {
	byNodes := make(map[int]*simulations)
	var b strings.Builder
	b.WriteString(hitsHeader)
	var healthy, faulty outcome
	var told []string
	for i, p := range append(slices.Clone(plantedFaults), sizedFaults()...) {
		if i == len(plantedFaults) {
			fmt.Fprintf(&b, "| **all faults** | | | %s |\n", faulty.cells())
		}
		cluster := describe(t, fmt.Sprintf("cluster: {nodes: %d, node: dgx-h100}\nfabric: infiniband-ndr", p.nodes))
		o := Options{Simulate: simulateOnce, Nodes: p.nodes, coarse: true}
		var of outcome
		for seed := range uint64(logsOf) {
			d, err := cluster.lay(written(t, &p, rand.New(rand.NewPCG(seed, uint64(i)))), o)
			if err != nil {
				t.Fatal(err)
			}
			// All logs have the same sizes, and so the same predictions.
			s := byNodes[p.nodes]
			if s == nil {
				s = simulate(t, cluster, d, o)
				byNodes[p.nodes] = s
			}
			d.Predicted = s.predicted
			d.conclude(s.trials)
			of.count(d, p.id)
			told = append(told, fmt.Sprintf("%s, %s, %d: %s, healthy %.3f, other %.3f; %s", p.id, p.what, seed, d.Verdict, d.Healthy, d.Other, firstFew(d)))
		}
		if severe[p.what] && of.healthy > 0 {
			t.Errorf("%s, %s: %d of %d logs are called healthy", p.id, p.what, of.healthy, of.logs)
		}
		sum, name := &faulty, "`"+p.id+"`"
		if p.id == "" {
			sum, name = &healthy, "healthy"
		}
		if i < len(plantedFaults) {
			sum.add(of)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", name, p.nodes, p.what, of.cells())
	}
	if testing.Verbose() {
		t.Log(strings.Join(told, "\n"))
	}
	holdAgainstPage(t, b.String())
	if healthy.healthy+healthy.named < healthy.logs*9/10 {
		t.Errorf("of %d logs of healthy clusters %d are called healthy and %d undecided", healthy.logs, healthy.healthy, healthy.named)
	}
}

// holdAgainstPage compares the rows of a table with the rows of the page. Each figure may differ by
// a fifth of the logs, since a small change of a model moves some.
func holdAgainstPage(t *testing.T, got string) {
	t.Helper()
	stands := golden.Section(t, "../../../docs/DIAGNOSE.md", hitsBegin, hitsEnd, got)
	want, have := strings.Split(stands, "\n"), strings.Split(got, "\n")
	if len(want) != len(have) {
		t.Fatalf("the page has %d rows, want %d: rewrite it with -update", len(want), len(have))
	}
	for i := range have {
		w, h := strings.Split(want[i], "|"), strings.Split(have[i], "|")
		if len(w) != len(h) || len(h) < 10 {
			if want[i] != have[i] {
				t.Errorf("row %d is %q on the page, want %q", i, want[i], have[i])
			}
			continue
		}
		logs, _ := strconv.Atoi(strings.TrimSpace(h[4]))
		for j := 5; j < 10; j++ {
			was, _ := strconv.Atoi(strings.TrimSpace(w[j]))
			is, _ := strconv.Atoi(strings.TrimSpace(h[j]))
			if 5*max(was-is, is-was) > logs {
				t.Errorf("the page has %q, want %q: rewrite it with -update", want[i], have[i])
				break
			}
		}
	}
}

func (o *outcome) add(p outcome) {
	o.logs += p.logs
	o.found += p.found
	o.named += p.named
	o.healthy += p.healthy
	o.other += p.other
	o.unexplained += p.unexplained
}

func (o *outcome) cells() string {
	return fmt.Sprintf("%d | %d | %d | %d | %d | %d", o.logs, o.found, o.named, o.healthy, o.other, o.unexplained)
}
