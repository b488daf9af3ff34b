package predict

import (
	"context"
	"errors"
	"math"
	"testing"

	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

var measured = []Pair{
	{Latency: 5 * units.Microsecond, Rate: 20 * units.Gbps},
	{Latency: 150 * units.Microsecond, Rate: 3 * units.Gbps},
	{Latency: 40 * units.Microsecond, Rate: 400 * units.Mbps},
	{Latency: 2 * units.Microsecond, Rate: 98_765_432_109},
}

func TestTheSimulatedPairIsTheMeasuredOne(t *testing.T) {
	for _, m := range measured {
		p, err := AllReduce(context.Background(), sim.Run, m, Collective{Hosts: 2, Algorithm: scenario.AlgoRing, Chunk: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(p.Pair.Latency)/float64(m.Latency) - 1; math.Abs(off) > 1e-3 {
			t.Errorf("latency of the pair %v, measured %v", p.Pair.Latency, m.Latency)
		}
		if off := float64(p.Pair.Rate)/float64(m.Rate) - 1; math.Abs(off) > 1e-3 {
			t.Errorf("rate of the pair %v, measured %v", p.Pair.Rate, m.Rate)
		}
	}
}

// A ring passes 1/n of the vector 2(n-1) times (Patarasuk and Yuan 2009): short
// vectors take as many latencies, long ones as many parts at the pair's rate.
func TestARingOfPairsIsTheClosedForm(t *testing.T) {
	const hosts, long = 4, 32 << 20
	m := measured[0]
	p, err := AllReduce(context.Background(), sim.Run, m, Collective{Hosts: hosts, Algorithm: scenario.AlgoRing, Chunk: 1 << 20, Sizes: []int64{32, long}})
	if err != nil {
		t.Fatal(err)
	}
	steps := 2 * (hosts - 1)
	if want := units.Time(steps) * m.Latency; math.Abs(float64(p.Times[0])/float64(want)-1) > .1 {
		t.Errorf("32 bytes take %v, want %v", p.Times[0], want)
	}
	want := units.Time(float64(steps*long/hosts*8) / float64(m.Rate) * float64(units.Second))
	if got := p.Times[1]; got < want || float64(got) > 1.05*float64(want) {
		t.Errorf("%d bytes take %v, want %v to 5 %% more", long, got, want)
	}
}

func TestWhatIsTooLargeToBeSimulatedIsUnknown(t *testing.T) {
	p, err := AllReduce(context.Background(), sim.Run, measured[1], Collective{Hosts: 4, Algorithm: scenario.AlgoTree, Chunk: 1 << 20, Sizes: []int64{1024, maxMoved}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Times[0] == 0 || p.Times[1] != 0 {
		t.Errorf("times are %v: the first is known, the second is not", p.Times)
	}
}

func TestAPairThatCannotBeIsRefused(t *testing.T) {
	for _, m := range []Pair{{}, {Latency: units.Microsecond}, {Rate: units.Gbps}, {Latency: 10 * units.Nanosecond, Rate: 10 * units.Mbps}, {Latency: 2 * units.Millisecond, Rate: units.Gbps}, {Latency: units.Nanosecond, Rate: units.Gbps}} {
		p, err := AllReduce(context.Background(), sim.Run, m, Collective{Hosts: 2, Algorithm: scenario.AlgoRing, Chunk: 1 << 20})
		if pair := (*PairError)(nil); !errors.As(err, &pair) || pair.Pair != m {
			t.Errorf("%v and %v: %v, and the error %v, want one of the pair", m.Latency, m.Rate, p, err)
		}
	}
}
