package roce_test

import (
	"testing"

	"weft/internal/roce"
	"weft/internal/sim/fabric/buffer"
	"weft/units"
)

// fill fills queues of the simulator's shared buffer a byte at a time, in turn, until each is full.
// It returns what a queue then holds.
func fill(b *roce.Buffer, queues int) units.Bytes {
	pool := buffer.Buffer{Limits: buffer.Limits{
		Shared: int64(b.Shared), Reserve: int32(b.Reserve), StaticXoff: int64(b.Xoff),
	}}
	ports := make([]buffer.Ingress, queues)
	for i := range ports {
		ports[i] = pool.NewIngress(b.AlphaNum, b.AlphaDen, 0)
	}
	for moved := true; moved; {
		moved = false
		for i := range ports {
			if !pool.IsOver(&ports[i], 1) {
				pool.Charge(&ports[i], 1)
				moved = true
			}
		}
	}
	return units.Bytes(ports[0].Held())
}

func TestADynamicThresholdIsWhereQueuesComeToRest(t *testing.T) {
	for _, alpha := range [][2]int64{{1, 8}, {1, 1}, {4, 1}} {
		for _, queues := range []int{1, 2, 7, 32} {
			b := roce.Buffer{Shared: 200_000, Reserve: 1000, AlphaNum: alpha[0], AlphaDen: alpha[1]}
			got, want := b.Threshold(queues), fill(&b, queues)
			if got < want-2 || got > want+2 {
				t.Errorf("alpha %d/%d, %d queues: %d B, and filled byte by byte %d B", alpha[0], alpha[1], queues, got, want)
			}
		}
	}
}

func TestAStaticThresholdIsBoundByThePool(t *testing.T) {
	b := roce.Buffer{Shared: 100_000, Reserve: 500, Xoff: 30_000}
	for queues, want := range map[int]units.Bytes{1: 30_500, 3: 30_500, 4: 25_500, 10: 10_500} {
		if got := b.Threshold(queues); got != want {
			t.Errorf("%d queues: %d B, want %d", queues, got, want)
		}
		if got := fill(&b, queues); got != want {
			t.Errorf("%d queues of the simulator's buffer: %d B, want %d", queues, got, want)
		}
	}
}

// At 400 Gb/s a byte takes 20 ps. The loop of 10 m: 500 ns in the switch, twice 50.5 ns of cable
// and 62.6 ns of FEC, a packet of 4178 B (83.56 ns), a frame of 84 B (1.68 ns) and 905 quanta of 64
// B (1158.4 ns): 1969.84 ns, in which 23.6 packets arrive.
func TestTheBoundIsWhatComesWithinTheLoop(t *testing.T) {
	l := roce.Loop{
		PerByte: units.PerByte{Num: 20, Den: 1}, Propagation: 113_100, Pipeline: 500_000, Response: 1_158_400, Packet: 4178, Frame: 84,
	}
	if got := l.Time(); got != 1_969_840 {
		t.Errorf("the loop takes %d ps, want 1969840", got)
	}
	if got := l.Bound(); got != 24*4178 {
		t.Errorf("the bound is %d B, want 24 packets of 4178 B", got)
	}
	l.StoreAndForward = true
	if got := l.Bound(); got != 25*4178 {
		t.Errorf("with store-and-forward the bound is %d B, want 25 packets", got)
	}
}

func TestThresholdsThatDoNotFitAreFound(t *testing.T) {
	b := roce.Buffer{Shared: 1 << 20, Xoff: 100_000}
	for _, c := range []struct {
		marking roce.Marking
		wrong   int
		notes   int
	}{
		{roce.Marking{Kmin: 10_000, Kmax: 40_000}, 0, 0},
		{roce.Marking{Kmin: 10_000, Kmax: 100_001}, 0, 1},
		{roce.Marking{Kmin: 99_999, Kmax: 100_000}, 0, 1}, // with 32 ports the pool gives 32 KiB to each
		{roce.Marking{Kmin: 100_000, Kmax: 200_000}, 1, 0},
	} {
		wrong, notes := 0, 0
		for _, f := range roce.CompareMarking(&b, c.marking, 32) {
			if f.Wrong {
				wrong++
			} else {
				notes++
			}
		}
		if wrong != c.wrong || notes != c.notes {
			t.Errorf("%+v: %d wrong and %d notes, want %d and %d", c.marking, wrong, notes, c.wrong, c.notes)
		}
	}
	for headroom, want := range map[units.Bytes]int{9_999: 2, 10_000: 1, 20_000: 0} {
		got := 0
		for _, f := range roce.CompareHeadroom(headroom, 10_000, 20_000) {
			got = 1
			if f.Wrong {
				got = 2
			}
		}
		if got != want {
			t.Errorf("headroom of %d B: verdict %d, want %d", headroom, got, want)
		}
	}
}
