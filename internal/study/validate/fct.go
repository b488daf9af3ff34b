package validate

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/formats/hpcc"
	"weft/internal/study/hpccrun"
	"weft/scenario"
	"weft/units"
)

//go:embed testdata/fct
var fctFolders embed.FS

const fctRoot = "testdata/fct"

// fctNotes are the known reasons why a folder misses.
var fctNotes = map[string]string{
	"star100_inc32_1MB_pfconly_buf4": "The order of events at one instant decides which of the 32 flows in step is paused first: there it is the order of scheduling, in weft the order of the links. " +
		"The sums agree: mean and last completion and the distribution are beside it.",
	"star100_inc2_1MB_dcqcn_buf32": "Two flows and about 20 marks in all: whether one of the first draws hits decides which flow is cut and by how much, so a completion is one sample of a wide distribution. " +
		"weft's own spread over many seeds is shown with the case, and so is the other simulator's with other seeds: their median means agree within 1 %.",
}

// replayed is that simulator's mean completion time in microseconds, as the median over
// 50 other seeds, for the cases that depend on marks. The replay in internal/formats/hpcc
// gives it, which reproduces every reference here to the nanosecond with the original
// seed; here math/rand/v2's PCG(s, 1), s = 0 to 49, replaces its random stream.
var replayed = map[string]float64{
	"leafspine16_100_perm2MB_dcqcn_buf32":       528.818,
	"leafspine16_100_perm2MB_dcqcn_paper_buf32": 346.695,
	"star100_inc2_1MB_dcqcn_buf32":              400.981,
	"star100_inc8_1MB_dcqcn_buf32":              1080.548,
}

// fctCases compare the completion times of flows with another simulator's.
func fctCases() []*Case {
	folders, err := fs.ReadDir(fctFolders, fctRoot)
	if err != nil {
		panic(fmt.Sprintf("validate: %v", err)) // embedded
	}
	var out []*Case
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		name := f.Name()
		c := &Case{
			ID: "fct/" + name,
			Reference: "The HPCC authors' DCQCN and PFC model in ns-3 (astra-sim/astra-network-ns3 at 8fd3604), one run with its default seed: fct.txt and pfc.txt of the folder of this name. " +
				"It rounds each serialisation to whole nanoseconds (1036 B at 100 Gb/s: +0.14 %, at 400 Gb/s: +1.35 %; 4132 B at 400 Gb/s: +0.44 %); weft does not.",
			Setting: "The folder's config.txt, topology.txt and flow.txt, as `weft replay` reads them.",
			Calibrated: "Overheads (36 and 48 B), reserve, headroom, alpha, resume offset, the PFC frame, the hash and the order of next hops are that simulator's own, from its source and its README; " +
				"none was fitted to a completion time.",
			Run: func(e *Env) ([]Row, error) { return fctRows(e, name) },
		}
		_, slow := spreadSeeds(name)
		c.Slow = slow && !deterministic(name)
		if deterministic(name) {
			c.Claim = "The completion of every flow agrees with the other simulator within 1 % at 100G and 2 % at 400G, and the number of PFC frames within 10 % (no random draw is involved)."
		} else {
			c.Claim = "Mean completion, last completion and the number of PFC frames agree with the other simulator within 10 % (marks are random draws)."
		}
		out = append(out, c)
	}
	return out
}

// deterministic reports whether a case involves no random draw: no ECN, or a
// flow alone.
func deterministic(folder string) bool {
	return strings.Contains(folder, "pfconly") || strings.Contains(folder, "_inc1_")
}

// reference is the outcome of the other simulator.
type fctReference struct {
	flows map[[3]uint32]hpcc.FCT // by addresses and source port
	pfc   int                    // frames
}

func fctRows(e *Env, name string) ([]Row, error) {
	folder, err := fs.Sub(fctFolders, fctRoot+"/"+name)
	if err != nil {
		return nil, err
	}
	c, err := hpcc.Read(folder)
	if err != nil {
		return nil, err
	}
	want, err := readReference(folder)
	if err != nil {
		return nil, err
	}
	if e.Change != nil {
		changeHPCC(e, c)
	}
	got, err := hpccrun.Run(e.Ctx, c, 1, 1)
	if err != nil {
		return nil, err
	}
	all, err := pairUp(want, got.FCT)
	if err != nil {
		return nil, err
	}
	var rows []Row
	t := within(0.10)
	if deterministic(name) {
		all.Tolerance, t = within(0.01), shown
		if c.Topology.Links[0].Rate == 400*units.Gbps {
			all.Tolerance = within(0.02)
		}
		all.Note = fctNotes[name]
	}
	all.Name = fmt.Sprintf("%d flows, each", len(all.Weft))
	note := ""
	if t != shown {
		note = fctNotes[name]
	}
	rows = append(rows, all,
		one("mean completion", Microseconds, mean(all.Reference), mean(all.Weft), t, note),
		one("last completion", Microseconds, slices.Max(all.Reference), slices.Max(all.Weft), t, ""))
	if len(all.Weft) > 1 {
		rows = append(rows, distances(&all)...)
	}
	rows = append(rows, one("PFC frames", Plain, float64(want.pfc), float64(len(got.PFC)), within(0.10), ""))
	if !deterministic(name) {
		rows = append(rows, Row{Name: "packets marked", Unit: Plain, Weft: []float64{float64(got.Stats.Marked)}})
	}
	if seeds, slow := spreadSeeds(name); got.Stats.Marked > 0 && !(e.Short && slow) {
		spread, err := fctSpread(e, c, &all, seeds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, spread...)
		if own := replayed[name]; own > 0 {
			rows = append(rows, one("the same of that simulator with 50 other seeds", Microseconds, own*1e6, spread[0].Weft[0], shown,
				"medians of the mean completion: how far the models differ when chance does not decide"))
		}
	}
	return rows, nil
}

