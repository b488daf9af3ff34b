package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/internal/study/contest"

	"weft/internal/base/stats"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// over makes results of two fabrics at one size from their times by seed, in microseconds.
func over(a, b []float64) *results.Results {
	r := fabricate(threeFabrics[:2], []int64{64 << 20})
	for i, times := range [][]float64{a, b} {
		p := &r.Fabrics[i].Points[0]
		p.Seeds = &results.Seeds{}
		for _, t := range times {
			p.Seeds.TimesPs = append(p.Seeds.TimesPs, int64(t*float64(units.Microsecond)))
		}
		of := stats.IntervalOf(times)
		p.Time = units.Time(of.Mean * float64(units.Microsecond))
		p.Seeds.LowPs, p.Seeds.HighPs = int64(of.Low*1e6), int64(of.High*1e6)
	}
	return r
}

// claims reports whether the verdict and the table claim a lead.
func claims(t *testing.T, r *results.Results) bool {
	t.Helper()
	s := standingAt(r, 64<<20)
	text := said(Judge(r, nil))
	claimed := strings.Contains(text, " leads ")
	if claimed != (s.lead > 0) {
		t.Errorf("the table has a lead of %v, and the verdict is\n%s", s.lead, text)
	}
	return claimed
}

// The first seed has a lead of 1.04; the two other seeds have the reverse.
func TestALeadThatAnotherSeedReversesIsNotClaimed(t *testing.T) {
	r := over([]float64{663, 667, 664}, []float64{637, 677, 680})
	if claims(t, r) {
		t.Errorf("a lead is claimed:\n%s", said(Judge(r, nil)))
	}
	mustSay(t, Judge(r, nil), "infiniband-ndr and roce-v2-400g are not told apart by the seeds")
	if text := terminal(t, r, nil, doc.Style{}); !strings.Contains(text, "2 not told apart") || !strings.Contains(text, "Over seeds") {
		t.Errorf("the table lacks the note that the seeds do not distinguish the fabrics:\n%s", text)
	}
}

// A disturbance that both fabrics share does not hide a difference: the comparison pairs the seeds.
func TestSeedsAreComparedOneByOne(t *testing.T) {
	r := over([]float64{600, 660, 630}, []float64{624, 686, 656})
	if !claims(t, r) {
		t.Errorf("no lead is claimed:\n%s", said(Judge(r, nil)))
	}
	mustSay(t, Judge(r, nil), "infiniband-ndr leads roce-v2-400g by 1.04 times", "Times are means over 3 seeds with jitter")
}

// The verdict on sizes with several seeds does not extend to larger sizes with one run, at which
// another fabric takes the least time.
func TestTheVerdictEndsWhereTheSeedsEnd(t *testing.T) {
	for last, want := range map[int]string{16: "1 KiB to 64 MiB: infiniband-ndr leads", 6: "1 to 64 KiB: infiniband-ndr leads"} {
		r := seeded(fabricate(threeFabrics, sizesOf()))
		for i := range r.Fabrics {
			for j := last + 1; j < len(r.Fabrics[i].Points); j++ {
				p := &r.Fabrics[i].Points[j]
				p.Seeds = nil
				if i == 0 { // in its one run the winner of all other sizes is the slowest
					p.Time += p.Time / 20
				}
			}
		}
		v := Judge(r, madeUp())
		mustSay(t, v, want, "256 MiB not judged (one run)")
		mustNotSay(t, v, "256 MiB: infiniband-ndr", "roce-v2-400g leads")
	}
}

func TestOneRunClaimsNoLead(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	mustSay(t, Judge(r, madeUp()), "takes the least time in this run", "One run shows no order", "This is one run (seed 1)")
	mustNotSay(t, Judge(r, madeUp()), "leads", "Choose")
	if text := terminal(t, r, madeUp(), doc.Style{}); strings.Contains(text, "fastest\n") || !strings.Contains(text, "least, in this run") {
		t.Errorf("the table claims a lead:\n%s", text)
	}
	// A size with one run stays open if the other sizes have seeds.
	seeded(r)
	r.Fabrics[1].Points[3].Seeds = nil
	if s := standingAt(r, r.Fabrics[1].Points[3].Bytes); !s.open[1] {
		t.Errorf("at a size with one run of many the fabrics stand as %+v, want the second open", s)
	}
	mustSay(t, Judge(r, madeUp()), "8 KiB not judged (one run)")
}

// Leads of two fabrics that cancel over a range are not a tie.
func TestLeadsThatCancelAreNoTie(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf()[:4])
	for j, f := range []int64{110, 90, 110, 91} {
		r.Fabrics[1].Points[j].Time = r.Fabrics[0].Points[j].Time * units.Time(f) / 100
	}
	mustSay(t, judged(r, nil), "It depends on the size", "1 KiB and 4 KiB: infiniband-ndr leads", "2 KiB and 8 KiB: roce-v2-400g leads")
	mustNotSay(t, judged(r, nil), "equal")
}

