package sonic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"weft/units"
)

// maxPorts bounds the ports of a switch: the largest have 512.
const maxPorts = 4096

func (r *resolver) ports() {
	r.byPort = map[string]*Port{}
	rows := r.rows("PORT")
	for i := range rows {
		row := &rows[i]
		p := r.port(row.Key, row.Line)
		p.Speed = units.Rate(r.number("PORT", row, "speed", 0, 10, 1_600_000)) * units.Mbps
		p.MTU = units.Bytes(r.number("PORT", row, "mtu", 9100, 68, 9216))
		p.Up = r.word("PORT", row, "admin_status", "down", "up", "down") == "up"
		if v, ok := row.Get("fec"); ok && v.Text != "" && v.Text != "N/A" {
			p.FEC, p.FECLine = r.word("PORT", row, "fec", "", "none", "fc", "rs", "auto"), v.Line
		}
		if v, ok := row.Get("pfc_asym"); ok && v.Text != "" && v.Text != "N/A" && r.word("PORT", row, "pfc_asym", "off", "on", "off") == "on" {
			p.Asymmetric = v.Line
		}
		role, _ := row.Get("role")
		p.Inner = role.Text != "" && role.Text != "Ext"
		if lanes, ok := row.Get("lanes"); ok && lanes.Text != "" {
			p.Lanes = 1 + strings.Count(lanes.Text, ",")
		}
	}
	r.cables()
}

// port is the port with a name, a new port if there is none: qos.json and buffers.json have no PORT
// table.
func (r *resolver) port(name string, line int) *Port {
	p := r.byPort[name]
	if p == nil {
		p = &Port{Name: name, Line: line, MTU: 9100, Up: true}
		if len(r.sw.Ports) == maxPorts {
			r.problem(line, "%s is one port too many: at most %d", name, maxPorts)
			return p
		}
		r.byPort[name] = p
		r.sw.Ports = append(r.sw.Ports, p)
	}
	return p
}

// comparePorts orders Ethernet8 before Ethernet40.
func comparePorts(a, b string) int {
	na, pa := splitNumber(a)
	nb, pb := splitNumber(b)
	return cmp.Or(cmp.Compare(na, nb), cmp.Compare(pa, pb), cmp.Compare(a, b))
}

func splitNumber(name string) (prefix string, number int) {
	prefix = strings.TrimRight(name, "0123456789")
	number, _ = strconv.Atoi(name[len(prefix):])
	return prefix, number
}

func (r *resolver) cables() {
	rows := r.rows("CABLE_LENGTH")
	for i := range rows {
		for _, f := range rows[i].Fields {
			p, none := r.byPort[f.Name], f.Text == "None" // the length is not known
			if p == nil && none {
				continue
			}
			if p == nil && r.config.Table("PORT") == nil {
				p = r.port(f.Name, f.Line) // buffers.json has no ports
			}
			if p == nil {
				r.problem(f.Line, "CABLE_LENGTH names %s, which PORT does not have", f.Name)
				continue
			}
			if p.CableLine = f.Line; none {
				continue
			}
			length, err := units.ParseLength(f.Text)
			if err != nil || length < 0 {
				r.problem(f.Line, "the cable of %s: %q: valid is a length such as 40m, or None", f.Name, f.Text)
				continue
			}
			p.Cable = length
		}
	}
}

// layers finds the ports that are routed, and the ports whose frames have VLAN tags.
func (r *resolver) layers() {
	for _, row := range r.rows("INTERFACE") {
		name, _, _ := strings.Cut(row.Key, "|")
		if p := r.byPort[name]; p != nil && p.Routed == 0 {
			p.Routed = row.Line
		}
	}
	for _, row := range r.rows("VLAN_MEMBER") {
		_, name, _ := strings.Cut(row.Key, "|")
		mode, _ := row.Get("tagging_mode")
		if p := r.byPort[name]; p != nil && mode.Text == "tagged" {
			p.Tagged = row.Line
		}
	}
}

