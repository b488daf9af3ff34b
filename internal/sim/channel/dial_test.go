package channel_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/internal/sim/channel"
	"weft/units"
)

// The clock goes on between its bounds, a nanosecond of the fabric for as many of the machine as the dilation says.
func TestTheDialGoesOnWithTheMachine(t *testing.T) {
	const us = units.Microsecond
	var d channel.Dial
	d.Set(&channel.Hands{Origin: 10 * us, Machine: 5_000_000, Dilation: 100, Least: 9 * us, Most: 12 * us})
	for _, c := range []struct {
		machine int64
		want    units.Time
	}{{5_000_000, 10 * us}, {5_050_000, 10*us + 500*units.Nanosecond}, {5_200_000, 12 * us}, {9_000_000, 12 * us}, {4_000_000, 9 * us}} {
		if got, ok := d.At(c.machine); !ok || got != c.want {
			t.Errorf("at %d ns of the machine the fabric has %v, want %v", c.machine, got, c.want)
		}
	}
}

// Who has read the clock before it was stopped has read no later time than it shows then.
func TestAStoppedDialIsNotBehindItsReaders(t *testing.T) {
	begun := time.Now()
	machine := func() int64 { return int64(time.Since(begun)) }
	var d channel.Dial
	var reader sync.WaitGroup
	var last atomic.Int64
	stop := make(chan struct{})
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if got, ok := d.At(machine()); ok && int64(got) < last.Load() {
					t.Errorf("the clock goes back from %d to %d", last.Load(), got)
					return
				} else if ok {
					last.Store(int64(got))
				}
			}
		}
	})
	for range 20_000 {
		at, _ := d.At(machine())
		d.Set(&channel.Hands{Dilation: 1, Least: at, Most: units.Forever})
		for until := machine() + 2000; machine() < until; {
		}
		d.Stop(machine)
	}
	close(stop)
	reader.Wait()
	if last.Load() == 0 {
		t.Error("the clock has not gone")
	}
}

// A reader never sees some hands of one setting and some of another: the origin and the bounds of each are equal.
func TestTheDialIsReadWhole(t *testing.T) {
	var d channel.Dial
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() {
		for n := units.Time(0); ; n++ {
			select {
			case <-stop:
				return
			default:
				d.Set(&channel.Hands{Origin: n, Dilation: 1, Least: n, Most: n})
			}
		}
	})
	last := units.Time(0)
	for range 200_000 {
		got, ok := d.At(0)
		if !ok {
			continue
		}
		if got < last {
			t.Fatalf("the clock goes back from %d to %d", last, got)
		}
		last = got
	}
	close(stop)
	writer.Wait()
}
