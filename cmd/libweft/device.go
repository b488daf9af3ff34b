//go:build cgo && linux

package main

/*
#include "core.h"
*/
import "C"

import (
	stdcontext "context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weft/units"
	"weft/verbs"
)

// device is a device with the contexts that have opened it: they share its address, its memory keys
// and its queue pairs' numbers, as the contexts of a kernel's device do.
type device struct {
	*verbs.Device
	name      string
	firstFree bool // nobody has chosen its address
	users     map[*context]bool
	done      chan struct{}
}

// devices are the open devices by name.
var devices = struct {
	sync.Mutex
	open map[string]*device
}{open: map[string]*device{}}

// context is one opening of a device, with the pipe of its asynchronous events.
type context struct {
	*device
	events int
}

//export weft_open
func weft_open(name, address *C.char, eventFD C.int, id *C.weft_id) C.int {
	devices.Lock()
	defer devices.Unlock()
	d := devices.open[C.GoString(name)]
	if d == nil {
		v, err := open(C.GoString(address))
		if err != nil {
			fmt.Fprintf(os.Stderr, "weft: %v\n", err)
			return errno("ibv_open_device", err)
		}
		d = &device{Device: v, name: C.GoString(name), firstFree: *address == 0, users: map[*context]bool{}, done: make(chan struct{})}
		devices.open[d.name] = d
		go d.forward()
	}
	c := &context{d, int(eventFD)}
	d.users[c] = true
	keep(id, c)
	return 0
}

// options are the parameters of a device at an address.
func options(a netip.Addr) verbs.Options {
	return verbs.Options{Addr: netip.AddrPortFrom(a, 0), ForeignMemory: true, SocketOnly: os.Getenv("WEFT_VERBS_SOCKET_ONLY") != ""}
}

// open opens the device at an address; without one, at the first free address of the loopback, or of an
// emulated fabric.
func open(address string) (*verbs.Device, error) {
	if address != "" {
		a, err := netip.ParseAddr(address)
		if err != nil {
			return nil, err
		}
		return verbs.Open(options(a))
	}
	if os.Getenv("WEFT_EMULATOR") != "" {
		return verbs.Open(verbs.Options{ForeignMemory: true}) // the fabric has the addresses
	}
	for n := 1; n < lastLoopback; n++ {
		a := netip.AddrFrom4([4]byte{127, 0, byte(n >> 8), byte(n)})
		d, err := verbs.Open(options(a))
		if !errors.Is(err, syscall.EADDRINUSE) {
			return d, err
		}
	}
	return nil, fmt.Errorf("all of 127.0.0.1 to 127.0.%d.%d have a device already: %w", lastLoopback>>8, lastLoopback&255, syscall.EADDRINUSE)
}

// lastLoopback bounds the search for a free address: each try is a system call. The mission asks for
// 64 processes.
const lastLoopback = 1 << 12

//export weft_close
func weft_close(id C.weft_id) C.int {
	devices.Lock()
	defer devices.Unlock()
	c := object[*context](id)
	d := c.device
	forget(id)
	if delete(d.users, c); len(d.users) > 0 {
		return 0
	}
	delete(devices.open, d.name)
	close(d.done)
	return errno("ibv_close_device", d.Close())
}

// farewell is how long a program's end waits for the answers of peers. Without loss they come at once; a lost one is
// asked for again twice.
const farewell = 800 * time.Millisecond

// weft_leave says good bye for a program that ends, as the kernel does.
//
//export weft_leave
func weft_leave() C.int {
	devices.Lock()
	defer devices.Unlock()
	ctx, cancel := stdcontext.WithTimeout(stdcontext.Background(), farewell)
	defer cancel()
	var said sync.WaitGroup
	for _, d := range devices.open {
		said.Go(func() { d.Farewell(ctx) })
	}
	said.Wait()
	return 0
}

// weft_clock is the present time of a device's clock.
//
//export weft_clock
func weft_clock(id C.weft_id, ps *C.int64_t) C.int {
	d := object[*context](id)
	if d.Sync() != nil {
		return C.int(syscall.ENODEV)
	}
	*ps = C.int64_t(d.Clock())
	return 0
}

