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
// to 485 GB/s with NICs of 400. With fewer NICs it is a ring (nccl-tests issue 152: 92 to 96 GB/s of four
// NICs of 200 Gb/s) or a tree (nccl-tests issues 22 and 251: above the rate of the NICs), by a coin. Inside a node it is a published table, with start and the difference that slower links
// make in addition. Figures are in GB/s and us, drag is in us per root of a MiB.
type rig struct {
	nodes, gpus, nics   int
	start, drag         float64
	scale               float64 // of the published times of one node
	inside, nic, shares float64 // of a GPU's links as bus bandwidth; of a NIC; of its rate that NCCL uses
	pauses              float64 // median of what pauses add to the time of large sizes, as a part of it
	tree                bool    // with fewer NICs than GPUs
	says                string  // lines of the log
}

// publishedNode is the time of an all-reduce on eight H100 in us: at 1 and 64 MiB of table A4, at 16
// MiB of T2, at 256 MiB and 1 GiB between both, and at 256 KiB between A4's neighbours and those of
// aiconfigurator's table.
var publishedNode = map[int64]float64{256 * kib: 21.5, mib: 28.6, 16 * mib: 125.9, 64 * mib: 327, 256 * mib: 1106, 1024 * mib: 4137}

// nodeBandwidth is the bus bandwidth of NVLS in the published tables.
const nodeBandwidth = 480

// healthyRig draws a healthy cluster: one node within 2 % and 2 us of the published times, or two
// nodes of eight H100 or H200 with 455 to 485 GB/s in the NVSwitches, 93 to 98 % of the NICs, a start
// of 40 to 60 us and a drag of 5 to 12 us per root of a MiB. Table V4, the only published one of
// healthy nodes on InfiniBand or RoCE v2 with small sizes, has a start of 57 us (its times at 256 KiB,
// 1 and 4 MiB without the bytes); V1 has 312 us beside its bytes at 512 MiB, a drag of 12.
func healthyRig(nodes, gpus int, rng *rand.Rand) rig {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	r := rig{nodes: nodes, gpus: gpus, nics: gpus, nic: 50, shares: between(.93, .98), tree: rng.IntN(2) == 0}
	if nodes == 1 {
		r.inside, r.scale, r.start = nodeBandwidth, between(.98, 1.02), between(-2, 2)
		return r
	}
	r.inside, r.start, r.drag = between(455, 485), between(40, 60), between(5, 12)
	return r
}

func (r *rig) ranks() int { return r.nodes * r.gpus }

// storm is the factor on the time of one measurement of a size from 4 MiB on; 1 without a storm.
func (r *rig) storm(bytes int64, rng *rand.Rand) float64 {
	if r.pauses == 0 || bytes < 4*mib {
		return 1
	}
	return 1 + r.pauses*math.Exp(.7*rng.NormFloat64())
}

