package plan

import (
	"weft/internal/sim/catalog"
	"weft/units"
)

// A device whose typical power is unknown takes no more than its upper bound: the most that is published
// of it, or else a rule from devices whose power is known. A switch or a NIC takes no less than the rule of [leastWatts]
// gives. A bound is never a figure of the device.

// slotPower is what a PCIe slot gives a card, R (PCI Express card specification): a NIC has no
// other supply.
const slotPower = 75_000 // milliwatts

// powerMost is the fact of an entry with the most power that is published of it.
const powerMost = "about.power-max"

// published is the most power that is published of a device, in milliwatts; 0 if nothing is.
func published(e catalog.Entry) int64 {
	f, ok := e.Known(powerMost)
	if !ok {
		return 0
	}
	v, err := units.ParsePower(f.Value)
	if err != nil {
		return 0
	}
	return int64(v)
}

// switchPower is the typical power of a switch, or its bound.
func (s switchModel) power() Part {
	p := powerOf(s.entry, "about.power", "switch "+s.entry.Name)
	if !p.Known {
		p.Least, _ = leastWatts(s.entry.Name)
		p.Most = s.mostPower()
	}
	return p
}

// mostPower bounds the power of a switch: by what is published of it; else by its capacity, at the most
// watts for each bit per second of a switch with a published maximum, of the same rate of a cage if there is one, and of
// the same protocol. 0 if there is none.
func (s switchModel) mostPower() int64 {
	if most := published(s.entry); most > 0 {
		return most
	}
	var same, largest float64 // milliwatts for each bit per second
	for _, other := range switches() {
		most := published(other.entry)
		if most == 0 || other.protocol != s.protocol {
			continue
		}
		each := float64(most) / other.capacity()
		largest = max(largest, each)
		if other.cageRate() == s.cageRate() {
			same = max(same, each)
		}
	}
	if same == 0 {
		same = largest
	}
	return int64(same * s.capacity())
}

// capacity is the rate of all ports of a switch, in bits per second.
func (s switchModel) capacity() float64 { return float64(s.ports.Ports) * float64(s.ports.Rate) }

// cageRate is the rate of all ports of a cage.
func (s switchModel) cageRate() units.Rate {
	return units.Rate(s.capacity()) / units.Rate(max(1, s.cages))
}

// nicPower is the typical power of a NIC by a field of its entry, or its bound.
func (n nicModel) power(field string) Part {
	p := powerOf(n.entry, field, "NIC "+n.entry.Name)
	if !p.Known {
		p.Least, _ = leastWatts(n.entry.Name)
		p.Most = published(n.entry)
		if p.Most == 0 {
			p.Most = slotPower
		}
	}
	return p
}

// modulePower is the power of a transceiver or of an end of a cable, or its bound: the most power for
// each bit per second of any module of the catalog whose power is known.
func modulePower(e catalog.Entry, field, what string, rate units.Rate, links int) Part {
	p := powerOf(e, field, what)
	if !p.Known {
		p.Most = mostModule(rate, links)
	}
	return p
}

// mostModule bounds the power of a module with links of a rate.
func mostModule(rate units.Rate, links int) int64 {
	var each float64
	for _, e := range catalog.Entries(catalog.Cable) {
		of := float64(rateOf(catalog.Cable, e.Name, "rate"))
		for _, end := range []struct {
			field string
			links int
		}{{"switch-power", number(e, "cage-links")}, {"nic-power", 1}} {
			if p := powerOf(e, end.field, ""); p.Known && of > 0 && end.links > 0 {
				each = max(each, float64(p.Value)/of/float64(end.links))
			}
		}
	}
	return int64(each * float64(rate) * float64(max(1, links)))
}

// Bounded reports whether each unknown part has a bound, and Most is what the sum then cannot exceed.
func (s Sum) Bounded() bool { return !s.open }

// Most is the most that the sum can be, if it is [Sum.Bounded].
func (s Sum) Most() int64 { return s.Known + s.bounds }

// within reports whether the sum is surely at most a budget. What is unknown counts with its bound.
func (s Sum) within(budget int64) bool { return s.Bounded() && s.Most() <= budget }