//export weft_query
func weft_query(id C.weft_id, out *C.struct_weft_device) C.int {
	d := object[*context](id)
	a, p := d.Query(), d.QueryPort()
	*out = C.struct_weft_device{
		max_mr_size: C.uint64_t(a.MaxMRSize), max_qp: C.uint32_t(a.MaxQP), max_qp_wr: C.uint32_t(a.MaxQPWR), max_sge: C.uint32_t(a.MaxSGE),
		max_cqe: C.uint32_t(a.MaxCQE), max_inline: C.uint32_t(a.MaxInline), max_mr: C.uint32_t(a.MaxMR),
		max_rd_atomic: C.uint32_t(a.MaxRdAtomic), max_mcast_grp: C.uint32_t(a.MaxMcastGrp), max_ah: C.uint32_t(a.MaxAH),
		max_mtu: C.uint32_t(p.MaxMTU), active_mtu: C.uint32_t(p.ActiveMTU), state: C.uint32_t(p.State), max_message: C.uint64_t(p.MaxMessage),
	}
	addr := d.Addr().Addr()
	write(&out.address[0], addr.As16())
	write(&out.gid[0], d.GID(addr))
	out.link, out.lid, out.sm_lid = C.uint8_t(p.Link), C.uint16_t(p.LID), C.uint16_t(p.SMLID)
	return 0
}

// write writes an address or a GID to C's memory.
func write(to *C.uint8_t, b [16]byte) { copy(unsafe.Slice((*byte)(to), len(b)), b[:]) }

// read reads an address or a GID from C's memory.
func read(from *C.uint8_t) [16]byte { return [16]byte(unsafe.Slice((*byte)(from), 16)) }

//export weft_address_of_gid
func weft_address_of_gid(dev C.weft_id, gid, out *C.uint8_t) C.int {
	a, err := object[*context](dev).AddrOfGID(read(gid))
	write(out, a.As16())
	return errno("the destination's GID", err)
}

//export weft_address_of_lid
func weft_address_of_lid(dev C.weft_id, lid C.uint16_t, out *C.uint8_t) C.int {
	a, err := object[*context](dev).AddrOfLID(units.LID(lid))
	write(out, a.As16())
	return errno("the destination's LID", err)
}

//export weft_locate
func weft_locate(dev C.weft_id, addr, gid *C.uint8_t, lid *C.uint16_t) C.int {
	d, a := object[*context](dev), address(addr)
	write(gid, d.GID(a))
	*lid = C.uint16_t(d.LID(a))
	return 0
}

// forward writes the device's events to the pipes of their contexts, by the numbers of
// ibv_event_type.
func (d *device) forward() {
	for {
		select {
		case <-d.done:
			return
		case e := <-d.Events():
			if e.QP == nil && e.CQ == nil && e.SRQ == nil {
				d.tellAll(e.Type)
				continue
			}
			owners.tell(subject(e), e.Type)
		}
	}
}

// tell writes an event of an object to the pipe of its context, unless the object is destroyed already.
func (t *ownerTable) tell(v any, kind verbs.EventType) {
	t.telling.Lock()
	defer t.telling.Unlock()
	if of, ok := t.of(v); ok {
		tell(of, kind)
	}
}

// tellAll writes an event of the device or its port to every context.
func (d *device) tellAll(kind verbs.EventType) {
	devices.Lock()
	defer devices.Unlock()
	for c := range d.users {
		tell(owner{events: c.events}, kind)
	}
}

// tell writes an event to the pipe of a context.
func tell(of owner, kind verbs.EventType) {
	event := C.struct_weft_event{_type: C.uint32_t(eventNumbers[kind]), object: C.uintptr_t(of.object)}
	_, _ = unix.Write(of.events, unsafe.Slice((*byte)(unsafe.Pointer(&event)), unsafe.Sizeof(event)))
}

// subject is the object of an event.
func subject(e verbs.AsyncEvent) any {
	switch {
	case e.QP != nil:
		return e.QP
	case e.CQ != nil:
		return e.CQ
	}
	return e.SRQ
}

// eventNumbers are the numbers of ibv_event_type.
var eventNumbers = map[verbs.EventType]uint32{
	verbs.EventCQErr: 0, verbs.EventQPFatal: 1, verbs.EventQPAccessErr: 3, verbs.EventSRQLimitReached: 15,
	verbs.EventDeviceFatal: 8, verbs.EventPortActive: 9, verbs.EventPortErr: 10,
}
