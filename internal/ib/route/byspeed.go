package route

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// speedUnit is the weight of a path on the fastest cables if the rates of cables differ. A path on a cable of a third of the
// rate weighs three times as much.
const speedUnit = 64

// weighCables fills in the weight of a path by channel: 1 for all, or, with [Options].BySpeed on a fabric with cables of
// several rates, more on slower cables. A cable whose rate the file does not say counts as one of the fastest.
func (f *fabric) weighCables(bySpeed bool) {
	f.slow, f.mixed = make([]int64, f.base[len(f.sw)]), false
	for c := range f.slow {
		f.slow[c] = 1
	}
	if !bySpeed {
		return
	}
	rates := make([]units.Rate, len(f.slow))
	fastest, slowest := units.Rate(0), units.Rate(0)
	for i := range f.sw {
		node := f.tab.Switch[i]
		for p, l := range f.sw[i].ports {
			if l.sw < 0 {
				continue
			}
			rate := f.sub.Port(subnet.End{Node: node, Port: uint16(p)}).Link.Rate()
			if rate <= 0 {
				continue
			}
			rates[f.base[i]+p] = rate
			fastest = max(fastest, rate)
			if slowest == 0 || rate < slowest {
				slowest = rate
			}
		}
	}
	if fastest == slowest {
		return
	}
	f.mixed = true
	for c := range f.slow {
		f.slow[c] = speedUnit
		if rates[c] > 0 {
			f.slow[c] = int64((fastest*speedUnit + rates[c]/2) / rates[c])
		}
	}
}

// weighs are the engines that count paths relative to the rates of cables. The others follow the shape of the fabric.
var weighs = map[Name]bool{"minhop": true, "updn": true, "dnup": true, "dor": true, "sssp": true, "dfsssp": true, "lash": true, "nue": true}

// noteSpeeds says what BySpeed did.
func (j *job) noteSpeeds(name Name) {
	switch {
	case !j.opt.BySpeed:
	case !j.mixed:
		j.notes = append(j.notes, "all cables between switches have one rate: to balance by speed has no effect")
	case !weighs[name]:
		j.notes = append(j.notes, string(name)+" follows the shape of the fabric and does not balance by speed: minhop, updn, dnup, dor, sssp, dfsssp, lash and nue do")
	}
}
