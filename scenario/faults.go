package scenario

import (
	"fmt"

	"weft/units"
)

// shortestOutage is how long something must be broken: longer than any packet, or
// pause of one, is on a cable.
const shortestOutage = 10 * units.Microsecond

// latestFault is long after every run: control planes are simulated until then.
const latestFault = 600 * units.Second

// checkFaults sees that each fault is one thing, for a time that can be.
func (r *resolver) checkFaults() {
	if len(r.Faults) > maxFaults {
		r.complain("faults", "%d faults are given: at most %d", len(r.Faults), maxFaults)
		return
	}
	for i := range r.Faults {
		f, path := &r.Faults[i], fmt.Sprintf("faults[%d]", i)
		things := 0
		for _, given := range []bool{f.Link != "", f.Switch != "", f.SM} {
			if given {
				things++
			}
		}
		switch {
		case things != 1:
			r.complain(path, "a fault is one of link, switch or sm: %d are given", things)
		case f.At == 0:
			r.complain(path+".at", "no time is given: want one such as 100us, after the start of the run")
		case max(f.At, f.Until) > latestFault:
			r.complain(path, "%s is later than any run: want times up to %s", max(f.At, f.Until), latestFault)
		case f.Until != 0 && f.SM:
			r.complain(path+".until", "a manager that has ended does not come back: leave until out")
		case f.Until != 0 && f.Until < f.At+shortestOutage:
			r.complain(path+".until", "%s is not %s after %s: a shorter outage than that is no fault of the network's", f.Until, shortestOutage, f.At)
		}
	}
}

// Ends is when the fault is over, units.Forever if it never is.
func (f *Fault) Ends() units.Time {
	if f.Until == 0 {
		return units.Forever
	}
	return f.Until
}

// What names what breaks.
func (f *Fault) What() string {
	switch {
	case f.SM:
		return "the Subnet Manager"
	case f.Switch != "":
		return f.Switch
	}
	return f.Link
}