// micros is the time of an all-reduce.
func (r *rig) micros(bytes int64) float64 {
	data := float64(bytes) * measured.BusFactor(scenario.AllReduce, r.ranks()) / 1e3
	if r.nodes == 1 {
		return r.start + r.scale*publishedNode[bytes] + data*(1/r.inside-1/float64(nodeBandwidth))
	}
	network := float64(r.nics) * r.nic * r.shares
	if r.nics == r.gpus || r.tree {
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
	{"slow-gpu", 1, "a clock that makes all times 1.3 to 1.8 times as long", func(r *rig, between func(a, b float64) float64) {
		by := between(1.3, 1.8)
		r.scale, r.start, r.inside = r.scale*by, r.start*by, nodeBandwidth
	}},
	{"", 2, "nothing", func(*rig, func(a, b float64) float64) {}},
	{"fewer-rails", 2, "four NICs of eight", func(r *rig, _ func(a, b float64) float64) { r.nics -= 4 }},
	{"fewer-rails", 2, "one NIC of eight is left, and NCCL says which", func(r *rig, _ func(a, b float64) float64) {
		r.nics, r.says = 1, "n1:7:7 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
	}},
	{"slow-nic", 2, "one NIC at a half or a quarter, for which all wait", func(r *rig, between func(a, b float64) float64) { r.nic /= math.Round(between(1, 2)) * 2 }},
	{"link-rate", 2, "a half or a quarter", func(r *rig, between func(a, b float64) float64) { r.nic /= math.Round(between(1, 2)) * 2 }},
	{"gpudirect-off", 2, "8 to 20 GB/s a GPU, 10 to 30 us more, half more drag", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start, r.drag = between(8, 20), r.start+between(10, 30), 1.5*r.drag
	}},
	{"gpudirect-off", 2, "the same, and NCCL's lines have no GDRDMA", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start, r.drag = between(8, 20), r.start+between(10, 30), 1.5*r.drag
		r.says = "n1:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"
	}},
	{"peer-path", 2, "10 to 25 GB/s between GPU and NIC", func(r *rig, between func(a, b float64) float64) { r.nic = between(10, 25) }},
	{"tcp", 2, "2 to 5 GB/s a NIC, 100 to 300 us more", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start = between(2, 5), r.start+between(100, 300)
	}},
	{"tcp", 2, "the same, and NCCL's lines have NET/Socket", func(r *rig, between func(a, b float64) float64) {
		r.nic, r.start = between(2, 5), r.start+between(100, 300)
		r.says = "n1:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0\n"
	}},
	{"tcp", 2, "one interface of a host, 1 to 10 GB/s for a node, 150 to 300 us more, a drag of 80 to 160 us", func(r *rig, between func(a, b float64) float64) {
		r.nics, r.nic, r.shares, r.start, r.drag = 1, between(1, 10), 1, r.start+between(150, 300), between(80, 160)
	}},
	{"nvlink-off", 2, "20 to 45 GB/s among the GPUs, 10 to 20 us more", func(r *rig, between func(a, b float64) float64) {
		r.inside, r.start = between(20, 45), r.start+between(10, 20)
	}},
	{"software, proxy", 2, "60 to 240 us more at every size", func(r *rig, between func(a, b float64) float64) { r.start += between(60, 240) }},
	{"slow-gpu", 2, "a clock that makes start, drag and the GPUs' part 1.3 to 2 times as long", func(r *rig, between func(a, b float64) float64) {
		by := between(1.3, 2)
		r.start, r.drag, r.inside = r.start*by, r.drag*by, r.inside/by
	}},
	{"pause-storm", 2, "pauses, each measurement by itself, that add 0.5 to 4 times to times from 4 MiB on", func(r *rig, between func(a, b float64) float64) { r.pauses = between(.5, 4) }},
	{"bond-port", 2, "flows on one port of bonds, whose names the log has", func(r *rig, between func(a, b float64) float64) {
		r.nic *= between(.5, .65)
		r.says = "$ mpirun -np 16 -x NCCL_IB_HCA=mlx5_bond_0,mlx5_bond_1,mlx5_bond_2,mlx5_bond_3,mlx5_bond_4,mlx5_bond_5,mlx5_bond_6,mlx5_bond_7 ./all_reduce_perf -b 256K -e 1G -f 4\n"
	}},
}

// costly is what a fault costs at some size, from which on its cause is wanted.
const costly = .25

