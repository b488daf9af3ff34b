package fabric

import (
	"slices"

	"weft/internal/sim/transport"
	"weft/wire"
)

// PortCounts are what a port of a NIC counts beside the bytes of its links, from the beginning of the run. Linux
// shows the same counters of an adapter.
type PortCounts struct {
	Sent, Received          int64    `state:"count"` // packets, with acknowledgements
	CNPsSent, CNPsHandled   int64    `state:"count"` // of the notification point, of the reaction point
	Marked                  int64    `state:"count"` // packets that arrived with a congestion mark
	transport.Counters               // of the queue pairs
	PausesSent, PausesTaken [8]int64 `state:"count"` // PFC frames by class, XON frames included
}

// adapterPort is the counters of a port of a NIC: now, and as they are shown during the run.
type adapterPort struct {
	link       int32
	now, shown PortCounts
}

// CountPorts makes the ports of NICs count. It is called before the run.
func (n *Network) CountPorts() {
	n.adapters = make([]*adapterPort, len(n.ports))
	for i := range n.ports {
		nd := &n.nodes[n.ports[i].node]
		if nd.kind != kindNIC {
			continue
		}
		a := &adapterPort{link: int32(i)}
		n.adapters[i] = a
		p := n.parts[nd.part]
		p.adapters = append(p.adapters, a)
	}
}

// show makes the counters of the partition's NICs visible to other goroutines. The caller has locked the
// recorder, or the run is over.
func (p *Partition) show() {
	for _, a := range p.adapters {
		a.shown = a.now
	}
}

// countArrival counts a packet that the port at the end of a link passes to its queue pair.
func (nic *nicState) countArrival(p *Partition, link, i int32) {
	c := &p.net.adapters[p.net.inboxes[link].back].now
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
		c.Arrived(&nic.flows.at(h.DestQP).qp, h)
	}
}

// countPause counts a PFC frame at a port of a NIC that sends it or obeys it.
func (p *Partition) countPause(port int32, class uint8, sent bool) {
	if len(p.net.adapters) == 0 || p.net.adapters[port] == nil {
		return
	}
	c := &p.net.adapters[port].now
	if sent {
		c.PausesSent[class&7]++
	} else {
		c.PausesTaken[class&7]++
	}
}

// add adds the counters of another run.
func (c *PortCounts) add(o *PortCounts) {
	c.Sent += o.Sent
	c.Received += o.Received
	c.CNPsSent += o.CNPsSent
	c.CNPsHandled += o.CNPsHandled
	c.Marked += o.Marked
	c.Counters.Add(&o.Counters)
	for i := range c.PausesSent {
		c.PausesSent[i] += o.PausesSent[i]
		c.PausesTaken[i] += o.PausesTaken[i]
	}
}

// Totals are sums of what networks of the same topology have counted.
type Totals struct {
	Lanes []Sample              // by link times classes, plus class; the sums of all intervals
	Ports map[int32]*PortCounts // of NICs, by link
}

// Clone is a copy to which more can be added.
func (t *Totals) Clone() Totals {
	own := Totals{Lanes: slices.Clone(t.Lanes), Ports: make(map[int32]*PortCounts, len(t.Ports))}
	for link, c := range t.Ports {
		c := *c
		own.Ports[link] = &c
	}
	return own
}

// AddTotals adds what the network has counted, without the open intervals. It may be called while the network
// runs. A network without a record adds nothing.
func (n *Network) AddTotals(t *Totals) {
	if n.parts[0].tallies == nil {
		return
	}
	if t.Ports == nil {
		t.Ports = make(map[int32]*PortCounts)
	}
	if more := len(n.ports)*n.classes - len(t.Lanes); more > 0 {
		t.Lanes = append(t.Lanes, make([]Sample, more)...)
	}
	for _, p := range n.parts {
		p.mu.Lock()
		for i := range p.rows.n {
			s := p.rows.at(i)
			t.Lanes[s.Lane].add(s)
		}
		for _, a := range p.adapters {
			if t.Ports[a.link] == nil {
				t.Ports[a.link] = new(PortCounts)
			}
			t.Ports[a.link].add(&a.shown)
		}
		p.mu.Unlock()
	}
}

// Classes is the number of lanes of a link.
func (n *Network) Classes() int { return n.classes }
