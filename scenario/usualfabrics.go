package scenario

import (
	"fmt"

	"weft/units"
)

// generations are the names of links by rate, in the names of the catalog's fabrics.
var generations = struct{ ethernet, infiniband map[units.Rate]string }{
	ethernet:   map[units.Rate]string{25 * units.Gbps: "25g", 100 * units.Gbps: "100g", 200 * units.Gbps: "200g", 400 * units.Gbps: "400g", 800 * units.Gbps: "800g"},
	infiniband: map[units.Rate]string{100 * units.Gbps: "edr", 200 * units.Gbps: "hdr", 400 * units.Gbps: "ndr", 800 * units.Gbps: "xdr"},
}

// usualFabrics are the default fabrics of a comparison, at the NIC's rate with each protocol.
func (r *resolver) usualFabrics() *node {
	nic := &r.Cluster.Node.NIC
	rate := nic.Rate
	port := nicPortOf(RoCEv2Kind, nic.Model)
	if port.rate == 0 || port.rate > rate || r.written["cluster.node.nic.rate"] {
		port = nicPort{rate: rate, ports: 1}
	}
	ethernet, infiniband := generations.ethernet[port.rate], generations.infiniband[rate]
	if ethernet == "" && r.real.usual == "" {
		if r.misread = len(r.errs); !r.broken("cluster") {
			r.fail(r.start, "fabrics", "no fabric is named, and there is no usual one for a NIC of %s: give fabrics", rate)
		}
		return nil
	}
	names := []string{r.inPlanes("roce-v2-"+ethernet, port), r.inPlanes("tcp-"+ethernet, port)}
	if infiniband != "" { // there is none at 25 Gb/s
		names = append([]string{"infiniband-" + infiniband}, names...)
	}
	if r.real.usual != "" {
		names = []string{r.real.usual}
	}
	list := &node{kind: sequence}
	for _, name := range names {
		list.items = append(list.items, factNode("default", name))
	}
	list.stamp(place{origin: "default"}, true)
	return list
}

// inPlanes is a preset of Ethernet with a plane for each port of a NIC, if the ports together have the NIC's rate and
// the user chose no other shape.
func (r *resolver) inPlanes(preset string, port nicPort) string {
	if port.ports < 2 || r.written["topology.shape"] {
		return preset
	}
	return fmt.Sprintf("{preset: %s, topology: {shape: %s, planes: %d}}", preset, DualPlane, port.ports)
}
