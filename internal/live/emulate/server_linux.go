package emulate

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/base/door"
	"weft/internal/sim/channel"
	"weft/units"
	"weft/wire/mad"
)

// server is the socket of a fabric, and its devices.
type server struct {
	path      string
	fd, wake  int // the socket; an eventfd that ends a sleep
	buffer    []byte
	sessions  []*session // in the order of their connections
	byAddr    map[[4]byte]*session
	polled    []unix.PollFd
	welcome   channel.Welcome // without address and name
	dial      *shared         // the clock, as devices see it
	names     []string        // of NICs
	left      []*session      // devices that have left
	forgotten int             // devices that have left before those in left
	tell      func(format string, args ...any)
	later     time.Time      // until then no caller is let in: there was no descriptor for it
	told      func(*session) // called when a device may have told its counters
	// managed carries a management datagram from a NIC to a LID, and returns the answer with its sender; nil: none.
	managed func(nic int32, to units.LID, d *mad.MAD) (from units.LID, answer []byte)

	mu     sync.Mutex // guards closed against alert
	closed bool
}

// listen makes the socket, for its user alone.
func (v *server) listen(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	mask := unix.Umask(0o177)
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	unix.Umask(mask)
	if err != nil {
		_ = unix.Close(fd)
		if errors.Is(err, unix.EADDRINUSE) && left(path) {
			return fmt.Errorf("the socket %s is left of a fabric that has ended: remove it, or name another", path)
		}
		return fmt.Errorf("the socket %s: %w", path, err)
	}
	v.fd, v.path = fd, path
	if v.dial, err = share(); err != nil {
		return err
	}
	if err = unix.Listen(fd, 64); err == nil {
		v.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	return err
}

// left reports whether nobody listens at a socket any more.
func left(path string) bool {
	c, err := net.Dial("unixpacket", path)
	if err == nil {
		_ = c.Close()
	}
	info, e := os.Lstat(path)
	return errors.Is(err, unix.ECONNREFUSED) && e == nil && info.Mode()&fs.ModeSocket != 0
}

// close ends all connections, and removes the socket.
func (v *server) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	for _, s := range v.sessions {
		_ = unix.Close(s.fd)
	}
	err := errors.Join(os.NewSyscallError("close", unix.Close(v.fd)), os.NewSyscallError("close", unix.Close(v.wake)), v.dial.close())
	if e := os.Remove(v.path); !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

// alert ends the present or the next sleep; any goroutine may call it.
func (v *server) alert() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		_, _ = unix.Write(v.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // it fails only if the sleeper is awake already
	}
}

// poll handles what has arrived from devices, after a sleep until something does or d has passed.
func (v *server) poll(d time.Duration, send func(*session, *channel.Packet)) {
	v.await(d)
	v.handle(send)
}

// await sleeps until something arrives from devices, somebody calls alert, or d has passed.
func (v *server) await(d time.Duration) {
	callers := unix.PollFd{Fd: int32(v.fd), Events: unix.POLLIN}
	if time.Now().Before(v.later) {
		callers.Events, d = 0, min(d, acceptAgain)
	}
	v.polled = append(v.polled[:0], callers, unix.PollFd{Fd: int32(v.wake), Events: unix.POLLIN})
	for _, s := range v.sessions {
		v.polled = append(v.polled, unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN})
	}
	t := unix.NsecToTimespec(int64(d))
	if n, err := unix.Ppoll(v.polled, &t, nil); n <= 0 || err != nil {
		v.polled = v.polled[:0] // EINTR: the caller comes again
	}
}

// handle handles what await has seen.
func (v *server) handle(send func(*session, *channel.Packet)) {
	if len(v.polled) == 0 {
		return
	}
	if v.polled[1].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(v.wake, count[:])
	}
	for i, s := range v.sessions {
		switch {
		case s.nic < 0 && s.asks < 0 && time.Since(s.since) > greeting:
			s.gone = errSilent
		case v.polled[2+i].Revents == 0:
		case s.asks >= 0:
			s.gone = v.manage(s)
		case s.nic < 0:
			v.greet(s)
		default:
			s.take(v.buffer, func(p *channel.Packet) { send(s, p) })
			v.told(s)
		}
	}
	v.dismiss()
	if v.polled[0].Revents != 0 {
		v.accept()
	}
}

// dismiss removes devices that have left.
func (v *server) dismiss() {
	kept := v.sessions[:0]
	for _, s := range v.sessions {
		if s.gone == nil {
			kept = append(kept, s)
			continue
		}
		_ = unix.Close(s.fd)
		if s.nic >= 0 {
			delete(v.byAddr, s.addr)
			s.inbox, s.turn = nil, nil
			if v.left = append(v.left, s); len(v.left) > maxLeft {
				v.left = slices.Delete(v.left, 0, 1)
				v.forgotten++
			}
			v.tell("%s left %s: %v", netip.AddrFrom4(s.addr), v.names[s.nic], s.gone)
		}
	}
	clear(v.sessions[len(kept):])
	v.sessions = kept
}

