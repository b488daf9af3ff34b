package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"weft/units"
)

// PKeys are the P_Keys of an InfiniBand fabric. An HCA compares the P_Key
// of each packet with that of the queue pair that it is for; a switch compares
// it with the table of a port, which is that of the NIC at the port's other end.
// What does not match is discarded, counted and trapped (IBA vol. 1, 9.6.1.2.3,
// 10.9.3 and 18.2.4.2.1).
type PKeys struct {
	// Tables are the P_Keys of each NIC, bit 15 the membership.
	Tables [][]uint16
	// Ingress and Egress say whether switches check at ports to NICs what comes
	// in and what goes out.
	Ingress, Egress bool
}

// fullMember is the bit of a P_Key that says full membership.
const fullMember = 0x8000

// keysMatch reports whether two P_Keys are of one partition and not both of
// limited members (IBA vol. 1, 10.9.3).
func keysMatch(a, b uint16) bool {
	return a&^fullMember != 0 && a&^fullMember == b&^fullMember && (a|b)&fullMember != 0
}

// The traps of keys that do not match (IBA vol. 1, 14.2.5.1).
const (
	TrapHCA    = 257 // an HCA: the P_Key of a packet is not that of its queue pair
	TrapQKey   = 258 // an HCA: the Q_Key of a datagram is not that of its queue pair
	TrapSwitch = 259 // a switch: the P_Key of a packet is not in the port's table
)

// Violation is what a manager learns of packets that were discarded for their
// P_Key or Q_Key: one record for each port that discarded and each queue pair that sent.
type Violation struct {
	Trap         int
	Port         string     // that discarded
	Node         int32      // that it is of
	NodePort     int32      // its number there, from 0
	In           bool       // on their way in; else a switch was to send them out
	First, Last  units.Time // when the first and the last of them came
	Packets      int64
	From, To     int32     // NICs
	FromQP, ToQP units.QPN // queue pairs
	PKey         uint16    // of the packets
	QKey         uint32    // likewise, where that is what was wrong
	SL           units.SL
	port         int32
}

// trespasses reports whether a packet that has come in at a NIC has another
// P_Key than the queue pair that it is for, and discards it then.
func (nic *nicState) trespasses(p *Partition, link, i int32) bool {
	n := p.net
	h := &p.pool.cold[i]
	to := nic.flows.at(h.DestQP)
	from := n.nics[n.nodes[to.dst].state].flows.at(h.SrcQP)
	if keysMatch(from.pkey, to.pkey) {
		return false
	}
	p.offend(TrapHCA, n.inboxes[link].back, true, i)
	p.drop(i, DropPKey)
	return true
}

// barred reports whether a switch keeps out a packet that came in by a link, and
// discards it then. At the switch that has its receiver the packet leaves by the
// static port: there is no other.
func (nd *node) barred(p *Partition, link, i int32) bool {
	n, keys := p.net, p.net.pkeys
	if nd.local != byTables || !keys.Ingress && !keys.Egress {
		return false
	}
	out := nd.base + int32(n.tables.Port[int(nd.row)*n.tables.Endpoints+int(p.pool.hot[i].dst)])
	sender, receiver := n.nicBehind(n.ports[link].node), n.nicBehind(n.inboxes[out].node)
	switch {
	case keys.Ingress && sender >= 0 && !slices.ContainsFunc(keys.Tables[sender], p.grants(i)):
		p.offend(TrapSwitch, n.inboxes[link].back, true, i)
	case keys.Egress && receiver >= 0 && !slices.ContainsFunc(keys.Tables[receiver], p.takes(i)):
		p.offend(TrapSwitch, out, false, i)
	default:
		return false
	}
	k := &p.pool.hot[i]
	p.free(link, k.class, k.size, p.now)
	p.drop(i, DropPKey)
	return true
}

// grants reports of a key in the table of a port whether it lets its NIC send a
// packet: it is of the same partition, and of a full member if the packet's is.
// Were limited keys compared as HCAs do, limited members could not send at all
// through the tables that OpenSM writes, which are the NICs' own.
func (p *Partition) grants(i int32) func(key uint16) bool {
	sent := p.sender(i).pkey
	return func(key uint16) bool { return key == sent || key == sent|fullMember }
}

// takes reports of a key in the table of a port whether its NIC may get a packet.
func (p *Partition) takes(i int32) func(key uint16) bool {
	sent := p.sender(i).pkey
	return func(key uint16) bool { return keysMatch(key, sent) }
}

// sender is the queue pair that has sent a packet. Of one in another partition
// only what never changes may be read.
func (p *Partition) sender(i int32) *flow {
	n, h := p.net, &p.pool.cold[i]
	receiver := n.nics[n.nodes[p.pool.hot[i].dst].state].flows.at(h.DestQP)
	return n.nics[n.nodes[receiver.dst].state].flows.at(h.SrcQP)
}

// offend counts a packet at the port that discards it.
func (p *Partition) offend(trap int, port int32, in bool, i int32) {
	n := p.net
	at, from, h := &n.offences[port], p.sender(i), &p.pool.cold[i]
	node := n.ports[from.port].node
	qkey := uint32(0)
	if trap == TrapQKey {
		qkey = h.RKey
	}
	for j := range *at {
		if o := &(*at)[j]; o.From == node && o.FromQP == h.SrcQP && o.Trap == trap && o.QKey == qkey {
			o.Packets++
			o.Last = p.now
			return
		}
	}
	if len(*at) < maxOffenders {
		*at = append(*at, Violation{
			Trap: trap, In: in, First: p.now, Last: p.now, Packets: 1, From: node, To: from.dst,
			FromQP: h.SrcQP, ToQP: h.DestQP, PKey: from.pkey, QKey: qkey, SL: from.sl, port: port,
		})
	}
}

// Violations are the packets that were discarded for their keys, in order of
// the time of the first.
func (n *Network) Violations() (all []Violation) {
	for port := range n.offences {
		for _, v := range n.offences[port] {
			v.Port, v.Node = n.PortName(v.port), n.ports[v.port].node
			v.NodePort = v.port - n.nodes[v.Node].base
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.port, b.port), cmp.Compare(a.From, b.From), cmp.Compare(a.FromQP, b.FromQP))
	})
	return all
}

// PortName names a port for people.
func (n *Network) PortName(port int32) string {
	node := n.ports[port].node
	return fmt.Sprintf("%s port %d", n.names[node], port-n.nodes[node].base+1)
}
