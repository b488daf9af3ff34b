package report

import (
	"strings"
	"testing"

	"weft/results"
	"weft/units"
)

// Both fabrics have the same requests with a seed. A difference that each seed shows is told, however much the seeds
// scatter; one that changes its sign is not called one.
func TestFabricsAreComparedSeedBySeed(t *testing.T) {
	ms := int64(units.Millisecond)
	fabric := func(name string, p99 ...int64) results.ServingFabric {
		x := &results.ServingSeeds{Seeds: len(p99), FirstTokenP99s: p99}
		for _, v := range p99 {
			x.FirstTokenP99.MeanPs += v / int64(len(p99))
			if v == 0 {
				x.Unstable++
			}
		}
		return results.ServingFabric{Name: name, Seeds: x}
	}
	fast := fabric("fast", 100*ms, 400*ms, 900*ms)
	for _, c := range []struct {
		slow results.ServingFabric
		want string
	}{
		{fabric("slow", 102*ms, 402*ms, 903*ms), "takes 2.333 ms longer on slow than on fast"},
		{fabric("slow", 90*ms, 440*ms, 905*ms), "these seeds do not show which is faster"},
		{fabric("slow", 102*ms, 0, 0), ""},
	} {
		p := &results.ServingPoint{Fabrics: []results.ServingFabric{fast, c.slow}, IdealSeeds: fabric("", 1, 1, 1).Seeds}
		_, sentences := servingSeeds(&results.Serving{}, p)
		text := strings.Join(sentences, " ")
		if told := strings.Contains(text, "longer on slow"); told != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%v and %v: %q, want %q", fast.Seeds.FirstTokenP99s, c.slow.Seeds.FirstTokenP99s, text, c.want)
		}
		if c.want != "" && strings.Contains(c.want, "longer") && strings.Contains(text, "do not show") {
			t.Errorf("a difference of every seed is not called one: %q", text)
		}
	}
}
