package verbs

import (
	"context"
	"math/bits"
	"sync/atomic"

	"weft/units"
)

// WCFlags says which optional parts a completion has.
type WCFlags uint8

// The flags, with the numbers of ibv_wc_flags.
const (
	// WCGRH says that the 40 bytes before the data are a GRH. Without it they have no meaning: on
	// InfiniBand only packets to a group have a GRH.
	WCGRH     WCFlags = 1 << iota
	WCWithImm         // ImmData is valid
	_
	WCWithInv // InvalidatedRKey is valid
)

// WCOpcode is the operation of a completion, with the numbers of ibv_wc_opcode.
type WCOpcode uint8

// The operations.
const (
	WCSend WCOpcode = iota
	WCRDMAWrite
	WCRDMARead
	WCCompSwap
	WCFetchAdd
	WCBindMW
	WCLocalInv
	WCRecv            WCOpcode = 128
	WCRecvRDMAWithImm WCOpcode = 129
)

// WC is a work completion.
type WC struct {
	WRID            uint64
	Status          Status
	Opcode          WCOpcode
	Flags           WCFlags
	ByteLen         uint32 // of receives, READs and atomics
	ImmData         uint32
	InvalidatedRKey uint32
	QPN             QPN
	SrcQP           QPN       // of UD receives
	SLID            units.LID // of UD receives on InfiniBand: the sender's
	_               [6]byte
	Clock           units.Time // Device.Clock at the completion, if the queue stamps
}

// CQ is a completion queue.
type CQ struct {
	dev      *Device
	ring     CQRing
	capacity uint32
	closed   bool
	stamps   bool
	armed    arming
	glances  uint8 // vain looks since the device's arming with the number seen
	seen     uint32
	notify   func()
	event    chan struct{}
	refs     int
}

// CQRing is the memory of a completion queue. The device writes completions, one reader at a time
// takes them. Memory that a caller gives may be read without a call of this package, by code in
// another language, too: the completions from Taken to Added, each at its number modulo the length
// of Entries.
type CQRing struct {
	Entries []WC // a power of two
	*CQMarks
}

// CQMarks are the counters of a completion queue, each in a cache line of its own.
type CQMarks struct {
	Added   atomic.Uint32 // completions that the device has written
	Overrun atomic.Uint32 // 1: a completion found no room
	_       [56]byte
	Taken   atomic.Uint32 // completions that the reader has taken
	_       [60]byte
}

// CQInitAttr are the parameters of a completion queue.
type CQInitAttr struct {
	Capacity int    // completions that it can hold
	Ring     CQRing // memory with room for Capacity completions; none if Entries is nil
	// Notify is called at an event of the armed queue, with the device's lock held: it must not call
	// the device. Without it, Wait waits for events.
	Notify func()
	Stamps bool // completions have the device's clock (ibv_create_cq_ex(3), completion timestamps)
}

// arming says which completions raise the next event.
type arming uint8

const (
	unarmed arming = iota
	armedSolicited
	armedAny
)

// CreateCQ creates a queue for cqe completions.
func (d *Device) CreateCQ(cqe int) (*CQ, error) { return d.CreateCQWith(CQInitAttr{Capacity: cqe}) }

// CreateCQWith creates a queue with these parameters.
func (d *Device) CreateCQWith(a CQInitAttr) (*CQ, error) {
	d.port.Lock()
	defer d.port.Unlock()
	switch {
	case d.closed:
		return nil, ErrClosed
	case a.Capacity < 1 || a.Capacity > MaxCQE:
		return nil, invalid("%d entries: 1 to %d", a.Capacity, MaxCQE)
	}
	c := &CQ{
		dev: d, capacity: uint32(a.Capacity), stamps: a.Stamps, notify: a.Notify,
		event: make(chan struct{}, 1),
	}
	if err := c.setMemory(a.Ring); err != nil {
		return nil, err
	}
	d.cqs[c] = struct{}{}
	return c, nil
}

// setMemory gives the queue its memory.
func (c *CQ) setMemory(r CQRing) error {
	if r.Entries == nil {
		c.ring = CQRing{make([]WC, 1<<bits.Len32(c.capacity-1)), new(CQMarks)}
		return nil
	}
	if n := len(r.Entries); n&(n-1) != 0 || n < int(c.capacity) || r.CQMarks == nil {
		return invalid("memory for %d completions: a power of two, at least %d, with its marks", n,
			c.capacity)
	}
	c.ring = r
	return nil
}

// Resize gives the queue another capacity and, if a.Ring has Entries, other memory
// (ibv_resize_cq(3)). Completions not yet taken keep their numbers. The old memory may be freed;
// its reader must wait meanwhile. a.Notify is ignored.
func (c *CQ) Resize(a CQInitAttr) error {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	switch {
	case c.closed:
		return ErrClosed
	case a.Capacity < 1 || a.Capacity > MaxCQE:
		return invalid("%d entries: 1 to %d", a.Capacity, MaxCQE)
	case uint32(a.Capacity) < c.size():
		return invalid("%d entries: %d completions are in the queue", a.Capacity, c.size())
	}
	bigger := CQ{capacity: uint32(a.Capacity)}
	if err := bigger.setMemory(a.Ring); err != nil {
		return err
	}
	taken := c.ring.Taken.Load()
	for n := range c.size() {
		*bigger.entry(taken + n) = *c.entry(taken + n)
	}
	bigger.ring.Added.Store(c.ring.Added.Load())
	bigger.ring.Taken.Store(taken)
	bigger.ring.Overrun.Store(c.ring.Overrun.Load())
	c.ring, c.capacity = bigger.ring, bigger.capacity
	return nil
}

