package verbs

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"

	"weft/verbs/internal/socket/faulty"
	"weft/wire/cm"
)

// Two listeners have one port if no request is for both, whichever comes first.
func TestListenersOfDifferentRequestsHaveOnePort(t *testing.T) {
	p := faultyPair(t, faulty.New(3, faulty.Harm{}), QPInitAttr{}, 4096)
	dev := p.on[1].dev
	own := dev.Addr().Addr()
	four, six, both := netip.IPv4Unspecified(), netip.IPv6Unspecified(), netip.Addr{}
	elsewhere, six1 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	for _, c := range []struct {
		a, b  netip.Addr
		meets bool
	}{
		{four, six, false},
		{four, four, true},
		{six, six, true},
		{both, four, true},
		{both, six, true},
		{both, own, true},
		{four, own, true},
		{six, own, false},
		{own, own, true},
		{own, elsewhere, false},
		{six1, four, false},
		{six1, six, true},
		{netip.AddrFrom16(own.As16()), own, true}, // IPv4 in IPv6 is IPv4
	} {
		for _, order := range [][2]netip.Addr{{c.a, c.b}, {c.b, c.a}} {
			l, err := dev.ListenAt(PortSpaceTCP, order[0], 7)
			if err != nil {
				t.Fatal(err)
			}
			l2, err := dev.ListenAt(PortSpaceTCP, order[1], 7)
			if got := errors.Is(err, ErrInUse); got != c.meets || err != nil && !got {
				t.Errorf("a listener at %v, then one at %v: %v; want a port in use: %v", order[0], order[1], err, c.meets)
			}
			s, err := dev.ListenDatagramsAt(order[0], 7)
			if err != nil {
				t.Fatalf("datagrams at the same port: %v", err)
			}
			s2, err := dev.ListenDatagramsAt(order[1], 7)
			if got := errors.Is(err, ErrInUse); got != c.meets {
				t.Errorf("of datagrams: a listener at %v, then one at %v: %v", order[0], order[1], err)
			}
			if l2 != nil {
				_ = l2.Close()
			}
			if s2 != nil {
				_ = s2.Close()
			}
			if err := errors.Join(l.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A request goes to the listener of its address, and the other at its port hears nothing.
func TestARequestGoesToTheListenerOfItsFamily(t *testing.T) {
	for _, order := range [][2]netip.Addr{
		{netip.IPv6Unspecified(), netip.IPv4Unspecified()},
		{netip.MustParseAddr("192.0.2.1"), {}},
	} {
		p := faultyPair(t, faulty.New(3, faulty.Harm{}), QPInitAttr{}, 4096)
		if !order[1].IsValid() {
			order[1] = p.on[1].dev.Addr().Addr()
		}
		other, err := p.on[1].dev.ListenAt(PortSpaceTCP, order[0], 7471)
		if err != nil {
			t.Fatal(err)
		}
		l, err := p.on[1].dev.ListenAt(PortSpaceTCP, order[1], 7471)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if r, err := l.Accept(within(t, patience)); err == nil {
				_, _ = r.Accept(within(t, patience), p.on[1].qp, ConnParam{})
			}
		}()
		a := p.on[0]
		if _, err := a.dev.Dial(within(t, patience), a.qp, p.on[1].dev.Addr().Addr(), 7471, ConnParam{}); err != nil {
			t.Errorf("listeners at %v: %v", order, err)
		}
		if n := len(other.backlog.waits); n != 0 {
			t.Errorf("the listener at %v heard %d requests to %v", order[0], n, p.on[1].dev.Addr())
		}
	}
}

// A request that names no address is for the listener of all addresses alone.
func TestARequestWithoutAnAddressGoesToTheListenerOfAll(t *testing.T) {
	four, every := new(int), new(int)
	service := cm.ServiceID(7)
	if listenerFor(map[bound]*int{boundTo(service, netip.IPv4Unspecified()): four}, service, netip.Addr{}) != nil {
		t.Error("no address is one of IPv4")
	}
	m := map[bound]*int{boundTo(service, netip.Addr{}): every}
	for _, to := range []netip.Addr{{}, netip.IPv4Unspecified(), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")} {
		if listenerFor(m, service, to) != every {
			t.Errorf("the listener of all addresses does not take a request to %v", to)
		}
	}
}

// A question goes to the service of its family.
func TestAQuestionGoesToTheServiceOfItsFamily(t *testing.T) {
	p := datagramPair(t, faulty.Harm{})
	a, b := p.on[0], p.on[1]
	for _, at := range []netip.Addr{netip.IPv6Unspecified(), netip.IPv4Unspecified()} {
		s, err := b.dev.ListenDatagramsAt(at, 7174)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if q, err := s.Accept(within(t, patience)); err == nil {
				_ = q.Answer(b.qp, []byte(at.String()))
			}
		}()
	}
	r, err := a.dev.Resolve(within(t, patience), b.dev.Addr().Addr(), 7174, nil)
	if err != nil || !bytes.HasPrefix(r.PrivateData, []byte("0.0.0.0")) {
		t.Errorf("the service at 0.0.0.0 does not answer: %+v, %v", r, err)
	}
}
