package fabric

// LookAhead makes a network look ahead, however few links it has.
func (n *Network) LookAhead() {
	for _, p := range n.parts {
		p.wide = true
	}
}

// Cell is the cell of a node.
func (n *Network) Cell(node int) uint16 { return n.nodes[node].cell }
