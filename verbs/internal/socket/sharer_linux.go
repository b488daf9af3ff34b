package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/base/door"
	"weft/wire"
	"weft/wire/cm"
)

// Sharer shares an address among devices of its user's processes. It binds a socket for each part and passes it
// to a device. A program in the kernel gives each packet to the socket of its part, by the number of the queue
// pair, or by the ID in a message of the connection manager. What begins a connection has no ID of the receiver:
// it comes to the sharer, which passes it to the device that listens. So no other packet goes through the
// sharer's process.
type Sharer struct {
	parts    [Parts]int // descriptors of parts 1 to 63; own is part 0; -1: none
	own      *udpConn
	listener *net.UnixListener
	work     sync.WaitGroup
	closed   chan struct{}
	end      sync.Once

	mu        sync.Mutex
	devices   [Parts]*sharing
	listeners map[uint64]*sharing
	begun     map[beginning]*sharing // the devices of the last requests, for their repetitions
	oldest    []beginning            // of begun, in the order of their coming
}

// beginning identifies a request for a connection, or a question for a queue pair.
type beginning struct {
	from netip.Addr
	id   uint32
	what cm.Attribute
}

// maxBegun bounds the requests that the sharer remembers.
const maxBegun = 1 << 12

// sharing is a device at a shared address.
type sharing struct {
	part int
	conn *net.UnixConn
}

// The messages between a sharer and a device, by their first byte.
const (
	tellPart    = 'p' // sharer: the number of the part, with its socket
	tellFull    = 'f' // sharer: all parts are taken
	tellPacket  = 'r' // sharer: a packet that begins a connection: the length of the peer's address, that, the packet
	tellListens = 'l' // device: it listens to a service; answered by tellDone or tellTaken
	tellLeaves  = 'u' // device: it does no more; answered by tellDone
	tellDone    = 'd'
	tellTaken   = 't' // another device listens
)

// toldBytes is the size of a device's message: the first byte, the service, and the number of the question. The
// answer repeats all but the first byte.
const toldBytes = 1 + 8 + 4

func sharerName(a netip.AddrPort) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("@weft-sharer/%d/%v", os.Getuid(), netip.AddrPortFrom(a.Addr().WithZone(""), a.Port()))}
}

// Share begins to share an address.
func Share(local netip.AddrPort) (*Sharer, error) {
	s := &Sharer{closed: make(chan struct{}), listeners: map[uint64]*sharing{}, begun: map[beginning]*sharing{}}
	for i := range s.parts {
		s.parts[i] = -1
	}
	local, err := alone(local)
	if err != nil {
		if c, none := net.DialUnix("unixpacket", nil, sharerName(local)); none == nil {
			_ = c.Close()
			return nil, fmt.Errorf("live: %v is shared already: %w", local, unix.EADDRINUSE)
		}
		return nil, err
	}
	// The name comes before the sockets. Without it two sharers that start together would mix their sockets.
	if s.listener, err = net.ListenUnix("unixpacket", sharerName(local)); err != nil {
		return nil, fmt.Errorf("live: %v is shared already: %w", local, err)
	}
	if _, err = alone(local); err == nil {
		err = s.bind(local)
	}
	if err != nil {
		_ = s.listener.Close()
		s.free()
		return nil, err
	}
	s.work.Go(s.accept)
	s.work.Go(s.passOn)
	return s, nil
}

// alone is an address with its port, at which no socket is: also none of an earlier sharing, which a device may
// still have. A socket that is left would have a number among the new ones.
func alone(local netip.AddrPort) (netip.AddrPort, error) {
	fd, err := bound(local, false)
	if err != nil {
		return local, err
	}
	at, err := unix.Getsockname(fd)
	if err == nil {
		local = netip.AddrPortFrom(local.Addr(), addrPort(at).Port())
	}
	return local, errors.Join(err, unix.Close(fd))
}

