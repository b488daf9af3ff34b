package report

import (
	"fmt"

	"weft/scenario"
)

// cutRadix says of each fabric whose switch has more ports than are used, because
// another fabric's has no more, that it is so: the fabrics are cabled alike, and a
// larger switch may need fewer tiers.
func (v *judgement) cutRadix() (out []string) {
	if v.sc == nil {
		return nil
	}
	least := leastPorts(v.sc)
	for i := range v.sc.Fabrics {
		f := &v.sc.Fabrics[i]
		ports := f.Switch.PortsAt(f.Link.Rate())
		if least == nil || f.Topology.Radix != least.Switch.PortsAt(least.Link.Rate()) || ports <= f.Topology.Radix {
			continue
		}
		out = append(out, fmt.Sprintf("%s uses %d of the %d ports that its switch (%s) has at %s, as many as %s of %s has: fabrics are cabled alike unless fabrics[%d].topology.radix says otherwise.",
			f.Name, f.Topology.Radix, ports, f.Switch.Model, f.Link.Rate(), least.Switch.Model, least.Name, i))
	}
	return out
}

// leastPorts is the fabric whose switch has the fewest ports; nil where none has any.
func leastPorts(sc *scenario.Resolved) (least *scenario.Fabric) {
	for i := range sc.Fabrics {
		f := &sc.Fabrics[i]
		if p := f.Switch.PortsAt(f.Link.Rate()); p > 0 && (least == nil || p < least.Switch.PortsAt(least.Link.Rate())) {
			least = f
		}
	}
	return least
}
