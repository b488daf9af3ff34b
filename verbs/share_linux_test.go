package verbs

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sharedPort is a UDP port of the tests' shared addresses, of this process alone.
var sharedPort = sync.OnceValue(func() uint16 {
	l, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 9, 1)})
	if err != nil {
		return 0
	}
	defer l.Close()
	return l.LocalAddr().(*net.UDPAddr).AddrPort().Port()
})

// place is an address with that port.
func place(address string) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(address), sharedPort())
}

// shareAddress shares an address of the loopback for a test.
func shareAddress(t *testing.T, address string) *Sharer {
	t.Helper()
	s, err := Share(place(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// at is a device at an address, opened as a program opens it.
func at(t *testing.T, address string, size int) *side {
	t.Helper()
	dev, err := Open(Options{Addr: place(address)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return fit(t, dev, QPInitAttr{}, size)
}

// Devices at one address are reached each at its own ports, from another address and from among themselves, and every
// byte comes to the device that it is for.
func TestDevicesAtOneAddress(t *testing.T) {
	const size = 256 << 10
	for _, addresses := range [][2]string{{"127.0.9.1", "127.0.9.2"}, {"::1", "::1"}} {
		shareAddress(t, addresses[0])
		var all sync.WaitGroup
		for i := range 4 {
			from := addresses[0]
			if i == 0 {
				from = addresses[1] // the others send to their own address
			}
			p := &pair{t: t, on: [2]*side{at(t, from, size), at(t, addresses[0], size)}}
			connected(t, p, uint16(7480+i))
			all.Go(func() {
				a, b := p.on[0], p.on[1]
				for round := range 2 {
					fillPattern(a.buf, byte(i+7*round))
					a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
					a.want(1, Success)
					if !bytes.Equal(a.buf, b.memory()) {
						t.Errorf("%v, device %d: other bytes arrived", addresses, i)
					}
					b.memory() // the next round is after it
					clear(a.buf)
					a.post(SendWR{WRID: 2, Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, size)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
					a.want(2, Success)
					if !bytes.Equal(a.memory(), b.memory()) {
						t.Errorf("%v, device %d: other bytes were read", addresses, i)
					}
					b.memory()
				}
			})
		}
		all.Wait()
	}
}

// A peer sends to all devices of an address from one device, so that packets for them are next to each other.
func TestOnePeerReachesAllDevicesAtAnAddress(t *testing.T) {
	const n, size = 8, 256 << 10
	shareAddress(t, "127.0.9.3")
	a := at(t, "127.0.9.4", size)
	fillPattern(a.buf, 3)
	var to []*side
	var queues []*QP
	for i := range n {
		b := at(t, "127.0.9.3", size)
		q, err := a.pd.CreateQP(QPInitAttr{SendCQ: a.cq, RecvCQ: a.cq, MaxSendWR: 64, MaxRecvWR: 16})
		if err != nil {
			t.Fatal(err)
		}
		one := *a
		one.qp = q
		connected(t, &pair{t: t, on: [2]*side{&one, b}}, uint16(7490+i))
		to, queues = append(to, b), append(queues, q)
	}
	const piece = 1 << 10
	for at := 0; at < size; at += piece { // a packet to each in turn
		for i, b := range to {
			wr := SendWR{WRID: uint64(i), Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(at, piece)}, RemoteAddr: b.mr.Addr() + uint64(at), RKey: b.mr.RKey()}
			if (at/piece)%32 == 31 {
				wr.Flags = SendSignaled
			}
			if err := queues[i].PostSend(wr); err != nil {
				t.Fatal(err)
			}
		}
		if (at/piece)%32 == 31 {
			for range to {
				if wc := a.wait(); wc.Status != Success {
					t.Fatal(wc.Status)
				}
			}
		}
	}
	for i, b := range to {
		if !bytes.Equal(a.buf, b.memory()) {
			t.Errorf("device %d has other bytes", i)
		}
		if s := b.dev.Stats(); s.Misdirected > 0 {
			t.Errorf("device %d got %d packets of others", i, s.Misdirected)
		}
	}
}

// A port of a shared address has one listener at a time; its end makes room for another, and a request to a port
// without one is rejected.
func TestAPortOfASharedAddressHasOneListener(t *testing.T) {
	s := shareAddress(t, "127.0.9.5")
	a, b, c := at(t, "127.0.9.5", 64), at(t, "127.0.9.5", 64), at(t, "127.0.9.6", 64)
	l, err := a.dev.Listen(7500)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.dev.Listen(7500); !errors.Is(err, ErrInUse) {
		t.Errorf("a second listener: %v, want %v", err, ErrInUse)
	}
	if _, err := c.dev.Dial(within(t, patience), c.qp, s.Addr().Addr(), 7501, ConnParam{}); !errors.Is(err, ErrNoListener) {
		t.Errorf("a port without a listener: %v, want %v", err, ErrNoListener)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = b.dev.Listen(7500); err != nil {
		t.Errorf("a listener after the end of the first: %v", err)
	}
	_ = b.dev.Close() // without the listener's end
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err = a.dev.Listen(7500); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		t.Errorf("a listener after the end of the second's device: %v", err)
	}
}

// Questions for a queue pair of UD, and its datagrams, come to their device.
func TestDatagramsToDevicesAtOneAddress(t *testing.T) {
	s := shareAddress(t, "127.0.9.7")
	for i := range 2 {
		b := at(t, "127.0.9.7", 4096)
		service, err := b.dev.ListenDatagrams(uint16(7510 + i))
		if err != nil {
			t.Fatal(err)
		}
		ud, err := b.pd.CreateQP(QPInitAttr{Type: UD, SendCQ: b.cq, RecvCQ: b.cq, MaxSendWR: 16, MaxRecvWR: 16})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if q, err := service.Accept(within(t, patience)); err == nil {
				_ = q.Answer(ud, nil)
			}
		}()
	}
	c := at(t, "127.0.9.7", 64)
	var numbers []QPN
	for i := range 2 {
		r, err := c.dev.Resolve(within(t, patience), s.Addr().Addr(), uint16(7510+i), nil)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, r.QPN)
	}
	if numbers[0]>>18 == numbers[1]>>18 {
		t.Errorf("queue pairs %v of two devices have one part", numbers)
	}
}

// At the end of the sharing the work of the devices ends with an error.
func TestTheEndOfASharedAddressEndsItsDevices(t *testing.T) {
	s := shareAddress(t, "127.0.9.9")
	p := &pair{t: t, on: [2]*side{at(t, "127.0.9.9", 64), at(t, "127.0.9.10", 64)}}
	connected(t, p, 7520)
	a := p.on[0]
	if err := a.qp.PostRecv(RecvWR{WRID: 7, SGL: []SGE{a.mr.SGE(0, 64)}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	a.want(7, WRFlushErr)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case e := <-a.dev.Events():
		if e.Type != EventDeviceFatal {
			t.Errorf("event %v, want %v", e.Type, EventDeviceFatal)
		}
	case <-ctx.Done():
		t.Error("no event of the device's end")
	}
	if _, err := a.dev.Listen(7521); err == nil {
		t.Error("a device without its address listens")
	}
	// The address can be shared again, though the devices are still open: none of their sockets is left there.
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s, err = Share(place("127.0.9.9")); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Share(place("127.0.9.9")); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "shared already") {
		t.Errorf("a second sharing: %v, want %v", err, syscall.EADDRINUSE)
	}
	again := &pair{t: t, on: [2]*side{at(t, "127.0.9.9", 64), at(t, "127.0.9.9", 64)}}
	connected(t, again, 7522)
	again.on[0].post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{again.on[0].mr.SGE(0, 64)}, RemoteAddr: again.on[1].mr.Addr(), RKey: again.on[1].mr.RKey()})
	again.on[0].want(1, Success)
	if s := again.on[1].dev.Stats(); s.Misdirected > 0 {
		t.Errorf("%d packets came to the wrong device", s.Misdirected)
	}
}

// A program without a listener rejects a request for the others at its address; a repetition goes where the first
// request went, though the listener has ended.
func TestARepetitionGoesToTheDeviceOfTheFirstRequest(t *testing.T) {
	s := shareAddress(t, "127.0.9.13")
	at(t, "127.0.9.13", 64) // has part 1, and listens to nothing
	b, c := at(t, "127.0.9.13", 64), at(t, "127.0.9.14", 64)
	l, err := b.dev.Listen(7530)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = c.dev.Dial(within(t, patience), c.qp, s.Addr().Addr(), 7530, ConnParam{}) }()
	r, err := l.Accept(within(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(answerTime * 2) // the request comes again meanwhile
	go func() { _, _ = r.Accept(within(t, patience), b.qp, ConnParam{}) }()
	for end := time.Now().Add(patience); c.qp.State() != StateRTS; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the dialling end is in %v, want %v", c.qp.State(), StateRTS)
		}
	}
}

// An address has room for 63 devices; the next one is told so, and the end of one makes room.
func TestASharedAddressHasRoomForItsParts(t *testing.T) {
	shareAddress(t, "127.0.9.11")
	o := Options{Addr: place("127.0.9.11")}
	var open []*Device
	for i := range 63 {
		d, err := Open(o)
		if err != nil {
			t.Fatalf("device %d: %v", i, err)
		}
		open = append(open, d)
	}
	if _, err := Open(o); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("device 64: %v, want %v", err, syscall.EADDRINUSE)
	}
	for _, d := range open {
		_ = d.Close()
	}
	var d *Device
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if d, err = Open(o); err == nil {
			_ = d.Close()
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
	if _, err := Share(o.Addr); err == nil {
		t.Error("an address is shared twice")
	}
	if _, err := Share(place("192.0.2.1")); err == nil {
		t.Error("an address of another machine is shared")
	}
	at(t, "127.0.9.12", 64)
	if _, err := Share(place("127.0.9.12")); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("an address with a device: %v, want %v", err, syscall.EADDRINUSE)
	}
}
