package verbs

import (
	"testing"
	"time"

	"weft/verbs/internal/socket/faulty"
)

// The accepting side of a connection asks for its peer now and then. While the peer has the connection, nothing happens,
// whatever gets lost. When the peer has gone without a word, the connection ends as after a good bye.
func TestAConnectionEndsWhenItsPeerHasGoneWithoutAWord(t *testing.T) {
	p := faultyPair(t, faulty.New(9, faulty.Harm{Lose: 0.3, Double: 0.2}), QPInitAttr{}, 4096)
	b, err := p.on[1].dev.manager()
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.probeAfter, b.probePatience = 2*tickTime, 40*answerTime
	b.mu.Unlock()
	dialled, accepted := connected(t, p, 7471)
	rests := func() (is bool, asked int64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return accepted.rest != nil, accepted.until
	}
	var last int64
	for answers := 0; answers < 3; { // it rests again after each answer
		select {
		case <-accepted.Done():
			t.Fatal("the connection ends although its peer has it")
		case <-time.After(tickTime):
		}
		if is, asked := rests(); is && asked != last {
			last = asked
			answers++
		}
	}
	a := dialled.m
	a.mu.Lock()
	delete(a.conns, dialled.local) // the process has been killed
	a.mu.Unlock()
	b.mu.Lock()
	b.probePatience = answerTime
	b.mu.Unlock()
	select {
	case <-accepted.Done():
	case <-time.After(patience):
		t.Fatal("the connection stays although its peer has gone")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.conns) != 0 || b.resting.Len() != 0 || len(b.waiting) != 0 {
		t.Errorf("%d connections, %d at rest, %d waiting are left", len(b.conns), b.resting.Len(), len(b.waiting))
	}
}

// A connection that says good bye is asked for no more.
func TestAConnectionThatEndsIsAskedForNoMore(t *testing.T) {
	p := faultyPair(t, faulty.New(9, faulty.Harm{}), QPInitAttr{}, 4096)
	dialled, accepted := connected(t, p, 7471)
	if err := dialled.Disconnect(within(t, patience)); err != nil {
		t.Fatal(err)
	}
	<-accepted.Done()
	accepted.m.mu.Lock()
	defer accepted.m.mu.Unlock()
	if n := accepted.m.resting.Len(); n != 0 {
		t.Errorf("%d connections are at rest after the good bye", n)
	}
}
