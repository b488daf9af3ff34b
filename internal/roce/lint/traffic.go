package lint

import (
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// usualCNP is the DSCP of notifications if the host's is unknown (mlxconfig).
const usualCNP = 48

// trafficOf is a stream of a host, with the host's notifications.
func trafficOf(h *host.Host, s host.Stream) Traffic {
	t := Traffic{What: s.What, DSCP: s.DSCP, Mended: s.DSCP, CNP: usualCNP}
	if h.CNPDSCP.Known() {
		t.CNP = h.CNPDSCP.Value
	}
	t.MendedCNP = t.CNP
	return t
}

// unheeded is a stream that the host does not stop when the switch pauses it.
func unheeded(h *host.Host, s host.Stream) Traffic {
	t := trafficOf(h, s)
	t.Deaf = true
	return t
}

// into is traffic that a port puts into a class: of a host, or else of the lowest DSCP that leads
// there.
func (c *checker) into(p *sonic.Port, wanted func(sonic.Class) bool) Traffic {
	for _, h := range c.hosts {
		for _, s := range h.Streams() {
			if c.at(h, p) && wanted(p.ClassOf(s.DSCP)) {
				return trafficOf(h, s)
			}
		}
	}
	for dscp := range 64 {
		if wanted(p.ClassOf(dscp)) {
			return anyTraffic(dscp)
		}
	}
	return Traffic{}
}

// anyTraffic is traffic with a DSCP that no known host sends.
func anyTraffic(dscp int) Traffic {
	return Traffic{What: "any traffic", DSCP: dscp, Mended: dscp, CNP: usualCNP, MendedCNP: usualCNP}
}

// lossless is traffic that a port protects.
func (c *checker) lossless(p *sonic.Port) Traffic {
	return c.into(p, func(class sonic.Class) bool { return p.Lossless(class.Group) })
}

func (c *checker) intoGroup(p *sonic.Port, g int) Traffic {
	return c.into(p, func(class sonic.Class) bool { return class.Group == g })
}
