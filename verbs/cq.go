package verbs

import (
	"context"
)

// WCFlags says which optional parts a completion has.
type WCFlags uint8

// The flags, with the numbers of ibv_wc_flags.
const (
	WCGRH     WCFlags = 1 << iota // 40 bytes of GRH precede the data
	WCWithImm                     // ImmData is valid
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
	SrcQP           QPN // of UD receives
}

// CQ is a completion queue.
type CQ struct {
	dev        *Device
	ring       []WC
	head, size int
	overrun    bool
	closed     bool
	armed      arming
	event      chan struct{}
	refs       int
}

// arming says which completions raise the next event.
type arming uint8

const (
	unarmed arming = iota
	armedSolicited
	armedAny
)

// CreateCQ creates a queue for cqe completions.
func (d *Device) CreateCQ(cqe int) (*CQ, error) {
	d.port.Lock()
	defer d.port.Unlock()
	switch {
	case d.closed:
		return nil, ErrClosed
	case cqe < 1 || cqe > MaxCQE:
		return nil, invalid("%d entries: 1 to %d", cqe, MaxCQE)
	}
	c := &CQ{dev: d, ring: make([]WC, cqe), event: make(chan struct{}, 1)}
	d.cqs[c] = struct{}{}
	return c, nil
}

// Poll returns up to len(wc) completions, without waiting. If there are none it does the device's
// work once.
func (c *CQ) Poll(wc []WC) (int, error) {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	if c.size == 0 && !c.dev.closed {
		c.dev.port.Progress()
	}
	n := min(len(wc), c.size)
	for i := range n {
		wc[i] = c.ring[c.head]
		if c.head++; c.head == len(c.ring) {
			c.head = 0
		}
	}
	c.size -= n
	if n == 0 && c.overrun {
		return 0, ErrOverrun
	}
	return n, nil
}

// Pending is the number of completions not yet polled.
func (c *CQ) Pending() int {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	return c.size
}

// ReqNotify arms the queue: the next completion raises an event. With solicitedOnly, only a failed
// completion does, or a completion that the peer marked as solicited.
func (c *CQ) ReqNotify(solicitedOnly bool) {
	c.dev.port.Lock()
	defer c.dev.port.Unlock()
	c.armed = armedAny
	if solicitedOnly {
		c.armed = armedSolicited
	}
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
	if c.size == len(c.ring) {
		c.overrun = true
		return false
	}
	at := c.head + c.size
	if at >= len(c.ring) {
		at -= len(c.ring)
	}
	c.ring[at] = *wc
	c.size++
	if c.armed == armedAny || c.armed == armedSolicited && (solicited || wc.Status != Success) {
		c.signal()
	}
	return true
}

func (c *CQ) signal() {
	c.armed = unarmed
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
	c.signal()
	delete(c.dev.cqs, c)
	return nil
}
