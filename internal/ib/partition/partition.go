package partition

import "weft/units"

// Membership is full or limited: limited members may communicate with full members only (IBA vol.
// 1, 10.9.1.1).
type Membership uint8

// The memberships. Both puts the limited and the full P_Key into the table if the manager allows it
// (Config.BothKeys).
const (
	Limited Membership = iota
	Full
	Both
)

// String is the keyword in the file.
func (m Membership) String() string { return memberships[m] }

var memberships = [...]string{Limited: "limited", Full: "full", Both: "both"}

// Who is a port, or a keyword that stands for a set of ports.
type Who uint8

// The kinds of member.
const (
	Port        Who = iota // one port, by its GUID
	All                    // all end ports
	AllAdapters            // all ports of channel adapters
	AllSwitches            // port 0 of all switches
	AllRouters             // all ports of routers
	Self                   // the port of the Subnet Manager
)

var whos = [...]string{Port: "", All: "ALL", AllAdapters: "ALL_CAS", AllSwitches: "ALL_SWITCHES", AllRouters: "ALL_ROUTERS", Self: "SELF"}

// Member is one port, or one set of ports, in a partition.
type Member struct {
	Who        Who
	GUID       units.GUID // of Port
	Membership Membership
}

// Default is the key of the default partition, without the bit of membership.
const Default = 0x7fff

// Partition is one rule of the file. Rules with the same key belong to one partition.
type Partition struct {
	Name string
	// Key is the P_Key, 15 bits; 0 if the manager chooses it.
	Key uint16
	// First says that the key goes to index 0 of the tables.
	First bool
	// IPoIB says that the partition has the broadcast group of IP over
	// InfiniBand, with Broadcast's properties.
	IPoIB     bool
	Broadcast Properties
	Members   []Member
	Groups    []Group
	Line      int // first line of the rule; 0 if it is not from a file
}

// Group is a multicast group that the manager creates.
type Group struct {
	MGID       string // in the file's form: an IPv6 address
	Properties Properties
}

// Properties is the properties of a multicast group. Rate, MTU and scope are the codes of
// the specification (IBA vol. 1, 15.2.5.17): rate 3 is 10 Gb/s, MTU 4 is 2048 bytes. nil stands for
// the manager's default.
type Properties struct {
	Rate, MTU, SL, TClass *uint8
	QKey, FlowLabel       *uint32
	Scopes                []uint8 // one group per scope
}

// Config is a whole file.
type Config struct {
	Partitions []Partition
	// BothKeys says that the manager runs with opensm.conf's allow_both_pkeys. Without it, as by
	// default, a member with both memberships is a full member.
	BothKeys bool
}
