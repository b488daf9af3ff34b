package cc

import "testing"

func TestSlowStartDoublesAndThenItIsOnePacketAWindow(t *testing.T) {
	w := NewLossWindow(4, 1000)
	round := func() {
		n := w.Room()
		w.Sent(n)
		w.Delivered(n)
	}
	for _, want := range []int32{8, 16, 32} {
		if round(); w.Packets() != want {
			t.Fatalf("slow start: a window of %d, want %d", w.Packets(), want)
		}
	}
	w.Halve()
	for _, want := range []int32{17, 18, 19} {
		if round(); w.Packets() != want {
			t.Fatalf("behind a loss: a window of %d, want %d", w.Packets(), want)
		}
	}
	w.Collapse()
	for _, want := range []int32{2, 4, 8, 9, 10} {
		if round(); w.Packets() != want {
			t.Fatalf("behind a timeout: a window of %d, want %d", w.Packets(), want)
		}
	}
}

func TestAWindowThatNobodyUsesDoesNotGrow(t *testing.T) {
	w := NewLossWindow(16, 1000)
	for range 100 {
		w.Sent(7)
		w.Delivered(7)
	}
	if w.Packets() != 16 {
		t.Errorf("a window of %d, want 16", w.Packets())
	}
}

// A queue with room for some packets drops the others. The window ends up at the room, and
// few packets are lost.
func TestTheWindowFindsTheRoomOfAQueue(t *testing.T) {
	const room, rounds = 200, 1000
	w := NewLossWindow(16, 10000)
	sent, lost := int32(0), int32(0)
	for range rounds {
		n := w.Room()
		fits := min(n, room)
		w.Sent(n)
		w.Delivered(fits)
		w.Lost(n - fits)
		sent, lost = sent+n, lost+n-fits
	}
	if p := w.Packets(); p < room-5 || p > room+5 {
		t.Errorf("a window of %d packets, and %d fit", p, room)
	}
	if 50*lost > sent {
		t.Errorf("%d of %d packets were lost", lost, sent)
	}
	if sent < rounds*room*9/10 {
		t.Errorf("%d packets were sent, and %d fit", sent, rounds*room)
	}
}

// Each round widens the window by one and loses one of n packets: n are in flight when
// both are equal (Mathis 2009). Halving would leave some 1.2 times the root of n.
func TestAWireThatLosesOneOfNLeavesAWindowOfN(t *testing.T) {
	const n = 100
	w := NewLossWindow(16, 10000)
	count, sum := 0, 0
	for round := range 4000 {
		k := w.Room()
		w.Sent(k)
		for range k {
			if count++; count%n == 0 {
				w.Lost(1)
			} else {
				w.Delivered(1)
			}
		}
		if round >= 2000 {
			sum += int(w.Packets())
		}
	}
	if mean := sum / 2000; mean < n*8/10 || mean > n*12/10 {
		t.Errorf("a window of %d on average, want %d", mean, n)
	}
}

func TestAnUndoneLossIsGivenBackAndASettledLossIsNot(t *testing.T) {
	w := NewLossWindow(64, 1000)
	w.Sent(64)
	w.Lost(10)
	w.Lost(4)
	if w.Packets() != 50 {
		t.Fatalf("a window of %d behind 14 losses, want 50", w.Packets())
	}
	w.Undo()
	w.Delivered(50)
	if w.Packets() != 114 {
		t.Errorf("a window of %d, want 64 again, and slow start by 50", w.Packets())
	}
	w.Lost(4)
	w.Settle()
	w.Undo()
	if w.Packets() != 110 {
		t.Errorf("a window of %d, want 110: the loss is settled", w.Packets())
	}
}

func TestLossesLeaveAWindowThatWorks(t *testing.T) {
	w := NewLossWindow(16, 1000)
	w.Sent(16)
	w.Lost(1000)
	if w.Packets() != 2 || w.Room() != 2 {
		t.Errorf("a window of %d with room for %d, want 2 and 2", w.Packets(), w.Room())
	}
	w.Collapse()
	w.Halve()
	if w.Packets() != 1 {
		t.Errorf("a window of %d: halving does not widen", w.Packets())
	}
}
