package socket

import (
	"fmt"
	"net/netip"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// groupSocket receives the packets of one group: the port's own socket is bound to an address, so
// it does not receive them.
type groupSocket struct {
	fd int
	at netip.AddrPort
}

// aimMulticast sends multicast packets through the socket's own interface. Without it, sending to a
// group may fail for lack of a route.
func (c *udpConn) aimMulticast() {
	if a := c.local.Addr(); a.Is4() {
		_ = unix.SetsockoptInet4Addr(c.fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, a.As4())
		return
	}
	_ = unix.SetsockoptInt(c.fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, c.link)
}

// Join opens a socket with the group's address. Other programs may have one, too.
func (c *udpConn) Join(group netip.Addr) error {
	family := unix.AF_INET6
	if group.Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("live: no UDP socket: %w", err)
	}
	if err := c.enter(fd, group); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("live: the multicast group %v on the interface of %v: %w", group, c.local.Addr(), err)
	}
	c.groups = append(c.groups, groupSocket{fd, netip.AddrPortFrom(group, c.local.Port())})
	c.publish()
	return nil
}

// enter sets up the socket of a group.
func (c *udpConn) enter(fd int, group netip.Addr) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	for _, o := range receiveOptions(group.Is4()) {
		if err := unix.SetsockoptInt(fd, o[0], o[1], o[2]); err != nil {
			return fmt.Errorf("socket option %d of level %d: %w", o[1], o[0], err)
		}
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, SocketBuffer)
	if group.Is4() {
		sa := &unix.SockaddrInet4{Port: int(c.local.Port()), Addr: group.As4()}
		if err := unix.Bind(fd, sa); err != nil {
			return os.NewSyscallError("bind", err)
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
		m := unix.IPMreqn{Multiaddr: group.As4(), Ifindex: int32(c.link)}
		return os.NewSyscallError("joining", unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &m))
	}
	sa := &unix.SockaddrInet6{Port: int(c.local.Port()), Addr: group.As16(), ZoneId: uint32(c.link)}
	if err := unix.Bind(fd, sa); err != nil {
		return os.NewSyscallError("bind", err)
	}
	m := unix.IPv6Mreq{Multiaddr: group.As16(), Interface: uint32(c.link)}
	return os.NewSyscallError("joining", unix.SetsockoptIPv6Mreq(fd, unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP, &m))
}

// Leave closes the group's socket, which leaves the group.
func (c *udpConn) Leave(group netip.Addr) {
	i := slices.IndexFunc(c.groups, func(g groupSocket) bool { return g.at.Addr() == group })
	if i < 0 {
		return
	}
	fd := c.groups[i].fd
	c.groups = slices.Delete(c.groups, i, i+1)
	c.publish()
	_ = unix.Close(fd)
}

// publish passes the descriptors to Wait, which runs concurrently.
func (c *udpConn) publish() {
	fds := make([]int32, len(c.groups))
	for i, g := range c.groups {
		fds[i] = int32(g.fd)
	}
	c.waited.Store(&fds)
	c.Wake()
}

// receiveInTurn receives from one of the sockets, starting each time with another: a busy socket
// does not starve the others.
func (c *udpConn) receiveInTurn() ([]Incoming, error) {
	for range len(c.groups) + 1 {
		c.turn++
		i := c.turn % (len(c.groups) + 1)
		if i == len(c.groups) {
			if in, err := c.receiveOwn(); len(in) > 0 || err != nil {
				return in, err
			}
			continue
		}
		in, err := c.rx.receive(c.groups[i].fd)
		if len(in) > 0 || err != nil {
			for k := range in {
				in[k].To = c.groups[i].at
			}
			return in, err
		}
	}
	return nil, nil
}
