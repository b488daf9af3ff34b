package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// udpConn is an ordinary UDP socket. It is not connected and forbids fragmentation
// (IP_MTU_DISCOVER=DO), so that Linux sends identification 0 and DF 1, which the ICRC covers; the
// segments of a GSO datagram carry 0, 1, 2 and so on.
type udpConn struct {
	fd, event int
	local     netip.AddrPort
	buffer    int
	mtu       int
	link      int // the interface's number
	groups    []groupSocket
	turn      int                     // index of the last one asked
	waited    atomic.Pointer[[]int32] // their descriptors
	tx        sendQueue
	rx        receiveQueue
	forecast  *Forecast // of the next Receive
}

// OpenUDP binds a socket. Port 0 takes a free one; RoCE v2's port is 4791. The address must be one
// of this machine: the ICRC covers it.
func OpenUDP(local netip.AddrPort) (Conn, error) {
	fd, err := bound(local, false)
	if err != nil {
		return nil, err
	}
	c, err := adopt(fd)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return c, nil
}

// bound is a socket at an address; a shared one may be one of several.
func bound(local netip.AddrPort, shared bool) (fd int, err error) {
	a := local.Addr().Unmap()
	if !a.IsValid() || a.IsUnspecified() || a.IsMulticast() {
		return -1, fmt.Errorf("live: %v is not a source address of this machine, and the ICRC covers the source: give an address of an interface", a)
	}
	family, sa := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(local.Port()), Addr: a.As16(), ZoneId: zone(a)})
	if a.Is4() {
		family, sa = unix.AF_INET, &unix.SockaddrInet4{Port: int(local.Port()), Addr: a.As4()}
	}
	if fd, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, fmt.Errorf("live: no UDP socket: %w", err)
	}
	if err = setUp(fd, family, shared); err == nil {
		err = os.NewSyscallError("bind", unix.Bind(fd, sa))
	}
	if err == nil {
		return fd, nil
	}
	_ = unix.Close(fd)
	at := netip.AddrPortFrom(a, local.Port())
	if errors.Is(err, unix.EADDRINUSE) {
		return -1, fmt.Errorf("live: %v: another device is there, and each has an address of its own, unless weft verbs serve shares it: %w", at, err)
	}
	return -1, fmt.Errorf("live: %v: %w", at, err)
}

// setUp sets the options of a socket. UDP_GRO would join packets for different sockets of a shared address.
func setUp(fd, family int, shared bool) error {
	must := append(receiveOptions(family == unix.AF_INET), [3]int{unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO})
	if family == unix.AF_INET6 {
		must[len(must)-1] = [3]int{unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_DO}
	}
	if shared {
		must = append(must, [3]int{unix.SOL_SOCKET, unix.SO_REUSEPORT, 1}, [3]int{unix.SOL_UDP, unix.UDP_GRO, 0})
	}
	for _, o := range must {
		if err := unix.SetsockoptInt(fd, o[0], o[1], o[2]); err != nil {
			return fmt.Errorf("socket option %d of level %d: %w", o[1], o[0], err)
		}
	}
	for _, o := range [][2]int{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, o[0], SocketBuffer) != nil {
			_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, o[1], SocketBuffer)
		}
	}
	return nil
}

// adopt is the connection of a bound socket.
func adopt(fd int) (*udpConn, error) {
	c := &udpConn{fd: fd, event: -1}
	var err error
	if c.buffer, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil {
		return nil, os.NewSyscallError("getsockopt", err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	c.local = addrPort(at)
	c.mtu, c.link = interfaceOf(c.local.Addr())
	c.aimMulticast()
	if c.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	family := unix.AF_INET6
	if c.local.Addr().Is4() {
		family = unix.AF_INET
	}
	c.tx.setUp(family)
	c.rx.setUp(family)
	return c, nil
}

// receiveOptions are the socket options without which the kernel hides needed properties of a
// packet, or drops it.
func receiveOptions(v4 bool) [][3]int {
	gro := [3]int{unix.SOL_UDP, unix.UDP_GRO, 1}
	if v4 {
		return [][3]int{gro, {unix.IPPROTO_IP, unix.IP_RECVTOS, 1}}
	}
	return [][3]int{
		gro,
		{unix.IPPROTO_IPV6, unix.IPV6_RECVTCLASS, 1},
		{unix.SOL_UDP, unix.UDP_NO_CHECK6_RX, 1}, // rxe sends checksum 0
	}
}

func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch a := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port))
	}
	return netip.AddrPort{}
}

