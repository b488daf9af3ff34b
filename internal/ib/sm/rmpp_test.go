package sm

import (
	"testing"

	"weft/units"
	"weft/wire/mad"
)

// transferred is the answer to a GetTable with that many bytes of records, and its first
// segments.
func transferred(bytes int) (*transfers, *Batch) {
	out := &Batch{}
	s := &transfers{outbox: &outbox{out: out}}
	p := Packet{DLID: 1, SLID: 2, MAD: mad.New(mad.SubnAdm, mad.GetTable, mad.AttrLinkRecord, 0, 7)}
	s.answer(&query{p: &p, records: make([]byte, bytes), bytes: 6})
	return s, out
}

// acknowledge acknowledges the segments up to segment and opens the window up to window.
func acknowledge(s *transfers, segment, window uint32) {
	p := Packet{DLID: 1, SLID: 2, MAD: mad.New(mad.SubnAdm, mad.GetTable, mad.AttrLinkRecord, 0, 7)}
	s.acknowledged(&p, &mad.RMPP{Type: mad.RMPPAck, Segment: segment, Length: window})
}

func segmentsOf(out *Batch) (all []uint32) {
	for i := range out.Send {
		all = append(all, out.Send[i].MAD.RMPP().Segment)
	}
	out.Reset()
	return all
}

// IBA vol. 1, 13.6: the receiver opens the window.
func TestSegmentsFollowTheReceiversWindow(t *testing.T) {
	s, out := transferred(5 * mad.SADataBytes)
	for _, step := range []struct {
		segment, window uint32
		first, last     uint32
	}{{0, 0, 1, 1}, {1, 3, 2, 3}, {3, 4, 4, 4}, {3, 4, 4, 4}, {4, 9, 5, 5}} {
		if step.segment > 0 {
			acknowledge(s, step.segment, step.window)
		}
		got := segmentsOf(out)
		if len(got) == 0 || got[0] != step.first || got[len(got)-1] != step.last {
			t.Fatalf("after the acknowledgement of %d up to %d: segments %v, want %d to %d", step.segment, step.window, got, step.first, step.last)
		}
	}
	acknowledge(s, 5, 5)
	if len(s.all) != 0 {
		t.Error("the transfer is not over after its last segment")
	}
}

func TestATransferWithoutAcknowledgementEnds(t *testing.T) {
	s, out := transferred(3 * mad.SADataBytes)
	out.Reset()
	s.now = transferTime + units.Nanosecond
	acknowledge(s, 1, 3)
	if len(out.Send) != 0 || len(s.all) != 0 {
		t.Errorf("%d sent and %d transfers left after a transfer's time limit", len(out.Send), len(s.all))
	}
}
