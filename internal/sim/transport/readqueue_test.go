package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// served takes all responses of a queue and gives their PSNs.
func served(q *readQueue, e *endpoint) (psns []units.PSN) {
	var p Packet
	for e.owed&owedReads != 0 {
		q.emit(e, &p)
		psns = append(psns, p.PSN)
	}
	return psns
}

// TestARepeatedReadTakesThePlaceOfItsRest asks for READs again from the middle. Its twin
// is the sorted set of all PSNs still to be sent.
func TestARepeatedReadTakesThePlaceOfItsRest(t *testing.T) {
	const mtu = 16
	rapid.Check(t, func(t *rapid.T) {
		e := &endpoint{cfg: &Config{PathMTU: mtu}}
		var q readQueue
		type read struct{ first, packets int }
		var reads []read
		end := 0
		for range rapid.IntRange(1, 5).Draw(t, "reads") {
			n := rapid.IntRange(1, 6).Draw(t, "packets")
			q.serve(e, readWork{psn: units.PSN(end), length: uint32(n * mtu)})
			reads = append(reads, read{end, n})
			end += n
		}
		var p Packet
		gone := rapid.IntRange(0, end).Draw(t, "gone")
		for range gone {
			q.emit(e, &p)
		}
		again := rapid.SampledFrom(reads).Draw(t, "again")
		skip := rapid.IntRange(0, again.packets-1).Draw(t, "skip")
		q.repeat(e, readWork{psn: units.PSN(again.first + skip), length: uint32((again.packets - skip) * mtu)})
		var want []units.PSN
		for psn := range end {
			if psn >= gone || psn >= again.first+skip && psn < again.first+again.packets {
				want = append(want, units.PSN(psn))
			}
		}
		if got := served(&q, e); !slices.Equal(got, want) {
			t.Fatalf("%d of %v have gone, PSN %d is asked for again: the responses are %v, want %v", gone, reads, again.first+skip, got, want)
		}
	})
}

// A network that doubles a request does not cost the requester a place.
func TestAFullQueueGivesUpARepeatedReadAlone(t *testing.T) {
	e := &endpoint{cfg: &Config{PathMTU: 16, MaxReads: 2}}
	var q readQueue
	q.serve(e, readWork{psn: 10, length: 16})
	q.serve(e, readWork{psn: 11, length: 16})
	if q.room(e) {
		t.Error("there is room beside two READs that are served for the first time")
	}
	q.emit(e, new(Packet))
	if v := q.repeat(e, readWork{psn: 10, length: 16}); v != Taken {
		t.Errorf("a repeated READ: %v, want Taken", v)
	}
	if !q.room(e) {
		t.Error("there is no room beside a READ that is served again")
	}
	if got := served(&q, e); !slices.Equal(got, []units.PSN{11}) {
		t.Errorf("the responses are %v, want 11 alone", got)
	}
}

// A response of a READ is paced data, the answer to an atomic is not; an atomic whose
// answer waits is not answered twice.
func TestAnAtomicIsAnsweredOnceAndInItsTurn(t *testing.T) {
	e := &endpoint{cfg: &Config{PathMTU: 16, MaxReads: 1}}
	var q readQueue
	q.serve(e, readWork{psn: 12, length: 16})
	if v := q.repeatAtomic(e, readWork{psn: 11, atomic: true, va: 77}); v != Dropped {
		t.Errorf("a duplicate of an atomic at the limit of served requests: %v, want Dropped", v)
	}
	e.cfg = &Config{PathMTU: 16}
	for i, want := range []Verdict{Taken, Dropped} {
		if v := q.repeatAtomic(e, readWork{psn: 11, atomic: true, va: 77}); v != want {
			t.Errorf("duplicate %d of an atomic: %v, want %v", i, v, want)
		}
	}
	var p Packet
	if paced := q.emit(e, &p); paced || p.PSN != 11 || p.VA != 77 {
		t.Errorf("the first answer has PSN %d and the value %d, and is paced: %v; want the atomic's 11, 77, not paced", p.PSN, p.VA, paced)
	}
	if paced := q.emit(e, &p); !paced || p.PSN != 12 {
		t.Errorf("the second answer has PSN %d and is paced: %v; want the READ's 12, paced", p.PSN, paced)
	}
}
