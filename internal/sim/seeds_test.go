package sim

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/known"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

const jittered = `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB, 1MiB]}
run: {jitter: true, seed: 7}
`

// Each seed of a repeated run is the single run with that seed, and the time is their
// mean, on any number of cores.
func TestARepeatedRunIsTheMeanOfItsSeeds(t *testing.T) {
	var want [][]units.Time // [seed][fabric]
	for seed := range uint64(4) {
		r := simtest.Resolve(t, jittered)
		r.Run.Seed += seed
		out, err := Run(t.Context(), r, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, []units.Time{out.Fabrics[0].Points[1].Time, out.Fabrics[1].Points[1].Time})
	}
	text := ""
	for _, workers := range []int{1, 3} {
		out, err := Run(t.Context(), simtest.Resolve(t, jittered), Options{Workers: workers, Seeds: 4})
		if err != nil {
			t.Fatal(err)
		}
		for f := range out.Fabrics {
			p := &out.Fabrics[f].Points[1]
			sum := int64(0)
			for k, ps := range p.Seeds.TimesPs {
				sum += ps
				if ps != int64(want[k][f]) {
					t.Errorf("%s with seed %d: %d ps, and the single run takes %d", out.Fabrics[f].Name, 7+k, ps, want[k][f])
				}
			}
			if n := int64(len(p.Seeds.TimesPs)); n != 4 || int64(p.Time)-sum/n > 1 || int64(p.Time) < sum/n {
				t.Errorf("%d seeds, the mean is %d and the time %d", n, sum/n, p.Time)
			}
			if p.Seeds.LowPs >= int64(p.Time) || p.Seeds.HighPs <= int64(p.Time) {
				t.Errorf("the interval is %d to %d, around %d", p.Seeds.LowPs, p.Seeds.HighPs, p.Time)
			}
			if gbps := float64(p.Bytes) / p.Time.Seconds() / 1e9; gbps/p.AlgBW < 1-1e-9 || gbps/p.AlgBW > 1+1e-9 {
				t.Errorf("algbw is %v, and the mean time gives %v", p.AlgBW, gbps)
			}
		}
		got, err := out.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			text = string(got)
		}
		if text != string(got) {
			t.Errorf("%d cores give other results", workers)
		}
	}
}

func TestTheRuleGivesLongSizesFewerSeeds(t *testing.T) {
	for _, c := range []struct {
		asked int
		hops  int64
		drawn bool
		want  int
	}{
		{0, 0, true, 1},
		{1, 1e12, true, 1},
		{8, 1e12, true, 8},
		{AutoSeeds, 0, false, 5},
		{AutoSeeds, 2e6, false, 5},
		{AutoSeeds, 2.5e6, false, 4},
		{AutoSeeds, 3.3e6, false, 3},
		{AutoSeeds, 3.4e6, false, 1},
		{AutoSeeds, 1e12, false, 1},
		{AutoSeeds, 0, true, 16},
		{AutoSeeds, 1.25e6, true, 16},
		{AutoSeeds, 1.5e6, true, 13},
		{AutoSeeds, 2e6, true, 10},
		{AutoSeeds, 2.1e6, true, 1},
	} {
		if got := seedsFor(c.asked, c.hops, c.drawn); got != c.want {
			t.Errorf("%d asked for, %d packet-hops, drawn %v: %d seeds, want %d", c.asked, c.hops, c.drawn, got, c.want)
		}
	}
}

const collisions = `
cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabrics:
  - {preset: roce-v2-400g, name: one, cc: none, ethernet: {ecn: {enabled: false}}, routing: {mode: ecmp}}
  - {preset: roce-v2-400g, name: same, cc: none, ethernet: {ecn: {enabled: false}}, routing: {mode: ecmp}}
  - {preset: roce-v2-400g, name: other, cc: none, ethernet: {ecn: {enabled: false}}, routing: {mode: ecmp, hash-seed: 1}}
workload: {pattern: flows, flows: [{src: 0, dst: 4, bytes: 64KiB}, {src: 1, dst: 5, bytes: 64KiB}, {src: 2, dst: 6, bytes: 64KiB}]}
run: {jitter: true, seed: 7}
`