// pairUp pairs weft's completions with the reference's for the same flows, in the order of the
// reference's completion times.
func pairUp(want *fctReference, got []hpcc.FCT) (Row, error) {
	r := Row{Unit: Microseconds}
	if len(got) != len(want.flows) {
		return r, fmt.Errorf("%d of %d flows completed", len(got), len(want.flows))
	}
	got = slices.Clone(got)
	key := func(f hpcc.FCT) [3]uint32 { return [3]uint32{f.SrcIP, f.DstIP, uint32(f.SrcPort)} }
	for _, f := range got {
		if w, ok := want.flows[key(f)]; !ok || w.Bytes != f.Bytes || w.Start != f.Start {
			return r, fmt.Errorf("the reference has no flow %08x to %08x port %d of %d bytes", f.SrcIP, f.DstIP, f.SrcPort, f.Bytes)
		}
	}
	sorting.StableFunc(got, func(a, b hpcc.FCT) int {
		return cmp.Or(cmp.Compare(want.flows[key(a)].Duration, want.flows[key(b)].Duration), cmp.Compare(a.SrcIP, b.SrcIP))
	})
	for _, f := range got {
		r.Reference = append(r.Reference, float64(want.flows[key(f)].Duration))
		r.Weft = append(r.Weft, float64(f.Duration))
	}
	return r, nil
}

func readReference(folder fs.FS) (*fctReference, error) {
	text, err := fs.ReadFile(folder, "fct.txt")
	if err != nil {
		return nil, err
	}
	flows, err := hpcc.ParseFCT("fct.txt", string(text))
	if err != nil {
		return nil, err
	}
	r := &fctReference{flows: map[[3]uint32]hpcc.FCT{}}
	for _, f := range flows {
		r.flows[[3]uint32{f.SrcIP, f.DstIP, uint32(f.SrcPort)}] = f
	}
	if text, err := fs.ReadFile(folder, "pfc-count.txt"); err == nil {
		if r.pfc, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// distances are the distances of two distributions of completion times: the largest relative
// difference of a quantile, and the Kolmogorov-Smirnov distance.
func distances(all *Row) []Row {
	a, b := slices.Sorted(slices.Values(all.Reference)), slices.Sorted(slices.Values(all.Weft))
	quantile := 0.0
	for i := range a {
		quantile = max(quantile, math.Abs(b[i]/a[i]-1))
	}
	ks := 0.0
	for _, x := range slices.Concat(a, b) {
		ks = max(ks, math.Abs(below(a, x)-below(b, x)))
	}
	return []Row{
		{Name: "largest relative distance of a quantile", Unit: Percent, Weft: []float64{quantile}},
		{Name: "Kolmogorov-Smirnov distance", Unit: Plain, Weft: []float64{ks}},
	}
}

// below is the share of sorted values up to x.
func below(sorted []float64, x float64) float64 {
	i, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return float64(i) / float64(len(sorted))
}

// spreadSeeds is the number of seeds for a case with marking: fewer for a long run. A slow case
// uses one seed in a test.
func spreadSeeds(folder string) (seeds int, slow bool) {
	switch {
	case strings.HasPrefix(folder, "leafspine"):
		return 50, true
	case strings.HasPrefix(folder, "star100_inc8"):
		return 100, true
	}
	return 100, false
}

// fctSpread runs a case with many seeds and shows where the reference lies.
func fctSpread(e *Env, c *hpcc.Case, reference *Row, seeds int) ([]Row, error) {
	var means, lasts []float64
	for seed := range uint64(seeds) {
		got, err := hpccrun.Run(e.Ctx, c, seed+1, 1)
		if err != nil {
			return nil, err
		}
		sum, last := 0.0, 0.0
		for _, f := range got.FCT {
			sum += float64(f.Duration)
			last = max(last, float64(f.Duration))
		}
		means, lasts = append(means, sum/float64(len(got.FCT))), append(lasts, last)
	}
	row := func(name string, want float64, v []float64) Row {
		slices.Sort(v)
		return one(name, Microseconds, want, v[seeds/2], shown, "from %s to %s (5 to 95 %%: %s to %s); the reference is above %.0f %% of them",
			Microseconds.text(v[0]), Microseconds.text(v[seeds-1]), Microseconds.text(v[seeds/20]), Microseconds.text(v[seeds-1-seeds/20]), 100*below(v, want))
	}
	return []Row{
		row(fmt.Sprintf("mean completion, median of %d seeds", seeds), mean(reference.Reference), means),
		row(fmt.Sprintf("last completion, median of %d seeds", seeds), slices.Max(reference.Reference), lasts),
	}, nil
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// changeHPCC lets a test change the links of a case of that simulator.
func changeHPCC(e *Env, c *hpcc.Case) {
	link := scenario.Link{FECLatency: c.Topology.Links[0].Delay}
	e.change(Models{Link: &link})
	for i := range c.Topology.Links {
		c.Topology.Links[i].Delay = link.FECLatency
	}
}
