package calibrate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// step is a rate to which a link can fall: links have no other ones.
type step struct {
	rate units.Rate
	how  string // the widths and generations that have it: 2X NDR, 4X HDR
}

// maxSteps bounds the steps below a link's rate that are tried: a link that falls further is
// noticed otherwise.
const maxSteps = 4

// stepsBelow are the next lower rates of a link, the highest first: of InfiniBand fewer lanes or an
// older generation (IBA volume 1, PortInfo: LinkWidthActive, LinkSpeedActive), of Ethernet the
// rates of the catalog.
func stepsBelow(f *scenario.Fabric) (out []step) {
	rate := f.Link.Rate()
	add := func(lower units.Rate, how string) {
		if lower >= rate-rate/16 {
			return
		}
		for i := range out {
			if near := out[i].rate; max(near, lower)-min(near, lower) < near/32 {
				out[i].how += ", " + how
				return
			}
		}
		out = append(out, step{lower, how})
	}
	ethernet := protocol.Of(f.Kind).Ethernet()
	for _, e := range catalog.Entries(catalog.Link) {
		l, ok := generation(&e)
		switch {
		case !ok || isEthernet(e.Name) != ethernet:
		case ethernet:
			add(l.rate, e.Name)
		default:
			for _, width := range []int{4, 2, 1} {
				if width <= l.lanes && l.lanes == 4 {
					add(l.rate/4*units.Rate(width), fmt.Sprintf("%dX %s", width, strings.ToUpper(e.Name)))
				}
			}
		}
	}
	sorting.StableFunc(out, func(a, b step) int { return cmp.Compare(b.rate, a.rate) })
	return out[:min(maxSteps, len(out))]
}

// isEthernet reports whether a generation of links is Ethernet's: their names are rates, 400g.
func isEthernet(name string) bool { return name != "" && name[0] >= '0' && name[0] <= '9' }

// linkGeneration is the lanes of a catalog's link and the rate of its packets.
type linkGeneration struct {
	lanes int
	rate  units.Rate
}

func generation(e *catalog.Entry) (l linkGeneration, ok bool) {
	value := func(name string) string {
		fact, _ := e.Get(name)
		return fact.Value
	}
	lanes, err := strconv.Atoi(value("lanes"))
	lane, err2 := units.ParseRate(value("lane-rate"))
	code, err3 := scenario.ParseRatio(value("code"))
	if err != nil || err2 != nil || err3 != nil {
		return l, false
	}
	full := scenario.Link{Lanes: lanes, LaneRate: lane, Code: code}
	return linkGeneration{lanes, full.Rate()}, true
}

// laneRate is the signalling rate of a lane with which a link of the fabric carries a rate.
func (s *step) laneRate(f *scenario.Fabric) units.Rate {
	return share(f.Link.LaneRate, float64(s.rate)/float64(f.Link.Rate()))
}

// label is a step in words, beside the rate of the sound link.
func (s *step) label(f *scenario.Fabric) string {
	rate, sound := nominal(s.rate), nominal(f.Link.Rate())
	if protocol.Of(f.Kind).Ethernet() {
		return fmt.Sprintf("%s instead of %s", rate, sound)
	}
	return fmt.Sprintf("%s (%s) instead of %s", rate, s.how, sound)
}
