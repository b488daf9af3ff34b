package transport

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// The twin of a receive queue is a slice.
func TestReceivesAreTakenInTheOrderOfPosting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The counters wrap.
		start := uint16(rapid.IntRange(0, 1<<16-1).Draw(t, "start"))
		q := recvQueue{rhead: start, rtail: start}
		var twin []uint64
		for i := range uint64(rapid.IntRange(1, 200).Draw(t, "steps")) {
			if len(twin) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				if got := q.pop().id; got != twin[0] {
					t.Fatalf("receive %d is taken, want %d", got, twin[0])
				}
				twin = twin[1:]
			} else {
				if err := q.push(RecvRequest{ID: i}); err != nil {
					t.Fatal(err)
				}
				twin = append(twin, i)
			}
			if q.empty() != (len(twin) == 0) {
				t.Fatalf("empty with %d receives posted: %v", len(twin), q.empty())
			}
		}
	})
}

func TestAReceiveQueueTakesItsMaximumAndNoMore(t *testing.T) {
	q := recvQueue{rhead: 40000, rtail: 40000} // the counters wrap
	for i := range MaxRecvQueue {
		if err := q.push(RecvRequest{ID: uint64(i)}); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := q.push(RecvRequest{}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a receive beyond the maximum: %v", err)
	}
	for i := range MaxRecvQueue {
		if got := q.pop().id; got != uint64(i) {
			t.Fatalf("receive %d is taken, want %d", got, i)
		}
	}
	if !q.empty() {
		t.Error("a queue whose receives are all taken is not empty")
	}
}
