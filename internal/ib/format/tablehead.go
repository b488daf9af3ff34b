package format

import (
	"weft/internal/ib/subnet"
)

// tableHead finds the switch of a part of a dump.
type tableHead struct {
	log  log
	s    *subnet.Subnet
	by   *index
	seen []bool // by node
	node int32  // node of the current part; outside or broken if there is none
}

func newTableHead(s *subnet.Subnet) tableHead {
	return tableHead{s: s, by: newIndex(s), seen: make([]bool, len(s.Nodes)), node: outside}
}

// begin reads the GUID at the head of a part.
func (h *tableHead) begin(in *lines, rest string) bool {
	h.node = broken
	c := cursor{rest}
	guid, ok := c.guid()
	if !ok {
		in.fail("expected the GUID of a switch, not %s", found(rest))
		return false
	}
	node, known := h.by.switchOf(h.s, guid)
	if !known {
		in.fail("switch %v is not in the subnet: are these the tables of another fabric?", guid)
		return false
	}
	if h.seen[node] {
		in.fail("switch %s comes twice: expected it once", h.s.NodeName(node))
		return false
	}
	h.seen[node], h.node = true, node
	return true
}
