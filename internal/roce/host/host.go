package host

import (
	"fmt"

	"weft/units"
)

// Priorities is the number of priorities (802.1p).
const Priorities = 8

// Place is the file and line of a value.
type Place struct {
	File string
	Line int // from 1
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Said is a value with its place. The zero Said is an unknown value.
type Said[T any] struct {
	Value T
	At    Place
}

// Known reports whether a file gave the value.
func (s Said[T]) Known() bool { return s.At.Line > 0 }

// Host is everything known of an interface.
type Host struct {
	Name  string // of the host
	Iface string // of the interface; "$IF" if no file names it
	Trust Said[string]
	// Priority is the priority of each DSCP; it is used if Trust is dscp.
	Priority [64]Said[int]
	PFC      Said[[]int]            // priorities with PFC, in order
	Class    [Priorities]Said[int]  // traffic class of the NIC by priority
	Cable    Said[units.Length]     // cable length that the NIC keeps headroom for
	Speed    Said[units.Rate]       // of the link
	MTU      Said[units.Bytes]      // of IP
	Pause    [2]Said[bool]          // global pause, receiving and sending
	NP, RP   [Priorities]Said[bool] // ECN by priority: notification and reaction point
	CNPDSCP  Said[int]              // of notifications
	CNPPrio  Said[int]              // their 802.1p priority
	CNPGap   Said[units.Time]       // minimum time between two notifications
	Params   map[string]Said[int64] // of the reaction point, by the name of their file
	Counters map[string]Said[int64] // of ethtool -S
	TOS      Said[int]              // default of RDMA CM's connections
	// CMVersion is the version of RoCE of RDMA CM's connections: v1 or v2.
	CMVersion Said[string]
	Forced    Said[int]               // traffic class that the driver forces on all queue pairs
	Env       map[string]Said[string] // variables of Programs
	First     map[string]Place        // first line of a program's environment, by the program's name
	GIDs      map[int]GID             // table of GIDs by index; empty: not known
	Skipped   []string                // files, and lines of scripts, without a RoCE setting
}

// PriorityOf is the priority that the host gives to a DSCP: from its map, or else the upper three
// bits, which is the driver's default.
func (h *Host) PriorityOf(dscp int) int {
	if p := h.Priority[dscp]; p.Known() {
		return p.Value
	}
	return dscp >> 3
}
