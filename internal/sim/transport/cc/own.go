package cc

import (
	"fmt"
	"slices"

	"weft/units"
)

// Own is a congestion control that needs no other line of weft than its own file: the file
// registers it, a scenario names it (cc: {algorithm: NAME}) and sets its parameters.
type Own struct {
	Name       string
	Parameters []Parameter
	// Notifications names the parameter, a Duration, that is the least time between two
	// notifications to a queue pair; "" sends none.
	Notifications string
	// New makes the congestion control of one queue pair.
	New func(Link, Values) Algorithm
}

// Link is what an algorithm may know of the fabric when it is made.
type Link struct {
	Rate   units.Rate  // of the NIC's port
	Packet units.Bytes // payload of a full packet
}

// Kind is how a parameter is written in a scenario, and in what its value is.
type Kind uint8

// The kinds.
const (
	Duration Kind = iota // 55us; in picoseconds
	Speed                // 40Mbps; in bits per second
	Size                 // 64KiB; in bytes
	Fraction             // 1/256, 20%; in 1/65536
	Count                // 5
)

// Parameter is a number that a scenario may set.
type Parameter struct {
	Name    string
	Kind    Kind
	Default int64
}

// Values are the parameters by name, in the units of their kinds.
type Values map[string]int64

// Time is a Duration.
func (v Values) Time(name string) units.Time { return units.Time(v.Of(name)) }

// Rate is a Speed.
func (v Values) Rate(name string) units.Rate { return units.Rate(v.Of(name)) }

// Bytes is a Size.
func (v Values) Bytes(name string) units.Bytes { return units.Bytes(v.Of(name)) }

// Of is a value of any kind. A name that the algorithm does not have is a mistake in its
// file, and ends the program.
func (v Values) Of(name string) int64 {
	value, ok := v[name]
	if !ok {
		panic(fmt.Sprintf("congestion control: there is no parameter %q", name))
	}
	return value
}

// registered are in the order of their registration, which is that of the files' names.
var registered []*Own

// Register adds a congestion control; it is called from a variable of the algorithm's
// file. Two of one name end the program.
func Register(o Own) *Own {
	if Registered(o.Name) != nil {
		panic("congestion control: " + o.Name + " is registered twice")
	}
	registered = append(registered, &o)
	return &o
}

// Registered is the congestion control of a name, nil where there is none.
func Registered(name string) *Own {
	if i := slices.IndexFunc(registered, func(o *Own) bool { return o.Name == name }); i >= 0 {
		return registered[i]
	}
	return nil
}

// RegisteredNames are the names of all.
func RegisteredNames() (names []string) {
	for _, o := range registered {
		names = append(names, o.Name)
	}
	return names
}
