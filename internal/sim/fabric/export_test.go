package fabric

// LookAhead makes a network look ahead, however few links it has.
func (n *Network) LookAhead() {
	for _, p := range n.parts {
		p.wide = true
	}
}

// Cell is the cell of a node.
func (n *Network) Cell(node int) uint16 { return n.nodes[node].cell }

// HandleAlike makes no switch handle the events of its cell itself.
func (n *Network) HandleAlike() { clear(n.alone) }

// JoinCells puts all nodes into one cell.
func (n *Network) JoinCells() { n.join() }

// Alone is the number of switches that handle the events of their cells themselves.
func (n *Network) Alone() (count int) {
	for _, nd := range n.alone {
		if nd != nil {
			count++
		}
	}
	return count
}
