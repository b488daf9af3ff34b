package verbs

import (
	"net/netip"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// IPv6 groups need another interface than the loopback: the test has a network
// namespace of its own with one. The thread that is in it ends with the test.
func TestMulticastOverIPv6OnASocket(t *testing.T) {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("no network namespace: %v", err)
	}
	for _, c := range []string{"link add w0 type veth peer name w1", "link set w0 up", "link set w1 up", "addr add fd00::9/64 dev w0 nodad"} {
		if out, err := exec.Command("ip", strings.Fields(c)...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %v: %s", c, err, out)
		}
	}
	s := newSide(t, Options{Addr: mustAddr("[fd00::9]:0")}, QPInitAttr{Type: UD}, 1<<16)
	if err := s.qp.ConnectWith(&QPAttr{QKey: groupQKey}); err != nil {
		t.Fatal(err)
	}
	s.receives(s.qp, 0, 1)
	if err := s.qp.AttachMcast(netip.MustParseAddr("ff15::77")); err != nil {
		t.Fatal(err)
	}
	s.tell(netip.MustParseAddr("ff15::77"), MulticastQPN, groupQKey, 100)
	s.want(0, Success)
}
