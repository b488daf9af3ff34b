package verbs

import (
	"testing"

	"weft/verbs/internal/socket"
	"weft/verbs/internal/socket/faulty"
)

// Queue pairs that end while they wait for room at their peer leave the room to the queue pairs
// behind them, whatever their number.
func TestQueuePairsThatHaveEndedTakeNoRoomAtAPeer(t *testing.T) {
	const (
		each   = firstWindow * 1024 // bytes: what one queue pair has in flight at first
		filled = socket.PeerPackets / firstWindow
		ended  = 100
		first  = 1
		last   = 2
	)
	p := newPaced(t, faulty.New(1, faulty.Harm{}), 0)
	a, b := p.sender, p.receiver
	from, err := a.pd.RegMR(make([]byte, each), 0)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.pd.RegMR(make([]byte, each), AccessLocalWrite|AccessRemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	send := func(q *QP, id uint64, n int) {
		t.Helper()
		wr := SendWR{WRID: id, Opcode: RDMAWrite, Flags: SendSignaled, SGL: []SGE{from.SGE(0, n)}, RemoteAddr: to.Addr(), RKey: to.RKey()}
		if err := q.PostSend(wr); err != nil {
			t.Fatal(err)
		}
	}
	for range filled { // as many packets as may be in flight
		send(p.another(), first, each)
	}
	for range ended {
		q := p.another()
		send(q, 0, 8)
		if err := q.Modify(&QPAttr{State: StateErr}, AttrState); err != nil {
			t.Fatal(err)
		}
	}
	send(p.another(), last, 8)
	p.until(ended+filled+1, func() {})
	for range ended {
		a.want(0, WRFlushErr)
	}
	for range filled {
		a.want(first, Success)
	}
	a.want(last, Success)
}

// another is a queue pair of the sender's that is connected to one of the receiver's.
func (p *paced) another() *QP {
	p.t.Helper()
	var qps [2]*QP
	for i, s := range []*side{p.sender, p.receiver} {
		var err error
		if qps[i], err = s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 1}); err != nil {
			p.t.Fatal(err)
		}
	}
	for i, to := range []*side{p.receiver, p.sender} {
		if err := qps[i].Connect(Remote{Addr: to.dev.Addr(), QPN: qps[1-i].QPN()}, 0, allAccess); err != nil {
			p.t.Fatal(err)
		}
	}
	return qps[0]
}
