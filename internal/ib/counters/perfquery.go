package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/portstate"
)

// perfquery prints a block for each port (rdma-core, infiniband-diags/perfquery.c):
//
//	# Port extended counters: Lid 1719 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
//	PortXmitData:....................36298026860928
//
// The head of other blocks is "Port counters" (short counters), "PortRcvErrorDetails counters" and
// "PortXmitDiscardDetails counters". Port 255 is the sum of all ports. perfquery prints data in words
// of four bytes.

func isPerfQuery(text string) bool { return hasLine(text, isPerfHead) }

func isPerfHead(line string) bool {
	return strings.HasPrefix(line, "# Port") && strings.Contains(line, "counters: ") && strings.Contains(line, " port ")
}

func readPerfQuery(in *portstate.Input) {
	var r *portstate.Reading
	extended := false
	for line := range in.Lines() {
		if isPerfHead(line) {
			extended = strings.HasPrefix(line, "# Port extended counters")
			r = perfHead(in, line)
			continue
		}
		if r == nil || line == "" || line[0] == '#' {
			continue
		}
		tool, value, ok := strings.Cut(line, ":")
		if !ok {
			in.Note("expected a counter as in «PortRcvErrors:...0», not %q: is the output truncated?", short(line))
			continue
		}
		value = strings.TrimLeft(value, ".")
		name, _, known := counterName(tool)
		if !known {
			if tool == "PortSelect" && value == "255" {
				in.Set.Readings = dropLast(in.Set.Readings, r)
				r = nil
			}
			continue // CounterSelect and other fields that count nothing
		}
		if value == "" {
			in.Note("%s of %s has no value: is the output truncated?", name, r.Port)
			continue
		}
		count(in, r, name, value, extended || widths[name] == 64)
	}
}

// dropLast removes a reading that turned out to be of no port.
func dropLast(all []*portstate.Reading, r *portstate.Reading) []*portstate.Reading {
	if n := len(all); n > 0 && all[n-1] == r {
		return all[:n-1]
	}
	return all
}

// perfHead reads «# Port counters: Lid 7 port 1», or «DR path slid 0; dlid 0; 0,1 port 1». The result is
// nil for a sum of ports.
func perfHead(in *portstate.Input, line string) *portstate.Reading {
	_, rest, _ := strings.Cut(line, "counters: ")
	where, number, _ := strings.Cut(rest, " port ")
	number, _, _ = strings.Cut(number, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > maxPort {
		if n != maxPort+1 {
			in.Note("the port is %q: expected a number from 0 to %d", short(number), maxPort)
		}
		return nil
	}
	p := portstate.Numbered(n)
	if lid, ok := strings.CutPrefix(where, "Lid "); ok {
		value, _, valid := portstate.ParseCount(lid)
		if !valid || value > 1<<20 {
			in.Note("the LID is %q: expected a whole number", short(lid))
			return nil
		}
		p.LID = uint32(value)
	} else {
		p.Device = strings.TrimSpace(where) // a directed route
	}
	r := in.Reading(p)
	kind, _, _ := strings.Cut(strings.TrimPrefix(line, "# "), ":")
	r.Reader += " " + kind // two attributes of one port are no two times
	return r
}
