package counters

import (
	"strings"

	"weft/internal/base/portstate"
)

// ibdiagnet2.pm and ibdiagnet2.cables have a block for each port, between lines of dashes:
//
//	Port=1 Lid=0x00a4 GUID=0xf4521403001000a1 Device=53000 Port Name=sw-001/U1/P1
//	link_down_counter=0x00
//
// In .cables the lines of a block are «Vendor: Mellanox» (NVIDIA's manual of ibdiagnet 2.9, Cable
// Diagnostic).

// isBlockHead reports whether a line is the head of a port's block.
func isBlockHead(line string) bool {
	return strings.HasPrefix(line, "Port=") && strings.Contains(line, "GUID=0x")
}

func isPM(text string) bool { return hasLine(text, isBlockHead) && !isCables(text) }

func isCables(text string) bool {
	return hasLine(text, isBlockHead) && hasLine(text, func(line string) bool {
		return strings.HasPrefix(line, "Vendor:") || strings.HasPrefix(line, "PN:") || strings.HasPrefix(line, "OUI:")
	})
}

// blockHead reads the head of a block: fields as name=value, the last of which is the port's name.
func blockHead(in *portstate.Input, line string) (portstate.Port, bool) {
	p := portstate.Port{Number: -1}
	fields, name, _ := strings.Cut(line, "Port Name=")
	for _, f := range strings.Fields(fields) {
		key, value, _ := strings.Cut(f, "=")
		n, ok, _ := portstate.ParseCount(value)
		switch {
		case key == "Port" && ok && n <= maxPort:
			p.Number = int(n)
		case key == "Lid" && ok && n < 1<<20:
			p.LID = uint32(n)
		case key == "GUID":
			p.GUID, _ = portstate.ParseGUID(value)
		}
	}
	if p.Number < 0 {
		if !strings.HasPrefix(line, "Port=255") {
			in.Note("the block has no number of a port: expected «Port=1 Lid=0x… GUID=0x… Port Name=…»")
		}
		return p, false
	}
	p.Device = deviceOf(name)
	return p, true
}

// deviceOf is the name of the device in a port's name: sw-001/U1 of sw-001/U1/P1.
func deviceOf(name string) string {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "/P"); i > 0 {
		return name[:i]
	}
	return name
}

func readPM(in *portstate.Input) {
	var r *portstate.Reading
	values := map[string]bool{}
	for line := range in.Lines() {
		switch {
		case isBlockHead(line):
			r = nil
			if p, ok := blockHead(in, line); ok {
				r = in.Reading(p)
				clear(values)
			}
		case r == nil || line == "" || line[0] == '-' || line[0] == '#':
		default:
			tool, value, ok := strings.Cut(line, "=")
			name, extended, known := counterName(tool)
			if !ok || !known {
				continue
			}
			pmValue(in, r, values, name, value, extended)
		}
	}
}

// pmValue adds a counter; one of 64 bits replaces the short one of the same block.
func pmValue(in *portstate.Input, r *portstate.Reading, values map[string]bool, name, value string, extended bool) {
	if values[name] && !extended {
		return
	}
	before := len(r.Counters)
	count(in, r, name, value, extended)
	if len(r.Counters) == before {
		return
	}
	for i := range r.Counters[:before] {
		if r.Counters[i].Name == name {
			r.Counters = append(r.Counters[:i], r.Counters[i+1:]...)
			break
		}
	}
	values[name] = true
}

func readCables(in *portstate.Input) {
	var r *portstate.Reading
	for line := range in.Lines() {
		if isBlockHead(line) {
			r = nil
			if p, ok := blockHead(in, line); ok {
				r = in.Reading(p)
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if value = known(strings.TrimSpace(value)); !ok || value == "" || r == nil {
			continue
		}
		c := r.Cable.Value
		switch key {
		case "Vendor":
			c.Vendor = value
		case "PN":
			c.Part = value
		case "SN":
			c.Serial = value
		case "Length":
			c.Length = value
		case "Temperature":
			if t, _, ok := portstate.ParseFloat(value); ok {
				r.Measured = append(r.Measured, portstate.Limits{Name: "temperature", Unit: "°C", Value: t, At: in.At()})
			}
			continue
		default:
			continue
		}
		r.Cable, r.Cabled = portstate.Said[portstate.Cable]{Value: c, At: r.At}, portstate.Say(in, true)
	}
}