// If fabrics differ only by chance, leads are claimed no more often than the level of the intervals
// allows. If they differ by four times the spread, most trials claim a lead.
func TestClaimsAreAsRareAsTheLevelSays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 2000
	for _, c := range []struct {
		seeds  int
		lead   float64
		lo, hi float64 // share of claims
	}{{3, 0, 0, 0.05}, {5, 0, 0, 0.05}, {5, 0.12, 0.8, 1}} {
		n := 0
		for range trials {
			var x, y []float64
			for range c.seeds {
				x = append(x, 600*math.Exp(0.03*random.NormFloat64()))
				y = append(y, 600*math.Exp(0.03*random.NormFloat64()+c.lead))
			}
			if standingAt(over(x, y), 64<<20).lead > 0 {
				n++
			}
		}
		if share := float64(n) / trials; share < c.lo || share > c.hi {
			t.Errorf("%d seeds, a lead of %v: claimed in %.3f of the trials, want %v to %v", c.seeds, c.lead, share, c.lo, c.hi)
		}
	}
}

// TestTheEndsOfAnIntervalDiffer: the text has as many decimals as that needs.
func TestTheEndsOfAnIntervalDiffer(t *testing.T) {
	for want, c := range map[string]contest.Contrast{
		"10.2 to 10.3":   {Mean: 10.25, Low: 10.2, High: 10.3},
		"5.3 to 6.1":     {Mean: 5.7, Low: 5.3, High: 6.1},
		"1.066 to 1.080": {Mean: 1.07, Low: 1.066, High: 1.08},
		"8.6":            {Mean: 8.6, Low: 8.6, High: 8.6},
	} {
		if got := interval(c); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// If no time depends on the seed, the verdict says so, in place of intervals without width.
func TestSeedsWithoutEffectAreCalledSo(t *testing.T) {
	mustSay(t, Judge(over([]float64{660, 660, 660}, []float64{600, 600, 600}), nil), "With each of 3 seeds every time is the same to the picosecond: nothing random happened.")
	mustNotSay(t, Judge(over([]float64{660, 660, 661}, []float64{600, 600, 600}), nil), "nothing random happened")
}

// Seeds are compared one by one where a seed draws the same on both fabrics. Where it draws other paths on each, the same times
// are two samples, and their order means nothing.
func TestSeedsThatDrawOtherPathsAreTwoSamples(t *testing.T) {
	a, b := []float64{260, 346, 431, 260, 346, 346, 260, 431, 346, 260}, []float64{280, 368, 456, 279, 370, 367, 281, 455, 369, 280}
	r := over(a, b)
	if !claims(t, r) {
		t.Errorf("no lead is claimed of pairs that each show one:\n%s", said(Judge(r, nil)))
	}
	for i, like := range []string{"roce-v2 1", "roce-v2 2"} {
		r.Fabrics[i].Points[0].Seeds.Draws = &results.Draws{Hash: true, Like: like}
	}
	if claims(t, r) {
		t.Errorf("a lead is claimed of times that scatter more than they differ:\n%s", said(Judge(r, nil)))
	}
	mustSay(t, Judge(r, nil), "Each seed draws other paths of ECMP, whatever routing.hash-seed is.", "so the ratio is of all seeds of one to all of the other")
}

// A loss costs a few seeds a timeout, and all others a little: what all others show is not hidden by the mean, and the
// few stand beside it.
func TestAFewFarSeedsDoNotHideTheOthers(t *testing.T) {
	clean, lossy := make([]float64, 16), make([]float64, 16)
	for i := range clean {
		clean[i], lossy[i] = 730+float64(i%4), 770+float64(i)
	}
	lossy[3], lossy[11] = 21575, 71919
	v := Judge(over(clean, lossy), nil)
	mustSay(t, v, "by 1.06 times in the median (732 us, 6.52 ms)", "roce-v2-400g takes 778 us in 14 of 16 seeds, 21.6 ms in 1 and 71.9 ms in 1.", "roce-v2-400g at times takes many times as long as usual", "Usually infiniband-ndr leads roce-v2-400g by up to 1.06 times")
	for i := range lossy {
		lossy[i] = clean[(i+1)%16]
	}
	lossy[3] = 71919
	v = Judge(over(clean, lossy), nil)
	mustSay(t, v, "are not told apart by the seeds", "No order is shown of what is usual", "roce-v2-400g takes 732 us in 15 of 16 seeds and 71.9 ms in 1.")
	mustNotSay(t, v, "leads", "equal")
}