// accept takes new connections of the own user.
func (v *server) accept() {
	for {
		fd, _, err := unix.Accept4(v.fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
		if err != nil {
			if !errors.Is(err, unix.EAGAIN) {
				v.later = time.Now().Add(acceptAgain)
			}
			return
		}
		peer, err := door.Peer(fd)
		switch {
		case err != nil || !door.OwnOrRoot(peer):
			refuse(fd, fmt.Sprintf("this fabric belongs to another user: the program is of %s", door.Name(peer)))
		case len(v.sessions) >= maxDevices:
			refuse(fd, fmt.Sprintf("this fabric has %d devices, its most", maxDevices))
		default:
			v.sessions = append(v.sessions, &session{fd: fd, nic: -1, asks: -1, since: time.Now(), deadline: units.Forever, groups: map[[4]byte]bool{}})
		}
	}
}

// refuse ends a connection with a reason.
func refuse(fd int, why string) {
	_ = unix.Sendto(fd, append([]byte{byte(channel.KindRefused)}, why...), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, nil)
	_ = unix.Close(fd)
}

// greet answers the hello of a new device.
func (v *server) greet(s *session) {
	n, _, err := unix.Recvfrom(s.fd, v.buffer, unix.MSG_DONTWAIT)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return
	}
	if err != nil || n == 0 {
		s.gone = errLeft
		return
	}
	var hello channel.Hello
	nic := int32(-1)
	if err = channel.Unmarshal(v.buffer[:n], channel.KindHello, &hello); err == nil {
		if hello.Management {
			nic, err = v.asker(&hello)
		} else if s.addr, err = v.place(&hello); err == nil {
			nic, _, _ = channel.NICOf(s.addr)
		}
	}
	if err != nil {
		_ = unix.Sendto(s.fd, append([]byte{byte(channel.KindRefused)}, err.Error()...), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, nil)
		s.gone = err
		return
	}
	w := v.welcome
	w.NIC = v.names[nic]
	if !hello.Management {
		w.Addr = netip.AddrFrom4(s.addr).String()
	}
	text, err := channel.Marshal(channel.KindWelcome, w)
	if err == nil {
		var clock []byte // management needs none
		if !hello.Management {
			clock = unix.UnixRights(v.dial.fd)
		}
		err = unix.Sendmsg(s.fd, text, clock, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	}
	switch {
	case err != nil:
		s.gone = err
	case hello.Management:
		s.asks = nic
	default:
		s.nic = nic
		v.byAddr[s.addr] = s
		v.tell("%s joined at %s", w.Addr, w.NIC)
	}
}

// perNIC is the number of addresses of a NIC.
func (v *server) perNIC() int {
	if s := v.welcome.Subnet; s != nil {
		return s.PerNIC
	}
	return channel.AddressesPerNIC
}

// addr is the k-th address of a NIC, from 1.
func (v *server) addr(nic, k int) netip.Addr { return netip.AddrFrom4(channel.Address(int32(nic), k)) }

func sameVersion(h *channel.Hello) error {
	if h.Version != channel.Version {
		return fmt.Errorf("the fabric is of another version of weft: its channel is version %d, the device's %d", channel.Version, h.Version)
	}
	return nil
}

// place finds the address of a new device.
func (v *server) place(h *channel.Hello) (addr [4]byte, err error) {
	if err := sameVersion(h); err != nil {
		return addr, err
	}
	if h.Addr != "" {
		a, err := netip.ParseAddr(h.Addr)
		if err != nil || !a.Is4() {
			return addr, fmt.Errorf("%q is no IPv4 address", h.Addr)
		}
		addr = a.As4()
		switch nic, k, ok := channel.NICOf(addr); {
		case !ok || int(nic) >= len(v.names) || k > v.perNIC():
			return addr, fmt.Errorf("no NIC of the fabric has the address %v: %s has %v to %v, %s has %v to %v", a,
				v.names[0], v.addr(0, 1), v.addr(0, v.perNIC()), v.names[len(v.names)-1], v.addr(len(v.names)-1, 1), v.addr(len(v.names)-1, v.perNIC()))
		case v.byAddr[addr] != nil:
			return addr, fmt.Errorf("a device has the address %v already: programs on %s take different ones, up to %v", a, v.names[nic], v.addr(int(nic), v.perNIC()))
		}
		return addr, nil
	}
	for nic, name := range v.names {
		if name != h.NIC && h.NIC != "" {
			continue
		}
		for k := 1; k <= v.perNIC(); k++ {
			if addr = channel.Address(int32(nic), k); v.byAddr[addr] == nil {
				return addr, nil
			}
			if h.NIC == "" {
				break // the next NIC that has no device
			}
		}
	}
	if h.NIC == "" {
		return addr, fmt.Errorf("every NIC of the fabric has a device: name one of %s to %s", v.names[0], v.names[len(v.names)-1])
	}
	return addr, fmt.Errorf("the fabric has no NIC %q with a free address: its NICs are %s to %s", h.NIC, v.names[0], v.names[len(v.names)-1])
}
