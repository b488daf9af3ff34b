package report

import (
	"strings"
	"testing"

	"weft/internal/sim/runstore"
)

func TestALeadMustHoldForEveryPublishedSwitchLatency(t *testing.T) {
	us := func(a, b, c int64) [3]int64 { return [3]int64{a * 1e6, b * 1e6, c * 1e6} }
	results := func(a, b [3]int64) *runstore.Results {
		latency := [3]int64{130e3, 150e3, 330e3}
		return &runstore.Results{Fabrics: []runstore.FabricResult{
			{Name: "ib", SwitchRange: &runstore.SwitchRange{Bytes: 1024, Switch: "qm9700", LatencyPs: latency, TimePs: a}},
			{Name: "roce", SwitchRange: &runstore.SwitchRange{Bytes: 1024, Switch: "x", LatencyPs: [3]int64{1, 1, 1}, TimePs: b}},
		}}
	}
	for _, c := range []struct {
		a, b      [3]int64
		want, not string
	}{
		{us(38, 40, 44), us(50, 50, 50), "For every published latency, ib leads roce (1.14 to 1.32 times as long).", "does not hold"},
		{us(38, 40, 52), us(50, 50, 50), "The lead of ib over roce (0.96 to 1.32 times as long) does not hold for every published latency.", "Whatever"},
		{us(990, 1000, 1010), us(1010, 1010, 1010), "With the latencies of the catalog ib is within 2 % of roce (1.00 to 1.02 times as long).", "leads"},
		{us(38, 40, 44), us(50, 50, 50), "ib (qm9700: 150 ns, sources from 130 ns to 330 ns) 38.0 us to 44.0 us.", "(x:"},
	} {
		if got := strings.Join(switchRangeSentences(results(c.a, c.b)), " "); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%v and %v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
	if got := switchRangeSentences(&runstore.Results{Fabrics: []runstore.FabricResult{{Name: "ib"}, {Name: "roce"}}}); got != nil {
		t.Errorf("without ranges: %q, want no sentence", got)
	}
	// Of one seed the lead holds for every latency; over the seeds there is none.
	r := results(us(345, 346, 347), us(260, 261, 262))
	for i, times := range [][]int64{{346, 260, 346, 431, 260, 346}, {260, 346, 346, 260, 431, 346}} {
		r.Fabrics[i].Points = []runstore.Point{{Bytes: 1024, Time: 1, Seeds: &runstore.Seeds{TimesPs: times}}}
	}
	if got := strings.Join(switchRangeSentences(r), " "); !strings.Contains(got, "roce takes less time than ib (1.32 to 1.33 times as long); over the seeds it has no lead.") || strings.Contains(got, "leads") {
		t.Errorf("a lead of one seed: %q", got)
	}
}
