package verbs

import (
	"testing"

	"pgregory.net/rapid"
)

// The twin of the records is the list of those that are pending. The segments of a post lie
// in memory that the next post uses again.
func TestARecordOutlivesThePostAndTheGrowthOfItsRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sends sendRecords
		var recvs recvRecords
		scratch := make([]segment, 5)
		var pending []uint64 // IDs; the number of segments follows from the ID
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			if len(pending) > 0 && rapid.IntRange(0, 3).Draw(t, "finish") == 0 {
				pending = pending[1:]
				recvs.posted--
				continue
			}
			id := sends.next
			n := int(id % 6)
			for i := range scratch {
				scratch[i] = segment{off: id*10 + uint64(i)}
			}
			sends.reserve(len(pending))
			sends.append(&sendRecord{wrid: id, segs: scratch[:n]})
			few := recvRecord{wrid: id, segs: scratch[:n:n]}
			if n > len(few.few) {
				few.segs = append([]segment(nil), few.segs...)
			}
			recvs.append(&few)
			pending = append(pending, id)
			for _, id := range pending {
				s, r := sends.record(id), recvs.record(id)
				if s.wrid != id || r.wrid != id || len(s.segs) != int(id%6) || len(r.segs) != int(id%6) {
					t.Fatalf("work request %d: the send record holds %d with %d segments, the receive record %d with %d", id, s.wrid, len(s.segs), r.wrid, len(r.segs))
				}
				for i := range s.segs {
					if want := id*10 + uint64(i); s.segs[i].off != want || r.segs[i].off != want {
						t.Fatalf("segment %d of %d begins at %d in the send and %d in the receive, want %d", i, id, s.segs[i].off, r.segs[i].off, want)
					}
				}
			}
		}
		sends.posted = 7
		sends.forget()
		recvs.forget()
		if n := sends.unfinished(); n != 0 || recvs.posted != 0 {
			t.Fatalf("after all work is forgotten %d sends and %d receives are unfinished", n, recvs.posted)
		}
	})
}

// A READ in three parts is one work request: its room is free, and it completes, once.
func TestThePartsOfAReadCompleteItOnce(t *testing.T) {
	s := sendRecords{posted: 2}
	parts := []sendRecord{{wr: 0}, {wr: 0}, {wr: 0}, {wr: 1}}
	for i, want := range []struct {
		completes bool
		left      uint64
	}{{true, 1}, {false, 1}, {false, 1}, {true, 0}} {
		if got := s.complete(&parts[i]); got != want.completes || s.unfinished() != want.left {
			t.Errorf("part %d completes its work request: %v, and %d are unfinished; want %v and %d", i, got, s.unfinished(), want.completes, want.left)
		}
	}
}
