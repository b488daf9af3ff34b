package socket

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"unsafe" //nolint:depguard // sendmmsg and recvmmsg take addresses

	"golang.org/x/sys/unix"
)

// mmsghdr is struct mmsghdr of sendmmsg(2).
type mmsghdr struct {
	hdr unix.Msghdr
	n   uint32
}

// sockaddr is the larger of the two forms: the memory that msg_name points to.
type sockaddr = unix.RawSockaddrInet6

// sendQueue holds the arguments of sendmmsg, so that a call allocates nothing.
type sendQueue struct {
	family int
	msgs   [maxBatch]mmsghdr
	names  [maxBatch]sockaddr
	ctrl   [maxBatch][]byte // one UDP_SEGMENT each
	iovs   []unix.Iovec
}

func (q *sendQueue) setUp(family int) {
	q.family = family
	q.iovs = make([]unix.Iovec, maxBatch*maxParts)
	for i := range q.ctrl {
		c := make([]byte, unix.CmsgSpace(2))
		h := (*unix.Cmsghdr)(unsafe.Pointer(&c[0]))
		h.Level, h.Type = unix.SOL_UDP, unix.UDP_SEGMENT
		h.SetLen(unix.CmsgLen(2))
		q.ctrl[i] = c
	}
}

// send sends up to maxBatch datagrams at a time.
func (q *sendQueue) send(fd int, batch []Outgoing) error {
	for len(batch) > 0 {
		n := min(len(batch), maxBatch)
		iovs := q.iovs
		for i := range n {
			used := q.fill(i, &batch[i], iovs)
			iovs = iovs[used:]
		}
		if err := q.flush(fd, n); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// fill fills entry i, and returns the number of iovecs that it uses.
func (q *sendQueue) fill(i int, o *Outgoing, iovs []unix.Iovec) int {
	for j, part := range o.Parts {
		iovs[j].Base = unsafe.SliceData(part)
		iovs[j].SetLen(len(part))
	}
	h := &q.msgs[i].hdr
	*h = unix.Msghdr{Name: (*byte)(unsafe.Pointer(&q.names[i])), Iov: &iovs[0]}
	h.Namelen = putName(&q.names[i], q.family, o.To)
	h.SetIovlen(len(o.Parts))
	if o.Packets > 1 {
		binary.NativeEndian.PutUint16(q.ctrl[i][unix.CmsgLen(0):], uint16(o.Segment))
		h.Control = &q.ctrl[i][0]
		h.SetControllen(len(q.ctrl[i]))
	}
	return len(o.Parts)
}

// flush sends the first n entries. An entry that the kernel refuses counts as a lost packet: the
// transport retransmits it or gives up.
func (q *sendQueue) flush(fd, n int) error {
	for at := 0; at < n; {
		sent, _, e := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&q.msgs[at])), uintptr(n-at), 0, 0, 0)
		switch e {
		case 0:
			at += int(sent)
		case unix.EINTR:
		case unix.EBADF, unix.ENOTSOCK, unix.EFAULT, unix.EINVAL:
			return fmt.Errorf("live: sendmmsg: %w", e)
		default:
			at++
		}
	}
	return nil
}

// putName writes a socket address, and returns its length.
func putName(name *sockaddr, family int, a netip.AddrPort) uint32 {
	if family == unix.AF_INET {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		v4.Family, v4.Addr = unix.AF_INET, a.Addr().Unmap().As4()
		putPort(&v4.Port, a.Port())
		return unix.SizeofSockaddrInet4
	}
	name.Family, name.Addr, name.Scope_id = unix.AF_INET6, a.Addr().As16(), zone(a.Addr())
	putPort(&name.Port, a.Port())
	return unix.SizeofSockaddrInet6
}

// putPort writes a port in network byte order.
func putPort(to *uint16, port uint16) {
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(to))[:], port)
}

// zone is the number of an address's interface, 0 if it has none.
func zone(a netip.Addr) uint32 {
	if a.Zone() == "" {
		return 0
	}
	if n, err := strconv.ParseUint(a.Zone(), 10, 32); err == nil {
		return uint32(n)
	}
	if i, err := net.InterfaceByName(a.Zone()); err == nil {
		return uint32(i.Index)
	}
	return 0
}

// controlBytes is room for UDP_GRO's int and for IP_TOS or IPV6_TCLASS.
const controlBytes = 64

