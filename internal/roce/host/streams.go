package host

import (
	"fmt"
	"slices"
	"strings"
)

// Stream is a kind of RDMA traffic with its DSCP.
type Stream struct {
	What string
	DSCP int
	At   Place
	// Variable is the variable of the environment that sets the DSCP; "": it is set otherwise.
	Variable string
	// Default says that no file sets the DSCP: it is the program's own.
	Default bool
	// Control says that the messages only announce data: the data waits if they are lost.
	Control bool
}

// maxTC is the largest traffic class of IP: six bits of DSCP, two of ECN.
const maxTC = 255

// Streams are the kinds of RDMA traffic whose DSCP is known. A class that the driver forces on all
// queue pairs overrides the programs' choice; programs take their variable, or else their own
// class; RDMA CM has its own default. Kinds with the same DSCP become one stream.
func (h *Host) Streams() []Stream {
	if h.Forced.Known() {
		return []Stream{{What: "RDMA", DSCP: h.Forced.Value / 4, At: h.Forced.At}}
	}
	var all []Stream
	for _, p := range programs {
		first, known := h.First[p.Name]
		if !known || h.without(p.Name) || unknown(h.Env[p.TC].Value) {
			continue
		}
		s := Stream{What: p.Name, DSCP: p.unset / 4, At: first, Variable: p.TC, Default: true}
		if tc, ok := h.Number(p.TC); ok && tc.Value >= 0 {
			s.DSCP, s.At, s.Default = int(tc.Value/4), tc.At, false
		}
		all = joined(all, s)
		if tc, ok := h.Number(p.Control); ok && tc.Value >= 0 {
			all = joined(all, Stream{What: p.Name + "'s clear-to-send messages", DSCP: int(tc.Value / 4), At: tc.At, Variable: p.Control, Control: true})
		}
	}
	if h.TOS.Known() {
		all = joined(all, Stream{What: "RDMA CM", DSCP: h.TOS.Value / 4, At: h.TOS.At})
	}
	return all
}

// joined adds a stream, or its name to one that has the same DSCP.
func joined(all []Stream, s Stream) []Stream {
	for i := range all {
		if a := &all[i]; a.DSCP == s.DSCP && a.Default == s.Default && !a.Default {
			a.What += " and " + s.What
			return all
		}
	}
	return append(all, s)
}

// without reports whether a program sends nothing by RDMA.
func (h *Host) without(program string) bool {
	has := func(variable, value string) bool { return strings.EqualFold(h.Env[variable].Value, value) }
	switch program {
	case "NCCL":
		return has("NCCL_IB_DISABLE", "1") || has("NCCL_NET", "Socket")
	case "UCX":
		tls := h.Env["UCX_TLS"].Value
		return tls != "" && !strings.HasPrefix(tls, "^") && !slices.ContainsFunc(strings.Split(tls, ","), func(t string) bool {
			return t == "all" || strings.HasPrefix(t, "rc") || strings.HasPrefix(t, "ud") || strings.HasPrefix(t, "dc") || t == "ib"
		})
	}
	return false
}

// GIDFault is an index in the table of GIDs that leaves RoCE v2.
type GIDFault struct {
	Program *Program
	At      Place
	Value   string // the variable with its value
	// LinkLocal says that the index is RoCE v2's with the address of the link, which no router
	// forwards; otherwise it is RoCE v1's.
	LinkLocal bool
	// Shown says that the host's own table shows it. Otherwise it follows from the order in which
	// Linux fills the table.
	Shown bool
	// Right is an index for RoCE v2 with an address that is routed.
	Right int
}

// usualGID is the index of RoCE v2 with the first address of IPv4 on an adapter that has RoCE v1:
// Linux fills in the address of the link first, and of each address v1 before v2 (drivers/infiniband,
// core/roce_gid_mgmt.c).
const usualGID = 3

// GIDFaults are the variables that choose RoCE v1, or an address that is not routed.
func (h *Host) GIDFaults() (faults []GIDFault) {
	for i := range programs {
		p := &programs[i]
		if v, ok := h.Number(p.Version); ok && v.Value == 1 {
			faults = append(faults, GIDFault{Program: p, At: v.At, Value: fmt.Sprintf("%s=1", p.Version), Shown: true})
		}
		n, ok := h.Number(p.GID)
		if !ok || n.Value < 0 {
			continue
		}
		f := GIDFault{Program: p, At: n.At, Value: fmt.Sprintf("%s=%d", p.GID, n.Value), Right: h.routed()}
		gid, shown := h.GIDs[int(n.Value)]
		switch f.Shown = shown; {
		case shown && gid.V1, !shown && len(h.GIDs) == 0 && n.Value%2 == 0 && n.Value < usualGID:
		case shown && gid.LinkLocal, !shown && len(h.GIDs) == 0 && n.Value == 1:
			f.LinkLocal = true
		default:
			continue
		}
		faults = append(faults, f)
	}
	return faults
}

// routed is the index of RoCE v2 with a routed address, by the host's table or else the usual one.
func (h *Host) routed() int {
	best := -1
	for n, g := range h.GIDs {
		if !g.V1 && !g.LinkLocal && (best < 0 || n < best) {
			best = n
		}
	}
	if len(h.GIDs) == 0 {
		return usualGID
	}
	return best
}
