package planfile

import (
	"cmp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// clabRoles are the roles of containerlab's kinds, by a part of the kind's name between - and _. Kinds of network
// systems that are missing here are switches. Source: srl-labs/containerlab, kinds.
var clabRoles = map[string]cabling.Role{
	"linux": cabling.Host, "generic": cabling.Host, "ubuntu": cabling.Host, "freebsd": cabling.Host, "openbsd": cabling.Host,
	"k8s": cabling.Host, "keysight": cabling.Host, "ixia": cabling.Host,
	"crpd": cabling.Router, "sros": cabling.Router, "srsim": cabling.Router, "xrd": cabling.Router, "xrv": cabling.Router, "xrv9k": cabling.Router,
	"csr1000v": cabling.Router, "c8000": cabling.Router, "c8000v": cabling.Router, "vmx": cabling.Router, "vsrx": cabling.Router, "vyos": cabling.Router,
	"vyosnetworks": cabling.Router, "bird": cabling.Router, "fortigate": cabling.Router, "panos": cabling.Router, "asav": cabling.Router,
}

// clabSpecial are names before the colon of an endpoint that are no nodes: an interface of the machine that runs the
// lab.
var clabSpecial = map[string]bool{"host": true, "mgmt-net": true, "macvlan": true, "vxlan": true, "vxlan-stitch": true, "dummy": true}

// readContainerlab reads a topology of containerlab: topology.nodes, and topology.links with endpoints "node:interface",
// or in the extended form with objects of node and interface.
func readContainerlab(file string, v *value) (*cabling.Fabric, error) {
	b := newBuilder(file, "containerlab topology")
	top := v.get("topology")
	nodes := top.get("nodes")
	for i, name := range nodes.names {
		clabNode(b, top, name, &nodes.items[i])
	}
	apart, first := 0, 0
	for i := range top.get("links").items {
		link := &top.get("links").items[i]
		ends := link.get("endpoints").items
		if len(ends) == 0 && link.has("endpoint") || len(ends) == 2 && (special(&ends[0]) || special(&ends[1])) {
			if apart++; apart == 1 {
				first = link.line
			}
			continue
		}
		if len(ends) != 2 {
			b.note(b.place(link.line), `a link is left out: expected two endpoints, as in endpoints: ["leaf1:e1-1", "spine1:e1-1"]`)
			continue
		}
		var at [2]cabling.End
		whole := true
		for j := range ends {
			node, port := clabEnd(&ends[j])
			if node == "" || port == "" {
				b.note(b.place(ends[j].line), "%s is left out: expected node:interface", quote(ends[j].text))
				whole = false
				break
			}
			if _, known := b.byName[node]; !known && len(nodes.names) > 0 {
				b.note(b.place(ends[j].line), "node %s is in no line of topology.nodes", quote(node))
			}
			at[j] = cabling.End{Device: b.device(node), Port: port}
		}
		if whole {
			b.connect(cabling.Cable{A: at[0], B: at[1], Place: b.place(link.line)})
		}
		if err := b.full(link.line); err != nil {
			return nil, err
		}
	}
	if apart > 0 {
		b.f.Note("%s:%d: %s to the machine that runs the lab, or to nothing, left out", file, first, wording.Counted(apart, "link", "links"))
	}
	return b.finish()
}

// clabNode makes a device of a node. A kind is the node's, else its group's, else the default.
func clabNode(b *builder, top *value, name string, node *value) {
	at := b.device(name)
	group := node.str("group")
	ofGroup := top.get("groups").get(group)
	kind := cmp.Or(node.str("kind"), ofGroup.str("kind"), top.get("defaults").str("kind"))
	image := cmp.Or(node.str("image"), ofGroup.str("image"), top.get("kinds").get(kind).str("image"))
	role := cabling.Unknown
	if kind != "" {
		role = cabling.Switch
	}
	for part := range strings.FieldsFuncSeq(strings.ToLower(kind), func(r rune) bool { return r == '_' || r == '-' }) {
		if r, ok := clabRoles[part]; ok {
			role = r
		}
	}
	if kind == "linux" && (strings.Contains(image, "frr") || strings.Contains(image, "sonic") || strings.Contains(image, "cumulus")) {
		role = cmp.Or(roleWord(group), nameWord(name), cabling.Router)
	}
	b.role(at, role)
	d := &b.f.Devices[at]
	d.Model = node.str("type")
}

func special(end *value) bool {
	node, _ := clabEnd(end)
	return clabSpecial[node]
}

// clabEnd is the node and the interface of an endpoint in either form.
func clabEnd(end *value) (node, port string) {
	if end.kind == object {
		return end.str("node"), end.str("interface")
	}
	node, port, _ = strings.Cut(strings.TrimSpace(end.text), ":")
	return node, port
}
