package host

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"weft/units"
)

// script reads commands that set up an interface, such as those from weft roce export: the values
// that they set are the host's values, and a later command replaces an earlier one. Variables that
// the script sets are known. Lines without a known setting, or with a value that only the shell
// knows, are listed in Skipped.
func (r *reader) script() {
	vars := shell{}
	for line := range r.rest() {
		for _, words := range commands(line) {
			if !r.step(vars, words) {
				r.skip()
			}
		}
	}
}

// skip notes the line in Skipped, once.
func (r *reader) skip() {
	if at := r.at.String(); !slices.Contains(r.host.Skipped, at) {
		r.host.Skipped = append(r.host.Skipped, at)
	}
}

// idle are commands that set nothing of the network.
var idle = map[string]bool{"set": true, "if": true, "fi": true, "for": true, "done": true, "}": true, "true": true, ":": true, "exit": true, "case": true, "esac": true, "shift": true, "command": true, "test": true, "[": true, "[[": true, "sleep": true}

// step takes a command of a script; it reports false if it has no known setting.
func (r *reader) step(vars shell, words []string) (known bool) {
	leading, known := r.assigned(vars, words)
	if words = words[leading:]; len(words) == 0 || known || idle[words[0]] {
		return true
	}
	for i := range words {
		words[i] = vars.expanded(words[i])
	}
	if words[0] == "echo" && !strings.HasPrefix(words[len(words)-1], "/") {
		return true // to the terminal
	}
	return r.command(words)
}

// givers are options of launchers that give a variable to what they start: -x of Open MPI, -e and --env
// of containers.
var givers = map[string]bool{"-x": true, "-e": true, "--env": true}

// assigned takes the variables of programs that a command has before it or gives to what it starts; known
// is false if there are none. leading is the number of variables before the command.
func (r *reader) assigned(vars shell, words []string) (leading int, known bool) {
	for i, w := range words {
		w = strings.TrimPrefix(w, "--env=")
		name, value, ok := strings.Cut(w, "=")
		if ok && programOf(name) != nil && wholeName.MatchString(name) && (i == leading || givers[words[i-1]] || w != words[i]) {
			r.variable(name, vars.expanded(value))
			known = true
		}
		if i == leading && vars.assign(w) {
			leading++
		}
	}
	return leading, known
}

// unknown reports whether a value has a variable that only the shell knows.
func unknown(value string) bool { return strings.ContainsAny(value, "$`") }

// Obey is the host after lines of a fix: commands, or variables of the environment. Lines that set
// nothing known change nothing.
func (h *Host) Obey(lines []string) (*Host, error) {
	own := *h
	own.Params, own.Counters, own.Env = maps.Clone(h.Params), maps.Clone(h.Counters), maps.Clone(h.Env)
	own.First, own.GIDs, own.Skipped = maps.Clone(h.First), maps.Clone(h.GIDs), slices.Clone(h.Skipped)
	r := &reader{host: &own, at: Place{File: "fix"}, lines: lines, over: true}
	r.script()
	own.Skipped = h.Skipped
	return &own, errors.Join(r.problems...)
}

