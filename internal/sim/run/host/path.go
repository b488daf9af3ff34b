package host

import (
	"weft/scenario"
	"weft/units"
)

// Path is the host's path between a GPU's memory and the wire, from Terms: fixed times, and the
// copies that a CPU or copy engine makes one after the other.
//
// If the CPU copies a message, the message is cut into pieces, so that its copy and its sending
// overlap; the copier of the GPU's side processes the pieces one after the other.
type Path struct {
	Send, Receive units.Time // of a message that the NIC reads from memory
	inlineSend    units.Time
	inline        int64      // bytes: longest message with inline data
	Piece         int64      // bytes; 0 is the whole message
	copyFixed     units.Time // of all copies of a piece at one side
	copies        int
	copyByte      units.PerByte // of each; zero: none
}

// CopyTime is the time of the copier of one side for a piece.
func (h *Path) CopyTime(bytes int64) units.Time {
	t := h.copyFixed
	if h.copyByte.Num > 0 {
		t += units.Time(h.copies) * units.Time(bytes*h.copyByte.Num/h.copyByte.Den)
	}
	return t
}

// SendTime is Send for a message of a number of bytes, whose data may be inline.
func (h *Path) SendTime(bytes int64) units.Time {
	if isInline(bytes, h.inline) {
		return h.inlineSend
	}
	return h.Send
}

// Inlines reports whether short messages have inline data.
func (h *Path) Inlines() bool { return h.inline > 0 }

// InTurn is the time at which the NIC takes a message of a connection, which is ready at a time. A work request
// with inline data waits for the data of the work request before it. last is that one's time.
func (h *Path) InTurn(last *units.Time, ready units.Time) units.Time {
	if h.inline == 0 {
		return ready // all take the same time
	}
	*last = max(*last, ready)
	return *last
}

// PathOf is the host's path of a fabric in a cluster's nodes. The fabric models the NIC's own
// pipelines to and from the wire; the collective models the software between a GPU and the thread
// that drives its NIC.
func PathOf(f *scenario.Fabric, n *scenario.Node) Path {
	send, receive := Terms(f, n)
	short, _ := termsOf(f, n, true)
	out := Path{
		Send: Sum(send, false, 0), Receive: Sum(receive, false, 0),
		inlineSend: Sum(short, false, 0), inline: int64(f.Host.MaxInlineData),
		copyFixed: Sum(send, true, 0), copies: len(copyTerms(&f.Host)),
	}
	if f.Host.CopyRate > 0 {
		out.copyByte = f.Host.CopyRate.PerByte()
	}
	if f.Host.Path == scenario.PathCPU {
		out.Piece = int64(f.TCP.Segment)
	}
	return out
}

// ReadPath is the host's path of a READ. The copier's time for the whole message is in Receive.
func ReadPath(f *scenario.Fabric, n *scenario.Node, bytes int64) Path {
	send, receive := ReadTerms(f, n)
	return Path{Send: Sum(send, false, 0), Receive: Sum(receive, false, 0) + Sum(receive, true, bytes)}
}
