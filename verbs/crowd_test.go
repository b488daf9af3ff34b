package verbs

import (
	"testing"

	"weft/verbs/internal/socket/faulty"
)

// TestACrowdOfPartsOfMessagesDoesNotWaitForTimeouts lets hundreds of queue pairs write messages
// longer than a turn to one peer, whose room holds a few packets of each. If no packet asked for an
// acknowledgement, all would wait for the timeout of 4 s and send again. The test counts
// retransmissions.
func TestACrowdOfPartsOfMessagesDoesNotWaitForTimeouts(t *testing.T) {
	const n, packets, rounds = 600, 21, 2
	const size = packets * 1024
	p := faultyPair(t, faulty.New(1, faulty.Harm{}), QPInitAttr{}, size)
	from := make([]*QP, n)
	for i := range from {
		var ends [2]*QP
		var err error
		for k, s := range p.on {
			if ends[k], err = s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: rounds}); err != nil {
				t.Fatal(err)
			}
		}
		for k, q := range ends {
			to := p.on[1-k]
			if err := q.ConnectWith(&QPAttr{
				Access: allAccess, PathMTU: 1024, Dest: to.dev.Addr(), DestQPN: ends[1-k].QPN(),
				MaxRdAtomic: 1, MaxDestRdAtomic: 1, MinRNRTimer: 1, Timeout: 20, RetryCnt: 7, RNRRetry: 7,
			}); err != nil {
				t.Fatal(err)
			}
		}
		from[i] = ends[0]
	}
	a, b := p.on[0], p.on[1]
	for range rounds {
		for _, q := range from {
			if err := q.PostSend(SendWR{Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range n * rounds {
		if wc := a.wait(); wc.Status != Success {
			t.Fatal(wc.Status)
		}
	}
	if again := a.dev.Stats().Repeated; again != 0 {
		t.Errorf("%d packets were sent again on a network that loses none", again)
	}
}
