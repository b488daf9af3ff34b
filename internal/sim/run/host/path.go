package host

import (
	"weft/internal/sim/scenario"
	"weft/units"
)

// Path is what lies between a GPU's memory and the wire, as Terms names
// it: fixed times, and the copies that a CPU or copy engine makes one after the
// other.
//
// A message is cut into pieces where the CPU copies it, so that its copy and its
// sending overlap; each piece takes its turn at the copier of its GPU's side.
type Path struct {
	Send, Receive units.Time
	Piece         int64      // bytes; 0 is the whole message
	copyFixed     units.Time // of all copies of a piece at one side
	copies        int
	copyRate      units.Rate // of each
}

// CopyTime is how long the copier of one side is busy with a piece.
func (h *Path) CopyTime(bytes int64) units.Time {
	t := h.copyFixed
	if h.copyRate > 0 {
		rate := h.copyRate.PerByte()
		t += units.Time(h.copies) * units.Time(bytes*rate.Num/rate.Den)
	}
	return t
}

// PathOf is the host's path of a fabric in a cluster's nodes. The NIC's own
// pipelines to and from the wire are the fabric's; the software between a GPU
// and the thread that drives its NIC is the collective's.
func PathOf(f *scenario.Fabric, n *scenario.Node) Path {
	send, receive := Terms(f, n)
	out := Path{
		Send: Sum(send, false, 0), Receive: Sum(receive, false, 0),
		copyFixed: Sum(send, true, 0), copyRate: f.Host.CopyRate, copies: len(copyTerms(&f.Host)),
	}
	if f.Host.Path == scenario.PathCPU {
		out.Piece = int64(f.TCP.Segment)
	}
	return out
}
