package verbs

import "context"

// Farewell ends the device's connections for a program that ends. Peers are told, and it waits for
// their answers until ctx ends: meanwhile the device answers what peers send again. The last
// acknowledgements and the last answers to peers that have parted are sent twice, since nobody
// answers later.
func (d *Device) Farewell(ctx context.Context) {
	d.port.Lock()
	d.port.Farewell()
	d.port.Unlock()
	d.cmOnce.Do(func() { d.cmErr = ErrClosed })
	if d.cm != nil {
		d.cm.leave(ctx)
	}
}

// Close closes the device. Unfinished work requests complete with WRFlushErr; completion queues can
// still be polled.
func (d *Device) Close() error {
	d.port.Lock()
	if d.closed {
		d.port.Unlock()
		return ErrClosed
	}
	d.closed = true
	for q := range d.qps {
		q.destroy()
	}
	for c := range d.cqs {
		c.wake()
	}
	d.port.Unlock()
	return d.port.Close()
}