// cost is the largest part that a fault adds to the time of a size.
func (r *rig) cost(sound *rig) float64 {
	most := 0.
	for _, size := range hitSizes {
		most = max(most, r.micros(size)*(1+r.pauses)/sound.micros(size)-1)
	}
	return most
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
type outcome struct{ logs, found, named, open, healthy, wrong, other, unexplained int }

func (o *outcome) count(d *Diagnosis, planted string) {
	o.logs++
	ids := strings.Split(planted, ", ") // hypotheses with the same arithmetic
	named := slices.ContainsFunc(d.Alike(), func(e Explanation) bool { return slices.Contains(ids, e.ID) })
	named = named || d.Idle != nil && slices.Contains(ids, fewerRailsID) // the report says what they cost
	first := len(d.Explanations) > 0 && slices.Contains(ids, d.Explanations[0].ID)
	switch {
	case d.Verdict == Healthy:
		o.healthy++
	case planted != "" && first && d.Explanations[0].Posterior > d.Healthy && d.Verdict != Unexplained:
		o.found++
	case named:
		o.named++
	case d.Verdict == NotProved:
		o.open++
	case d.Verdict == Unexplained || d.Verdict == Faster:
		o.unexplained++
	case d.Verdict == Explained:
		o.wrong++
	default:
		o.other++
	}
}

// logsOf is the number of logs with each fault, sizesOf their sizes, noiseOf the noise of each
// time.
const (
	logsOf = 20
	// healthyLogsOf are of healthy clusters: a rate of 2 % takes a hundred.
	healthyLogsOf = 50
	hitNoise      = .015
	hitsBegin     = "<!-- hits -->"
	hitsEnd       = "<!-- /hits -->"
	hitsHeader    = "| planted | nodes | as arithmetic | logs | first | named | not proved | called healthy | convicted wrongly | others named | nothing explains it |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
)

var hitSizes = []int64{256 * kib, mib, 16 * mib, 64 * mib, 256 * mib, 1024 * mib}

// simulations are weft's predictions for a cluster and for its faults.
type simulations struct {
	predicted [][]units.Time
	trials    []*trial
	described []units.Time
	farther   []int64
}

// simulate makes the predictions for the tasks of a log.
func simulate(t *testing.T, c *Cluster, d *Diagnosis, o Options) *simulations {
	t.Helper()
	s := &simulations{}
	for _, task := range d.Tasks {
		times, err := task.run(context.Background(), task.base, c.Hops, &o)
		if err == nil {
			err = task.extend(context.Background(), c, &o, times)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.predicted = append(s.predicted, task.compared(times))
	}
	d.Predicted = s.predicted
	o.whole = true // for other logs of these sizes, too
	var err error
	if s.trials, err = d.try(context.Background(), c, &o); err != nil {
		t.Fatal(err)
	}
	return s
}

// written is the log of a cluster that arithmetic has drawn, with the fault, and what it costs.
func written(t *testing.T, p *planted, rng *rand.Rand) (l *logfile.Log, cost float64) {
	t.Helper()
	r := healthyRig(p.nodes, 8, rng)
	sound := r
	p.harm(&r, func(low, high float64) float64 { return low + (high-low)*rng.Float64() })
	var text strings.Builder
	text.WriteString(r.says + "# Collective test starting: all_reduce_perf\n")
	for _, size := range hitSizes {
		row(&text, size, r.ranks(), func() float64 { return r.micros(size) * r.storm(size, rng) }, hitNoise, rng)
	}
	l, err := logfile.Read("log", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return l, r.cost(&sound)
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
// faults of random severity. It compares the counts of verdicts with the exam, and the rates of
// costly faults with what they must be. -v shows every log.
func TestTheHitsAgreeWithThePage(t *testing.T) {
	known := make(map[string]*simulations)
	var b strings.Builder
	b.WriteString(hitsHeader)
	var healthy, faulty, dear outcome
	var told []string
	for i, p := range append(slices.Clone(plantedFaults), sizedFaults()...) {
		if i == len(plantedFaults) {
			fmt.Fprintf(&b, "| **all faults** | | | %s |\n| **that cost 25 %% or more** | | | %s |\n", faulty.cells(), dear.cells())
		}
		logs := uint64(logsOf)
		if p.id == "" {
			logs = healthyLogsOf
		}
		var of outcome
		for seed := range logs {
			d, cost := hit(t, &p, rand.New(rand.NewPCG(seed, uint64(i))), known)
			of.count(d, p.id)
			if p.id != "" && i < len(plantedFaults) && cost >= costly {
				dear.count(d, p.id)
			}
			told = append(told, fmt.Sprintf("%s, %s, %d: costs %.0f %%: %s, healthy %.3f, other %.3f; %s", p.id, p.what, seed, 100*cost, d.Verdict, d.Healthy, d.Other, firstFew(d)))
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
	if alarms := healthy.logs - healthy.healthy - healthy.open - healthy.named; 50*alarms > healthy.logs {
		t.Errorf("of %d logs of healthy clusters %d are accused, want 2 %% at most", healthy.logs, alarms)
	}
	if 33*dear.wrong > dear.logs {
		t.Errorf("of %d logs with a fault that costs 25 %% or more %d convict another cause, want 3 %% at most", dear.logs, dear.wrong)
	}
	if 33*dear.healthy > dear.logs {
		t.Errorf("of %d logs with a fault that costs 25 %% or more %d are called healthy, want 3 %% at most", dear.logs, dear.healthy)
	}
}

// hit diagnoses a log that arithmetic wrote. Logs of the same sizes and settings have the same
// predictions.
func hit(t *testing.T, p *planted, rng *rand.Rand, known map[string]*simulations) (*Diagnosis, float64) {
	t.Helper()
	cluster := describe(t, fmt.Sprintf("cluster: {nodes: %d, node: dgx-h100}\nfabric: infiniband-ndr", p.nodes))
	o := Options{Simulate: simulateOnce, Nodes: p.nodes, coarse: true}
	log, cost := written(t, p, rng)
	d, err := cluster.lay(log, o)
	if err != nil {
		t.Fatal(err)
	}
	concludeBy(t, cluster, d, o, known)
	return d, cost
}

// concludeBy concludes a diagnosis by simulations of everything, which logs of the same sizes and
// settings share.
func concludeBy(t *testing.T, c *Cluster, d *Diagnosis, o Options, known map[string]*simulations) {
	t.Helper()
	said := &d.Log.Said
	kind := fmt.Sprint(d.Tasks[0].Nodes, said.Devices, said.Settings, said.Direct, said.Bounced, said.Sockets)
	s := known[kind]
	if s == nil {
		s = simulate(t, c, d, o)
		s.described, s.farther = d.Tasks[0].described, d.Tasks[0].farther
		known[kind] = s
	}
	if d.Tasks[0].described == nil {
		d.Tasks[0].described, d.Tasks[0].farther = s.described, s.farther
		d.Tasks[0].widen()
	}
	d.Predicted = s.predicted
	if err := d.price(t.Context(), c, &o); err != nil {
		t.Fatal(err)
	}
	trials, err := d.goFarther(t.Context(), c, &o, s.trials)
	if err != nil {
		t.Fatal(err)
	}
	d.conclude(trials)
}

// holdAgainstPage compares the rows of a table with the rows of the page. Each figure may differ by
// a fifth of the logs, since a small change of a model moves some.
func holdAgainstPage(t *testing.T, got string) {
	t.Helper()
	stands := golden.Section(t, examFile, hitsBegin, hitsEnd, got)
	want, have := strings.Split(stands, "\n"), strings.Split(got, "\n")
	if len(want) != len(have) {
		t.Fatalf("the page has %d rows, want %d: rewrite it with -update", len(want), len(have))
	}
	for i := range have {
		w, h := strings.Split(want[i], "|"), strings.Split(have[i], "|")
		if len(w) != len(h) || len(h) < 12 {
			if want[i] != have[i] {
				t.Errorf("row %d is %q on the page, want %q", i, want[i], have[i])
			}
			continue
		}
		logs, _ := strconv.Atoi(strings.TrimSpace(h[4]))
		for j := 5; j < 12; j++ {
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
	o.open += p.open
	o.healthy += p.healthy
	o.wrong += p.wrong
	o.other += p.other
	o.unexplained += p.unexplained
}

func (o *outcome) cells() string {
	return fmt.Sprintf("%d | %d | %d | %d | %d | %d | %d | %d", o.logs, o.found, o.named, o.open, o.healthy, o.wrong, o.other, o.unexplained)
}
