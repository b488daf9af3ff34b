package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/base/door"
)

// nearConn is a UDP socket, and ways through shared memory to the devices of the same user on the
// same machine.
//
// A device listens on an abstract Unix socket that is named by the user and its address, in its
// network namespace as the address itself. The writer of a ring connects, and passes the memory;
// the reader answers with the event that wakes it. The connection then only tells when the other
// process ends. A device of another user is reached by UDP.
type nearConn struct {
	*udpConn
	listener *net.UnixListener
	work     sync.WaitGroup
	taken    []Incoming
	turn     int
	calls    atomic.Uint32 // looks at the rings since the last one at the socket

	tellEnd atomic.Pointer[func(netip.AddrPort)] // takes the address of a device that has ended

	readers atomic.Pointer[[]*reader] // changed with mu held
	ended   atomic.Bool               // readers have ended since the last drop

	mu     sync.Mutex
	closed bool
	ways   map[*Way]*other
}

// other is the device at the end of a way.
type other struct {
	conn  *net.UnixConn
	event int // wakes it; 0: not known yet, or no more
}

// reader is the ring of a device that sends to this one.
type reader struct {
	ring sharedRing
	from netip.AddrPort
	conn *net.UnixConn
	dead bool // guarded by nearConn.mu
}

// hello is the first message on a connection, with the ring's memory.
const hello = "weft verbs 1 "

// OpenNear binds a socket as OpenUDP does, and opens ways through shared memory beside it.
func OpenNear(local netip.AddrPort) (Conn, error) {
	conn, err := OpenUDP(local)
	if err != nil {
		return nil, err
	}
	u, ok := conn.(*udpConn)
	if !ok {
		return conn, nil
	}
	l, _ := net.ListenUnix("unixpacket", nearName(u.local))
	if l == nil { // another program has taken the name: UDP serves
		return conn, nil
	}
	c := &nearConn{udpConn: u, listener: l, ways: map[*Way]*other{}, taken: make([]Incoming, 0, maxBatch)}
	c.readers.Store(new([]*reader))
	c.work.Go(c.accept)
	return c, nil
}

func nearName(a netip.AddrPort) *net.UnixAddr {
	return &net.UnixAddr{Net: "unixpacket", Name: fmt.Sprintf("@weft-verbs/%d/%v", os.Getuid(), a)}
}

// Reach opens a way to a device; nil if there is none but the socket.
func (c *nearConn) Reach(to netip.AddrPort) *Way {
	conn, err := net.DialUnix("unixpacket", nil, nearName(to))
	if err != nil {
		return nil
	}
	if !door.OwnAt(conn) { // another user's gets no memory
		_ = conn.Close()
		return nil
	}
	memory, fd, err := newRing()
	if err != nil {
		_ = conn.Close()
		return nil
	}
	_, _, err = conn.WriteMsgUnix(append([]byte(hello), c.local.String()...), unix.UnixRights(fd), nil)
	_ = unix.Close(fd)
	w, o := &Way{ring: ringOn(memory)}, &other{conn: conn}
	w.end = func() { c.leave(w, memory) }
	w.wake = func() { c.wakeOther(o) }
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || c.closed {
		_, _ = conn.Close(), unix.Munmap(memory)
		return nil
	}
	c.ways[w] = o
	c.work.Go(func() { c.follow(w, o) })
	return w
}

// oneEvent is what is written to an event.
var oneEvent = []byte{1, 0, 0, 0, 0, 0, 0, 0}

// wakeOther wakes a device that has passed its event.
func (c *nearConn) wakeOther(o *other) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.event != 0 {
		_, _ = unix.Write(o.event, oneEvent) // it fails only if the counter is full: the other is awake
	}
}

// follow takes the event of a way, and marks the way at the end of the other device.
func (c *nearConn) follow(w *Way, o *other) {
	event, err := receiveFD(o.conn, nil)
	if err != nil {
		w.dead.Store(true)
		return
	}
	c.mu.Lock()
	o.event = event
	c.mu.Unlock()
	c.wakeOther(o) // for what was sent meanwhile
	var none [1]byte
	_, _ = o.conn.Read(none[:])
	w.dead.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	o.event = 0
	_ = unix.Close(event)
}

