package fabric

import (
	"weft/internal/sim/fabric/series"
	"weft/wire"
)

// CountPorts makes the ports of NICs count. It is called before the run.
func (n *Network) CountPorts() {
	n.adapters = make([]*series.Port, len(n.ports))
	for i := range n.ports {
		nd := &n.nodes[n.ports[i].node]
		if nd.kind != kindNIC {
			continue
		}
		a := &series.Port{Link: int32(i)}
		n.adapters[i] = a
		p := n.parts[nd.part]
		p.adapters = append(p.adapters, a)
	}
	for _, p := range n.parts {
		if p.record != nil {
			p.record.ShowPorts(p.adapters)
		}
	}
}

// countArrival counts a packet that the port at the end of a link passes to its queue pair.
func (nic *nicState) countArrival(p *Partition, link, i int32) {
	c := &p.net.adapters[p.net.inboxes[link].back].Now
	c.Received++
	if p.pool.hot[i].mark&marked != 0 {
		c.Marked++
	}
	if nic.spec.TCP != nil {
		return
	}
	h := &p.pool.cold[i]
	if h.Op == wire.CNP {
		c.CNPsHandled++
	}
	if p.pool.hot[i].role != roleForeign { // its queue pair counts by itself
		c.Arrived(&nic.flows.flow(h.DestQP).qp, h)
	}
}

// countPause counts a PFC frame at a port of a NIC that sends it or obeys it.
func (p *Partition) countPause(port int32, class uint8, sent bool) {
	if len(p.net.adapters) == 0 || p.net.adapters[port] == nil {
		return
	}
	c := &p.net.adapters[port].Now
	if sent {
		c.PausesSent[class&7]++
	} else {
		c.PausesTaken[class&7]++
	}
}
