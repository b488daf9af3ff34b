package emulate_test

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"weft/internal/live/emulate"
	"weft/verbs"
)

// An address that no NIC of the fabric can have is refused at once: each packet there would be lost, and the caller would
// wait until it gives up.
func TestAnAddressThatIsNotTheFabricsIsRefusedAtOnce(t *testing.T) {
	socket, _ := start(t, oneSwitch, emulate.Options{})
	a, b := open(t, socket, "node0/nic0", 1<<12), open(t, socket, "node1/nic0", 1<<12)
	for _, to := range []string{"127.0.0.1", "127.0.0.0", "10.0.0.1", "127.1.0.0", "127.1.0.255", "255.255.255.255"} {
		at := netip.MustParseAddr(to)
		_, dialled := a.dev.Dial(t.Context(), a.qp, at, 7471, verbs.ConnParam{})
		_, resolved := a.dev.Resolve(t.Context(), at, 7471, nil)
		for what, err := range map[string]error{"a connection": dialled, "a question": resolved, "its way": a.dev.Reaches(at)} {
			if !errors.Is(err, syscall.EHOSTUNREACH) {
				t.Errorf("%s, %s: %v, want %v", to, what, err, syscall.EHOSTUNREACH)
			}
		}
	}
	for _, at := range []netip.Addr{b.dev.Addr().Addr(), netip.MustParseAddr("127.1.0.9"), netip.MustParseAddr("239.1.2.3")} {
		if err := a.dev.Reaches(at); err != nil {
			t.Errorf("%v, where a device is or may be: %v", at, err)
		}
	}
}
