package engine_test

import (
	"testing"

	"weft/internal/sim/engine"
	"weft/units"
)

// stopping is a partition that stops its run in its third window.
type stopping struct {
	clockwork
	stop engine.Stop
}

func (s *stopping) RunTo(limit units.Time, window uint64) {
	s.clockwork.RunTo(limit, window)
	if len(s.windows) == 3 {
		s.stop.End()
	}
}

// A run of one partition ends after the window in which it is stopped.
func TestARunOfOnePartitionStopsAfterItsWindow(t *testing.T) {
	var spare engine.Spare
	p := stopping{clockwork: clockwork{spare: &spare}}
	engine.Run([]engine.Partition{&p}, engine.Windows{Single: 7 * units.Nanosecond}, units.Microsecond, 1, &spare, &p.stop)
	if p.next != 21*units.Nanosecond {
		t.Errorf("the run ends at %v, want three windows of 7 ns", p.next)
	}
}
