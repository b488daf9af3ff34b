package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe" //nolint:depguard // the fabric's clock is in memory that two processes share

	"golang.org/x/sys/unix"

	"weft/internal/base/door"
	"weft/internal/sim/channel"
	"weft/units"
	"weft/wire"
)

// Emulated is the wire and the clock of a port on an emulated fabric: see package channel.
type Emulated struct {
	Welcome channel.Welcome

	fd      int
	local   netip.AddrPort
	dial    *channel.Dial
	machine monotonic
	seen    atomic.Int64 // the latest time that was read from the dial
	worked  atomic.Int64
	woken   atomic.Bool // the fabric has been asked for a turn
	ended   atomic.Bool // it gives no more
	bell    int         // an eventfd that ends a Rest

	// With the port's lock held.
	port    *Port
	turning bool // the device has a turn
	in      []Incoming
	out     []channel.Packet
	sent    []byte // memory of out
	able    bool   // packets are ECN-capable
	over    bool   // the channel is closed
	down    bool   // the NIC's cables are without service
	link    func(down bool)

	buffer, answer []byte
}

// OpenEmulated asks the fabric at a socket for the device with an address, or for any of the NIC with a name.
func OpenEmulated(path string, addr netip.Addr, nic string) (*Emulated, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	e := &Emulated{fd: fd, machine: newMonotonic(), bell: -1, buffer: make([]byte, channel.MaxMessage)}
	if err := e.greet(path, addr, nic); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("live: the emulated fabric at %s: %w", path, err)
	}
	return e, nil
}

// greet says hello and takes the welcome.
func (e *Emulated) greet(path string, addr netip.Addr, nic string) error {
	if err := unix.Connect(e.fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return os.NewSyscallError("connect", err)
	}
	owner, err := door.Peer(e.fd)
	if err != nil {
		return err
	}
	if !door.OwnOrRoot(owner) {
		return fmt.Errorf("%w: its owner is %s, and this is %s", os.ErrPermission, door.Name(owner), door.Name(uint32(os.Geteuid())))
	}
	hello := channel.Hello{Version: channel.Version, NIC: nic}
	if addr.IsValid() && !addr.IsUnspecified() {
		hello.Addr = addr.Unmap().String()
	}
	text, err := channel.Marshal(channel.KindHello, hello)
	if err != nil {
		return err
	}
	if _, err := unix.Write(e.fd, text); err != nil {
		return os.NewSyscallError("write", err)
	}
	b, err := e.readWelcome()
	if err != nil {
		return err
	}
	if err := channel.Unmarshal(b, channel.KindWelcome, &e.Welcome); err != nil {
		return err
	}
	if e.dial == nil {
		return fmt.Errorf("%w: no clock", channel.ErrMessage)
	}
	a, err := netip.ParseAddr(e.Welcome.Addr)
	if err != nil || !a.Is4() {
		return fmt.Errorf("%w: the address %q", channel.ErrMessage, e.Welcome.Addr)
	}
	e.local = netip.AddrPortFrom(a, wire.RoCEv2Port)
	return nil
}

// readWelcome reads the welcome, or the refusal, and takes the fabric's clock from the descriptor with it.
func (e *Emulated) readWelcome() ([]byte, error) {
	control := make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := unix.Recvmsg(e.fd, e.buffer, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	if m == 0 {
		return e.buffer[:n], nil // a refusal
	}
	messages, err := unix.ParseSocketControlMessage(control[:m])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("%w: no clock", channel.ErrMessage)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("%w: no clock", channel.ErrMessage)
	}
	defer unix.Close(fds[0])
	memory, err := unix.Mmap(fds[0], 0, channel.DialBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	e.dial = (*channel.Dial)(unsafe.Pointer(&memory[0]))
	// Who reads the clock, or rests, may outlive the connection.
	runtime.AddCleanup(e, func(b []byte) { _ = unix.Munmap(b) }, memory)
	if e.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err == nil {
		runtime.AddCleanup(e, func(fd int) { _ = unix.Close(fd) }, e.bell)
	}
	return e.buffer[:n], os.NewSyscallError("eventfd", err)
}

// monotonic is CLOCK_MONOTONIC, without a system call.
type monotonic struct {
	at    int64 // ns
	start time.Time
}

func newMonotonic() monotonic {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return monotonic{t.Nano(), time.Now()}
}

func (m *monotonic) now() int64 { return m.at + int64(time.Since(m.start)) }

// errOver is the end of a fabric.
var errOver = errors.New("live: the emulated fabric has ended")

// read reads a message.
func (e *Emulated) read() ([]byte, error) {
	for {
		switch n, err := unix.Read(e.fd, e.buffer); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, os.NewSyscallError("read", err)
		case n == 0:
			return nil, errOver
		default:
			return e.buffer[:n], nil
		}
	}
}

