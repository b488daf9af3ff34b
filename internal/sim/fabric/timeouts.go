package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/units"
)

// endpoint is one end of a connection: a queue pair or socket of a NIC.
type endpoint struct {
	nic int32 // node
	id  units.QPN
}

// silent is a sender that can only wait for its retransmission timeout: it has data in flight, and
// the network has no packet of the connection.
type silent struct {
	nic, to int32 // nodes
	until   units.Time
}

// silents are the senders that wait for a retransmission timeout, by NIC and peer.
func (n standstill) silents() []silent {
	var found []silent
	underWay := n.underWay()
	for node := range int32(len(n.nodes)) {
		if n.nodes[node].kind != kindNIC {
			continue
		}
		for f := range n.nicOf(node).flows.all {
			until, peer := f.retransmission()
			if until == units.Forever || f.ready || underWay[endpoint{node, f.id}] || underWay[endpoint{f.dst, peer}] {
				continue
			}
			found = append(found, silent{node, f.dst, until})
		}
	}
	slices.SortFunc(found, func(a, b silent) int {
		return cmp.Or(cmp.Compare(a.nic, b.nic), cmp.Compare(a.to, b.to), cmp.Compare(a.until, b.until))
	})
	return found
}

// retransmission is the time at which a flow retransmits its data in flight, and the number of the
// flow at its other end.
func (f *flow) retransmission() (until units.Time, peer units.QPN) {
	if f.socket {
		return f.conn.RetransmitAt(), units.QPN(f.conn.Peer())
	}
	return f.qp.RetransmitAt(), f.qp.Remote()
}

// underWay is the destinations of packets in the network.
func (n standstill) underWay() map[endpoint]bool {
	bound := make(map[endpoint]bool)
	note := func(k *pkt, id units.QPN) {
		if k.role <= roleReply && n.nodes[k.dst].kind == kindNIC {
			bound[endpoint{k.dst, id}] = true
		}
	}
	for _, p := range n.parts {
		for i := range int32(len(p.pool.hot)) {
			switch {
			case p.pool.hot[i].role == roleNone:
			case p.pool.segs != nil:
				note(&p.pool.hot[i], units.QPN(p.pool.segment(i).Conn))
			default:
				note(&p.pool.hot[i], p.pool.cold[i].DestQP)
			}
		}
		for i := range p.outgoing().to {
			for j := range p.outgoing().to[i].packets {
				r := &p.outgoing().to[i].packets[j]
				if p.pool.segs != nil {
					note(&r.hot, units.QPN(r.seg.Conn))
				} else {
					note(&r.hot, r.cold.DestQP)
				}
			}
		}
	}
	return bound
}

// silence lists the senders that wait for a retransmission timeout; it is empty if there are none.
func (n standstill) silence() string {
	found := n.silents()
	if len(found) == 0 {
		return ""
	}
	var lines []string
	for _, s := range found[:min(len(found), maxWaiting)] {
		lines = append(lines, fmt.Sprintf("%s to %s until %v", n.names[s.nic], n.names[s.to], s.until))
	}
	if more := len(found) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	what := "senders wait for their retransmission timeouts, without a packet in the network"
	if len(found) == 1 {
		what = "sender waits for its retransmission timeout, without a packet in the network"
	}
	return fmt.Sprintf("%d %s: %s", len(found), what, strings.Join(lines, "; "))
}
