package fabric

// LookAhead has a network look ahead, however few its links are.
func (n *Network) LookAhead() {
	for _, p := range n.parts {
		p.wide = true
	}
}
