package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport/cc"
)

var ccType = reflect.TypeFor[CC]()

// ControlOf is the chosen congestion control; nil if there is none.
func ControlOf(c *CC) *cc.Control { return cc.Registered(string(c.Algorithm)) }

// ControlName is the preset of the congestion control; the algorithm, if the preset is of another.
func ControlName(c *CC) string {
	preset, err := catalog.Lookup(catalog.CC, c.Preset)
	if own, _ := preset.Get("algorithm"); c.Preset == "" || err == nil && own.Value != string(c.Algorithm) {
		return string(c.Algorithm)
	}
	return c.Preset
}

// ValuesOf are the parameters of the congestion control.
func ValuesOf(c *CC) cc.Values {
	values := cc.Values{}
	for name, field := range c.fields {
		values[name] = reflect.ValueOf(field).Elem().Interface()
	}
	return values
}

// field is a parameter as a decoding target; the zero Value if no congestion control has it.
func (c *CC) field(name string) reflect.Value {
	if c.fields[name] == nil {
		p := cc.ParameterOf(name)
		if p == nil {
			return reflect.Value{}
		}
		if c.fields == nil {
			c.fields = map[string]any{}
		}
		c.fields[name] = reflect.New(reflect.TypeOf(p.Default)).Interface()
	}
	return reflect.ValueOf(c.fields[name]).Elem()
}

// parameterNames are the names of the parameters of a congestion control, or of all.
func parameterNames(controls ...*cc.Control) (names []string) {
	for _, c := range controls {
		for _, p := range c.Parameters {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// deriveCC applies the list of parameters, gives a default to each parameter without a value, and
// clears the parameters of other congestion controls; it reports them if the user wrote them.
func (r transportRules) deriveCC() {
	control := ControlOf(&r.CC)
	r.listedParameters(control)
	for _, name := range slices.Sorted(maps.Keys(r.CC.fields)) {
		at := "cc." + name
		switch {
		case control != nil && control.Parameter(name) != nil:
			continue
		case r.wrote(at) && control == nil:
			r.complain(at, "%s has no parameters: give the preset of a congestion control", r.CC.Algorithm)
		case r.wrote(at):
			r.complain(at, "%s has no %s: its fields are %s", r.CC.Algorithm, name, oneOf(parameterNames(control)))
		}
		delete(r.CC.fields, name)
	}
	if control == nil {
		return
	}
	preset, _ := catalog.Lookup(catalog.CC, r.CC.Preset)
	algorithm, _ := preset.Get("algorithm")
	for i := range control.Parameters {
		p := &control.Parameters[i]
		value := reflect.ValueOf(p.Default)
		of := algorithm.Value == control.Name || value.IsZero() // a preset of another algorithm does not replace a default
		if r.CC.fields[p.Name] == nil || !of && !r.wrote("cc."+p.Name) {
			r.CC.field(p.Name).Set(value)
		}
		normalise(r.CC.field(p.Name))
	}
}

// listedParameters applies the list parameters to the fields with their names.
func (r transportRules) listedParameters(control *cc.Control) {
	seen := map[string]bool{}
	for i, x := range r.CC.Parameters {
		at := fmt.Sprintf("cc.parameters[%d]", i)
		switch {
		case control == nil:
			r.complain(at+".name", "%s has no parameters: give the preset of a congestion control", r.CC.Algorithm)
		case control.Parameter(x.Name) == nil:
			r.complain(at+".name", "%s has no parameter %q: it has %s", control.Name, x.Name, oneOf(parameterNames(control)))
		case seen[x.Name]:
			r.complain(at+".name", "%s is given twice", x.Name)
		default:
			before := len(r.errs)
			r.value(r.at("cc."+x.Name), &node{place: r.set[r.at(at+".value")], kind: scalar, text: x.Value, plain: true}, r.CC.field(x.Name), control.Parameter(x.Name).Range)
			for k := range r.errs[before:] {
				r.errs[before+k].Path, r.errs[before+k].Msg = r.at(at+".value"), x.Name+": "+r.errs[before+k].Msg
			}
		}
		seen[x.Name] = true
	}
	r.CC.Parameters = nil
}

// deriveRoundTrip gives the parameters their values that follow from the round trip of the empty
// network.
func (r transportRules) deriveRoundTrip() {
	control := ControlOf(&r.CC)
	if control == nil || control.For != protocol.Of(r.Kind).Controls {
		return
	}
	for _, p := range control.Parameters {
		if p.Derived != nil && !r.stated("cc."+p.Name) {
			r.CC.field(p.Name).Set(reflect.ValueOf(p.Derived(r.roundTrip(), ValuesOf(&r.CC))))
		}
	}
}

// controlLink is the link information for the fabric's congestion control.
func (f *Fabric) controlLink() cc.Link {
	return cc.Link{Rate: f.Link.Rate(), Packet: f.MTU, Trims: f.Ethernet.Trim.On()}
}

// ControlLink is the link information for a fabric's congestion control.
func ControlLink(f *Fabric) cc.Link { return f.controlLink() }

// ControllerOf returns a function that makes the congestion control of one queue pair; the function
// returns nil if there is none.
func ControllerOf(f *Fabric) func() cc.Algorithm {
	if control := ControlOf(&f.CC); control != nil {
		return control.New(f.controlLink(), ValuesOf(&f.CC))
	}
	if protocol.Of(f.Kind).Unordered {
		return func() cc.Algorithm { return cc.NewFixed(f.Transport.Window) }
	}
	return func() cc.Algorithm { return nil }
}

func (r transportRules) checkCC() {
	at, control, p := "cc", ControlOf(&r.CC), protocol.Of(r.Kind)
	if control == nil {
		return
	}
	if control.For != p.Controls {
		names := []string{}
		for _, c := range cc.All() {
			if c.For == p.Controls {
				names = append(names, c.Name)
			}
		}
		r.complain(at, "%s is not for %s, which takes %s", control.Name, p.Title, oneOf(append(names, string(CCNone))))
		return
	}
	if !r.ccComplete(control) {
		return
	}
	switch {
	case control.Marks && p.Ethernet() && !r.Ethernet.ECN.Enabled:
		r.complain(at, "%s hears of congestion by ECN, which is not enabled: set ethernet.ecn.enabled, or cc: none", control.Name)
	case control.Marks && !p.Ethernet() && r.IB.Queueing == FIFO:
		r.complain(at, "a switch with FIFO inputs has no queue at its outputs to mark by: set ib.queueing: voq, or cc: none")
	}
	if control.Check != nil {
		control.Check(r.controlLink(), ValuesOf(&r.CC), func(parameter, format string, args ...any) {
			r.complain(strings.TrimSuffix(at+"."+parameter, "."), format, args...)
		})
	}
}

// ccComplete checks that each parameter of the algorithm has a valid value: an algorithm chosen
// without its preset has the values of another, or none.
func (r transportRules) ccComplete(control *cc.Control) bool {
	var missing []string
	for _, p := range control.Parameters {
		low, _, ranged := strings.Cut(p.Range, "..")
		if v := r.CC.field(p.Name); ranged && v.IsZero() {
			if least, err := number(v.Type(), low); err == nil && least > 0 {
				missing = append(missing, p.Name)
			}
		}
	}
	if len(missing) > 0 {
		r.complain("cc.algorithm", "%s has no %s here: start from its preset (%s), or give them", r.CC.Algorithm, oneOf(missing), strings.Join(catalog.Names(catalog.CC), ", "))
	}
	return len(missing) == 0
}
