package qos

// Policy is a qos-policy.conf: the rules that give a path its service level. The first matching
// rule counts. The rules of qos-ulps come after the rules of qos-match-rules, as in OpenSM.
type Policy struct {
	Groups  []PortGroup
	Levels  []Level // at least the level DEFAULT
	Rules   []Match
	Default Level // of paths without a matching rule
}

// DefaultLevel is the name of the level that every policy has.
const DefaultLevel = "DEFAULT"

// Range is an inclusive range of numbers.
type Range struct{ First, Last uint64 }

// Holds reports whether a number is in one of the ranges.
func Holds(ranges []Range, n uint64) bool {
	for _, r := range ranges {
		if r.First <= n && n <= r.Last {
			return true
		}
	}
	return false
}

// PortGroup is a set of ports: every port that a line of the group names.
type PortGroup struct {
	Name       string
	GUIDs      []Range
	Names      []string // node description/Pn
	Partitions []string
	PKeys      []Range  // low 15 bits
	Kinds      []string // CA, SWITCH, ROUTER, SELF or ALL
}

// Level is a service level and its limits. A field that is not set is nil.
type Level struct {
	Name                            string
	SL                              uint8
	MTULimit, RateLimit, PacketLife *uint8 // codes of the specification
	PKey                            *uint16
}

// Match is a rule: all conditions that are given must hold.
type Match struct {
	Source, Destination []string // port groups
	Classes             []Range  // of the path's QoS class
	ServiceIDs          []Range
	PKeys               []Range // low 15 bits
	TargetGUIDs         []Range // of qos-ulps: destination ports of the path
	Protocol            string  // of qos-ulps: sdp, rds, iser, srp, ipoib; "" is any
	Level               Level
	Line                int
}

// Service reports whether the rule has a QoS class or a service ID, which a path request may state.
// sdp, rds and iser stand for service IDs.
func (m *Match) Service() bool {
	return len(m.Classes) > 0 || len(m.ServiceIDs) > 0 || m.Protocol == "sdp" || m.Protocol == "rds" || m.Protocol == "iser"
}
