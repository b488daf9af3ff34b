package channel

import (
	"sync/atomic"

	"weft/units"
)

// DialBytes is the size of the memory of a dial: a page.
const DialBytes = 4096

// Dial is the fabric's clock in memory that the fabric writes and its devices read, so that they know the time
// between two turns. It lies at the start of the memory.
type Dial struct {
	version  atomic.Uint64 // odd while the fabric writes
	origin   atomic.Int64
	machine  atomic.Int64
	dilation atomic.Int64
	least    atomic.Int64
	most     atomic.Int64
}

// Hands say how the fabric's clock goes on until they are set again.
type Hands struct {
	Origin      units.Time // the fabric's time at Machine
	Machine     int64      // CLOCK_MONOTONIC in ns
	Dilation    int64      // ns of the machine for one of the fabric, from 1
	Least, Most units.Time // bounds: the clock stands still at Most; if they are equal, it stands still
}

// Set sets the hands; one process does.
func (d *Dial) Set(h *Hands) {
	d.version.Add(1)
	d.origin.Store(int64(h.Origin))
	d.machine.Store(h.Machine)
	d.dilation.Store(h.Dilation)
	d.least.Store(int64(h.Least))
	d.most.Store(int64(h.Most))
	d.version.Add(1)
}

// Stop has the clock stand at the time that it shows. It reads the machine's clock while no device can read the hands,
// so none has seen a later time.
func (d *Dial) Stop(machine func() int64) {
	d.version.Add(1)
	t := int64(d.shown(machine()))
	d.least.Store(t)
	d.most.Store(t)
	d.version.Add(1)
}

// looks bounds the attempts to read hands that are being set: the fabric may be stopped meanwhile, or dead.
const looks = 1000

// At is the fabric's time at a time of the machine, CLOCK_MONOTONIC in ns. It fails if the hands are being set.
func (d *Dial) At(machine int64) (t units.Time, ok bool) {
	for range looks {
		before := d.version.Load()
		t = d.shown(machine)
		if before&1 == 0 && d.version.Load() == before {
			return t, true
		}
	}
	return 0, false
}

// shown is the time by the hands as they are.
func (d *Dial) shown(machine int64) units.Time {
	passed := (machine - d.machine.Load()) / max(1, d.dilation.Load())
	t := units.Time(d.origin.Load()) + units.Time(passed)*units.Nanosecond
	return max(min(t, units.Time(d.most.Load())), units.Time(d.least.Load()))
}
