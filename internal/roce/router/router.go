package router

import "fmt"

// Said is a value with the line that gave it. The zero Said is an unknown value.
type Said[T any] struct {
	Value T
	File  string
	Line  int // from 1; 0: not said
}

// Known reports whether a file gave the value.
func (s Said[T]) Known() bool { return s.Line > 0 }

func (s Said[T]) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Router is what the files of a switch say of its paths.
type Router struct {
	Hostname string       // in FRR's configuration; "": not said
	ASN      Said[uint32] // of the autonomous system
	// MaxPaths is the number of paths at most, of eBGP, or of iBGP if all neighbours are of the same system.
	MaxPaths Said[int]
	Relax    Said[bool] // bestpath as-path multipath-relax; of a router with an ASN it is off unless it is said
	// Policy is fib_multipath_hash_policy; Fields are the fields of policy 3, a bit each (fib_multipath_hash_fields).
	Policy Said[int]
	Fields Said[uint32]
	Seed   Said[uint32] // of the hash (traffic.conf of Cumulus Linux)
	// Ports says whether the chip's hash has the source port (hash_config of traffic.conf).
	Ports Said[bool]
}

// Policies of fib_multipath_hash_policy (Documentation/networking/ip-sysctl.rst).
const (
	PolicyL3     = 0 // addresses
	PolicyL4     = 1 // addresses, protocol and ports
	PolicyInner  = 2 // the addresses of the inner packet, if there is one
	PolicyCustom = 3 // the fields of fib_multipath_hash_fields
)

// bits of fib_multipath_hash_fields: the source port, and the kernel's default, addresses and protocol.
const (
	sourcePort    = 0x10
	defaultFields = 0x7
)

// HashesPorts reports whether packets of two queue pairs of the same hosts may take different paths: the source port of UDP is
// hashed. known is false if no file says it.
func (r *Router) HashesPorts() (ports, known bool) {
	switch {
	case r == nil:
		return false, false
	case r.Ports.Known():
		return r.Ports.Value, true
	case !r.Policy.Known():
		return false, false
	case r.Policy.Value == PolicyCustom:
		fields := uint32(defaultFields)
		if r.Fields.Known() {
			fields = r.Fields.Value
		}
		return fields&sourcePort != 0, true
	}
	return r.Policy.Value == PolicyL4, true
}

// Empty reports whether no file said anything.
func (r *Router) Empty() bool {
	return r == nil || *r == Router{Hostname: r.Hostname}
}

// take adds what another file says; what is known stays.
func (r *Router) take(o *Router) {
	if r.Hostname == "" {
		r.Hostname = o.Hostname
	}
	first(&r.ASN, o.ASN)
	first(&r.MaxPaths, o.MaxPaths)
	first(&r.Relax, o.Relax)
	first(&r.Policy, o.Policy)
	first(&r.Fields, o.Fields)
	first(&r.Seed, o.Seed)
	first(&r.Ports, o.Ports)
}

func first[T any](s *Said[T], other Said[T]) {
	if !s.Known() {
		*s = other
	}
}
