package transport

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// The twin of a send queue is a slice of unfinished work.
func TestASendQueueFindsTheWorkOfAPSN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := units.PSN(rapid.IntRange(0, units.PSNMask).Draw(t, "first"))
		s := sendQueue{una: first, nxt: first, max: first, end: first}
		var twin []sendWork
		next := first
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(twin) > 0 && rapid.Bool().Draw(t, "finish") {
				s.head++
				s.cur = s.head
				s.una = twin[0].end()
				twin = twin[1:]
			} else {
				w := sendWork{id: uint64(i), packets: uint32(rapid.IntRange(1, 5).Draw(t, "packets"))}
				if err := s.add(w); err != nil {
					t.Fatal(err)
				}
				w.first = next
				next = w.end()
				twin = append(twin, w)
			}
			if s.end != next || int(s.tail-s.head) != len(twin) {
				t.Fatalf("%d work requests end at %d, want %d at %d", s.tail-s.head, s.end, len(twin), next)
			}
			for _, w := range twin {
				for psn := w.first; psn != w.end(); psn = psn.Add(1) {
					if got := s.workOf(psn); got.id != w.id {
						t.Fatalf("PSN %d is of work request %d, want %d", psn, got.id, w.id)
					}
					if id, ok := s.sourceOf(&Packet{PSN: psn}); !ok || id != w.id {
						t.Fatalf("the packet %d carries work request %d (%v), want %d", psn, id, ok, w.id)
					}
				}
			}
			if _, ok := s.sourceOf(&Packet{PSN: next}); ok {
				t.Fatalf("PSN %d, which no work request has, has one", next)
			}
		}
	})
}

func TestASendQueueTakesItsMaximumAndNoMore(t *testing.T) {
	var s sendQueue
	for i := range MaxSendQueue {
		if err := s.add(sendWork{packets: 1}); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := s.add(sendWork{packets: 1}); !errors.Is(err, ErrQueueFull) || s.end != MaxSendQueue {
		t.Errorf("work beyond the maximum: %v, and the queue ends at PSN %d", err, s.end)
	}
	s.head++
	if err := s.add(sendWork{packets: 1}); err != nil {
		t.Errorf("work when one has finished: %v", err)
	}
}

// The last packet of a message may be short; the middle of a message has begun.
func TestThePayloadOfAPacketIsItsPartOfTheMessage(t *testing.T) {
	var s sendQueue
	if err := s.add(sendWork{length: 2500, packets: 3}); err != nil {
		t.Fatal(err)
	}
	for psn, want := range []units.Bytes{1024, 1024, 452} {
		if got := s.payloadOf(units.PSN(psn), 1024); got != want {
			t.Errorf("packet %d carries %d bytes, want %d", psn, got, want)
		}
	}
	if s.begun() {
		t.Error("a message without a sent packet has begun")
	}
	s.nxt, s.max = 1, 1
	if !s.begun() {
		t.Error("a message with a sent packet has not begun")
	}
}
