package report

import (
	"fmt"

	"weft/scenario"
)

// cutRadix names the switches with more ports than their fabrics use, because the switch of another
// fabric has fewer: a larger switch may need fewer tiers. It is empty if there are none.
func cutRadix(sc *scenario.Resolved) string {
	if sc == nil || len(sc.Fabrics) == 0 {
		return ""
	}
	least := leastPorts(sc)
	var cut []string
	for i := range sc.Fabrics {
		f := &sc.Fabrics[i]
		ports := f.Switch.PortsAt(f.Link.Rate())
		if f.Topology.Radix == least.Switch.PortsAt(least.Link.Rate()) && ports > f.Topology.Radix {
			cut = append(cut, fmt.Sprintf("%s has %d (%s)", quoted(f.Name), ports, f.Switch.Model))
		}
	}
	if len(cut) == 0 {
		return ""
	}
	return fmt.Sprintf("Fabrics are cabled alike, with %d ports a switch, as many as %s of %s has; larger switches: %s. fabrics[].topology.radix gives a fabric its own",
		least.Switch.PortsAt(least.Link.Rate()), least.Switch.Model, quoted(least.Name), list(cut))
}

// leastPorts is the fabric whose switch has the fewest ports.
func leastPorts(sc *scenario.Resolved) *scenario.Fabric {
	least := &sc.Fabrics[0]
	for i := range sc.Fabrics {
		f := &sc.Fabrics[i]
		if p := f.Switch.PortsAt(f.Link.Rate()); p > 0 && p < least.Switch.PortsAt(least.Link.Rate()) {
			least = f
		}
	}
	return least
}
