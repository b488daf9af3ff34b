package socket

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/base/door"
)

// sharedConn is the socket of a part of a shared address, and the connection to the sharer.
type sharedConn struct {
	*udpConn
	part    int
	control *net.UnixConn
	telling sync.Mutex // one question at a time
	asked   uint32     // their number
	answers chan []byte
	work    sync.WaitGroup
	closing atomic.Bool
	ended   chan struct{} // closed at the end of the sharer

	mu     sync.Mutex
	passed []Incoming // by the sharer, not received yet
	given  []Incoming // by the last Receive
}

// maxPassed bounds the packets of the sharer that wait: as many as the receives of the connection manager.
const maxPassed = 1 << 12

// sharerTime is the wait for the sharer's answer.
const sharerTime = 5 * time.Second

// OpenShared opens a device at an address that is shared; nil if it is not.
func OpenShared(local netip.AddrPort) (Conn, error) {
	local = netip.AddrPortFrom(local.Addr().Unmap(), local.Port())
	control, err := net.DialUnix("unixpacket", nil, sharerName(local))
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // nobody shares the address
	}
	if !door.OwnAt(control) {
		_ = control.Close()
		return nil, nil //nolint:nilnil // another user's has no effect
	}
	text := make([]byte, 2)
	_ = control.SetReadDeadline(time.Now().Add(sharerTime))
	fd, err := receiveFD(control, &text)
	_ = control.SetReadDeadline(time.Time{})
	if err != nil {
		_ = control.Close()
		if len(text) > 0 && text[0] == tellFull {
			return nil, fmt.Errorf("live: %v has %d devices already, and no room for another: %w", local, Parts-1, unix.EADDRINUSE)
		}
		return nil, fmt.Errorf("live: the sharer of %v: %w", local, err)
	}
	u, err := adopt(fd)
	if err != nil {
		_, _ = control.Close(), unix.Close(fd)
		return nil, err
	}
	c := &sharedConn{udpConn: u, part: int(text[1]), control: control, answers: make(chan []byte, 8), ended: make(chan struct{})}
	c.work.Go(c.follow)
	return c, nil
}

// Part is the number of the part.
func (c *sharedConn) Part() int { return c.part }

// Places implements Placer: without UDP_GRO it would not pay.
func (c *sharedConn) Places() bool { return false }

// OnLost has a function called when the sharer has ended.
func (c *sharedConn) OnLost(lost func()) {
	go func() {
		if <-c.ended; !c.closing.Load() {
			lost()
		}
	}()
}

// follow receives what the sharer says.
func (c *sharedConn) follow() {
	b := make([]byte, 1<<13)
	for {
		n, err := c.control.Read(b)
		if err != nil || n == 0 {
			break
		}
		if b[0] != tellPacket {
			select {
			case c.answers <- append([]byte(nil), b[:n]...):
			default:
			}
			continue
		}
		c.keepPassed(b[1:n])
	}
	c.cut()
	close(c.ended)
}

// cut closes the device's socket at the address and puts one without an address in its place. The kernel would
// count an open socket among those of the next sharer.
func (c *sharedConn) cut() {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0) // nothing comes to it, and nothing goes from it
	if err != nil {
		return
	}
	_ = unix.Dup3(fd, c.fd, unix.O_CLOEXEC)
	_ = unix.Close(fd)
}

// keepPassed keeps a packet for Receive.
func (c *sharedConn) keepPassed(b []byte) {
	var from netip.AddrPort
	if len(b) == 0 || len(b) <= int(b[0]) || from.UnmarshalBinary(b[1:1+b[0]]) != nil {
		return
	}
	data := append([]byte(nil), b[1+b[0]:]...)
	c.mu.Lock()
	if len(c.passed) < maxPassed {
		c.passed = append(c.passed, Incoming{From: from, Data: data, Segment: len(data)})
	}
	c.mu.Unlock()
	c.Wake()
}

// Receive returns the packets that the sharer has passed. If there are none, it reads the socket.
func (c *sharedConn) Receive() ([]Incoming, error) {
	c.mu.Lock()
	clear(c.given)
	c.given, c.passed = c.passed, c.given[:0]
	c.mu.Unlock()
	if len(c.given) > 0 {
		return c.given, nil
	}
	return c.udpConn.Receive()
}

// Listens tells the sharer that the device listens to a service.
func (c *sharedConn) Listens(service uint64) error { return c.tell(tellListens, service) }

// Leaves tells the sharer that the device no longer listens to a service.
func (c *sharedConn) Leaves(service uint64) { _ = c.tell(tellLeaves, service) }

// tell tells the sharer something and waits for its answer.
func (c *sharedConn) tell(what byte, service uint64) error {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.asked++
	question := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64([]byte{what}, service), c.asked)
	if _, err := c.control.Write(question); err != nil {
		return ErrClosed
	}
	late := time.After(sharerTime)
	for {
		select {
		case a := <-c.answers:
			if !bytes.Equal(a[1:], question[1:]) {
				continue // of a question before, which came too late
			}
			if a[0] == tellTaken {
				return ErrTaken
			}
			return nil
		case <-c.ended:
			return ErrClosed
		case <-late:
			if what == tellListens { // it may be told yet, and then must not stand
				_, _ = c.control.Write(append([]byte{tellLeaves}, question[1:]...))
			}
			return fmt.Errorf("live: the sharer of %v does not answer", c.local)
		}
	}
}

// Close leaves the address.
func (c *sharedConn) Close() error {
	c.closing.Store(true)
	_ = c.control.CloseRead() // also a forked child's copy ends by it: the sharer learns it
	_ = c.control.CloseWrite()
	err := c.control.Close()
	c.work.Wait()
	return firstError(err, c.udpConn.Close())
}
