package report

import (
	"strings"
	"testing"

	"weft/internal/runstore"
	"weft/units"
)

// said joins all sentences of a verdict.
func said(v Verdict) string {
	return strings.Join(append(append(append([]string{}, v.Where...), v.Why...), v.Notes...), "\n")
}

func mustSay(t *testing.T, v Verdict, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(said(v), want) {
			t.Errorf("the verdict does not say %q:\n%s", want, said(v))
		}
	}
}

func mustNotSay(t *testing.T, v Verdict, others ...string) {
	t.Helper()
	for _, other := range others {
		if strings.Contains(said(v), other) {
			t.Errorf("the verdict says %q:\n%s", other, said(v))
		}
	}
}

func TestVerdictNamesTheRangesAndTheCauses(t *testing.T) {
	v := Judge(fabricate(threeFabrics, sweep()), madeUp())
	if len(v.Where) != 2 {
		t.Errorf("%d sentences say where, want 2:\n%s", len(v.Where), said(v))
	}
	mustSay(t, v,
		"where latency decides, infiniband-ndr is the fastest (27.4 us at 1 KiB)",
		"where bandwidth decides, infiniband-ndr is the fastest (361 GB/s at 256 MiB)",
		"a cost per message",
		"takes 4178 B on the cable for 4096 B of payload, where infiniband-ndr takes 4122 B for 4096: that is 1.4 of its 2.3 %",
		"through the kernel and the CPU's copies",
		"645 drops")
}

func TestVerdictOfTwoWithinTwoPercentIsNoDifference(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[0]
	b.name, b.protocol, b.latency = "roce-v2-400g", "roce-v2", a.latency*1015/1000
	v := Judge(fabricate([]fabricated{a, b}, sweep()), madeUp())
	mustSay(t, v, "there is no difference that matters: infiniband-ndr (27.4 us at 1 KiB) and roce-v2-400g (27.8 us) are within 2 %")
	mustNotSay(t, v, "is the fastest", "headers", "cost per message")
}

func TestVerdictTellsWhenTheWinnerChanges(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[1]
	a.bus, b.bus = 300, 360
	v := Judge(fabricate([]fabricated{a, b}, sweep()), nil)
	mustSay(t, v, "where latency decides, infiniband-ndr is the fastest", "where bandwidth decides, roce-v2-400g is the fastest")
	mustNotSay(t, v, "on the cable") // a scenario would be needed to know
}

func TestVerdictDoesNotSpeakOfBandwidthWhereTheSweepEndsBefore(t *testing.T) {
	v := Judge(fabricate(threeFabrics, sweep()[:6]), madeUp())
	mustNotSay(t, v, "bandwidth decides", "limit of its wire")
	mustSay(t, v, "At every size, where latency decides")
}

func TestVerdictOfOneSizeNamesIt(t *testing.T) {
	mustSay(t, Judge(fabricate(threeFabrics, []int64{64 << 20}), madeUp()), "At 64 MiB infiniband-ndr is the fastest (342 GB/s)")
}

func TestVerdictOfAPatternHasNoSize(t *testing.T) {
	r := fabricate(threeFabrics, []int64{1 << 20})
	for i := range r.Fabrics {
		p := &r.Fabrics[i].Points[0]
		p.Bytes, p.AlgBW, p.BusBW = 0, 0, 0
	}
	v := Judge(r, madeUp())
	mustSay(t, v, "infiniband-ndr is the fastest (33.1 us)")
	mustNotSay(t, v, "At all", "at all")
}

func TestVerdictClearsTheWiresOnlyWhenTheyWereIdle(t *testing.T) {
	slow := threeFabrics[2]
	slow.counts = func(int64, int64) runstore.Counts { return runstore.Counts{} }
	r := fabricate([]fabricated{threeFabrics[0], slow}, sweep())
	mustSay(t, Judge(r, nil), "kept no link busier than 12 % at 256 MiB: the wires are not its limit")
	r.Fabrics[1].Points[len(sweep())-1].Hottest[0].Busy = 0.5
	mustNotSay(t, Judge(r, nil), "the wires are not its limit")
}

func TestVerdictSaysWhatIsMissing(t *testing.T) {
	r := fabricate(threeFabrics, sweep())
	for i := range r.Fabrics[2].Points {
		r.Fabrics[2].Points[i] = runstore.Point{Bytes: r.Fabrics[2].Points[i].Bytes, Failure: "deadlock"}
	}
	r.Fabrics[1].Points = r.Fabrics[1].Points[:16]
	mustSay(t, Judge(r, madeUp()), "tcp-400g has no result and is not part of the comparison.", "Of 19 sizes, 16 have a result on every fabric and are compared.")
	mustSay(t, Judge(&runstore.Results{}, nil), "No size has a result.")
}

func TestVerdictOfOneFabric(t *testing.T) {
	mustSay(t, Judge(fabricate(threeFabrics[1:2], sweep()), madeUp()),
		"roce-v2-400g takes 30.9 us at 1 KiB and reaches 353 GB/s of bus bandwidth at 256 MiB; from 32 MiB on it is within 20 % of that.",
		"the wire is its limit", "799 PFC pauses")
}

func TestVerdictNamesSizesAtWhichAnotherLeads(t *testing.T) {
	r := fabricate(threeFabrics[:2], sweep())
	r.Fabrics[1].Points[2].Time = 20 * units.Microsecond
	mustSay(t, Judge(r, nil), "It is not so at every size: roce-v2-400g leads at 4 KiB.")
}

func TestVerdictNamesALoadThatIsSpreadUnevenly(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sweep())
	mustNotSay(t, Judge(r, nil), "unevenly")
	h := &r.Fabrics[1].Points[len(sweep())-1].Hottest[0]
	h.Bytes *= 2
	mustSay(t, Judge(r, nil), "roce-v2-400g put 2.0 times as many bytes on its busiest link (leaf-0:3 → node-0 nic-0) as infiniband-ndr on its own: the load is spread unevenly")
}
