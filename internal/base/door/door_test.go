package door

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
)

// A caller that cannot be let in ends no server: the next one is.
func TestAListenerGoesOnWhenOneCallerCannotBeLetIn(t *testing.T) {
	for _, fault := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.ECONNABORTED, syscall.EPERM} {
		calls := 0
		got, err := Next(func() (string, error) {
			if calls++; calls < 4 {
				return "", &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", fault)}
			}
			return "caller", nil
		})
		if got != "caller" || err != nil {
			t.Errorf("three times %v, then a caller: %q, %v; want the caller", fault, got, err)
		}
	}
}

// A listener that is closed, or is none, ends its server.
func TestAListenerThatIsClosedEnds(t *testing.T) {
	for _, end := range []error{net.ErrClosed, os.NewSyscallError("accept4", syscall.EINVAL), syscall.EBADF} {
		if _, err := Next(func() (int, error) { return 0, &net.OpError{Op: "accept", Err: end} }); !errors.Is(err, end) {
			t.Errorf("accept says %v: Next says %v", end, err)
		}
	}
}

// The overflow user is anybody in a user namespace, and a user where all users have numbers.
func TestTheOverflowUserIsAnybodyInANamespace(t *testing.T) {
	for _, c := range []struct {
		what, uidMap, overflowuid string
		want                      uint32
	}{
		{"no namespace", "         0          0 4294967295\n", "65534\n", none},
		{"unshare -U: nobody has a number", "", "65534\n", 65534},
		{"a rootless container", "         0       1000          1\n         1     100000      65536\n", "65534\n", 65534},
		{"a container whose users are 0 to 65535", "         0     231072      65536\n", "65534\n", 65534},
		{"another overflow user", "0 1000 1\n", "99\n", 99},
		{"all users but one", "0 0 65534\n65534 65535 4294901760\n", "65534\n", 65534},
		{"a system without these files", "", "", 65534},
	} {
		if got := overflowIn(c.uidMap, c.overflowuid); got != c.want {
			t.Errorf("%s: the number of strangers is %d, want %d", c.what, got, c.want)
		}
	}
}

// The user of this process is its own, and root is trusted; nobody else is.
func TestAProcessTrustsItsUserAndRoot(t *testing.T) {
	me := uint32(os.Geteuid())
	for _, c := range []struct {
		uid            uint32
		own, ownOrRoot bool
	}{{me, !Anybody(me), me == 0 || !Anybody(me)}, {0, me == 0, true}, {me + 1, false, me+1 == 0}, {none, false, false}} {
		if Own(c.uid) != c.own || OwnOrRoot(c.uid) != c.ownOrRoot {
			t.Errorf("user %d asks of %d: own %v, own or root %v; want %v, %v", me, c.uid, Own(c.uid), OwnOrRoot(c.uid), c.own, c.ownOrRoot)
		}
	}
}
