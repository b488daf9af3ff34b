package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weft/wire"
	"weft/wire/cm"
)

// Sharer shares an address among devices of its user's processes. It binds a socket for each part and passes it
// to a device. A program in the kernel gives each packet to the socket of its part, by the number of the queue
// pair, or by the ID in a message of the connection manager. What begins a connection has no ID of the receiver:
// it comes to the sharer, which passes it to the device that listens. So no other packet goes through the
// sharer's process.
type Sharer struct {
	parts    [Parts]int // descriptors but own's, which has part 0; -1: none
	own      *udpConn
	listener *net.UnixListener
	work     sync.WaitGroup
	closed   chan struct{}
	end      sync.Once

	mu        sync.Mutex
	devices   [Parts]*sharing
	listeners map[uint64]*sharing
}

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

func sharerName(a netip.AddrPort) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("@weft-sharer/%d/%v", os.Getuid(), netip.AddrPortFrom(a.Addr().WithZone(""), a.Port()))}
}

// Share begins to share an address.
func Share(local netip.AddrPort) (*Sharer, error) {
	s := &Sharer{closed: make(chan struct{}), listeners: map[uint64]*sharing{}}
	for i := range s.parts {
		s.parts[i] = -1
	}
	if err := s.bind(local); err != nil {
		s.free()
		return nil, err
	}
	var err error
	if s.listener, err = net.ListenUnix("unixpacket", sharerName(s.own.local)); err != nil {
		s.free()
		return nil, fmt.Errorf("live: %v is shared already: %w", s.own.local, err)
	}
	s.work.Go(s.accept)
	s.work.Go(s.passOn)
	return s, nil
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
		if s.parts[i], err = bound(netip.AddrPortFrom(local.Addr(), s.own.local.Port()), true); err != nil {
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
		{Code: equal, K: uint32(gsi), Jt: 2},
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

// Close ends the sharing. The devices end, too: the kernel finds their sockets no more.
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
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond) // no descriptor is left
			continue
		}
		d := s.admit(conn)
		if d == nil {
			_ = conn.Close()
			continue
		}
		s.work.Go(func() { s.serve(d) })
	}
}

// admit gives a device a free part; nil if there is none.
func (s *Sharer) admit(conn *net.UnixConn) *sharing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() || !own(conn) {
		return nil
	}
	for i := 1; i < Parts; i++ {
		if s.devices[i] != nil {
			continue
		}
		clean(s.parts[i])
		if _, _, err := conn.WriteMsgUnix([]byte{tellPart, byte(i)}, unix.UnixRights(s.parts[i]), nil); err != nil {
			return nil
		}
		s.devices[i] = &sharing{i, conn}
		return s.devices[i]
	}
	_, _ = conn.Write([]byte{tellFull})
	return nil
}

// clean takes from a socket what its last device has left: packets, and the mark of ECN-capable ones.
func clean(fd int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_TOS, 0)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_TCLASS, 0)
	var none [1]byte
	for range SocketBuffer { // more than fit
		if _, _, err := unix.Recvfrom(fd, none[:], unix.MSG_DONTWAIT|unix.MSG_TRUNC); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// serve answers a device until it ends.
func (s *Sharer) serve(d *sharing) {
	b := make([]byte, 16)
	for {
		n, err := d.conn.Read(b)
		if err != nil || n == 0 {
			break
		}
		_, _ = d.conn.Write([]byte{s.told(d, b[:n])}) // it fails if the device has ended
	}
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
	if len(b) != 9 {
		return tellTaken
	}
	service := serviceIn(b[1:])
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
			if d := s.listening(in[i].Data); d != nil {
				d.pass(&in[i])
			}
		}
		if len(in) == 0 {
			s.own.Wait(time.Second)
		}
	}
}

// listening is the device to which a packet of part 0 goes; nil for none. If nobody listens, any device serves: its
// manager rejects the request.
func (s *Sharer) listening(data []byte) *sharing {
	var p wire.Packet
	var h cm.Header
	if len(data) < wire.ICRCBytes || p.Parse(data[:len(data)-wire.ICRCBytes]) != nil || p.BTH.DestQP != gsi {
		return nil
	}
	body, err := h.Parse(p.Payload)
	if err != nil {
		return nil
	}
	var service uint64
	switch h.Attribute {
	case cm.AttrReq:
		var r cm.Req
		_ = r.Parse(body)
		service = r.Service
	case cm.AttrSidrReq:
		var r cm.SidrReq
		_ = r.Parse(body)
		service = r.Service
	default:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
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

// pass gives a packet to a device. A device that does not read loses it, as with a full socket.
func (d *sharing) pass(in *Incoming) {
	from, _ := in.From.MarshalBinary() // it has no error
	b := append([]byte{tellPacket, byte(len(from))}, from...)
	b = append(b, in.Data...)
	raw, err := d.conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Write(func(fd uintptr) bool {
		_ = unix.Sendmsg(int(fd), b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		return true
	})
}
