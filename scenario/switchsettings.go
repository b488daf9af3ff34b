package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SwitchSettings are settings of some switches that differ from those of the fabric.
type SwitchSettings struct {
	// Names are the switches: leaf7, "leaf[0-3]".
	Names []string `yaml:"names"`
	// Set are fields of the fabric with their values on these switches: ethernet.ecn.kmin=200KB. The
	// fields are those of ethernet, switch.buffer, switch.latency and switch.mtu.
	Set []string `yaml:"set"`
}

// ofOneSwitch reports whether a field of a fabric can differ from switch to switch. Classes of traffic are the whole
// fabric's.
func ofOneSwitch(path string) bool {
	switch path {
	case "switch.buffer", "switch.latency", "switch.mtu":
		return true
	case "ethernet.data-priority", "ethernet.ack-priority", "ethernet.cnp-priority", "ethernet.dscp", "ethernet.cnp-dscp", "ethernet.vlan":
		return false
	}
	return strings.HasPrefix(path, "ethernet.")
}

// OfSwitch is the fabric as one of its switches has it: f itself if the switch has no settings of its own.
func (f *Fabric) OfSwitch(name string) *Fabric {
	var own *Fabric
	for i := range f.Switches {
		s := &f.Switches[i]
		if !slices.Contains(Expand(s.Names), name) {
			continue
		}
		if own == nil {
			copied := *f
			own = &copied
		}
		d := newDecoder("")
		d.rate = f.Link.Rate()
		for _, set := range s.Set {
			d.setField(own, set) // a checked scenario has no errors
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

// checkSwitches checks the settings of single switches. Whether the fabric has the switches is known when it is built.
func (r *fabricRules) checkSwitches() {
	for i := range r.Switches {
		s := &r.Switches[i]
		at := fmt.Sprintf("switches[%d]", i)
		if len(s.Names) == 0 || len(s.Set) == 0 {
			r.complain(at, "want names of switches and what they have: {names: [leaf7], set: [ethernet.ecn.kmin=200KB]}")
			return
		}
		for _, name := range s.Names {
			if _, err := r.counted(name); err != nil {
				r.complain(at+".names", "%v", err)
				return
			}
		}
		own := *r.Fabric
		for k, set := range s.Set {
			path, _, given := strings.Cut(set, "=")
			d := newDecoder(r.file)
			d.rate = r.Link.Rate()
			if field := own.at(path); !given || !ofOneSwitch(path) || !field.IsValid() || field.Kind() == reflect.Struct && field.Type() != ratioType {
				r.complain(fmt.Sprintf("%s.set[%d]", at, k), "%q sets no field of one switch: want such as ethernet.ecn.kmin=200KB, ethernet.pfc.enabled=false or switch.buffer=32MiB", abridged(set))
				return
			}
			if d.setField(&own, set); len(d.errs) > 0 {
				r.complain(fmt.Sprintf("%s.set[%d]", at, k), "%s: %s", path, d.errs[0].Msg)
				return
			}
		}
	}
}
