package planfile

import (
	"cmp"
	"strings"

	"weft/internal/base/cabling"
)

// viewOfLLDPCtl reads lldpctl -f json and -f json0. In the first, interfaces are keyed by their name, in one object or a
// list of objects, and the chassis by the neighbour's name; in the second all is lists, and a text is {"value": …}.
// Source: lldpd/lldpd tests/integration/test_lldpcli.py.
func viewOfLLDPCtl(file string, v *value) *view {
	out := &view{file: file, format: "lldpctl", role: cabling.Switch}
	for _, l := range v.get("lldp").all() {
		for _, group := range l.get("interface").all() {
			if group.has("name") && (group.has("chassis") || group.has("port")) { // json0
				out.lldpctl(group.str("name"), &group)
				continue
			}
			for i, name := range group.names {
				for _, each := range group.items[i].all() {
					out.lldpctl(name, &each)
				}
			}
		}
	}
	return out
}

// lldpctl adds the neighbour of an interface.
func (v *view) lldpctl(name string, i *value) {
	s := sight{port: name, place: cabling.Place{File: v.file, Line: i.line}}
	for _, c := range i.get("chassis").all() {
		s.peer = textOf(c.get("name"))
		body := &c
		if s.peer == "" && len(c.names) > 0 && c.items[0].kind == object && !c.has("id") { // keyed by the name
			s.peer, body = c.names[0], &c.items[0]
		}
		bridge, station := false, false
		for _, k := range body.get("capability").all() {
			on := textOf(k.get("enabled")) == "true"
			switch textOf(k.get("type")) {
			case "Bridge", "Router":
				bridge = bridge || on
			case "Station":
				station = station || on
			}
		}
		s.station = station && !bridge
		if s.peer == "" {
			s.peer = idOf(body)
		}
	}
	for _, p := range i.get("port").all() {
		s.peerPort, s.descr = idOf(&p), textOf(p.get("descr"))
	}
	v.sights = append(v.sights, s)
}

// idOf is the value of an id.
func idOf(v *value) string {
	for _, id := range v.get("id").all() {
		return textOf(id.get("value"))
	}
	return ""
}

// textOf is a text, alone, in {"value": …}, or in a list of these.
func textOf(v *value) string {
	all := v.all()
	switch {
	case len(all) == 0:
		return ""
	case all[0].kind == object:
		return all[0].str("value")
	}
	return strings.TrimSpace(all[0].text)
}

// viewOfEOS reads EOS' show lldp neighbors | json, and its detail. Source: napalm-automation/napalm test/eos.
func viewOfEOS(file string, v *value) *view {
	out := &view{file: file, format: "EOS show lldp neighbors", role: cabling.Switch}
	all := v.get("lldpNeighbors")
	for i := range all.items {
		n := &all.items[i]
		if all.kind == object { // detail: by port
			for _, info := range n.get("lldpNeighborInfo").all() {
				out.sights = append(out.sights, sight{
					port: all.names[i], peer: info.str("systemName"),
					peerPort: strings.Trim(info.get("neighborInterfaceInfo").str("interfaceId_v2", "interfaceId"), `"`),
					descr:    info.get("neighborInterfaceInfo").str("interfaceDescription"), place: cabling.Place{File: file, Line: info.line},
				})
			}
			continue
		}
		out.sights = append(out.sights, sight{port: n.str("port"), peer: n.str("neighborDevice"), peerPort: n.str("neighborPort"), place: cabling.Place{File: file, Line: n.line}})
	}
	return out
}

// viewOfNXOS reads NX-OS' show lldp neighbors | json, and its detail: a row is an object, several are a list.
func viewOfNXOS(file string, v *value) *view {
	out := &view{file: file, format: "NX-OS show lldp neighbors", role: cabling.Switch}
	for _, table := range append(v.get("TABLE_nbor").all(), v.get("TABLE_nbor_detail").all()...) {
		for _, r := range append(table.get("ROW_nbor").all(), table.get("ROW_nbor_detail").all()...) {
			out.sights = append(out.sights, sight{
				port: r.str("l_port_id", "local_port_id"), peer: cmp.Or(r.str("sys_name"), r.str("chassis_id")), peerPort: r.str("port_id"),
				descr: r.str("port_desc"), place: cabling.Place{File: file, Line: r.line},
			})
		}
	}
	return out
}
