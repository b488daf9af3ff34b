package verbs

import "testing"

// A queue that stamps gives the device's clock at each completion; others give none.
func TestCompletionsHaveTheDevicesClock(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 4096)
	a, b := p.on[0], p.on[1]
	a.cq.stamps = true
	for range 3 {
		if err := b.qp.PostRecv(RecvWR{SGL: []SGE{b.mr.SGE(0, 64)}}); err != nil {
			t.Fatal(err)
		}
		before := a.dev.Clock()
		a.post(SendWR{Opcode: Send, SGL: []SGE{a.mr.SGE(0, 64)}})
		wc := a.wait()
		if after := a.dev.Clock(); wc.Clock < before || wc.Clock > after {
			t.Errorf("the completion has the time %v, and came between %v and %v", wc.Clock, before, after)
		}
		if got := b.wait(); got.Clock != 0 {
			t.Errorf("a queue that does not stamp gives %v", got.Clock)
		}
	}
}
