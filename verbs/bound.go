package verbs

import "net/netip"

// bound is what a listener is bound to: a service ID, and at an address as rdma_bind_addr(3) takes it. 0.0.0.0 and ::
// are all addresses of their family, the zero Addr those of both (:: without RDMA_OPTION_ID_AFONLY). So a server that
// goes through all that getaddrinfo returns has two listeners at a port.
type bound struct {
	service uint64
	at      netip.Addr
}

// boundTo is a service at an address.
func boundTo(service uint64, at netip.Addr) bound { return bound{service, at.Unmap().WithZone("")} }

// all are all addresses of the family of an address.
func all(a netip.Addr) netip.Addr {
	if a.Is4() {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// takes reports whether a request to an address is for the listener that is bound so.
func (p bound) takes(to netip.Addr) bool {
	to = to.Unmap().WithZone("")
	return !p.at.IsValid() || p.at == to || p.at == all(to)
}

// meets reports whether a request could be for the two listeners (Linux: cma_check_port,
// drivers/infiniband/core/cma.c).
func (p bound) meets(q bound) bool {
	return p.service == q.service && (!p.at.IsValid() || !q.at.IsValid() || p.takes(q.at) || q.takes(p.at))
}

// add adds a listener, if it meets no other.
func add[T any](m *manager, to map[bound]*T, p bound, l *T) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range to {
		if other.meets(p) {
			return false
		}
	}
	to[p] = l
	return true
}

// find is the listener for a request to an address, nil if there is none. A request that names no address, invalid, is
// for the listener of all.
func find[T any](in map[bound]*T, service uint64, to netip.Addr) *T {
	if to = to.Unmap(); to.IsValid() {
		for _, at := range []netip.Addr{to, all(to)} {
			if l := in[bound{service, at}]; l != nil {
				return l
			}
		}
	}
	return in[bound{service: service}]
}

// drop removes a listener, if it is there. A shared address has no other meanwhile.
func drop[T any](m *manager, from map[bound]*T, p bound, l *T) bool {
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