// Clock is the fabric's clock. It stands still while the device has a turn, and from the fabric's end on.
func (e *Emulated) Clock() units.Time {
	t, _ := e.dial.At(e.machine.now()) // while the dial is being set, the time of the reading before
	return raise(&e.seen, t)
}

// raise raises a time to another if that is later, and returns it.
func raise(a *atomic.Int64, t units.Time) units.Time {
	for {
		old := a.Load()
		if int64(t) <= old {
			return units.Time(old)
		}
		if a.CompareAndSwap(old, int64(t)) {
			return t
		}
	}
}

// Worked is the fabric's clock when the device last had a turn or made an offer, or at the last Sync. With a fixed
// dilation, a fabric that was behind catches up as soon as there is no work, so Clock is no measure of work.
func (e *Emulated) Worked() units.Time { return units.Time(e.worked.Load()) }

// Sync sets Worked to the present time. It fails if the fabric has ended.
func (e *Emulated) Sync() error {
	raise(&e.worked, e.Clock())
	if e.ended.Load() {
		return errOver
	}
	return nil
}

// Serve gives a port its turns until the fabric or the connection ends; it then calls lost. It calls link,
// with the port's lock held, when the NIC's last cable goes out of service, and when one is in service again.
func (e *Emulated) Serve(p *Port, link func(down bool), lost func()) {
	e.link, e.port = link, p
	go func() {
		err := e.turns(p)
		e.ended.Store(true)
		p.Lock()
		closed := e.over
		e.over = true
		if !closed {
			p.fail(err)
		}
		_ = unix.Close(e.fd) // nothing was to be written
		e.fd = -1
		p.Unlock()
		if !closed {
			lost()
		}
		e.signal()
	}()
}

// turns are the turns until the end.
func (e *Emulated) turns(p *Port) error {
	var t channel.Turn
	var packets []byte
	for {
		b, err := e.read()
		if err != nil {
			return err
		}
		more, err := t.Parse(b)
		if err != nil {
			return err
		}
		if packets = append(packets, more...); t.More {
			continue
		}
		if err := e.turn(p, &t, packets); err != nil {
			return err
		}
		packets = packets[:0]
	}
}

// turn does a port's work at a time, and answers.
func (e *Emulated) turn(p *Port, t *channel.Turn, packets []byte) error {
	p.Lock()
	defer p.Unlock()
	e.turning = true
	defer func() { e.turning = false }()
	e.woken.Store(false)
	raise(&e.worked, t.Now)
	if t.Down != e.down {
		e.down = t.Down
		e.link(e.down)
	}
	e.in = e.in[:0]
	for len(packets) > 0 {
		var c channel.Packet
		var err error
		if packets, err = c.Parse(packets); err != nil {
			return err
		}
		in := Incoming{From: address(c.From), Segment: len(c.Data), CE: c.Mark, Data: c.Data, Seen: c.Seen}
		if to := netip.AddrFrom4(c.To); to.IsMulticast() {
			in.To = netip.AddrPortFrom(to, wire.RoCEv2Port)
		}
		e.in = append(e.in, in)
	}
	arrived := len(e.in) > 0
	p.budget = int(t.Room)
	p.progress(false)
	p.push(t.Now)
	if arrived {
		e.signal()
	}
	return e.reply(p)
}

func address(a [4]byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4(a), wire.RoCEv2Port)
}

