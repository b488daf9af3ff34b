package predict

import (
	"context"
	"errors"
	"math"
	"strings"
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

func TestTheSimulatedPairEqualsTheMeasuredPair(t *testing.T) {
	for _, m := range measured {
		p, err := AllReduce(context.Background(), sim.Run, []Pair{m}, Collective{Hosts: 2, Algorithm: scenario.AlgoRing, Chunk: 1 << 20})
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

// A ring passes 1/n of the vector 2(n-1) times (Patarasuk and Yuan 2009). A short vector takes that
// number of latencies, a long vector that number of parts at the pair's rate.
func TestARingOfPairsIsTheClosedForm(t *testing.T) {
	const hosts, long = 4, 32 << 20
	m := measured[0]
	p, err := AllReduce(context.Background(), sim.Run, []Pair{m}, Collective{Hosts: hosts, Algorithm: scenario.AlgoRing, Chunk: 1 << 20, Sizes: []int64{32, long}})
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

func TestASizeTooLargeToSimulateIsUnknown(t *testing.T) {
	p, err := AllReduce(context.Background(), sim.Run, []Pair{measured[1]}, Collective{Hosts: 4, Algorithm: scenario.AlgoTree, Chunk: 1 << 20, Sizes: []int64{1024, maxMoved}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Times[0] == 0 || p.Times[1] != 0 {
		t.Errorf("times are %v: the first is known, the second is not", p.Times)
	}
}

func TestAnImpossiblePairIsRefused(t *testing.T) {
	for _, m := range []Pair{{}, {Latency: units.Microsecond}, {Rate: units.Gbps}, {Latency: 10 * units.Nanosecond, Rate: 10 * units.Mbps}, {Latency: 2 * units.Millisecond, Rate: units.Gbps}, {Latency: units.Nanosecond, Rate: units.Gbps}} {
		p, err := AllReduce(context.Background(), sim.Run, []Pair{m}, Collective{Hosts: 2, Algorithm: scenario.AlgoRing, Chunk: 1 << 20})
		if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) {
			t.Errorf("%v and %v: %v, and the error %v, want one of the pair", m.Latency, m.Rate, p, err)
		}
	}
}

// The range reaches from the prediction of the best round to the prediction of the worst.
func TestTheRangeSpansTheRounds(t *testing.T) {
	const hosts, long = 4, 32 << 20
	rounds := []Pair{
		{Latency: 6 * units.Microsecond, Rate: 20 * units.Gbps},
		{Latency: 5 * units.Microsecond, Rate: 25 * units.Gbps},
		{Latency: 10 * units.Microsecond, Rate: 10 * units.Gbps},
	}
	c := Collective{Hosts: hosts, Algorithm: scenario.AlgoRing, Chunk: 1 << 20, Sizes: []int64{32, long}}
	p, err := AllReduce(context.Background(), sim.Run, rounds, c)
	if err != nil {
		t.Fatal(err)
	}
	if p.Measured != (Pair{6 * units.Microsecond, 20 * units.Gbps}) {
		t.Errorf("the pair is %+v, want the medians", p.Measured)
	}
	near := func(what string, got, want units.Time) {
		if r := float64(got) / float64(want); r < .95 || r > 1.1 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	const steps = 2 * (hosts - 1)
	near("least of 32 bytes", p.Least[0], steps*5*units.Microsecond)
	near("most of 32 bytes", p.Most[0], steps*10*units.Microsecond)
	const picoseconds = steps * long / hosts * 8 * 1000 // at 1 Gb/s
	near("least of the long one", p.Least[1], picoseconds/25)
	near("most of the long one", p.Most[1], picoseconds/10)
}

func TestEffectsThatAPairDoesNotShowAreNotPredicted(t *testing.T) {
	us := func(n int64, r units.Rate) Pair { return Pair{units.Time(n) * units.Microsecond, r} }
	for what, x := range map[string]struct {
		rounds   []Pair
		machines []Machine
	}{
		"share the 2 processors of here": {[]Pair{measured[0]}, []Machine{{"there", 1, 1}, {"here", 3, 2}}},
		"from 5 us to 16 us one way":     {[]Pair{us(5, units.Gbps), us(16, units.Gbps)}, nil},
		"to 4 Gb/s in a stream":          {[]Pair{us(5, units.Gbps), us(5, 4*units.Gbps)}, nil},
	} {
		_, err := AllReduce(context.Background(), sim.Run, x.rounds, Collective{Hosts: 4, Algorithm: scenario.AlgoRing, Chunk: 1 << 20, Machines: x.machines})
		if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || !strings.Contains(unknown.Why, what) {
			t.Errorf("%v, want it unknown because of %q", err, what)
		}
	}
}
