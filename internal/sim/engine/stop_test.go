package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"weft/units"
)

// window is the length of a window.
const window = units.Microsecond

// ticker is a partition with an event at each microsecond.
type ticker struct {
	now  units.Time
	runs atomic.Int64
	at   func(run int64)
}

func (p *ticker) NextTime() units.Time { return p.now }
func (p *ticker) RunTo(limit units.Time, _ uint64) {
	p.now = limit
	if n := p.runs.Add(1); p.at != nil {
		p.at(n)
	}
}
func (p *ticker) Sent(uint64) units.Time { return units.Forever }
func (p *ticker) Collect(uint64)         {}
func (p *ticker) Stopped() bool          { return false }
func (p *ticker) Halt() units.Time       { return units.Forever }

// A paused run does nothing, on one core or several, until it goes on; the end of its context ends it also while it
// is paused.
func TestAPausedRunWaitsAndGoesOn(t *testing.T) {
	for _, parts := range []int{1, 3} {
		for _, ends := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			ctx, hold := Pausable(ctx)
			if ends {
				ctx, _ = Pausable(ctx) // a context inside pauses with the one around it
			}
			stop, release := NewStop(ctx)
			const until = 100 * window
			first, held := &ticker{}, make(chan struct{})
			first.at = func(run int64) {
				if run == 3 {
					hold(true)
					hold(true) // twice is once
					close(held)
				}
			}
			list := []Partition{first}
			for len(list) < parts {
				list = append(list, &ticker{})
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				Run(list, Windows{Lookahead: window, Single: window}, until, parts, nil, stop)
			}()
			<-held
			for range 1000 { // a run that goes on is seen by its counter
				if n := first.runs.Load(); n != 3 {
					t.Fatalf("%d partitions: %d windows in a pause that began in the third", parts, n)
				}
				runtime.Gosched()
			}
			if ends {
				cancel()
			} else {
				hold(false)
			}
			<-done
			if n := first.runs.Load(); ends && n > 4 || !ends && n != 100 {
				t.Errorf("%d partitions, stopped %t: %d windows", parts, ends, n)
			}
			release()
			cancel()
		}
	}
}
