package serve

import (
	"testing"

	"weft/scenario"
)

// slow makes keys and values count: one NIC of a node, and a limit of the first token that they take most of.
var slow = []scenario.Override{
	set("fabrics", "[roce-v2-400g]"), set("cluster.node.nics", "1"), set("serving.load.prompt", "8192"), set("serving.load.output", "2"), set("serving.load.requests", "30"),
	set("serving.limits.first-token", "12ms"),
}

// Up to the limit enough requests are within the limits, and at the next searched rate they are not: on the
// fabric, and without a network.
func TestALimitIsTheLastRateThatKeepsTheLimits(t *testing.T) {
	r := resolved(t, slow...)
	l, err := LimitOf(t.Context(), r, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if l.Rate <= 0 || l.Rate > l.Alone || l.At.Rate != 10 || l.At.Fabrics[0].Run == nil {
		t.Fatalf("%+v", l)
	}
	out := served(t, Options{Rates: []float64{l.Rate, l.Rate + l.Step, l.Alone, l.Alone + l.Step}}, slow...)
	for i, want := range []bool{true, false} {
		p := &out.Points[i]
		if f := p.Fabrics[0]; Keeps(f.Run, p.Unstable+f.Unstable) != want {
			t.Errorf("the limit is %.4g, and at %.4g requests in a second they are kept: %t", l.Rate, p.Rate, !want)
		}
		if p := &out.Points[i+2]; Keeps(p.Ideal, p.Unstable) != want {
			t.Errorf("the limit without a network is %.4g, and at %.4g requests in a second they are kept: %t", l.Alone, p.Rate, !want)
		}
	}
}

// With few requests a low rate may miss the limits that a higher one keeps. The limit without a network is the highest
// that keeps them.
func TestTheLimitWithoutANetworkIsTheHighest(t *testing.T) {
	set := append(slow[:len(slow):len(slow)], set("serving.load.requests", "12"), set("serving.load.prompt", "1024"), set("serving.limits.first-token", "2ms"), set("run.seed", "5"))
	r := resolved(t, set...)
	l, err := LimitOf(t.Context(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rates []float64
	for k := range limitSteps {
		rates = append(rates, float64(k+1)*l.Step)
	}
	out := served(t, Options{Rates: rates}, set...)
	missed := 0
	for i := range out.Points {
		p := &out.Points[i]
		switch keeps := Keeps(p.Ideal, p.Unstable); {
		case keeps && p.Rate > l.Alone+l.Step/2:
			t.Errorf("without a network %.4g requests in a second keep the limits, and the limit is %.4g", p.Rate, l.Alone)
		case !keeps && p.Rate < l.Alone:
			missed++
		}
	}
	if missed == 0 {
		t.Error("every rate below the limit keeps it: the job shows nothing")
	}
}

// A job whose limits nothing keeps has none.
func TestALimitThatNothingKeepsIsZero(t *testing.T) {
	l, err := LimitOf(t.Context(), resolved(t, append(slow, set("serving.limits.first-token", "1us"))...), Options{})
	if err != nil || l.Rate != 0 || l.Alone != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// The search finds the highest rate, wherever it is, from few simulations, and from three if it is where another one was.
func TestTheSearchFindsTheHighestStep(t *testing.T) {
	for most := 1; most <= limitSteps; most++ {
		for want := range most + 1 {
			for near := range limitSteps + 1 {
				tries := 0
				got := highest(most, near, func(probes []int) (held []bool) {
					for _, k := range probes {
						tries++
						held = append(held, k <= want)
					}
					return held
				})
				if got != want || tries > 13 || near == want && want > 0 && tries > 3 {
					t.Errorf("of %d near %d the limit is %d, found %d by %d tries", most, near, want, got, tries)
				}
			}
		}
	}
}
