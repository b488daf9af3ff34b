package verbs

import (
	"errors"
	"net/netip"

	"weft/verbs/internal/socket"
)

// addListener adds a listener, if it meets no other.
func addListener[T any](m *manager, to map[bound]*T, p bound, l *T) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range to {
		if other.overlaps(p) {
			return false
		}
	}
	to[p] = l
	return true
}

// listenerFor is the listener for a request to an address, nil if there is none. A request that
// names no address, invalid, is for the listener of all.
func listenerFor[T any](in map[bound]*T, service uint64, to netip.Addr) *T {
	if to = to.Unmap(); to.IsValid() {
		for _, at := range []netip.Addr{to, all(to)} {
			if l := in[bound{service, at}]; l != nil {
				return l
			}
		}
	}
	return in[bound{service: service}]
}

// removeListener removes a listener, if it is there. A shared address has no other meanwhile.
func removeListener[T any](m *manager, from map[bound]*T, p bound, l *T) bool {
	is := func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return from[p] == l
	}
	if !is() {
		return false
	}
	m.dev.leaves(p) // without the lock: the sharer may be slow
	m.mu.Lock()
	defer m.mu.Unlock()
	if from[p] != l {
		return false
	}
	delete(from, p)
	return true
}

// listens has the device listen to a service at an address, for which a shared address has one
// device. What is for other addresses never comes.
func (d *Device) listens(p bound) error {
	if d.shared == nil || !p.accepts(d.Addr().Addr()) {
		return nil
	}
	err := d.shared.Listens(p.service)
	if errors.Is(err, socket.ErrTaken) {
		return ErrInUse
	}
	return err
}

func (d *Device) leaves(p bound) {
	if d.shared != nil && p.accepts(d.Addr().Addr()) {
		d.shared.Leaves(p.service)
	}
}
