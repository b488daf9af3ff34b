package fabric

// LookAhead has a network look ahead, however few its links are.
func (n *Network) LookAhead() {
	for _, p := range n.parts {
		p.wide = true
	}
}

// Cell is the cell that a node is handled in.
func (n *Network) Cell(node int) uint16 { return n.nodes[node].cell }