// leave ends a way.
func (c *nearConn) leave(w *Way, memory []byte) {
	c.mu.Lock()
	o := c.ways[w]
	delete(c.ways, w)
	c.mu.Unlock()
	_, _ = o.conn.Close(), unix.Munmap(memory)
}

// accept takes the rings of devices that will send to this one.
func (c *nearConn) accept() {
	for {
		conn, err := door.Next(c.listener.AcceptUnix)
		if err != nil {
			return
		}
		if !door.OwnAt(conn) || !c.hold(conn) {
			_ = conn.Close()
		}
	}
}

// hold makes a reader of a connection; false if it does not say what is expected.
func (c *nearConn) hold(conn *net.UnixConn) bool {
	memory, from, err := greeting(conn)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := *c.readers.Load()
	if c.closed || len(known) >= MaxNear {
		_ = unix.Munmap(memory)
		return false
	}
	// It fails if the writer has ended already, and then what it has left in the ring is read all the same.
	_, _, _ = conn.WriteMsgUnix([]byte{1}, unix.UnixRights(c.event), nil)
	r := &reader{ring: ringOn(memory), from: from, conn: conn}
	c.keep(append(slices.Clone(known), r))
	c.work.Go(func() { c.watch(r) })
	c.Wake()
	return true
}

// greeting is the first message of a writer: its address, and the memory of its ring.
func greeting(conn *net.UnixConn) (memory []byte, from netip.AddrPort, err error) {
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	text := make([]byte, len(hello)+64)
	fd, err := receiveFD(conn, &text)
	if err != nil {
		return nil, from, err
	}
	defer unix.Close(fd)
	_ = conn.SetReadDeadline(time.Time{})
	addr, ok := strings.CutPrefix(string(text), hello)
	if from, err = netip.ParseAddrPort(addr); err != nil || !ok {
		return nil, from, fmt.Errorf("live: %q is no greeting", text)
	}
	memory, err = mapRing(fd)
	return memory, from, err
}

// keep sets the list of readers.
func (c *nearConn) keep(list []*reader) { c.readers.Store(&list) }

// watch marks a reader at the end of its device.
func (c *nearConn) watch(r *reader) {
	var none [1]byte
	_, _ = r.conn.Read(none[:])
	c.mu.Lock()
	r.dead = true
	c.mu.Unlock()
	c.ended.Store(true)
	c.Wake()
	go c.report(r)
}

// OnEnd has a function called, on a goroutine of its own, when a device has ended that had sent through
// shared memory: its last packets are processed then.
func (c *nearConn) OnEnd(tell func(netip.AddrPort)) { c.tellEnd.Store(&tell) }

// report tells the end of a reader's device. A device that has nothing more to send ends its ring, too, and is
// still there; one that has ended is no longer listening, a little later perhaps.
func (c *nearConn) report(r *reader) {
	const tries, pause = 5, 10 * time.Millisecond
	tell := c.tellEnd.Load()
	for c.reads(r) {
		time.Sleep(pause)
	}
	if c.isClosed() {
		return
	}
	for range tries {
		conn, err := net.DialUnix("unixpacket", nil, nearName(r.from))
		if err == nil {
			_ = conn.Close()
			time.Sleep(pause)
			continue
		}
		if tell != nil && errors.Is(err, unix.ECONNREFUSED) {
			(*tell)(r.from)
		}
		return
	}
}

func (c *nearConn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// reads reports whether a ring still has packets that are not processed.
func (c *nearConn) reads(r *reader) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed && slices.Contains(*c.readers.Load(), r)
}

// Send passes datagrams to their ways, and the others to the socket.
func (c *nearConn) Send(batch []Outgoing) error {
	for len(batch) > 0 {
		n := 0
		for n < len(batch) && !batch[n].By.open() {
			n++
		}
		if n > 0 {
			if err := c.udpConn.Send(batch[:n]); err != nil {
				return err
			}
			batch = batch[n:]
			continue
		}
		batch[0].By.send(&batch[0])
		batch = batch[1:]
	}
	return nil
}

