package planfile

import "weft/internal/base/cabling"

// readBatfish reads Batfish's layer1_topology.json: edges with node1 and node2, each hostname and interfaceName.
// Source: batfish/batfish projects, evpn-type5-routes.
func readBatfish(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "Batfish layer 1 topology")
	for i := range v.get("edges").items {
		edge := &v.get("edges").items[i]
		one, two := edge.get("node1"), edge.get("node2")
		if one.str("hostname") == "" || two.str("hostname") == "" {
			b.note(b.place(edge.line), "an edge is left out: expected node1 and node2, each with hostname and interfaceName")
			continue
		}
		b.connect(cabling.Cable{
			A:     cabling.End{Device: b.device(one.str("hostname")), Port: one.str("interfaceName")},
			B:     cabling.End{Device: b.device(two.str("hostname")), Port: two.str("interfaceName")},
			Place: b.place(edge.line),
		})
		if err := b.full(edge.line); err != nil {
			return nil, err
		}
	}
	return b.finish()
}
