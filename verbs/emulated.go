package verbs

import (
	"time"

	"weft/internal/sim/channel"
	"weft/internal/sim/transport"
)

// emulate gives a queue pair the parameters of an emulated fabric's NICs.
func (q *QP) emulate(p *channel.QueuePairs) {
	q.cfg.AckEvery, q.cfg.AskEvery, q.cfg.Flow = p.AckEvery, 0, nil
	q.cfg.Window, q.cfg.MaxOutstandingPackets = p.Window, p.PacketWindow
	q.cfg.PacedOverhead, q.cfg.CNPInterval = p.PacedOverhead, p.CNPInterval
	if p.MarksAcked {
		q.cfg.Marks = transport.MarksAcked
	}
}

// lingers is how long the end of a queue pair waits for the emulated fabric to take posted
// datagrams, at most.
const lingers = time.Second

// linger waits until the emulated fabric, if there is one, has taken the messages that a queue pair
// without acknowledgements has been given. Programs destroy it right after the last one, and a NIC
// has sent that by then.
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

// linkChanged is told of the link of the device's NIC in an emulated fabric, with the port's lock
// held.
func (d *Device) linkChanged(down bool) {
	d.down = down
	d.raise(AsyncEvent{Type: map[bool]EventType{false: EventPortActive, true: EventPortErr}[down]})
}

// connectionLost ends all work of a device whose emulated fabric, or whose shared address, has
// ended: it completes with WRFlushErr.
func (d *Device) connectionLost() {
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