func (c *udpConn) Local() netip.AddrPort { return c.local }

// Buffer is the size that the kernel has granted.
func (c *udpConn) Buffer() int { return c.buffer }

// MTU is the interface's MTU when the socket was opened.
func (c *udpConn) MTU() int { return c.mtu }

// interfaceOf finds the interface of an address; the loopback interface has its whole network.
func interfaceOf(a netip.Addr) (mtu, index int) {
	all, err := net.Interfaces()
	if err != nil {
		return 0, 0
	}
	for i := range all {
		addrs, err := all[i].Addrs()
		if err != nil {
			continue
		}
		for _, held := range addrs {
			p, err := netip.ParsePrefix(held.String())
			if err == nil && (p.Addr() == a.WithZone("") || a.IsLoopback() && p.Contains(a)) {
				return all[i].MTU, all[i].Index
			}
		}
	}
	return 0, 0
}

// AllowMarks sets the ECN field of all packets.
func (c *udpConn) AllowMarks() error {
	const ect0 = 0b10
	level, option := unix.IPPROTO_IP, unix.IP_TOS
	if !c.local.Addr().Is4() {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
	}
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(c.fd, level, option, ect0))
}

// Reach finds no way but the socket.
func (c *udpConn) Reach(netip.AddrPort) *Way { return nil }

func (c *udpConn) Send(batch []Outgoing) error { return c.tx.send(c.fd, batch) }

func (c *udpConn) Receive() ([]Incoming, error) {
	if len(c.groups) > 0 {
		return c.receiveInTurn()
	}
	return c.receiveOwn()
}

// receiveOwn receives from the socket that is no group's.
func (c *udpConn) receiveOwn() ([]Incoming, error) {
	if c.forecast != nil {
		return c.rx.receivePlaced(c.fd, c.forecast)
	}
	return c.rx.receive(c.fd)
}

// Places implements Placer: whoever sends to the loopback is on this machine.
func (c *udpConn) Places() bool { return c.local.Addr().IsLoopback() }

// Expect implements Placer.
func (c *udpConn) Expect(f *Forecast) { c.forecast = f }

func (c *udpConn) Wait(d time.Duration) {
	var room [8]unix.PollFd
	fds := append(room[:0], unix.PollFd{Fd: int32(c.event), Events: unix.POLLIN}, unix.PollFd{Fd: int32(c.fd), Events: unix.POLLIN})
	if groups := c.waited.Load(); groups != nil {
		for _, fd := range *groups {
			fds = append(fds, unix.PollFd{Fd: fd, Events: unix.POLLIN})
		}
	}
	t := unix.NsecToTimespec(int64(max(d, 0)))
	// An error is a signal: the caller checks its work again anyway.
	_, _ = unix.Ppoll(fds, &t, nil)
	if fds[0].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(c.event, count[:])
	}
}

func (c *udpConn) Wake() {
	// It fails only if the counter is full: the waiter is awake already.
	_, _ = unix.Write(c.event, oneEvent)
}

func (c *udpConn) Close() error {
	err := unix.Close(c.fd)
	if c.event >= 0 {
		err = firstError(err, unix.Close(c.event))
	}
	for _, g := range c.groups {
		err = firstError(err, unix.Close(g.fd))
	}
	return err
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
