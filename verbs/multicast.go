package verbs

import (
	"net/netip"

	"weft/verbs/internal/socket"
)

// MulticastQPN is the queue pair that datagrams to a multicast group are for.
const MulticastQPN QPN = socket.MulticastQPN

// AttachMcast lets a queue pair of UD take what is sent to a multicast group
// (ibv_attach_mcast(3)): to an AH of the group's address and MulticastQPN, with the
// queue pair's Q_Key. A group is an IP multicast address, of which a GID is made as of
// any other; the device joins it on its interface. Every queue pair that is attached
// has a copy, the sender's own too. Attaching again changes nothing.
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

// DetachMcast ends what AttachMcast has begun (ibv_detach_mcast(3)).
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

// group is a group's address as the port knows it.
func (q *QP) group(a netip.Addr) (netip.Addr, error) {
	a = a.Unmap().WithZone("")
	switch {
	case q.attr.Type != UD:
		return a, invalid("%v has no multicast: UD has", q.attr.Type)
	case !a.IsMulticast():
		return a, invalid("%v is no multicast address", a)
	}
	return a, nil
}
