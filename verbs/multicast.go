package verbs

import (
	"net/netip"

	"weft/verbs/internal/socket"
)

// MulticastQPN is the destination queue pair of datagrams to a multicast group.
const MulticastQPN QPN = socket.MulticastQPN

// AttachMcast attaches a queue pair of UD to a multicast group (ibv_attach_mcast(3)). It then
// receives datagrams to an AH of the group's address, with MulticastQPN and the queue pair's Q_Key.
// A group is an IP multicast address; its GID is made as for any other address. The device joins it
// on its interface. Every attached queue pair receives a copy, including the sender's. Attaching
// twice changes nothing.
func (q *QP) AttachMcast(group netip.Addr) error {
	group, err := q.group(group)
	if err != nil {
		return err
	}
	port := q.pd.dev.port
	port.Lock()
	defer port.Unlock()
	if q.dead {
		return ErrClosed
	}
	if err := port.Join(&q.end, group); err != nil {
		return invalid("the multicast group %v: %w", group, err)
	}
	return nil
}

// DetachMcast detaches a queue pair from a group (ibv_detach_mcast(3)).
func (q *QP) DetachMcast(group netip.Addr) error {
	group, err := q.group(group)
	if err != nil {
		return err
	}
	port := q.pd.dev.port
	port.Lock()
	defer port.Unlock()
	if !port.Leave(&q.end, group) {
		return invalid("the queue pair is not attached to %v", group)
	}
	return nil
}

// group is a group's address in the port's form.
func (q *QP) group(a netip.Addr) (netip.Addr, error) {
	a = a.Unmap().WithZone("")
	switch {
	case q.attr.Type != UD:
		return a, invalid("%v has no multicast: use UD", q.attr.Type)
	case !a.IsMulticast():
		return a, invalid("%v is not a multicast address", a)
	}
	return a, nil
}