// Receive returns the datagrams of the rings, or of the socket. A call of the kernel takes longer than
// a look at the rings: while there are rings, and no datagrams at the socket, the socket is asked once
// in socketTurns calls.
func (c *nearConn) Receive() ([]Incoming, error) {
	rings := *c.readers.Load()
	for _, r := range rings {
		r.ring.free()
	}
	if len(rings) > 0 && c.calls.Add(1) < socketTurns {
		return c.fromRings(rings), nil
	}
	in, err := c.udpConn.Receive()
	if len(in) == 0 {
		c.calls.Store(0)
	}
	if len(in) == 0 && err == nil && len(rings) > 0 {
		in = c.fromRings(rings)
	}
	if len(in) == 0 && c.ended.Load() {
		c.drop()
	}
	return in, err
}

// fromRings takes entries from the rings in turn.
func (c *nearConn) fromRings(rings []*reader) []Incoming {
	in := c.taken[:0]
	for i := range rings {
		r := rings[(c.turn+i)%len(rings)]
		for len(in) < maxBatch && r.ring.take(&in[:len(in)+1][len(in)]) {
			in = in[:len(in)+1]
			in[len(in)-1].From = r.from
		}
	}
	c.turn++
	return in
}

// drop frees the rings whose device has ended and whose entries are read.
func (c *nearConn) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Store(false)
	c.keep(slices.DeleteFunc(slices.Clone(*c.readers.Load()), func(r *reader) bool {
		if !r.dead {
			return false
		}
		if r.ring.waiting() {
			c.ended.Store(true)
			return false
		}
		_, _ = r.conn.Close(), unix.Munmap(r.ring.memory)
		return true
	}))
}

// Wait waits for datagrams of the rings, too.
func (c *nearConn) Wait(d time.Duration) {
	if c.sleep() {
		return
	}
	c.udpConn.Wait(d)
	c.calls.Store(socketTurns) // perhaps the socket has ended the wait
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range *c.readers.Load() {
		r.ring.asleep.Store(0)
	}
}

// sleep asks the writers of all rings to wake this device; true if there are entries already.
func (c *nearConn) sleep() (ready bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rings := *c.readers.Load()
	for _, r := range rings {
		r.ring.asleep.Store(1)
	}
	for _, r := range rings {
		ready = ready || r.ring.waiting()
	}
	return ready
}

// Close ends all ways.
func (c *nearConn) Close() error {
	err := c.listener.Close()
	c.mu.Lock()
	c.closed = true
	for _, o := range c.ways {
		_ = o.conn.Close()
	}
	for _, r := range *c.readers.Load() {
		_ = r.conn.Close()
	}
	c.mu.Unlock()
	c.work.Wait()
	for w := range c.ways {
		w.close()
	}
	for _, r := range *c.readers.Load() {
		_ = unix.Munmap(r.ring.memory)
	}
	return firstError(err, c.udpConn.Close())
}

// sealed is what a ring's memory must have: nobody makes it shorter under its reader.
const sealed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newRing makes the memory of a ring.
func newRing() (memory []byte, fd int, err error) {
	fd, err = unix.MemfdCreate("weft-verbs", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, 0, err
	}
	if err = unix.Ftruncate(fd, ringBytes); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, sealed)
	}
	if err == nil {
		memory, err = unix.Mmap(fd, 0, ringBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = unix.Close(fd)
	}
	return memory, fd, err
}

// mapRing maps the memory that another device has made.
func mapRing(fd int) ([]byte, error) {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return nil, err
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&sealed != sealed || s.Size != ringBytes {
		return nil, fmt.Errorf("live: the memory of a ring has %d bytes and seals %#x: want %d and %#x (%w)", s.Size, seals, ringBytes, sealed, err)
	}
	return unix.Mmap(fd, 0, ringBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// receiveFD receives a message with one descriptor; its text, if asked for.
func receiveFD(conn *net.UnixConn, text *[]byte) (int, error) {
	b := make([]byte, 128)
	if text != nil {
		b = *text
	}
	oob := make([]byte, unix.CmsgSpace(4*4))
	n, m, _, _, err := conn.ReadMsgUnix(b, oob)
	if err != nil {
		return 0, err
	}
	if text != nil {
		*text = b[:n]
	}
	var fds []int
	messages, err := unix.ParseSocketControlMessage(oob[:m])
	for i := range messages {
		more, _ := unix.ParseUnixRights(&messages[i])
		fds = append(fds, more...)
	}
	if err != nil || len(fds) != 1 {
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
		return 0, errors.New("live: no descriptor in the message")
	}
	return fds[0], nil
}
