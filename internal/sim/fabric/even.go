package fabric

import "errors"

// ErrUneven is the reason why a run ended that was to be even.
var ErrUneven = errors.New("packets have left their static paths, or waited for flow-control packets between switches")

// KeepEven ends the next run if ports of a switch that carry no packets of each other have an influence on each other:
// by adaptive routing, or by flow-control packets that a packet between switches waits for. They are for what came over the same cable.
func (n *Network) KeepEven() {
	n.even = true
	for i := range n.infiniband {
		n.infiniband[i].odd = true // so that each packet is looked at
	}
}

// uneven ends the run if it was to be even.
func (p *Partition) uneven() {
	if p.net.even && p.err == nil {
		p.err = ErrUneven
	}
}
