package jitter

import (
	"math"
	"testing"

	"weft/internal/test/simtest"
	"weft/units"
)

func TestJitterHasItsMeanAndItsOwnStreams(t *testing.T) {
	for _, host := range []string{"gpudirect-rdma", "cpu"} { // lognormal, exponential
		r, f := simtest.OneFabric(t, "tcp-400g", host, "")
		if j := Of(&r.Run, f, 2); j != nil {
			t.Fatalf("%s: there is jitter without run.jitter", host)
		}
		r.Run.Jitter = true
		j, again := Of(&r.Run, f, 2), Of(&r.Run, f, 2)
		const draws = 200_000
		total, equal := 0.0, 0
		for range draws {
			x := j.Draw(Sender, 0)
			if x < 0 {
				t.Fatalf("%s: a delay of %d ps", host, x)
			}
			total += float64(x)
			if x == j.Draw(Receiver, 0) || x == j.Draw(Sender, 1) {
				equal++
			}
			if y := again.Draw(Sender, 0); y != x {
				t.Fatalf("%s: %d ps, and %d ps with the same seed", host, x, y)
			}
		}
		if mean := total / draws / float64(f.Host.Jitter.Mean+f.NIC.Jitter.Mean); math.Abs(mean-1) > 0.02 {
			t.Errorf("%s: the mean is %.3f of the scenario's", host, mean)
		}
		if equal > 10 {
			t.Errorf("%s: %d of %d draws are equal in two streams", host, equal, draws)
		}
	}
}

func TestJitterKeepsTheOrder(t *testing.T) {
	j, latest := &Jitter{}, units.Time(0)
	last := units.Time(0)
	for _, at := range []units.Time{5, 3, 9, 9, 1} {
		got := j.InOrder(&latest, at)
		if got < last || got < at {
			t.Errorf("a packet due at %d comes at %d, after one at %d", at, got, last)
		}
		last = got
	}
	if got := (*Jitter)(nil).InOrder(&latest, 2); got != 2 {
		t.Errorf("without jitter %d, want 2", got)
	}
}
