package wiretap

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"weft/wire/pcap"
)

const (
	// vnetBytes is the length of the header that describes the segmentation of a packet
	// (virtio_net.h).
	vnetBytes = 10
	// gsoUDP is its type for UDP (VIRTIO_NET_HDR_GSO_UDP_L4).
	gsoUDP = 5
	// largest exceeds the size of the largest unsegmented datagram.
	largest = 1 << 17
	// lookEvery is the interval at which a quiet interface checks whether ctx has ended.
	lookEvery = 200 * time.Millisecond
	// socketBuffer holds the packets that arrive while one is judged.
	socketBuffer = 16 << 20
)

// Interface is an interface whose packets are read.
type Interface struct {
	ctx      context.Context
	fd       int
	loopback bool
	buf      []byte
	ready    [][]byte // cut, and not returned yet
	at       int64    // arrival time
}

// Open reads an interface until ctx ends.
func Open(ctx context.Context, name string) (*Interface, error) {
	nic, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("interface %s: %w", name, err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EPERM) {
		return nil, fmt.Errorf("interface %s: reading it takes CAP_NET_RAW: be root, or let tcpdump write to weft live sniff -", name)
	}
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	i := &Interface{ctx: ctx, fd: fd, loopback: nic.Flags&net.FlagLoopback != 0, buf: make([]byte, vnetBytes+largest)}
	if err := i.setUp(nic.Index); err != nil {
		_ = i.Close()
		return nil, fmt.Errorf("interface %s: %w", name, err)
	}
	return i, nil
}

func (i *Interface) setUp(index int) error {
	// It is refused without privilege; with it, fewer packets are lost.
	_ = unix.SetsockoptInt(i.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, socketBuffer)
	if err := unix.SetsockoptInt(i.fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	wait := unix.NsecToTimeval(int64(lookEvery))
	if err := unix.SetsockoptTimeval(i.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	all := binary.NativeEndian.Uint16([]byte{0, unix.ETH_P_ALL}) // in the network's order
	return os.NewSyscallError("bind", unix.Bind(i.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}))
}

// Next waits for a packet. io.EOF says that the context has ended.
func (i *Interface) Next(p *pcap.Packet) error {
	for len(i.ready) == 0 {
		if i.ctx.Err() != nil {
			return io.EOF
		}
		if err := i.read(); err != nil {
			return err
		}
	}
	*p = pcap.Packet{TimeNs: i.at, Link: pcap.Ethernet, Data: i.ready[0], Length: len(i.ready[0])}
	i.ready = i.ready[1:]
	return nil
}

// read waits a short while for a packet.
func (i *Interface) read() error {
	n, from, err := unix.Recvfrom(i.fd, i.buf, 0)
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
		return nil
	case err != nil:
		return os.NewSyscallError("recvfrom", err)
	}
	// A loopback shows each packet twice: outgoing and incoming.
	if ll, ok := from.(*unix.SockaddrLinklayer); ok && i.loopback && ll.Pkttype == unix.PACKET_OUTGOING || n <= vnetBytes {
		return nil
	}
	i.at, i.ready = time.Now().UnixNano(), i.ready[:0]
	size := 0
	if i.buf[1] == gsoUDP {
		size = int(binary.NativeEndian.Uint16(i.buf[4:]))
	}
	split(i.buf[vnetBytes:n], size, func(frame []byte) { i.ready = append(i.ready, frame) })
	return nil
}

// Lost is the number of packets that came while the socket had no room, since the last call.
func (i *Interface) Lost() int64 {
	s, err := unix.GetsockoptTpacketStats(i.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return int64(s.Drops)
}

// Close ends reading.
func (i *Interface) Close() error { return unix.Close(i.fd) }
