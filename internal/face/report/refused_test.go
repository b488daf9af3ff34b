package report

import (
	"strings"
	"testing"

	"weft/results"
	"weft/units"
)

// TestLostMessagesHaveTheirReasons: a line for each kind of loss.
func TestLostMessagesHaveTheirReasons(t *testing.T) {
	for _, c := range []struct {
		counts results.Counts
		want   string
	}{
		{results.Counts{DroppedBuffer: 3, Retransmissions: 3}, ""},
		{results.Counts{RNRNAKs: 1}, "drew 1 RNR NAK: messages found no receive posted and came again"},
		{
			results.Counts{MessagesLost: 2, DroppedBuffer: 5, DroppedOutOfTurn: 1},
			"lost 2 of 10 messages: 5 packets were dropped in the network and 1 packet of a torn or overtaken message was refused",
		},
		{results.Counts{MessagesLost: 1, DroppedNoReceive: 1}, "lost 1 of 9 messages: 1 message found no receive posted"},
	} {
		if got := refused(&results.Point{Flows: results.Distribution{N: 8}, Counts: c.counts}); got != c.want {
			t.Errorf("%+v:\n%q, want\n%q", c.counts, got, c.want)
		}
	}
}

// TestLossyAndWholeResultsAreNotCompared: one of two fabrics loses more
// messages, and therefore finishes earlier.
func TestLossyAndWholeResultsAreNotCompared(t *testing.T) {
	of := func(name string, time units.Time, lost int64) results.FabricResult {
		return results.FabricResult{Name: name, Protocol: "infiniband", Points: []results.Point{
			{Bytes: 4096, Time: time, BusBW: 1, Counts: results.Counts{MessagesLost: lost}},
		}}
	}
	r := &results.Results{Fabrics: []results.FabricResult{of("whole", 200, 0), of("lossy", 100, 5)}}
	if s := standingAt(r, 4096); s.best >= 0 {
		t.Errorf("%s is called the fastest", r.Fabrics[s.best].Name)
	}
	v := judged(r, nil)
	if text := strings.Join(append(v.Where, v.Notes...), " "); strings.Contains(text, "is the fastest") || !strings.Contains(text, "did not deliver the same messages") {
		t.Errorf("the verdict is %q", text)
	}
	r.Fabrics[0].Points[0].Counts.MessagesLost = 5
	if s := standingAt(r, 4096); s.best != 1 {
		t.Errorf("with equal losses the fastest is %d, want the second", s.best)
	}
}
