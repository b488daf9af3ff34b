package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"weft/units"
)

// PKeys are the P_Keys of an InfiniBand fabric. An HCA compares the P_Key of each packet with its
// queue pair's; a switch compares it with the table of a port, which equals the table of the NIC at
// the port's other end. A packet without a match is discarded, counted and trapped (IBA vol. 1,
// 9.6.1.2.3, 10.9.3 and 18.2.4.2.1).
type PKeys struct {
	// Tables are the P_Keys of each NIC; bit 15 is the membership.
	Tables [][]uint16
	// Ingress and Egress make switches check packets from and to NICs.
	Ingress, Egress bool
}

// fullMember is the bit for full membership in a P_Key.
const fullMember = 0x8000

// keysMatch reports whether two P_Keys belong to the same P_Key partition and not both are limited
// members (IBA vol. 1, 10.9.3).
func keysMatch(a, b uint16) bool {
	return a&^fullMember != 0 && a&^fullMember == b&^fullMember && (a|b)&fullMember != 0
}

// The traps of key violations (IBA vol. 1, 14.2.5.1).
const (
	TrapHCA    = 257 // an HCA: the P_Key of a packet differs from its queue pair's
	TrapQKey   = 258 // an HCA: the Q_Key of a datagram differs from its queue pair's
	TrapSwitch = 259 // a switch: the P_Key of a packet is not in the port's table
)

// Violation is a manager's information about packets that were discarded for their P_Key or Q_Key:
// one record for each discarding port and each sending queue pair.
type Violation struct {
	Trap         int
	Port         string     // that discarded
	Node         int32      // node of the discarding port
	NodePort     int32      // its number at the node, from 0
	In           bool       // discarded on input; else on output
	First, Last  units.Time // times of the first and the last of them
	Packets      int64
	From, To     int32     // NICs
	FromQP, ToQP units.QPN // queue pairs
	PKey         uint16    // of the packets
	QKey         uint32    // likewise, if the Q_Key was wrong
	SL           units.SL
	port         int32
}

// trespasses reports whether a packet at a NIC has a P_Key that does not match its queue pair's,
// and then discards it.
func (nic *nicState) trespasses(p *Partition, link, i int32) bool {
	n := p.net
	h := &p.pool.cold[i]
	to := nic.flows.at(h.DestQP)
	if to.dst == n.inboxes[link].node { // the result of a reduction, which has many senders: its stream has one partition
		return false
	}
	from := n.nics[n.nodes[to.dst].state].flows.at(h.SrcQP)
	if keysMatch(from.pkey, to.pkey) {
		return false
	}
	p.offend(TrapHCA, n.inboxes[link].back, true, i)
	p.dropFrom(link, i, DropPKey)
	return true
}

// barred reports whether a switch blocks a packet from a link, and then discards it. At the switch
// of its receiver the packet leaves by the static port: there is no other.
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
	p.dropFrom(link, i, DropPKey)
	return true
}

// grants reports whether a key in the table of a port permits its NIC to send a packet: it belongs
// to the same P_Key partition, and is a full member's if the packet's is. If limited keys were
// compared as in HCAs, limited members could not send at all through the tables of OpenSM, which
// equal the NICs' own.
func (p *Partition) grants(i int32) func(key uint16) bool {
	sent := p.sender(i).pkey
	return func(key uint16) bool { return key == sent || key == sent|fullMember }
}

// takes reports whether a key in the table of a port permits its NIC to receive a packet.
func (p *Partition) takes(i int32) func(key uint16) bool {
	sent := p.sender(i).pkey
	return func(key uint16) bool { return keysMatch(key, sent) }
}

// sender is the queue pair that has sent a packet. If it is in another simulation partition, only
// its constant fields may be read.
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

// Violations are the packets that were discarded for their keys, in the order of their first
// packets.
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

// PortName is the display name of a port.
func (n *Network) PortName(port int32) string {
	node := n.ports[port].node
	return fmt.Sprintf("%s port %d", n.names[node], port-n.nodes[node].base+1)
}
