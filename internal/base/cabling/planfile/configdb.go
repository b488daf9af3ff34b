package planfile

import (
	"strings"

	"weft/internal/base/cabling"
)

// viewOfConfigDB reads the neighbours and the ports of SONiC's config_db.json, whose tables are nested or flat
// (TABLE|key). Sources: sonic-net/sonic-mgmt and sonic-utilities.
func viewOfConfigDB(file string, v *value) *view {
	db := sonicTables(v)
	out := &view{file: file, format: "SONiC config_db.json", role: cabling.Switch, about: map[string]neighbour{}}
	meta := db.get("DEVICE_METADATA").get("localhost")
	out.name, out.model = sonicText(meta, "hostname"), sonicText(meta, "hwsku")
	if role := roleWord(sonicText(meta, "type")); role != cabling.Unknown {
		out.role = role
	}
	ports := db.get("PORT")
	for i, name := range ports.names {
		p := out.port(name)
		p.alias, p.rate = sonicText(&ports.items[i], "alias"), rateOf(sonicText(&ports.items[i], "speed"))
	}
	lengths := db.get("CABLE_LENGTH")
	for i := range lengths.items {
		for j, name := range lengths.items[i].names {
			out.port(name).length = lengthOf(lengths.items[i].items[j].text, "")
		}
	}
	near := db.get("DEVICE_NEIGHBOR")
	for i, name := range near.names {
		n := &near.items[i]
		s := sight{port: name, peer: sonicText(n, "name"), peerPort: sonicText(n, "port"), place: cabling.Place{File: file, Line: n.line}}
		if local := sonicText(n, "local_port"); local != "" {
			s.port = local
		}
		s.rate = out.port(s.port).rate
		out.sights = append(out.sights, s)
	}
	about := db.get("DEVICE_NEIGHBOR_METADATA")
	for i, name := range about.names {
		out.about[name] = neighbour{roleWord(sonicText(&about.items[i], "type")), sonicText(&about.items[i], "hwsku")}
	}
	return out
}

// sonicText is a field of a table; the text None stands for none.
func sonicText(v *value, name string) string {
	if text := v.str(name); text != "None" {
		return text
	}
	return ""
}

// sonicTables is a configuration with nested tables.
func sonicTables(v *value) *value {
	out := &value{kind: object, line: v.line}
	at := map[string]int{}
	table := func(name string, line int) *value {
		i, ok := at[name]
		if !ok {
			i = len(out.items)
			at[name] = i
			out.names = append(out.names, name)
			out.items = append(out.items, value{kind: object, line: line})
		}
		return &out.items[i]
	}
	for i, name := range v.names {
		if flat, key, ok := strings.Cut(name, "|"); ok {
			t := table(flat, v.items[i].line)
			t.names, t.items = append(t.names, key), append(t.items, v.items[i])
			continue
		}
		t := table(name, v.items[i].line)
		t.names, t.items = append(t.names, v.items[i].names...), append(t.items, v.items[i].items[:len(v.items[i].names)]...)
	}
	return out
}

// isConfigDB is whether an object has tables of SONiC.
func isConfigDB(v *value) bool {
	for _, name := range v.names {
		name, _, _ = strings.Cut(name, "|")
		switch name {
		case "DEVICE_NEIGHBOR", "DEVICE_METADATA", "DEVICE_NEIGHBOR_METADATA", "PORT", "CABLE_LENGTH":
			return true
		}
	}
	return false
}
