package fabric

import (
	"testing"

	"weft/internal/sim/engine"
	"weft/units"
)

// TestAMailboxIsReadWhileTheNextWindowFillsTheOther sends in window 6, then in window 7.
func TestAMailboxIsReadWhileTheNextWindowFillsTheOther(t *testing.T) {
	m := mailboxes{window: 6}
	m.outgoing().earliest = 60
	m.window = 7
	m.outgoing().reset()
	if got := m.Sent(7); got != units.Forever {
		t.Errorf("window 7 has an event for %v before anything is sent", got)
	}
	m.outgoing().earliest = 70
	if six, seven := m.Sent(6), m.Sent(7); six != 60 || seven != 70 {
		t.Errorf("windows 6 and 7 take effect at %d and %d, want 60 and 70", six, seven)
	}
}

func TestALookAheadSeparatesArrivalsFromTurnsToSend(t *testing.T) {
	q := engine.NewQueue(10, 6)
	for i, class := range []engine.Class{classPort, classArrive, classApp, classArrive, classPort, classTimer} {
		q.Push(units.Time(100+i), class, uint64(i))
	}
	var v preview
	for range 2 { // the second has room from the first
		arrivals, sending := v.split(&q.Bucket)
		if len(arrivals) != 2 || arrivals[0] != 1 || arrivals[1] != 3 || len(sending) != 2 || sending[0] != 0 || sending[1] != 4 {
			t.Errorf("arrivals %v and turns %v, want 1 and 3, 0 and 4", arrivals, sending)
		}
	}
}