// entry is the place of a completion by its number.
func (c *CQ) entry(n uint32) *WC { return &c.ring.Entries[n&uint32(len(c.ring.Entries)-1)] }

// size is the number of completions not yet taken.
func (c *CQ) size() uint32 { return c.ring.Added.Load() - c.ring.Taken.Load() }

// Poll returns up to len(wc) completions, without waiting. If there are none it does the device's
// work once.
func (c *CQ) Poll(wc []WC) (int, error) {
	n, err := c.poll(wc)
	if n == 0 {
		c.dev.rest()
	}
	return n, err
}

func (c *CQ) poll(wc []WC) (int, error) {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	if c.size() == 0 {
		c.work()
	}
	n := min(len(wc), int(c.size()))
	first := c.ring.Taken.Load()
	for i := range n {
		wc[i] = *c.entry(first + uint32(i))
	}
	c.ring.Taken.Add(uint32(n))
	if n == 0 && c.ring.Overrun.Load() != 0 {
		return 0, ErrOverrun
	}
	return n, nil
}

// Work does the device's work once, as Poll does if there is no completion. Whoever reads the
// memory of the CQRing calls it while that has none.
func (c *CQ) Work() {
	c.dev.port.Lock()
	busy := c.work()
	c.dev.port.Unlock()
	if !busy {
		c.dev.rest()
	}
}

// work reports whether a packet had arrived. Who polls an armed queue is about to wait for its
// event, and does not say so to the device: with a Notify it waits elsewhere. Who waits for the
// events of one queue looks at others between, which are not armed.
func (c *CQ) work() (busy bool) {
	switch {
	case c.dev.closed:
		return false
	case c.armed != unarmed || c.glance():
		return c.dev.port.Assist()
	}
	return c.dev.port.Progress()
}

// mostGlances is the number of vain looks at a queue that are no polling yet. A program looks once
// or twice after an event, and a poller has done that many in a microsecond.
const mostGlances = 4

// glance reports whether a look at the queue is one of the first since a queue of the device was
// armed; none was with 0.
func (c *CQ) glance() bool {
	if c.seen != c.dev.armings {
		c.seen, c.glances = c.dev.armings, 0
	}
	if c.seen == 0 || c.glances == mostGlances {
		return false
	}
	c.glances++
	return true
}

// arm sets which completions raise the next event.
func (c *CQ) arm(to arming) {
	if c.notify != nil && (to == unarmed) != (c.armed == unarmed) {
		c.dev.port.Waits(to != unarmed)
	}
	c.armed = to
}

// Pending is the number of completions not yet polled.
func (c *CQ) Pending() int {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	return int(c.size())
}

// ReqNotify arms the queue: the next completion raises an event. With solicitedOnly, only a failed
// completion does, or a completion that the peer marked as solicited.
func (c *CQ) ReqNotify(solicitedOnly bool) {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	c.reqNotify(solicitedOnly)
}

func (c *CQ) reqNotify(solicitedOnly bool) {
	if solicitedOnly {
		c.arm(armedSolicited)
	} else {
		c.arm(armedAny)
	}
	c.dev.armings++
	c.dev.port.StopPolling()
}

// Wait waits for an event of an armed queue. As with ibv_get_cq_event, this order misses no event:
// arm, poll until the queue is empty, wait.
func (c *CQ) Wait(ctx context.Context) error {
	c.dev.port.Lock()
	if c.closed || c.dev.closed {
		c.dev.port.Unlock()
		return ErrClosed
	}
	c.dev.port.StopPolling()
	c.dev.port.Unlock()
	select {
	case <-c.event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// push adds a completion; false says that the queue is full.
func (c *CQ) push(wc *WC, solicited bool) bool {
	added := c.ring.Added.Load()
	if added-c.ring.Taken.Load() >= c.capacity {
		c.ring.Overrun.Store(1)
		return false
	}
	to := c.entry(added)
	*to = *wc
	if c.stamps {
		to.Clock = c.dev.port.Now()
	}
	c.ring.Added.Store(added + 1)
	if c.armed == armedAny || c.armed == armedSolicited && (solicited || wc.Status != Success) {
		c.signal()
	}
	return true
}

func (c *CQ) signal() {
	c.arm(unarmed)
	if c.notify != nil {
		c.notify()
		return
	}
	c.wake()
}

// wake ends a Wait.
func (c *CQ) wake() {
	select {
	case c.event <- struct{}{}:
	default:
	}
}

// Destroy destroys the queue; no queue pair may use it.
func (c *CQ) Destroy() error {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	switch {
	case c.closed:
		return ErrClosed
	case c.refs > 0:
		return ErrBusy
	}
	c.closed = true
	c.arm(unarmed)
	c.wake()
	delete(c.dev.cqs, c)
	return nil
}

var wcOpcodeNames = map[WCOpcode]string{
	WCSend: "IBV_WC_SEND", WCRDMAWrite: "IBV_WC_RDMA_WRITE", WCRDMARead: "IBV_WC_RDMA_READ",
	WCCompSwap: "IBV_WC_COMP_SWAP",
	WCFetchAdd: "IBV_WC_FETCH_ADD", WCBindMW: "IBV_WC_BIND_MW", WCLocalInv: "IBV_WC_LOCAL_INV",
	WCRecv:            "IBV_WC_RECV",
	WCRecvRDMAWithImm: "IBV_WC_RECV_RDMA_WITH_IMM",
}

func (o WCOpcode) String() string { return named(o, wcOpcodeNames) }

func (f WCFlags) String() string {
	return flags(f, []string{"IBV_WC_GRH", "IBV_WC_WITH_IMM", "", "IBV_WC_WITH_INV"})
}