// bind binds the sockets of all parts, in the order of their numbers, by which the kernel finds them.
func (s *Sharer) bind(local netip.AddrPort) error {
	fd, err := bound(local, true)
	if err != nil {
		return err
	}
	if s.own, err = adopt(fd); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	for i := 1; i < Parts; i++ {
		if s.parts[i], err = bound(local, true); err != nil {
			return err
		}
		if err := deaf(s.parts[i]); err != nil {
			return err
		}
	}
	program := steering()
	err = unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	return os.NewSyscallError("setsockopt", err)
}

// steering is the program that finds the part of a packet, which begins with its BTH. A packet that is too short
// for it is part 0's.
func steering() []unix.SockFilter {
	const (
		mad  = wire.BTHBytes + wire.DETHBytes
		attr = mad + 16 // attribute
		id0  = mad + 24 // first ID of the message
		id1  = id0 + 4

		load, half = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_LD | unix.BPF_H | unix.BPF_ABS
		equal      = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		and, shift = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, unix.BPF_ALU | unix.BPF_RSH | unix.BPF_K
		constant   = unix.BPF_RET | unix.BPF_K
		result     = unix.BPF_RET | unix.BPF_A
	)
	return []unix.SockFilter{
		{Code: load, K: 4},
		{Code: and, K: 1<<qpnBits - 1},
		{Code: equal, K: uint32(GSI), Jt: 2},
		{Code: shift, K: qpnPartShift},
		{Code: result},
		{Code: half, K: attr},
		{Code: equal, K: uint32(cm.AttrReq), Jt: 5},
		{Code: equal, K: uint32(cm.AttrSidrReq), Jt: 4},
		{Code: equal, K: uint32(cm.AttrSidrRep), Jt: 4},
		{Code: load, K: id1},
		{Code: shift, K: idPartShift},
		{Code: result},
		{Code: constant},
		{Code: load, K: id0},
		{Code: shift, K: idPartShift},
		{Code: result},
	}
}

// Local is the shared address.
func (s *Sharer) Local() netip.AddrPort { return s.own.local }

// Close ends the sharing. The devices learn it, and end, too.
func (s *Sharer) Close() (err error) {
	s.end.Do(func() { err = s.stop() })
	return err
}

func (s *Sharer) stop() error {
	close(s.closed)
	err := s.listener.Close()
	s.own.Wake()
	s.mu.Lock()
	for _, d := range s.devices {
		if d != nil {
			_ = d.conn.Close()
		}
	}
	s.mu.Unlock()
	s.work.Wait()
	s.free()
	return err
}

func (s *Sharer) free() {
	for _, fd := range s.parts {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	if s.own != nil {
		_ = s.own.Close()
	}
}

func (s *Sharer) ended() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// accept takes devices in.
func (s *Sharer) accept() {
	for {
		conn, err := door.Next(s.listener.AcceptUnix)
		if err != nil {
			return
		}
		d := s.admit(conn)
		if d == nil {
			_ = conn.Close()
			continue
		}
		s.work.Go(func() { s.serve(d) })
	}
}

// deaf has a socket that no device has drop all packets: otherwise they would wait in the kernel's memory.
func deaf(fd int) error {
	drop := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	return os.NewSyscallError("setsockopt", unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &drop}))
}

// admit gives a device a free part; nil if there is none.
func (s *Sharer) admit(conn *net.UnixConn) *sharing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() || !door.OwnAt(conn) {
		return nil
	}
	for i := 1; i < Parts; i++ {
		if s.devices[i] != nil {
			continue
		}
		_ = unix.SetsockoptInt(s.parts[i], unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0) // it fails only without a filter
		_ = conn.SetWriteBuffer(SocketBuffer)                                         // requests wait there; it fails only if conn is closed
		if _, _, err := conn.WriteMsgUnix([]byte{tellPart, byte(i)}, unix.UnixRights(s.parts[i]), nil); err != nil {
			_ = deaf(s.parts[i])
			return nil // it has gone already
		}
		s.devices[i] = &sharing{i, conn}
		return s.devices[i]
	}
	_, _ = conn.Write([]byte{tellFull})
	return nil
}

