package verbs

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/verbs/internal/socket"
)

// Device is an open RDMA device with one port.
type Device struct {
	port    *socket.Port
	mtu     int
	fabric  *socket.Emulated    // nil: the device is on a real network
	dcqcn   *cc.DCQCNParams     // on a real network; nil: no congestion control
	control func() cc.Algorithm // makes the congestion control of a queue pair; nil: none
	keys    keys
	qps     map[*QP]struct{}
	cqs     map[*CQ]struct{}
	armings uint32 // how often a queue was armed
	closed  bool
	down    bool // the emulated fabric's NIC has no cable in service
	foreign bool // Options.ForeignMemory
	async   chan AsyncEvent

	rejected atomic.Int64 // rejected messages to the manager: Stats.ManagerDropped

	shared shared // nil: the address is the device's alone
	// tells of devices that have ended; nil: nobody does
	ends   interface{ OnEnd(func(netip.AddrPort)) }
	cmOnce sync.Once
	cm     *manager
	cmErr  error
}

// shared is the connection of a device at an address that devices of other processes have, too.
type shared interface {
	Listens(service uint64) error
	Leaves(service uint64)
	OnLost(lost func())
}

// PathMTU is the largest path MTU of the device's queue pairs, in bytes.
func (d *Device) PathMTU() int { return d.mtu }

func validMTU(n int) bool { return n >= 256 && n <= 4096 && n&(n-1) == 0 }

// Addr is the address and UDP port of the device: its GID, in RoCE's terms.
func (d *Device) Addr() netip.AddrPort { return d.port.Local() }

// Clock is the time of the device's clock: the machine's since the device was opened, or that of
// its emulated fabric when the device last had work. It is right when a completion has just come.
func (d *Device) Clock() units.Time {
	if d.fabric != nil {
		return d.fabric.Worked()
	}
	return d.port.Now()
}

// Sync brings the clock of a device on an emulated fabric to the present time. A program that
// measures calls it before it begins. It fails if the fabric has ended.
func (d *Device) Sync() error {
	if d.fabric == nil {
		return nil
	}
	return d.fabric.Sync()
}

// Wait says that the caller is about to wait for an event of a queue with a Notify. The device then
// does its own work at once, which it leaves to a caller that polls.
func (d *Device) Wait() {
	d.port.Lock()
	defer d.port.Unlock()
	d.port.StopPolling()
}

// Progress receives arrived packets and sends pending ones. It reports whether any packet had
// arrived. A program that waits for memory to change, which one-sided operations do without a
// completion, calls it in a loop.
func (d *Device) Progress() bool {
	d.port.Lock()
	busy := d.port.Progress()
	d.port.Unlock()
	if !busy {
		d.rest()
	}
	return busy
}

// PD is a protection domain: its queue pairs reach only its memory.
type PD struct {
	dev  *Device
	refs int
}

// AllocPD allocates a protection domain.
func (d *Device) AllocPD() *PD {
	return &PD{dev: d}
}

// Dealloc frees the domain; it must be empty.
func (p *PD) Dealloc() error {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	if p.refs > 0 {
		return fmt.Errorf("%w: %d objects are in the protection domain", ErrBusy, p.refs)
	}
	return nil
}

// QPN is the number of a queue pair.
type QPN = units.QPN

// pollRest is how long a call that polls in vain leaves the processor to the emulated fabric, at
// most: its clock does not move while a device waits for a processor.
const pollRest = time.Millisecond

// rest lets an emulated fabric work, if there is one.
func (d *Device) rest() {
	if d.fabric != nil {
		d.fabric.Rest(pollRest)
	}
}

// guid stands for a hardware GUID: it is made of the device's address.
func (d *Device) guid() uint64 {
	b := d.Addr().Addr().As16()
	var g uint64
	for _, v := range b[8:] {
		g = g<<8 | uint64(v)
	}
	return g
}
