package scenario

import (
	"fmt"

	"weft/units"
)

// leastOutage is the minimum time of an outage, and outageSlack its minimum beyond a packet's
// delay.
const (
	leastOutage = 10 * units.Microsecond
	outageSlack = units.Microsecond
)

// ShortestOutage is the minimum time of an outage of a cable, or of the time between two: longer
// than the longest delay of a packet, or of a pause.
func (r *Resolved) ShortestOutage(f *Fabric) units.Time {
	cable := Ratio{Num: int64(f.Link.PerMetre), Den: int64(units.Metre)}.Of(int64(r.LongestCable(f)))
	way := units.Time(cable) + f.Link.FECLatency + f.Switch.Latency + f.NIC.AckPipeline + f.Ethernet.PFC.Response
	return max(leastOutage, way+outageSlack)
}

// shortestOutage is the maximum over the fabrics.
func (r faultRules) shortestOutage() units.Time {
	least := leastOutage
	for i := range r.Fabrics {
		least = max(least, r.ShortestOutage(&r.Fabrics[i]))
	}
	return least
}

// latestFault is long after every run: control planes are simulated until then.
const latestFault = 600 * units.Second

// check checks that each fault concerns one part, for a possible time.
func (r faultRules) check() {
	r.checkMKey()
	breaks := 0
	for i := range r.Faults {
		breaks += max(1, r.Faults[i].Times)
	}
	if breaks > maxFaults {
		r.complain("faults", "%d faults are given: at most %d, with each repetition counted", breaks, maxFaults)
		return
	}
	least := r.shortestOutage()
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
		case f.Until != 0 && f.Until < f.At+least:
			r.complain(path+".until", "%s is not %s after %s: a shorter outage than that is no fault of the network's", f.Until, least, f.At)
		default:
			r.checkFlaps(path, f, least)
		}
	}
}

// checkFlaps checks that a repeated fault is repaired in between.
func (r faultRules) checkFlaps(path string, f *Fault, least units.Time) {
	switch {
	case f.Times <= 1 && f.Period == 0:
	case f.Times <= 1:
		r.complain(path+".period", "a fault that happens once has no period: say times, too")
	case f.Until == 0:
		r.complain(path+".times", "a fault that happens %d times must end in between: say until", f.Times)
	case f.Period < f.Until-f.At+least:
		r.complain(path+".period", "%s is not %s longer than the outage of %s: the next would begin before it has ended", f.Period, least, f.Until-f.At)
	case f.Period > latestFault || f.Until+units.Time(f.Times-1)*f.Period > latestFault:
		r.complain(path, "the last of %d times is later than any run: want times up to %s", f.Times, latestFault)
	}
}

// Each lists a fault once for each of its repetitions.
func (f *Fault) Each() []Fault {
	all := make([]Fault, max(1, f.Times))
	for i := range all {
		all[i] = *f
		all[i].Times, all[i].Period = 0, 0
		all[i].At += units.Time(i) * f.Period
		if f.Until != 0 {
			all[i].Until += units.Time(i) * f.Period
		}
	}
	return all
}

// Ends is the end of the fault, units.Forever if it has none.
func (f *Fault) Ends() units.Time {
	if f.Until == 0 {
		return units.Forever
	}
	return f.Until
}

// What is the name of the failing part.
func (f *Fault) What() string {
	switch {
	case f.SM:
		return "the Subnet Manager"
	case f.Switch != "":
		return f.Switch
	}
	return f.Link
}

// checkMKey checks that protection, lease and the standby's key come with an M_Key.
func (r faultRules) checkMKey() {
	sm := &r.Control.SM
	switch {
	case sm.MKey == 0 && (sm.MKeyProtection != 0 || sm.MKeyLease != 0 || sm.StandbyMKey != 0):
		r.complain("control.sm.m-key", "without an M_Key there is nothing to protect: give m-key, or leave m-key-protection, m-key-lease and standby-m-key out")
	case sm.MKeyLease%units.Second != 0:
		r.complain("control.sm.m-key-lease", "%v is not a whole number of seconds, the unit of PortInfo", sm.MKeyLease)
	case sm.StandbyMKey != 0 && !sm.Standby:
		r.complain("control.sm.standby-m-key", "there is no standby: say standby: true, or leave its key out")
	}
}