// clean takes from a socket what its device has left: packets, and the mark of ECN-capable ones. Nothing more comes:
// the socket is deaf.
func clean(fd int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_TOS, 0)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_TCLASS, 0)
	var none [1]byte
	for {
		if _, _, err := unix.Recvfrom(fd, none[:], unix.MSG_DONTWAIT|unix.MSG_TRUNC); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// serve answers a device until it ends.
func (s *Sharer) serve(d *sharing) {
	b := make([]byte, toldBytes+1)
	for {
		n, err := d.conn.Read(b)
		if err != nil || n == 0 {
			break
		}
		d.send(append([]byte{s.told(d, b[:n])}, b[1:n]...))
	}
	_ = deaf(s.parts[d.part]) // it has been possible before
	clean(s.parts[d.part])
	s.mu.Lock()
	defer s.mu.Unlock()
	for service, at := range s.listeners {
		if at == d {
			delete(s.listeners, service)
		}
	}
	s.devices[d.part] = nil
	_ = d.conn.Close()
}

// told processes a message of a device, and returns the answer.
func (s *Sharer) told(d *sharing, b []byte) (answer byte) {
	if len(b) != toldBytes {
		return tellTaken
	}
	service := binary.BigEndian.Uint64(b[1:])
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.listeners[service]
	switch {
	case b[0] == tellLeaves:
		if at == d {
			delete(s.listeners, service)
		}
		return tellDone
	case b[0] == tellListens && at != nil && at != d:
		return tellTaken
	case b[0] == tellListens:
		s.listeners[service] = d
		return tellDone
	}
	return tellTaken
}

// passOn passes what begins connections to the devices that listen.
func (s *Sharer) passOn() {
	for !s.ended() {
		in, err := s.own.Receive()
		if err != nil {
			return
		}
		for i := range in {
			if d := s.receiver(in[i].From.Addr(), in[i].Data); d != nil {
				d.pass(&in[i])
			}
		}
		if len(in) == 0 {
			s.own.Wait(time.Second)
		}
	}
}

// receiver is the device to which a packet of part 0 goes; nil for none. A repetition goes to the device of the first
// request, whose listener may have ended meanwhile.
func (s *Sharer) receiver(from netip.Addr, data []byte) *sharing {
	var p wire.Packet
	var h cm.Header
	if len(data) < wire.ICRCBytes || p.Parse(data[:len(data)-wire.ICRCBytes]) != nil || p.BTH.DestQP != GSI {
		return nil
	}
	body, err := h.Parse(p.Payload)
	if err != nil {
		return nil
	}
	b := beginning{from: from, what: h.Attribute}
	var service uint64
	switch h.Attribute {
	case cm.AttrReq:
		var r cm.Req
		_ = r.Parse(body)
		b.id, service = uint32(r.Local), r.Service
	case cm.AttrSidrReq:
		var r cm.SidrReq
		_ = r.Parse(body)
		b.id, service = uint32(r.Request), r.Service
	default:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.begun[b]; d != nil && s.devices[d.part] == d {
		return d
	}
	d := s.listening(service)
	if d != nil {
		s.remember(b, d)
	}
	return d
}

// listening is the device that listens to a service. If none does, any device serves: its manager rejects the request.
func (s *Sharer) listening(service uint64) *sharing {
	if d := s.listeners[service]; d != nil {
		return d
	}
	for _, d := range s.devices {
		if d != nil {
			return d
		}
	}
	return nil
}

// remember notes the device of a request.
func (s *Sharer) remember(b beginning, d *sharing) {
	if _, known := s.begun[b]; !known {
		if len(s.oldest) == maxBegun {
			delete(s.begun, s.oldest[0])
			s.oldest = s.oldest[1:]
		}
		s.oldest = append(s.oldest, b)
	}
	s.begun[b] = d
}

// pass gives a packet to a device. A device that does not read loses it, as with a full socket.
func (d *sharing) pass(in *Incoming) {
	from, _ := in.From.MarshalBinary() // it has no error
	b := append([]byte{tellPacket, byte(len(from))}, from...)
	d.send(append(b, in.Data...))
}

// send sends a message to a device, without waiting: a device that does not read must not hold up the others. One
// that has no room loses it.
func (d *sharing) send(b []byte) {
	raw, err := d.conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Write(func(fd uintptr) bool {
		_ = unix.Sendmsg(int(fd), b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		return true
	})
}
