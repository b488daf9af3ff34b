package scenario

import (
	"fmt"

	"weft/units"
)

// The time of a byte on a link is a fraction of picoseconds. The network stores its parts in this
// number of bits, so that no rounding accumulates.
const (
	maxByteTime  = 1<<31 - 1
	maxByteParts = 1<<15 - 1
)

// keeps reports whether a network can store the time of a byte exactly.
func keeps(p units.PerByte) bool {
	return p.Num > 0 && p.Num <= maxByteTime && p.Den > 0 && p.Den <= maxByteParts
}

// nearKept is a nearby rate whose time of a byte a network can store, in ever coarser steps from 1
// kb/s on.
func nearKept(r units.Rate, perByte func(units.Rate) units.PerByte) units.Rate {
	for step := units.Kbps; step <= r; step *= 10 {
		if near := (r + step/2) / step * step; keeps(perByte(near)) {
			return near
		}
	}
	return units.Gbps
}

// checkRates refuses rates of cables whose time of a byte the network cannot store exactly.
func (r *fabricRules) checkRates() {
	check := func(at string, rate units.Rate) {
		if rate > 0 && !keeps(rate.PerByte()) {
			r.complain(at, "at %s the time of a byte needs more digits than the network stores: the nearest rate that it can store is %s", rate.Exact(), nearKept(rate, units.Rate.PerByte).Exact())
		}
	}
	l := &r.Link
	lane := func(x units.Rate) units.PerByte { return units.NewPerByte(l.Lanes, x, l.Code.Num, l.Code.Den) }
	if l.Rate() > 0 && !keeps(lane(l.LaneRate)) {
		r.complain("link.lane-rate", "on %d lanes of %s with code %s the time of a byte needs more digits than the network stores: the nearest rate of a lane that it can store is %s",
			l.Lanes, l.LaneRate.Exact(), l.Code, nearKept(l.LaneRate, lane).Exact())
	}
	for i := range r.SlowLinks {
		check(fmt.Sprintf("slow-links[%d].rate", i), r.SlowLinks[i].Rate)
	}
	for i := range r.Topology.Links {
		check(fmt.Sprintf("topology.links[%d].rate", i), r.Topology.Links[i].Rate)
	}
}