// portMaps reads PORT_QOS_MAP and the maps that it names.
func (r *resolver) portMaps() {
	r.maps = map[string]*Map{}
	rows := r.rows("PORT_QOS_MAP")
	var global *Row // "global": maps for ports without their own
	for i := range rows {
		if rows[i].Key == "global" {
			global = &rows[i]
		}
	}
	for i := range rows {
		if rows[i].Key == "global" {
			continue
		}
		for name := range strings.SplitSeq(rows[i].Key, ",") {
			r.portMap(r.port(name, rows[i].Line), &rows[i])
		}
	}
	if global == nil {
		return
	}
	for _, p := range r.sw.Ports {
		if p.DSCP == nil && p.Dot1p == nil {
			p.DSCP = r.mapOf(global, "dscp_to_tc_map", "DSCP_TO_TC_MAP", 64)
		}
	}
}

func (r *resolver) portMap(p *Port, row *Row) {
	p.QoSLine, p.QoSKey = row.Line, row.Key
	p.DSCP = r.mapOf(row, "dscp_to_tc_map", "DSCP_TO_TC_MAP", 64)
	p.Dot1p = r.mapOf(row, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP", Priorities)
	p.Group = r.mapOf(row, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", 16)
	p.Queue = r.mapOf(row, "tc_to_queue_map", "TC_TO_QUEUE_MAP", 16)
	p.PFCQueue = r.mapOf(row, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", Priorities)
	if v, ok := row.Get("pfc_enable"); ok {
		p.PFC, p.PFCLine = r.priorities("pfc_enable", row.Key, v), v.Line
	}
	p.Watched, p.WatchAssumed = nil, false
	if !sinceWatched(r.sw.Version) {
		p.Watched, p.WatchAssumed = p.PFC, len(p.PFC) > 0
	}
	if v, ok := row.Get("pfcwd_sw_enable"); ok {
		p.Watched, p.WatchedLine = r.priorities("pfcwd_sw_enable", row.Key, v), v.Line
		p.WatchAssumed = false
	}
}

// mostOf is the highest class, group or queue that a map may lead to (sonic-dscp-tc-map.yang and
// similar models).
var mostOf = map[string]int{
	"DSCP_TO_TC_MAP": 15, "DOT1P_TO_TC_MAP": 15,
	"TC_TO_PRIORITY_GROUP_MAP": 7, "TC_TO_QUEUE_MAP": 9, "MAP_PFC_PRIORITY_TO_QUEUE": 7,
}

// mapOf reads the map that a field of PORT_QOS_MAP names, once for all ports.
func (r *resolver) mapOf(row *Row, field, table string, size int) *Map {
	v, ok := row.Get(field)
	if !ok {
		return nil
	}
	name, most := reference(v), mostOf[table]
	key := table + "|" + name
	if m := r.maps[key]; m != nil {
		return m
	}
	from := r.config.Table(table).Row(name)
	if from == nil {
		r.problem(v.Line, "%s of PORT_QOS_MAP|%s is %q, which %s does not have", field, row.Key, name, table)
		return nil
	}
	m := &Map{Name: key, Line: from.Line, To: make([]int, size), at: make([]int, size)}
	for i := range m.To {
		m.To[i] = -1
	}
	for _, f := range from.Fields {
		n, errN := strconv.Atoi(f.Name)
		to, errTo := strconv.Atoi(f.Text)
		if errN != nil || errTo != nil || n < 0 || n >= size || to < 0 || to > most {
			r.problem(f.Line, "%s maps %q to %q: valid are numbers from 0 to %d, to numbers from 0 to %d", key, f.Name, f.Text, size-1, most)
			continue
		}
		m.To[n], m.at[n] = to, f.Line
	}
	r.maps[key] = m
	return m
}

// priorities reads a list such as "3,4".
func (r *resolver) priorities(field, port string, v Value) []int {
	var list []int
	if v.Text == "" {
		return nil
	}
	for text := range strings.SplitSeq(v.Text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= Priorities {
			r.problem(v.Line, "%s of PORT_QOS_MAP|%s is %q: valid are priorities from 0 to 7, such as 3,4", field, port, v.Text)
			return nil
		}
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
