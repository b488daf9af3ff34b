package report

import (
	"testing"

	"weft/internal/runstore"
)

// TestLostMessagesAreToldWithTheirReasons holds the line of each kind of loss.
func TestLostMessagesAreToldWithTheirReasons(t *testing.T) {
	for _, c := range []struct {
		counts runstore.Counts
		want   string
	}{
		{runstore.Counts{DroppedBuffer: 3, Retransmissions: 3}, ""},
		{runstore.Counts{RNRNAKs: 1}, "drew 1 RNR NAK: messages found no receive posted and came again"},
		{
			runstore.Counts{MessagesLost: 2, DroppedBuffer: 5, DroppedOutOfTurn: 1},
			"lost 2 of 10 messages: 5 packets were dropped in the network and 1 packet of a torn or overtaken message was refused",
		},
		{runstore.Counts{MessagesLost: 1, DroppedNoReceive: 1}, "lost 1 of 9 messages: 1 message found no receive posted"},
	} {
		if got := refused(&runstore.Point{Flows: runstore.Distribution{N: 8}, Counts: c.counts}); got != c.want {
			t.Errorf("%+v:\n%q, want\n%q", c.counts, got, c.want)
		}
	}
}
