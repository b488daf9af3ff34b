package marking

import (
	"math/rand/v2"
	"testing"
)

func TestECNMarksBetweenItsThresholdsByTheQueue(t *testing.T) {
	e := ECN{KMin: 1000, KMax: 3000, PMax: 1 << 30} // a quarter at KMax
	random := rand.NewPCG(1, 2)
	for _, c := range []struct {
		queue int32
		want  float64
	}{{0, 0}, {1000, 0}, {2000, 0.125}, {3000, 0.25}, {3001, 1}} {
		marked := 0
		const draws = 100_000
		for range draws {
			if e.Marks(c.queue, random) {
				marked++
			}
		}
		if got := float64(marked) / draws; got < c.want-0.005 || got > c.want+0.005 {
			t.Errorf("a queue of %d bytes: %.3f of the packets are marked, want %.3f", c.queue, got, c.want)
		}
	}
	if off := (&ECN{}); off.Marks(1<<30, random) {
		t.Error("a priority without thresholds marks")
	}
}

func TestFECNMarksOneInItsRateOfThePacketsOfACongestedLane(t *testing.T) {
	f := FECN{Threshold: 5000, MarkingRate: 3, PacketSize: 1000}
	l := Lane{Waiting: 7000}
	for i, want := range []bool{true, true, false} { // 7000, 6000 and 5000 bytes wait
		if got := f.Leave(&l, 1000); got != want {
			t.Errorf("packet %d finds the lane congested: %v, want %v", i, got, want)
		}
	}
	l.Waiting = 7000
	if f.Leave(&l, 999) {
		t.Error("a packet is marked that is too short")
	}
	for i := range 12 {
		if got, want := f.MarksNext(&l), i%4 == 3; got != want {
			t.Errorf("eligible packet %d is marked: %v, want %v", i, got, want)
		}
	}
}
