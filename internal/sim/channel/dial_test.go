package channel_test

import (
	"sync"
	"testing"

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
		if got := d.At(c.machine); got != c.want {
			t.Errorf("at %d ns of the machine the fabric has %v, want %v", c.machine, got, c.want)
		}
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
		got := d.At(0)
		if got < last {
			t.Fatalf("the clock goes back from %d to %d", last, got)
		}
		last = got
	}
	close(stop)
	writer.Wait()
}
