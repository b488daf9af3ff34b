package lint

import (
	"fmt"

	"weft/internal/roce/sonic"
	"weft/units"
)

// asymmetric judges a port that obeys pauses of all eight priorities, which pfc_asym makes of it
// (sonic-swss, portsorch, setPortPfcAsym).
func (c *checker) asymmetric(p *sonic.Port) {
	if p.Asymmetric == 0 {
		return
	}
	c.add(p, Finding{
		Rule: "pfc-asym", Severity: Warning, At: c.place(p.Asymmetric), Value: "pfc_asym on", Traffic: c.lossless(p),
		Why:   fmt.Sprintf("the port sends pauses of %s and obeys those of all eight priorities: a host that pauses another one stops lossy traffic, notifications among it, where no watchdog looks", noneOr(join(p.PFC))),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "pfc_asym", "off")}}},
	})
}

// pam4 is the rate of a lane from which on it has four levels, whose bit errors only Reed-Solomon FEC
// makes rare enough: IEEE 802.3bs, cd, ck and df have no such link without it.
const pam4 = 50 * units.Gbps

// mostLanes is the largest number of lanes of a port.
const mostLanes = 8

// corrected judges the forward error correction of a port.
func (c *checker) corrected(p *sonic.Port) {
	lanes := p.Lanes
	if lanes == 0 {
		lanes = mostLanes
	}
	lane := p.Speed / units.Rate(lanes)
	if p.FEC != "none" && p.FEC != "fc" || lane < pam4 {
		return
	}
	c.add(p, Finding{
		Rule: "fec", Severity: Error, At: c.place(p.FECLine), Value: "fec " + p.FEC, Traffic: c.lossless(p),
		Why:   fmt.Sprintf("%v on %d lanes is %v a lane, which has four levels and needs Reed-Solomon FEC (IEEE 802.3): the link does not come up, or loses packets by bit errors, and RDMA sends a window again for each", p.Speed, lanes, lane),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PORT", p.Name, "fec", "rs")}}},
	})
}
