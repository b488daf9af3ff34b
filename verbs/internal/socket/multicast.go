package socket

import (
	"net/netip"
	"slices"

	"weft/units"
)

// A multicast group is an IP multicast address, to which RoCE v2 maps a multicast GID (IBA vol. 1,
// A17.4), and the queue pairs attached to it. A packet to the group goes to each member that
// accepts packets from any sender. Each member has a copy; so has the sender's own queue pair if it
// is attached.

// MulticastQPN is the destination queue pair of packets to a group (IBA vol. 1, 3.5.3).
const MulticastQPN units.QPN = 0xff_ffff

// Join attaches e to a group. The port joins the group with its first member. Joining twice changes
// nothing. The caller holds the lock.
func (p *Port) Join(e *Endpoint, group netip.Addr) error {
	members := p.groups[group]
	switch {
	case p.closed:
		return ErrClosed
	case slices.Contains(members, e):
		return nil
	case group.Is4() != p.local.Addr().Is4():
		return ErrFamily
	case len(members) == 0 && len(p.groups) >= MaxGroups:
		return ErrFull
	}
	if len(members) == 0 {
		if err := p.conn.Join(group); err != nil {
			return err
		}
	}
	p.groups[group] = append(members, e)
	return nil
}

// Leave detaches e from a group, and reports whether it was a member. The port leaves the group
// with its last member. The caller holds the lock.
func (p *Port) Leave(e *Endpoint, group netip.Addr) bool {
	members := p.groups[group]
	i := slices.Index(members, e)
	switch {
	case i < 0:
		return false
	case len(members) == 1:
		delete(p.groups, group)
		p.conn.Leave(group)
	default:
		p.groups[group] = slices.Delete(members, i, i+1)
	}
	return true
}

// Attends reports whether e is a member of any group. The caller holds the lock.
func (p *Port) Attends(e *Endpoint) bool {
	for _, members := range p.groups {
		if slices.Contains(members, e) {
			return true
		}
	}
	return false
}

// leaveAll detaches e from all groups.
func (p *Port) leaveAll(e *Endpoint) {
	for group := range p.groups {
		p.Leave(e, group)
	}
}

// spread passes a packet to a group to all of its members.
func (p *Port) spread(ce bool, now units.Time) {
	h, taken := &p.arrived, false
	if h.BTH.DestQP == MulticastQPN {
		for _, e := range p.groups[p.verifier.to.Addr()] {
			if p.accepts(e, h) {
				p.give(e, ce, now)
				taken = true
			}
		}
	}
	if !taken {
		p.stats.Misdirected++
	}
}
