package verbs

import (
	"sync/atomic"
	"testing"
	"time"

	"weft/units"
	"weft/wire"
	"weft/wire/cm"
)

// As many requests as a listener keeps find room though the manager gets no processor meanwhile: none
// is sent again.
func TestRequestsAtOnceWaitForTheManager(t *testing.T) {
	const n = 1500
	// Time stands still, so that no request is forgotten however slow the machine is.
	p, out := leakyPair(t, func() units.Time { return units.Second })
	a, b := p.on[0].dev, p.on[1].dev
	l, err := b.Listen(7)
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int32
	out[0].lose(func(h *wire.Packet) bool { return message(h) == cm.AttrReq && sent.Add(1) > n }) // all repetitions
	m, err := a.manager()
	if err != nil {
		t.Fatal(err)
	}
	l.m.mu.Lock()
	for i := range n {
		if _, err := m.dial(nil, b.Addr(), 7, ConnParam{QPN: QPN(i + 1)}); err != nil {
			t.Error(err)
		}
	}
	for end := time.Now().Add(patience); sent.Load() < n && time.Now().Before(end); {
		a.Progress()
	}
	for b.Progress() { // they are in its receives, or lost
	}
	l.m.mu.Unlock()
	waiting := 0
	for end := time.Now().Add(patience); waiting < n && time.Now().Before(end); time.Sleep(time.Millisecond) {
		l.m.mu.Lock()
		waiting = len(l.backlog.waits)
		l.m.mu.Unlock()
	}
	if waiting != n {
		t.Errorf("%d of %d requests have come", waiting, n)
	}
}
