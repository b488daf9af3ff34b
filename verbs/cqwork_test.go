package verbs

import (
	"testing"
	"time"
)

// A program that has armed its queue, polled it in vain and waits for the queue's descriptor is told of a
// completion at once. The device's goroutine pauses for a millisecond for those that go on to poll.
func TestWhoPollsAnArmedQueueIsToldAtOnce(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 64)
	from, to := p.on[0], p.on[1]
	told := make(chan struct{}, 1)
	to.cq.notify = func() { told <- struct{}{} }
	least := time.Hour
	for i := range uint64(30) {
		if err := to.qp.PostRecv(RecvWR{WRID: i, SGL: []SGE{to.mr.SGE(0, 64)}}); err != nil {
			t.Fatal(err)
		}
		to.cq.ReqNotify(false)
		to.cq.Work()
		start := time.Now()
		from.post(SendWR{WRID: i, Opcode: Send, Flags: SendSignaled, SGL: []SGE{from.mr.SGE(0, 64)}})
		select {
		case <-told:
		case <-time.After(patience):
			t.Fatal("no event of an armed queue")
		}
		least = min(least, time.Since(start))
		to.want(i, Success)
		from.want(i, Success)
	}
	if least > 500*time.Microsecond {
		t.Errorf("the quickest of 30 events came after %v", least)
	}
}

// Who waits for the events of one queue and looks at others between does not poll: the device goes on with its own work.
// Who looks again and again polls.
func TestAFewLooksAfterAnArmingAreNoPolling(t *testing.T) {
	dev := newPair(t, Options{}, QPInitAttr{}, 64).on[0].dev
	var queues []*CQ
	for range 20 {
		q, err := dev.CreateCQ(8)
		if err != nil {
			t.Fatal(err)
		}
		queues = append(queues, q)
	}
	dev.port.Lock()
	defer dev.port.Unlock()
	for range 3 {
		queues[0].reqNotify(true)
		for _, q := range queues {
			for look := range mostGlances {
				if q.work(); dev.port.Polled() {
					t.Fatalf("look %d at a queue after another was armed is taken for polling", look+1)
				}
			}
		}
		if queues[1].work(); !dev.port.Polled() {
			t.Errorf("after %d looks the next one is no polling", mostGlances)
		}
	}
}
