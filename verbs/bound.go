package verbs

import "net/netip"

// bound is what a listener is bound to: a service ID, and at an address as rdma_bind_addr(3) takes
// it. 0.0.0.0 and :: are all addresses of their family, the zero Addr those of both (:: without
// RDMA_OPTION_ID_AFONLY). So a server that goes through all that getaddrinfo returns has two
// listeners at a port.
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

// accepts reports whether a request to an address is for the listener that is bound so.
func (p bound) accepts(to netip.Addr) bool {
	to = to.Unmap().WithZone("")
	return !p.at.IsValid() || p.at == to || p.at == all(to)
}

// overlaps reports whether a request could be for the two listeners (Linux: cma_check_port,
// drivers/infiniband/core/cma.c).
func (p bound) overlaps(q bound) bool {
	return p.service == q.service &&
		(!p.at.IsValid() || !q.at.IsValid() || p.accepts(q.at) || q.accepts(p.at))
}