// Where a hash chooses paths, a run of its own accord has ten seeds or more, and each draws other paths:
// routing.hash-seed does not pin them. Fabrics with the same hash-seed draw the same paths, others do not.
func TestSeedsDrawPaths(t *testing.T) {
	out, err := Run(t.Context(), simtest.Resolve(t, collisions), Options{Seeds: AutoSeeds})
	if err != nil {
		t.Fatal(err)
	}
	var seeds []*results.Seeds
	for i := range out.Fabrics {
		p := &out.Fabrics[i].Points[0]
		if p.Seeds == nil || len(p.Seeds.TimesPs) < 10 || p.Seeds.Draws == nil || !p.Seeds.Draws.Hash || p.Counts.Hashed == 0 {
			t.Fatalf("%s: %d ports were chosen by a hash, and the seeds are %+v", out.Fabrics[i].Name, p.Counts.Hashed, p.Seeds)
		}
		if least, most := slices.Min(p.Seeds.TimesPs), slices.Max(p.Seeds.TimesPs); float64(most) < 1.3*float64(least) {
			t.Errorf("%s takes %d to %d ps: want collisions with some seeds and not with others", out.Fabrics[i].Name, least, most)
		}
		seeds = append(seeds, p.Seeds)
	}
	if !slices.Equal(seeds[0].TimesPs, seeds[1].TimesPs) || !seeds[0].Together(seeds[1]) {
		t.Errorf("equal fabrics take %v and %v, together %v", seeds[0].TimesPs, seeds[1].TimesPs, seeds[0].Together(seeds[1]))
	}
	if slices.Equal(seeds[0].TimesPs, seeds[2].TimesPs) || seeds[0].Together(seeds[2]) {
		t.Errorf("with another hash-seed: %v and %v, together %v", seeds[0].TimesPs, seeds[2].TimesPs, seeds[0].Together(seeds[2]))
	}
}

// A run whose first seed marks nothing has as many seeds as one that marks from the start, if a further seed does.
func TestALaterSeedMayDraw(t *testing.T) {
	r := simtest.Resolve(t, jittered)
	p := &results.Point{Time: 1, Counts: results.Counts{PacketHops: 1000}}
	all := &seedRuns{r, []job{{into: p, part: known.PartOf(r, 0), Task: network.Task{Plan: &network.Plan{}}}}, AutoSeeds, make([][]results.Point, 1), make([]bool, 1)}
	if n := len(all.next()); n != 4 {
		t.Fatalf("the first seed drew nothing, and there are %d further runs, want 4", n)
	}
	all.points[0][2].Counts.Marks = 1
	if n := len(all.next()); n != 11 || len(all.points[0]) != 15 || all.points[0][2].Counts.Marks != 1 {
		t.Errorf("the fourth seed marked, and there are %d more runs, %d in all; want 11 more", n, len(all.points[0]))
	}
	if n := len(all.next()); n != 0 {
		t.Errorf("%d more runs, want an end", n)
	}
	// With too many packet-hops for the ten seeds that are needed then, there is one run.
	all.points[0], all.draws[0], p.Counts.PacketHops = nil, false, 3_000_000
	if n := len(all.next()); n != 2 {
		t.Fatalf("3 M packet-hops have %d further runs, want 2", n)
	}
	all.points[0][1].Counts.Marks = 1
	for range 2 { // and this is the end
		if n := len(all.next()); n != 0 || len(all.points[0]) != 0 {
			t.Errorf("a seed marked, and there are %d runs, want one alone", 1+len(all.points[0]))
		}
	}
}

// Where there is one path, or hosts under one leaf, there is nothing to draw.
func TestSeedsOfOnePathDrawNothing(t *testing.T) {
	r := simtest.Resolve(t, jittered)
	r.Workload.Sizes = r.Workload.Sizes[:1]
	out, err := Run(t.Context(), r, Options{Seeds: AutoSeeds})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Fabrics {
		p := &out.Fabrics[i].Points[0]
		if len(p.Seeds.TimesPs) != 5 || p.Seeds.Draws != nil || p.Counts.Hashed != 0 {
			t.Errorf("%s: %d ports were chosen by a hash, %d seeds, drawn %+v", out.Fabrics[i].Name, p.Counts.Hashed, len(p.Seeds.TimesPs), p.Seeds.Draws)
		}
	}
}

