package planfile

import (
	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// readAir reads the topology that NVIDIA Air exports as JSON: content.nodes by name, and content.links, each a
// list of two ends; an unused port has the string "unconnected" at its other end. Source:
// unifabric-io/unifabric e2e/topology/topology.json.
func readAir(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "NVIDIA Air topology")
	if v.has("content") {
		v = v.get("content")
	}
	for i, name := range v.get("nodes").names {
		node := &v.get("nodes").items[i]
		at := b.device(name)
		if role := roleWord(node.str("function", "role")); role != cabling.Unknown {
			b.role(at, role)
		}
		os := node.str("os")
		b.suggest(at, systemRole(os), "their operating system")
		d := &b.f.Devices[at]
		d.Model = node.str("model")
		if systemRole(os) != cabling.Host {
			d.Firmware = os
		}
	}
	unused, first := 0, 0
	for i := range v.get("links").items {
		link := &v.get("links").items[i]
		ends := link.items
		if link.kind != list || len(ends) != 2 {
			b.note(b.place(link.line), "a link is left out: expected a list of two ends")
			continue
		}
		if ends[0].kind == scalar || ends[1].kind == scalar {
			if unused++; unused == 1 {
				first = link.line
			}
			continue
		}
		var at [2]cabling.End
		for j := range ends {
			at[j] = cabling.End{Device: b.device(ends[j].str("node")), Port: ends[j].str("interface")}
		}
		if ends[0].str("node") == "" || ends[1].str("node") == "" {
			b.note(b.place(link.line), "a link is left out: an end has no node")
			continue
		}
		b.connect(cabling.Cable{A: at[0], B: at[1], Place: b.place(link.line)})
		if err := b.full(link.line); err != nil {
			return nil, err
		}
	}
	if unused > 0 {
		b.f.Note("%s:%d: %s without a cable (unconnected) left out", file, first, wording.Counted(unused, "port is", "ports are"))
	}
	return b.finish()
}
