package scenario

import (
	"fmt"

	"weft/units"
)

// SlowLink is a set of NICs whose cables run slower than the fabric's link: trained
// down to fewer lanes or an older generation, both ways.
type SlowLink struct {
	// NICs are the NICs of the cables: node3, node[0-7]/nic0.
	NICs []string `yaml:"nics"`
	// Rate is the rate of the cable.
	Rate units.Rate `yaml:"rate" range:"1Mbps..100Tbps"`
}

// checkSlowLinks checks that each is a cable of the cluster, and slower.
func (r *fabricRules) checkSlowLinks() {
	if len(r.SlowLinks) > maxFaults {
		r.complain("slow-links", "%d entries: at most %d, each of which may name many NICs", len(r.SlowLinks), maxFaults)
		return
	}
	for i := range r.SlowLinks {
		s, at := &r.SlowLinks[i], fmt.Sprintf("slow-links[%d]", i)
		switch {
		case len(s.NICs) == 0:
			r.complain(at+".nics", "no NIC is named: want one such as node0/nic0, or node0 for all of a node's")
		case s.Rate <= 0:
			r.complain(at+".rate", "no rate is given: want one below the link's %s", r.Link.Rate())
		case s.Rate > r.Link.Rate():
			r.complain(at+".rate", "%s is more than the link's %s: the fabric's link says how fast the others are", s.Rate.Exact(), r.Link.Rate().Exact())
		}
		r.checkNICs(at+".nics", s.NICs)
	}
}
