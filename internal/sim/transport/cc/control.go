package cc

import (
	"fmt"
	"reflect"
	"slices"

	"weft/units"
)

// Control is a congestion control as scenarios choose it (cc: {algorithm: NAME}). The file
// of its algorithm registers it, and nothing else of weft has to know it.
type Control struct {
	Name string
	// For is the kind of queue pairs that it can control.
	For For
	// Marks is true if it learns of congestion only from marks: switches must mark.
	Marks bool
	// Telemetry is the length of the header that each data packet carries for switches to
	// write into, and that acknowledgements bring back.
	Telemetry units.Bytes
	// Parameters are fields of a scenario's cc, in the order in which they are printed.
	Parameters []Parameter
	// Check reports values that do not fit each other or the link; nil checks nothing.
	Check func(Link, Values, Complain)
	// Notifications is the minimum time between two notifications to a queue pair, or to all queue
	// pairs of a port; nil sends none.
	Notifications func(Values) (period units.Time, ofPort bool)
	// Marking is the marking by InfiniBand's switches; nil marks nothing.
	Marking func(Values) Marking
	// New reads the parameters, which all queue pairs of a fabric share, and returns a
	// function that makes the congestion control of one queue pair.
	New func(Link, Values) func() Algorithm
}

// For is a kind of queue pairs.
type For uint8

// The kinds.
const (
	RoCE For = iota
	InfiniBand
	UltraEthernet
)

// Parameter is a value that a scenario may set.
type Parameter struct {
	Name string
	// Doc is its meaning, in sentences.
	Doc string
	// Default is the value if the scenario and its preset have none. Its type is the parameter's:
	// units.Time, units.Rate, units.Bytes, units.Ratio, int, bool, a list of units.Ratio, or a text
	// type with a method Choices.
	Default any
	// Range is the least and the largest value as a scenario writes them: 1ns..1s. A
	// value of 0 below the range stands for no value.
	Range string
	// Derived computes the default from the round trip of the empty network, and from the
	// parameters before; nil if it does not depend on them.
	Derived func(rtt units.Time, v Values) any
}

// Link is the fabric's properties for the making of an algorithm.
type Link struct {
	Rate   units.Rate  // of the NIC's port
	Packet units.Bytes // payload of a full packet
	Trims  bool        // switches trim packets for which they have no room
}

// Marking is the marking by InfiniBand's switches (IBA vol. 1, A10.2.1.1).
type Marking struct {
	Threshold  int // 15 marks the earliest, 0 never
	Rate       int // number of packets between two marked ones
	PacketSize units.Bytes
	Victims    bool // also at ports that are congested because they wait for credits
}

// Complain reports an error in a parameter; "" is the congestion control itself.
type Complain func(parameter, format string, args ...any)

// Values are the parameters by name, each of its type. A name that the algorithm does not
// have is a mistake in its file, and ends the program.
type Values map[string]any

func value[T any](v Values, name string) T {
	x, ok := v[name].(T)
	if !ok {
		panic(fmt.Sprintf("congestion control: there is no parameter %q of type %T", name, x))
	}
	return x
}

// Time is a time.
func (v Values) Time(name string) units.Time { return value[units.Time](v, name) }

// Rate is a rate.
func (v Values) Rate(name string) units.Rate { return value[units.Rate](v, name) }

// Bytes is a size.
func (v Values) Bytes(name string) units.Bytes { return value[units.Bytes](v, name) }

// Ratio is a fraction.
func (v Values) Ratio(name string) units.Ratio { return value[units.Ratio](v, name) }

// Fraction is a fraction in 1/65536, rounded down.
func (v Values) Fraction(name string) int64 { return v.Ratio(name).Of(one) }

// Int is a whole number.
func (v Values) Int(name string) int { return value[int](v, name) }

// Bool is true or false.
func (v Values) Bool(name string) bool { return value[bool](v, name) }

// atMostOne complains of fractions above 1.
func (v Values) atMostOne(complain Complain, names ...string) {
	for _, name := range names {
		if x := v.Ratio(name); x.Cmp(1, 1) > 0 {
			complain(name, "%s is more than 1", x)
		}
	}
}

// withinLine complains of a lowest rate above the link's.
func (v Values) withinLine(l Link, complain Complain) {
	if low := v.Rate("min-rate"); low > l.Rate {
		complain("min-rate", "the lowest rate %s is more than the link's %s", low.Exact(), l.Rate.Exact())
	}
}

// registered are in the order of their registration, which follows the files' names.
var registered []*Control

// Register adds a congestion control; a variable of the algorithm's file calls it. Two with the
// same name end the program, and so do parameters with the same name and different types or ranges;
// an omitted range is the previous algorithm's.
func Register(c Control) *Control {
	if Registered(c.Name) != nil {
		panic("congestion control: " + c.Name + " is registered twice")
	}
	for _, p := range c.Parameters {
		q := ParameterOf(p.Name)
		if q != nil && (reflect.TypeOf(q.Default) != reflect.TypeOf(p.Default) || p.Range != "" && p.Range != q.Range) {
			panic(fmt.Sprintf("congestion control: %s of %s is a %T (%s) and was a %T (%s) before", p.Name, c.Name, p.Default, p.Range, q.Default, q.Range))
		}
	}
	registered = append(registered, &c)
	return &c
}

// Registered is the congestion control with a name, nil if there is none.
func Registered(name string) *Control {
	if i := slices.IndexFunc(registered, func(c *Control) bool { return c.Name == name }); i >= 0 {
		return registered[i]
	}
	return nil
}

// All are the registered congestion controls.
func All() []*Control { return slices.Clone(registered) }

// Parameter is the parameter of a name, nil if the algorithm has none.
func (c *Control) Parameter(name string) *Parameter {
	if i := slices.IndexFunc(c.Parameters, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		return &c.Parameters[i]
	}
	return nil
}

// ParameterOf is the parameter of a name, of the first algorithm that has one; nil where
// none has.
func ParameterOf(name string) *Parameter {
	for _, c := range registered {
		if p := c.Parameter(name); p != nil {
			return p
		}
	}
	return nil
}
