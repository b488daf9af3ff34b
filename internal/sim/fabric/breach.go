package fabric

import (
	"fmt"

	"weft/units"
)

// Breach is a broken invariant: a defect of the simulator, never of the
// scenario. It ends the run.
type Breach struct {
	Invariant string
	Entity    string
	Time      units.Time
	Got, Want int64
}

// Error names the invariant, the place, the time, and the two numbers that disagree.
func (b *Breach) Error() string {
	return fmt.Sprintf("invariant broken at %d ps in %s: %s: %d against %d", int64(b.Time), b.Entity, b.Invariant, b.Got, b.Want)
}

// breach ends the simulation partition's run; recoverFault catches it.
func (p *Partition) breach(invariant string, link int32, got, want int64) {
	panic(&Breach{invariant, p.net.LinkName(link), p.now, got, want})
}

// Overload is a bound of limits.go that a run has reached.
type Overload struct {
	What  string
	Limit int64
}

// Error names the bound.
func (o *Overload) Error() string {
	return fmt.Sprintf("more than %d %s: the run was given up", o.Limit, o.What)
}
