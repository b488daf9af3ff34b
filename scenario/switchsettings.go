package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SwitchSettings are settings of some switches, or of some of their ports, that differ from those of the fabric.
type SwitchSettings struct {
	// Names are the switches: leaf7, "leaf[0-3]".
	Names []string `yaml:"names"`
	// Ports are the ports of these switches that have the settings: 7, "[1-4]", counted from 1, or the names
	// of the fabric's file, Ethernet0, "Ethernet[0-124]". Without it all ports have them. A port can have of its own
	// switch.mtu, ethernet.ecn, ethernet.queues, ethernet.egress-alpha, and of ethernet.pfc enabled, priorities, headroom, reserve, xon,
	// alpha, classes and stops.
	Ports []string `yaml:"ports,omitzero"`
	// Set are fields of the fabric with their values on these switches: ethernet.ecn.kmin=200KB. The
	// fields are those of ethernet, switch.buffer, switch.latency, switch.mtu, and of routing hash, hash-function, max-paths, asn
	// and multipath-relax.
	Set []Assignment `yaml:"set"`
}

// Assignment is a field with its value, as path=value.
type Assignment string

func parseAssignment(text string) (Assignment, error) {
	if len(text) > maxAssignment || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return "", fmt.Errorf("want at most %d printable characters", maxAssignment)
	}
	return Assignment(text), nil
}

// assignments are texts as assignments.
func assignments(texts []string) (out []Assignment) {
	for _, text := range texts {
		out = append(out, Assignment(text))
	}
	return out
}

// ofOneSwitch reports whether a field of a fabric can differ from switch to switch. Classes of traffic are the whole
// fabric's.
func ofOneSwitch(path string) bool {
	switch path {
	case "switch.buffer", "switch.latency", "switch.mtu",
		"routing.hash", "routing.hash-function", "routing.max-paths", "routing.asn", "routing.multipath-relax":
		return true
	case "ethernet.data-priority", "ethernet.ack-priority", "ethernet.cnp-priority", "ethernet.dscp", "ethernet.cnp-dscp", "ethernet.vlan":
		return false
	}
	return strings.HasPrefix(path, "ethernet.")
}

// OfSwitch is the fabric as one of its switches has it: f itself if the switch has no settings of its own. Those of
// single ports are left out.
func (f *Fabric) OfSwitch(name string) *Fabric { return f.ofPlace(name, 0) }

// names reports whether a field is set on single switches.
func (f *Fabric) names(field string) bool {
	return slices.ContainsFunc(f.Switches, func(s SwitchSettings) bool {
		return slices.ContainsFunc(s.Set, func(a Assignment) bool { return strings.HasPrefix(string(a), field+"=") })
	})
}

// HashesDiffer reports whether the switches hash different fields: some the flow, some the addresses alone.
func (f *Fabric) HashesDiffer() bool {
	for i := range f.Switches {
		for _, set := range f.Switches[i].Set {
			if value, ok := strings.CutPrefix(string(set), "routing.hash="); ok && (value == string(HashAddresses)) != (f.Routing.Hash == HashAddresses) {
				return true
			}
		}
	}
	return false
}

// ofPlace is the fabric as a switch, port 0, or one of its ports has it.
func (f *Fabric) ofPlace(name string, port int) *Fabric {
	var own *Fabric
	for i := range f.Switches {
		s := &f.Switches[i]
		if !s.has(name, port) {
			continue
		}
		if own == nil {
			copied := *f
			own = &copied
		}
		d := newDecoder("")
		d.rate = f.Link.Rate()
		for _, set := range s.Set {
			d.setField(own, string(set)) // a checked scenario has no errors
		}
	}
	if own == nil {
		return f
	}
	normalise(reflect.ValueOf(own).Elem())
	return own
}

// setField sets a field of a fabric from path=value.
func (d *decoder) setField(f *Fabric, set string) {
	path, value, _ := strings.Cut(set, "=")
	d.value(path, factNode("switches", value), f.at(path), "")
}

// checkSwitches checks the settings of single switches and ports. Whether the fabric has these is known when it is built.
func (r *fabricRules) checkSwitches() {
	for i := range r.Switches {
		s := &r.Switches[i]
		at := fmt.Sprintf("switches[%d]", i)
		if len(s.Names) == 0 || len(s.Set) == 0 {
			r.complain(at, "want names of switches and what they have: {names: [leaf7], set: [ethernet.ecn.kmin=200KB]}")
			return
		}
		for _, name := range slices.Concat(s.Names, s.Ports) {
			if _, err := r.counted(name); err != nil {
				r.complain(at, "%v", err)
				return
			}
		}
		for _, port := range Expand(s.Ports) {
			if n, err := strconv.Atoi(port); err != nil || n < 1 {
				r.complain(at+".ports", "%q is no port: want a number from 1 on; names of ports are for fabrics of a file (topology.file)", abridged(port))
				return
			}
		}
		own := *r.Fabric
		for k, set := range s.Set {
			if why := r.checkSet(&own, string(set), len(s.Ports) > 0); why != "" {
				r.complain(fmt.Sprintf("%s.set[%d]", at, k), "%s", why)
				return
			}
		}
	}
}

// checkSet sets a field of a switch or a port, and says what is wrong with it.
func (r *fabricRules) checkSet(own *Fabric, set string, port bool) string {
	path, _, given := strings.Cut(set, "=")
	d := newDecoder(r.file)
	d.rate = r.Link.Rate()
	field := own.at(path)
	switch {
	case !given || !ofOneSwitch(path) || !field.IsValid() || field.Kind() == reflect.Struct && field.Type() != ratioType:
		return fmt.Sprintf("%q sets no field of one switch: want such as ethernet.ecn.kmin=200KB, ethernet.pfc.enabled=false or switch.buffer=32MiB", abridged(set))
	case port && !ofOnePort(path):
		return fmt.Sprintf("%q: all ports of a switch have the same %s: want such as ethernet.ecn.kmin=200KB, ethernet.pfc.headroom=100KB or switch.mtu=9100B, or leave ports out", abridged(set), path)
	}
	if d.setField(own, set); len(d.errs) > 0 {
		return fmt.Sprintf("%s: %s", path, d.errs[0].Msg)
	}
	return ""
}
