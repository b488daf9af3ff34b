package fabric

import (
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// A foreign packet belongs to a queue pair outside of the simulation. The network carries it like its
// own packets, on a connection of two NICs whose own queue pairs stay idle. The application keeps its
// bytes. It needs a network of one partition.

// ForeignApp is an application whose NICs carry foreign packets.
type ForeignApp interface {
	// Landed is called when a foreign packet has reached its NIC. record is the number that Carry
	// returned; marked says that a switch has marked the packet. seen is the telemetry that Carry asked for, nil
	// for none; it is valid until Landed returns.
	Landed(p *Partition, nic, record int32, marked bool, seen *cc.Seen)
}

// Carry queues a foreign packet at a NIC, on the connection with an end there, in the class that the
// connection has for its operation: data, answers, or notifications. It returns the number of the
// packet's record, which no other packet has until this one has landed or was dropped; below 0 if
// the NIC sends no notification so soon after another. wants is the telemetry that a request gathers on its way.
func (p *Partition) Carry(nic int32, end units.QPN, op wire.Opcode, payload uint32, markable bool, wants cc.Wants) (record int32) {
	s := p.net.nicOf(nic)
	f := s.flows.flow(end)
	class := f.class
	h := transport.Packet{Op: op, DestQP: f.qp.Remote(), SrcQP: f.id, Length: payload}
	switch op {
	case wire.RCAcknowledge:
		class = f.reply
	case wire.CNP:
		if !s.tryNotify(p, f) {
			return -1
		}
		class = f.cnp
		h.VA = uint64(p.now) // as in replies
		p.stats.CNPs++
		if p.adapters != nil {
			p.net.adapters[f.port].Now.CNPsSent++
		}
	}
	i := p.pool.get(&p.net.nicQueues[int(f.port)*p.net.classes+int(class)].answers)
	p.pool.cold[i] = h
	f.queueReply(p, i, s.spec.wireBytes(op, payload), class)
	k := &p.pool.hot[i]
	k.role = roleForeign
	if !markable {
		k.mark &^= capable
	}
	if wants &= cc.WantRTT | cc.WantPath; wants != 0 && !op.Response() && op != wire.CNP {
		k.wants = wants
		s := p.pool.report(i)
		s.Sent, s.hops, s.wants, s.path.N = p.now, 0, wants, 0
	}
	return i
}

// landForeign passes a foreign packet that has reached its NIC on.
func (p *Partition) landForeign(nic, i int32, k *pkt) {
	var told *cc.Seen
	if k.wants != 0 {
		p.shown = p.pool.report(i).show(k.wants)
		told = &p.shown
	}
	p.net.foreign.Landed(p, nic, i, k.mark&marked != 0, told)
}

// WaitingForeign is the number of foreign packets that wait at a NIC for its wire.
func (n *Network) WaitingForeign(nic int32) (count int) {
	nd := &n.nodes[nic]
	p := n.parts[nd.part]
	for link := nd.base; link < nd.base+nd.ports; link++ {
		for class := range n.classes {
			for i := n.nicQueues[int(link)*n.classes+class].replies.head; i >= 0; i = p.pool.hot[i].next {
				count++
			}
		}
	}
	return count
}

// CountForeign adds what queue pairs outside of the simulation have counted to the first port of their NIC, in a network
// whose ports count.
func (n *Network) CountForeign(nic int32, c *transport.Counters) {
	if n.adapters != nil {
		n.adapters[n.nodes[nic].base].Now.Counters.Add(c)
	}
}

// Counted is what the ports of a NIC have counted, in a network whose ports count and which does not run now.
func (n *Network) Counted(nic int32) (sum counts.Port) {
	nd := &n.nodes[nic]
	for link := nd.base; link < nd.base+nd.ports; link++ {
		sum.Add(&n.adapters[link].Now)
	}
	return sum
}

// Step handles the events before a time. It is Run for an application that gets its work from
// outside between two steps, on a network of one partition.
func (n *Network) Step(until units.Time) error {
	p := n.parts[0]
	if p.NextTime() < until {
		p.RunTo(until, 0)
	}
	return p.err
}