// reply sends the answer, or an offer, in as many messages as its packets take.
func (e *Emulated) reply(p *Port) error {
	a := channel.Answer{Offer: !e.turning, Hungry: p.ready.size > 0, Deadline: p.timers.next(), Repeated: uint64(p.again), Counters: p.stats.Counters}
	p.tx.waitsFor, p.hungry = a.Deadline, a.Hungry
	defer func() { e.out, e.sent = e.out[:0], e.sent[:0] }()
	rest := e.out
	for {
		n := channel.Fit(rest)
		a.More = n < len(rest)
		e.answer = a.Append(e.answer[:0])
		for i := range n {
			e.answer = rest[i].Append(e.answer)
		}
		if err := e.write(e.answer); err != nil || !a.More {
			return err
		}
		rest = rest[n:]
	}
}

func (e *Emulated) write(b []byte) error {
	for !e.over {
		if _, err := unix.SendmsgN(e.fd, b, nil, nil, unix.MSG_NOSIGNAL); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("send", err)
		}
	}
	return errOver
}

// Rest waits until packets have arrived or the time has passed. Callers that poll an empty queue leave the
// processor to the fabric by it. It waits in the kernel: Go would wake a thread that a C program has called it on by
// another thread.
func (e *Emulated) Rest(most time.Duration) {
	t := unix.NsecToTimespec(int64(most))
	bell := []unix.PollFd{{Fd: int32(e.bell), Events: unix.POLLIN}}
	if n, err := unix.Ppoll(bell, &t, nil); n > 0 && err == nil {
		var count [8]byte
		_, _ = unix.Read(e.bell, count[:]) // another may have read it
	}
	runtime.KeepAlive(e)
}

// signal ends the present Rest, or the next.
func (e *Emulated) signal() {
	_, _ = unix.Write(e.bell, oneEvent) // it fails only if the counter is full
}

// Local implements Conn.
func (e *Emulated) Local() netip.AddrPort { return e.local }

// Buffer implements Conn: the fabric loses nothing at its ends.
func (e *Emulated) Buffer() int { return 1 << 40 }

// MTU implements Conn: the fabric has told the path MTU.
func (e *Emulated) MTU() int { return 0 }

// Reach implements Conn: every packet crosses the fabric.
func (e *Emulated) Reach(netip.AddrPort) *Way { return nil }

// AllowMarks implements Conn.
func (e *Emulated) AllowMarks() error {
	e.able = true
	return nil
}

// Join implements Conn.
func (e *Emulated) Join(group netip.Addr) error {
	if !group.Is4() {
		return ErrFamily
	}
	return e.write(channel.AppendGroup(nil, channel.KindJoin, group.As4()))
}

// Leave implements Conn.
func (e *Emulated) Leave(group netip.Addr) {
	_ = e.write(channel.AppendGroup(nil, channel.KindLeave, group.As4())) // an error is the fabric's end
}

// Send keeps packets for the answer to the present turn. Between two turns it offers them.
func (e *Emulated) Send(batch []Outgoing) error {
	if e.over {
		return nil // packets get lost, as on a dead link
	}
	for i := range batch {
		o := &batch[i]
		start := len(e.sent)
		for _, part := range o.Parts {
			e.sent = append(e.sent, part...)
		}
		for all := e.sent[start:]; len(all) > 0; {
			n := min(o.Segment, len(all))
			e.out = append(e.out, channel.Packet{From: e.local.Addr().As4(), To: o.To.Addr().Unmap().As4(), Mark: e.able, Data: all[:n:n], Seen: o.Seen})
			all = all[n:]
		}
	}
	if e.turning {
		return nil
	}
	raise(&e.worked, e.Clock())
	return e.reply(e.port)
}

// Receive implements Conn: a turn's packets, once.
func (e *Emulated) Receive() ([]Incoming, error) {
	in := e.in
	e.in = e.in[:0]
	return in, nil
}

// Wait implements Conn; nobody calls it, because the port has no goroutine.
func (e *Emulated) Wait(time.Duration) {}

// Wake asks the fabric for a turn.
func (e *Emulated) Wake() {
	if !e.woken.Swap(true) {
		_ = e.write([]byte{byte(channel.KindWake)}) // an error is the fabric's end
	}
}

// Close ends the connection; the goroutine of Serve closes the descriptor.
func (e *Emulated) Close() error {
	if e.over {
		return nil
	}
	e.over = true
	return os.NewSyscallError("shutdown", unix.Shutdown(e.fd, unix.SHUT_RDWR))
}
