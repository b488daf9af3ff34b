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
	PFC      Said[[]int]             // priorities with PFC, in order
	Class    [Priorities]Said[int]   // traffic class of the NIC by priority
	Cable    Said[units.Length]      // cable length that the NIC keeps headroom for
	Speed    Said[units.Rate]        // of the link
	MTU      Said[units.Bytes]       // of IP
	Pause    [2]Said[bool]           // global pause, receiving and sending
	NP, RP   [Priorities]Said[bool]  // ECN by priority: notification and reaction point
	CNPDSCP  Said[int]               // of notifications
	CNPPrio  Said[int]               // their 802.1p priority
	CNPGap   Said[units.Time]        // minimum time between two notifications
	Params   map[string]Said[int64]  // of the reaction point, by the name of their file
	Counters map[string]Said[int64]  // of ethtool -S
	TOS      Said[int]               // default of RDMA CM's connections
	Forced   Said[int]               // traffic class that the driver forces on all queue pairs
	NCCL     map[string]Said[string] // environment
	Skipped  []string                // files, and lines of scripts, without a RoCE setting
	NCCLFile Place                   // first line of the environment
}

// Stream is a kind of RDMA traffic with its DSCP.
type Stream struct {
	What string
	DSCP int
	At   Place
	// Default says that no file sets the DSCP: it is 0.
	Default bool
}

// maxTC is the largest traffic class of IP: six bits of DSCP, two of ECN.
const maxTC = 255

// Streams are the kinds of RDMA traffic whose DSCP is known. A class that the driver forces on all
// queue pairs overrides the programs' choice; NCCL takes NCCL_IB_TC, or 0; RDMA CM has its own
// default. Kinds with the same DSCP become one stream.
func (h *Host) Streams() []Stream {
	if h.Forced.Known() {
		return []Stream{{What: "RDMA", DSCP: h.Forced.Value / 4, At: h.Forced.At}}
	}
	var s []Stream
	if h.NCCLFile.Line > 0 {
		if tc, ok := h.number("NCCL_IB_TC"); ok {
			s = append(s, Stream{What: "NCCL", DSCP: int(tc.Value / 4), At: tc.At})
		} else {
			s = append(s, Stream{What: "NCCL", At: h.NCCLFile, Default: true})
		}
	}
	if !h.TOS.Known() {
		return s
	}
	if dscp := h.TOS.Value / 4; len(s) == 0 || s[0].Default || s[0].DSCP != dscp {
		return append(s, Stream{What: "RDMA CM", DSCP: dscp, At: h.TOS.At})
	}
	s[0].What += " and RDMA CM"
	return s
}

// PriorityOf is the priority that the host gives to a DSCP: from its map, or else the upper three
// bits, which is the driver's default.
func (h *Host) PriorityOf(dscp int) int {
	if p := h.Priority[dscp]; p.Known() {
		return p.Value
	}
	return dscp >> 3
}
