package verbs

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"

	"weft/internal/sim/channel"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/verbs/internal/socket"
)

// openEmulated opens a device at a NIC of an emulated fabric.
func openEmulated(o Options) (*Device, error) {
	conn, err := socket.OpenEmulated(o.Emulator, o.Addr.Addr(), cmp.Or(o.NIC, os.Getenv("WEFT_NIC")))
	if err != nil {
		return nil, fmt.Errorf("verbs: %w", err)
	}
	w := &conn.Welcome
	var control func() cc.Algorithm
	if c := w.QueuePairs.Control; c != nil {
		_ = conn.AllowMarks()
		if control, err = c.Algorithms(); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("verbs: %w", err)
		}
	}
	d, err := open(conn, Options{PathMTU: w.PathMTU, StrictICRC: true, Capture: o.Capture, clock: conn.Clock})
	if err == nil {
		d.control = control
	}
	return d, err
}

// Reaches is the error for an address to which no packet of the device can go; nil for others, whether somebody is there
// or not.
func (d *Device) Reaches(to netip.Addr) error {
	_, err := d.sameFamily(to)
	return err
}

// onFabric is the error for an address that no NIC of the device's emulated fabric can have, as 127.0.0.1: the fabric would
// lose each packet there.
func (d *Device) onFabric(to netip.Addr) error {
	if d.fabric == nil || to.IsMulticast() {
		return nil
	}
	if _, _, ok := channel.NICOf(to.As4()); !ok {
		return fmt.Errorf("verbs: no device of the emulated fabric has the address %v; weft emulate prints those of its NICs, 127.1.x.y: %w", to, syscall.EHOSTUNREACH)
	}
	return nil
}

// emulate gives a queue pair the parameters of an emulated fabric's NICs.
func (q *QP) emulate(p *channel.QueuePairs) {
	q.cfg.AckEvery, q.cfg.AskEvery, q.cfg.Flow = p.AckEvery, 0, nil
	q.cfg.Window, q.cfg.MaxOutstandingPackets = p.Window, p.PacketWindow
	q.cfg.PacedOverhead, q.cfg.CNPInterval = p.PacedOverhead, p.CNPInterval
	if p.MarksAcked {
		q.cfg.Marks = transport.MarksAcked
	}
}

// pollRest is how long a call that polls in vain leaves the processor to the emulated fabric, at most: its
// clock does not move while a device waits for a processor.
const pollRest = time.Millisecond

// rest lets an emulated fabric work, if there is one.
func (d *Device) rest() {
	if d.fabric != nil {
		d.fabric.Rest(pollRest)
	}
}

// lingers is how long the end of a queue pair waits for the emulated fabric to take posted datagrams, at most.
const lingers = time.Second

// linger waits until the emulated fabric, if there is one, has taken the messages that a queue pair without
// acknowledgements has been given. Programs destroy it right after the last one, and a NIC has sent that by then.
func (q *QP) linger() {
	d := q.pd.dev
	if d.fabric == nil || q.attr.Type != UD && q.attr.Type != UC {
		return
	}
	waits := func() bool {
		d.port.Lock()
		defer d.port.Unlock()
		return !q.dead && !d.closed && q.end.QP.State() == transport.StateRTS && q.sends.unfinished() > 0
	}
	for until := time.Now().Add(lingers); waits() && time.Now().Before(until); {
		d.rest()
	}
}

// link is told of the link of the device's NIC in an emulated fabric, with the port's lock held.
func (d *Device) link(down bool) {
	d.down = down
	d.raise(AsyncEvent{Type: map[bool]EventType{false: EventPortActive, true: EventPortErr}[down]})
}

// lost ends all work of a device whose emulated fabric, or whose shared address, has ended: it completes with WRFlushErr.
func (d *Device) lost() {
	d.port.Lock()
	defer d.port.Unlock()
	d.raise(AsyncEvent{Type: EventDeviceFatal})
	for q := range d.qps {
		q.fail()
		d.port.Process(&q.end)
		d.raise(AsyncEvent{Type: EventQPFatal, QP: q})
	}
	for c := range d.cqs {
		c.signal()
	}
}