// receiveQueue holds the results of recvmmsg.
type receiveQueue struct {
	msgs  [maxBatch]mmsghdr
	names [maxBatch]sockaddr
	ctrl  [maxBatch][controlBytes]byte
	iovs  [maxBatch]unix.Iovec
	bufs  [maxBatch][]byte
	in    [maxBatch]Incoming
	// Of datagrams whose payload has a place: headers, payload, ICRC with headers, and so on.
	parts  [][]byte
	pieces [2*maxSegments + 1]unix.Iovec
}

func (q *receiveQueue) setUp(int) {
	for i := range q.bufs {
		q.bufs[i] = make([]byte, 1<<16)
		q.iovs[i].Base = &q.bufs[i][0]
		q.iovs[i].SetLen(len(q.bufs[i]))
	}
}

// receive receives the waiting packets, without blocking.
func (q *receiveQueue) receive(fd int) ([]Incoming, error) {
	for i := range q.msgs {
		h := &q.msgs[i].hdr
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(&q.names[i])), unix.SizeofSockaddrInet6
		h.Iov, h.Control = &q.iovs[i], &q.ctrl[i][0]
		h.SetIovlen(1)
		h.SetControllen(controlBytes)
	}
	// It does not block, so Go's scheduler need not know of it, which costs a fifth of an empty call.
	n, _, e := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&q.msgs[0])), maxBatch, unix.MSG_DONTWAIT, 0, 0)
	switch e {
	case 0:
	case unix.EBADF, unix.EFAULT, unix.EINVAL:
		return nil, fmt.Errorf("live: recvmmsg: %w", e)
	default:
		return nil, nil // none waiting, a signal, or an ICMP error of a packet
	}
	for i := range int(n) {
		q.take(i)
	}
	return q.in[:n], nil
}

// receivePlaced is receive with a forecast. It receives one datagram at a time: where one ends decides where the payload
// of the next belongs. It ends where no place is known, because the next call, after these packets, may know one.
func (q *receiveQueue) receivePlaced(fd int, f *Forecast) ([]Incoming, error) {
	for i := range q.msgs {
		var ok bool
		if q.parts, ok = f.Datagram(q.bufs[i], q.parts[:0]); !ok {
			if i > 0 {
				return q.in[:i], nil
			}
			return q.receive(fd)
		}
		q.aim(i)
		_, _, e := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&q.msgs[i])), 1, unix.MSG_DONTWAIT, 0, 0)
		switch e {
		case 0:
			q.take(i)
			f.Settle(&q.in[i])
			continue
		case unix.EFAULT:
			f.Gone() // its packets count as lost
		case unix.EBADF, unix.EINVAL:
			return nil, fmt.Errorf("live: recvmmsg: %w", e)
		}
		return q.in[:i], nil
	}
	return q.in[:], nil
}

// aim prepares an entry to receive into parts.
func (q *receiveQueue) aim(i int) {
	for k, part := range q.parts {
		q.pieces[k].Base = unsafe.SliceData(part)
		q.pieces[k].SetLen(len(part))
	}
	h := &q.msgs[i].hdr
	h.Name, h.Namelen = (*byte)(unsafe.Pointer(&q.names[i])), unix.SizeofSockaddrInet6
	h.Iov, h.Control = &q.pieces[0], &q.ctrl[i][0]
	h.SetIovlen(len(q.parts))
	h.SetControllen(controlBytes)
}

// take converts entry i to an Incoming. A truncated datagram, which no RoCE packet is, has no data.
func (q *receiveQueue) take(i int) {
	h := &q.msgs[i].hdr
	in := &q.in[i]
	*in = Incoming{From: nameOf(&q.names[i]), Data: q.bufs[i][:q.msgs[i].n]}
	if h.Flags&unix.MSG_TRUNC != 0 {
		in.Data = nil
	}
	in.Segment = len(in.Data)
	for c := q.ctrl[i][:h.Controllen]; len(c) > 0; {
		head, data, rest, err := unix.ParseOneSocketControlMessage(c)
		if err != nil {
			break
		}
		switch {
		case head.Level == unix.SOL_UDP && head.Type == unix.UDP_GRO && len(data) >= 4:
			in.Segment = int(binary.NativeEndian.Uint32(data))
		case head.Level == unix.IPPROTO_IP && head.Type == unix.IP_TOS && len(data) >= 1:
			in.CE = data[0]&3 == 3
		case head.Level == unix.IPPROTO_IPV6 && head.Type == unix.IPV6_TCLASS && len(data) >= 4:
			in.CE = binary.NativeEndian.Uint32(data)&3 == 3
		}
		c = rest
	}
}

func nameOf(name *sockaddr) netip.AddrPort {
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&name.Port))[:])
	if name.Family == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4((*unix.RawSockaddrInet4)(unsafe.Pointer(name)).Addr), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16(name.Addr), port)
}