// command takes the settings of a command; it reports false if there are none.
func (r *reader) command(words []string) bool {
	last := words[len(words)-1]
	if unknown(last) && words[0] != "mlnx_qos" && words[0] != "echo" {
		return false
	}
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
		if len(words) != 4 || words[2] != ">" || !known || unknown(words[1]) || unknown(at) {
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

// qosOptions are the options of mlnx_qos (mlnx-tools, python/mlnx_qos). Like every program with
// optparse it takes the beginning of a long option that no other has.
var qosOptions = []string{
	"--pfc", "--specific_pfc", "--get_pfc", "--prio_tc", "--tsa", "--tcbw", "--ratelimit", "--dcbx", "--trust", "--dscp2prio",
	"--cable_len", "--prio2buffer", "--buffer_size", "--interface", "--help", "--version",
}

// shortOptions are the short forms; "-a" alone has no value.
var shortOptions = map[string]string{
	"-f": "--pfc", "-F": "--specific_pfc", "-P": "--get_pfc", "-p": "--prio_tc", "-s": "--tsa", "-t": "--tcbw",
	"-r": "--ratelimit", "-d": "--dcbx", "-i": "--interface", "-h": "--help",
}

// qosOption is the long form of an option, "" if mlnx_qos has no such option.
func qosOption(word string) string {
	if long := shortOptions[word]; long != "" {
		return long
	}
	found := ""
	for _, o := range qosOptions {
		switch {
		case o == word:
			return o
		case strings.HasPrefix(word, "--") && len(word) > 2 && strings.HasPrefix(o, word):
			if found != "" {
				return ""
			}
			found = o
		}
	}
	return found
}

// mlnxQoSOptions takes options of mlnx_qos, whose values follow a blank or an equals sign.
func (r *reader) mlnxQoSOptions(words []string) (known bool) {
	known = true
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		if name == "-a" || name == "--help" || name == "-h" || name == "--version" {
			continue
		}
		option := qosOption(name)
		if option == "" {
			if !unknown(name) {
				r.fail("mlnx_qos has no such option: %s; it has %s, and -a", name, strings.Join(qosOptions, ", "))
			}
			return false
		}
		if !joined {
			if i++; i == len(words) {
				r.fail("%s of mlnx_qos has no value", name)
				return false
			}
			value = words[i]
		}
		known = r.qosSetting(option, value) && known
	}
	return known
}

// qosSetting takes an option of mlnx_qos; it reports false if its effect is not known.
func (r *reader) qosSetting(option, value string) (known bool) {
	if option == "--interface" {
		r.interfaceNamed(value)
		return true
	}
	if unknown(value) {
		return false
	}
	switch option {
	case "--trust":
		if value != "pcp" && value != "dscp" {
			r.fail("the trust state is %q: valid are pcp and dscp", value)
		} else {
			say(r, &r.host.Trust, "the trust state", value)
		}
	case "--dscp2prio":
		r.setPriority(value)
	case "--pfc":
		q := qosReader{reader: r}
		q.enabled(strings.ReplaceAll(value, ",", " "))
	case "--cable_len":
		if n, ok := r.whole("the length of the cable", value, 0, 100_000); ok {
			say(r, &r.host.Cable, "the length of the cable", units.Length(n)*units.Metre)
		}
	default:
		return false
	}
	return true
}

// setPriority reads "set,26,3": the priority of a DSCP; "del,26,3", which takes it back; or "flush",
// which takes back all and leaves the host to trust the VLAN tag.
func (r *reader) setPriority(text string) {
	f := strings.Split(text, ",")
	if text == "flush" {
		r.host.Priority = [64]Said[int]{}
		r.host.Trust = Said[string]{"pcp", r.at}
		return
	}
	if len(f) != 3 || f[0] != "set" && f[0] != "del" {
		r.fail("the priority of a DSCP is set by %q: expected set, the DSCP and the priority, such as set,26,3", text)
		return
	}
	dscp, okDSCP := r.whole("a DSCP", f[1], 0, 63)
	prio, okPrio := r.whole("a priority", f[2], 0, Priorities-1)
	switch {
	case !okDSCP || !okPrio:
	case f[0] == "del":
		r.host.Priority[dscp] = Said[int]{}
	default:
		say(r, &r.host.Priority[dscp], "the priority of DSCP "+f[1], int(prio))
	}
}

// pauseOptions takes "-A IF rx off tx off".
func (r *reader) pauseOptions(words []string) (known bool) {
	if len(words) < 2 || words[0] != "-A" && words[0] != "--pause" {
		return false
	}
	r.interfaceNamed(words[1])
	known = true
	for i := 2; i+1 < len(words); i += 2 {
		which, ok := map[string]int{"rx": 0, "tx": 1}[words[i]]
		if !ok {
			continue // autoneg
		}
		if unknown(words[i+1]) {
			known = false
			continue
		}
		if words[i+1] != "on" && words[i+1] != "off" {
			r.fail("pause of %s is %q: valid are on and off", words[i], words[i+1])
			continue
		}
		say(r, &r.host.Pause[which], "pause of "+words[i], words[i+1] == "on")
	}
	return known
}

// interfaceNamed takes the name of the interface, unless it is a variable.
func (r *reader) interfaceNamed(name string) {
	if !strings.Contains(name, "$") {
		r.host.Iface = name
	}
}
