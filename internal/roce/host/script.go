package host

import (
	"strings"

	"weft/units"
)

// script reads commands that set up an interface, such as those from weft roce export: the values
// that they set are the host's values. Lines without a known setting are listed in Skipped.
func (r *reader) script() {
	for line := range r.rest() {
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, "||")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") || words[0] == "set" || strings.Contains(words[0], "=") {
			continue
		}
		if !r.command(words) {
			r.host.Skipped = append(r.host.Skipped, r.at.String())
		}
	}
}

// command takes the settings of a command; it reports false if there are none.
func (r *reader) command(words []string) bool {
	last := words[len(words)-1]
	switch words[0] {
	case "mlnx_qos":
		return r.mlnxQoSOptions(words[1:])
	case "ethtool":
		return r.pauseOptions(words[1:])
	case "cma_roce_tos":
		if len(words) < 2 || words[len(words)-2] != "-t" {
			return false
		}
		r.tos(last)
		return true
	case "echo":
		at, known := attribute(last)
		if len(words) != 4 || words[2] != ">" || !known {
			return false
		}
		r.set(at, words[1])
		return true
	case "ip":
		if len(words) < 3 || words[1] != "link" || words[len(words)-2] != "mtu" {
			return false
		}
		if n, ok := r.whole("the MTU", last, 68, 65535); ok {
			say(r, &r.host.MTU, "the MTU", units.Bytes(n))
		}
		return true
	}
	return false
}

// mlnxQoSOptions takes options of mlnx_qos, whose values follow a blank or an equals sign.
func (r *reader) mlnxQoSOptions(words []string) (known bool) {
	words = strings.Fields(strings.ReplaceAll(strings.Join(words, " "), "=", " "))
	for i := 0; i+1 < len(words); i++ {
		value := words[i+1]
		switch words[i] {
		case "-i", "--interface":
			r.interfaceNamed(value)
			i++
			continue
		case "--trust":
			if value != "pcp" && value != "dscp" {
				r.fail("the trust state is %q: valid are pcp and dscp", value)
			} else {
				say(r, &r.host.Trust, "the trust state", value)
			}
		case "--dscp2prio":
			r.setPriority(value)
		case "-f", "--pfc":
			q := qosReader{reader: r}
			q.enabled(strings.ReplaceAll(value, ",", " "))
		case "--cable_len":
			if n, ok := r.whole("the length of the cable", value, 0, 100_000); ok {
				say(r, &r.host.Cable, "the length of the cable", units.Length(n)*units.Metre)
			}
		default:
			return false
		}
		known = true
		i++
	}
	return known
}

// setPriority reads "set,26,3": the priority of a DSCP.
func (r *reader) setPriority(text string) {
	f := strings.Split(text, ",")
	if len(f) != 3 || f[0] != "set" {
		r.fail("the priority of a DSCP is set by %q: expected set, the DSCP and the priority, such as set,26,3", text)
		return
	}
	dscp, okDSCP := r.whole("a DSCP", f[1], 0, 63)
	prio, okPrio := r.whole("a priority", f[2], 0, Priorities-1)
	if okDSCP && okPrio {
		say(r, &r.host.Priority[dscp], "the priority of DSCP "+f[1], int(prio))
	}
}

// pauseOptions takes "-A IF rx off tx off".
func (r *reader) pauseOptions(words []string) (known bool) {
	if len(words) < 2 || words[0] != "-A" && words[0] != "--pause" {
		return false
	}
	r.interfaceNamed(words[1])
	for i := 2; i+1 < len(words); i += 2 {
		which, ok := map[string]int{"rx": 0, "tx": 1}[words[i]]
		if !ok {
			continue // autoneg
		}
		if words[i+1] != "on" && words[i+1] != "off" {
			r.fail("pause of %s is %q: valid are on and off", words[i], words[i+1])
			continue
		}
		say(r, &r.host.Pause[which], "pause of "+words[i], words[i+1] == "on")
		known = true
	}
	return known
}

// interfaceNamed takes the name of the interface, unless it is a variable.
func (r *reader) interfaceNamed(name string) {
	if !strings.Contains(name, "$") {
		r.host.Iface = name
	}
}
