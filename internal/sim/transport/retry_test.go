package transport

import (
	"testing"

	"weft/units"
)

func TestTriesAreCountedUntilAnAnswer(t *testing.T) {
	count := func(again func() bool) (n int) {
		for n < 100 && again() {
			n++
		}
		return n
	}
	var p progress
	for range 2 {
		if n := count(func() bool { return p.again(7) }); n != 7 {
			t.Errorf("%d tries, want 7", n)
		}
		if n := count(func() bool { return p.rnrAgain(6) }); n != 6 {
			t.Errorf("%d tries of a receiver that is not ready, want 6", n)
		}
		p.forgetTries()
	}
	if n := count(func() bool { return p.rnrAgain(rnrInfinite) }); n != 100 {
		t.Errorf("%d tries, want no end", n)
	}
	p.progressAt, p.holdUntil = 10, 5
	if got := p.since(); got != 10 {
		t.Errorf("the retry timer counts from %d, want the last progress, 10", got)
	}
	if p.holdUntil = 20; p.since() != 20 {
		t.Errorf("the retry timer counts from %d, want the end of the wait, 20", p.since())
	}
}

// A requester alone: it sends a packet without an acknowledgement as often as configured,
// and then its work and the work behind it fail.
func TestARequesterAloneGivesUp(t *testing.T) {
	r := requester{endpoint: endpoint{cfg: &Config{PathMTU: 1024, RetryTimeout: units.Microsecond, RetryCount: 2}, state: StateRTS, wake: units.Forever}}
	r.allow.Wake = units.Forever
	for id := range uint64(2) {
		if err := r.post(0, WorkRequest{ID: id, Op: OpWrite, Length: 100}); err != nil {
			t.Fatal(err)
		}
	}
	var p Packet
	var b Batch
	var sent []units.Time
	for now := units.Time(0); r.state == StateRTS; now = r.wake {
		r.timeout(now, &b)
		for r.sendable() {
			r.nextRequest(now, &p)
			if p.PSN == 0 {
				sent = append(sent, now)
			}
		}
	}
	if len(sent) != 3 || sent[2] != 2*units.Microsecond {
		t.Errorf("the first packet went at %v, want three times, the last at 2 us", sent)
	}
	if c := b.Completions; len(c) != 2 || c[0].Status != RetryExcErr || c[1].Status != WRFlushErr {
		t.Errorf("completions %+v, want RETRY_EXC_ERR and WR_FLUSH_ERR", c)
	}
	if r.wake != units.Forever {
		t.Errorf("a requester that has given up waits for %v", r.wake)
	}
}
