package sm

import (
	"weft/wire/mad"
)

// writer is embedded by all types that write attributes to nodes of the routed subnet.
type writer struct {
	*requests
	*routed
}

// eachLinked calls f for both ends of every link of the subnet.
func (w *writer) eachLinked(f func(n int32, p uint8, here, there *mad.PortInfo)) {
	for i := range w.sub.Nodes {
		for p := range w.sub.Nodes[i].Ports {
			peer := w.sub.Nodes[i].Ports[p].Peer
			if !peer.Exists() {
				continue
			}
			here := w.portAt(end{w.at[i], uint8(p)})
			there := w.portAt(end{w.at[peer.Node], uint8(peer.Port)})
			if here.have && there.have {
				f(w.at[i], uint8(p), &here.info, &there.info)
			}
		}
	}
}