// A run that fails with any seed has failed, and its failure names the seed.
func TestASeedThatFailsFailsThePoint(t *testing.T) {
	first := results.Point{Bytes: 8, Time: 100, AlgBW: 1}
	r := &scenario.Resolved{Fabrics: make([]scenario.Fabric, 1)}
	r.Run.Seed = 7
	again := func(more ...results.Point) results.Point {
		p := first
		overSeeds(&p, more, r, &r.Fabrics[0])
		return p
	}
	if p := again(results.Point{Time: 110}, results.Point{Failure: "RETRY_EXC_ERR: …"}); p.Measured() || !strings.HasPrefix(p.Failure, "with seed 9: RETRY_EXC_ERR") {
		t.Errorf("the point is %+v, want a failure with seed 9", p)
	}
	if p := again(results.Point{Time: 110}, results.Point{Partial: true}); p.Seeds != nil || p.Time != 100 {
		t.Errorf("a point whose seeds are not complete is %+v, want the first seed's point", p)
	}
	if p := again(results.Point{Time: 110, Counts: results.Counts{MessagesLost: 1}}); p.Seeds != nil || p.Time != 100 {
		t.Errorf("a point whose seeds delivered other messages is %+v, want the first seed's point", p)
	}
	if p := again(results.Point{Time: 110}, results.Point{Time: 120}); p.Time != 110 || p.AlgBW != 100./110 {
		t.Errorf("the mean of 100, 110 and 120 is %v at %v GB/s", p.Time, p.AlgBW)
	}
	p := first
	r.Workload.Pattern = scenario.Uniform
	if overSeeds(&p, []results.Point{{Time: 110, AlgBW: 2}, {Time: 120, AlgBW: 3}}, r, &r.Fabrics[0]); p.Time != 110 || p.AlgBW != 2 {
		t.Errorf("the mean of traffic offered at 1, 2 and 3 GB/s is %v GB/s", p.AlgBW)
	}
}

// A size that is too large for several seeds has one run without jitter, which is that of weft run
// without jitter: its periods are skipped. A small one keeps its jitter and its seeds.
func TestASizeThatIsTooLargeForSeedsHasNoJitter(t *testing.T) {
	text := strings.Replace(jittered, "sizes: [1KiB, 1MiB]", "algorithm: ring, sizes: [1KiB, 8GiB]", 1)
	out, err := Run(t.Context(), simtest.Resolve(t, text), Options{Seeds: AutoSeeds})
	if err != nil {
		t.Fatal(err)
	}
	calm := simtest.Resolve(t, text)
	calm.Run.Jitter = false
	want, err := Run(t.Context(), calm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for f := range out.Fabrics {
		small, large := &out.Fabrics[f].Points[0], &out.Fabrics[f].Points[1]
		if small.WithoutJitter || small.Seeds == nil || small.Time == want.Fabrics[f].Points[0].Time {
			t.Errorf("%s, 1 KiB: without jitter: %v, seeds: %v, %v", out.Fabrics[f].Name, small.WithoutJitter, small.Seeds, small.Time)
		}
		if !large.WithoutJitter || large.Seeds != nil || large.Time != want.Fabrics[f].Points[1].Time || large.Counts.Skipped.Periods == 0 {
			t.Errorf("%s, 8 GiB: without jitter: %v, seeds: %v, %v, want %v; skipped %d periods", out.Fabrics[f].Name,
				large.WithoutJitter, large.Seeds, large.Time, want.Fabrics[f].Points[1].Time, large.Counts.Skipped.Periods)
		}
	}
	if isTooLarge(calm, 1*units.KiB) || !isTooLarge(calm, 8*units.GiB) {
		t.Error("1 KiB is too large for several seeds, or 8 GiB is not")
	}
}
