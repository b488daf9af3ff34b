package transport

import (
	"testing"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// lastOf is when the last of n packets goes of a queue pair that is paced at 1 Gb/s and
// whose caller is late when it has waited.
func lastOf(t *testing.T, n int, late, slack units.Time) (at units.Time) {
	t.Helper()
	p, err := cc.DCQCNPreset("paper", units.Gbps)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQP(&Config{PathMTU: 1000, PaceSlack: slack}, RC, 1, cc.NewDCQCN(&p, cc.Unlimited))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Connect(0, 2, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := q.PostSend(0, WorkRequest{Op: OpWrite, Length: uint32(1000 * n)}); err != nil {
		t.Fatal(err)
	}
	var pkt Packet
	for range n {
		if ready := q.Ready(at); ready > at {
			at = ready + late
		}
		if !q.Next(at, &pkt) {
			t.Fatal("there is nothing to send")
		}
	}
	return at
}

func TestACallerThatIsLateReachesTheRateWithinItsSlack(t *testing.T) {
	const n, gap, us = 1000, 8 * units.Microsecond, units.Microsecond // 1000 bytes at 1 Gb/s
	for _, c := range []struct{ late, slack, want units.Time }{
		{0, 0, (n - 1) * gap},
		{5 * us, 0, (n-1)*(gap+5*us) + 5*us},
		{5 * us, 10 * us, (n-1)*gap + 5*us},
		// What is beyond the slack is lost, of each wait: two packets go after one.
		{15 * us, 10 * us, n/2*(2*gap+5*us) + 15*us},
	} {
		// The slack lets something go at once where nothing has gone before.
		if got := lastOf(t, n, c.late, c.slack); got > c.want || got < c.want-c.slack-gap {
			t.Errorf("%v late with a slack of %v: the last of %d packets went at %v, want %v", c.late, c.slack, n, got, c.want)
		}
	}
}
