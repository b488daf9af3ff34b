package ibsim

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// Abstract names have no permissions: any user's program can send to them, or bind one
// first. So both sides check the sender of each datagram. A user trusts itself and root.

// ErrUser says that the simulator of a name is another user's.
var ErrUser = errors.New("the simulator of this name is another user's")

// trusts reports whether the user may say something.
func (own user) trusts(other user) bool { return other == 0 || other == own }

// user is the number of a user; nobody stands for a datagram without one.
type user int

const nobody user = -1

func self() user { return user(os.Geteuid()) }

// readTrusted reads the next datagram of a trusted user; others are dropped.
func readTrusted(c *net.UnixConn, b []byte, own user) (int, error) {
	for {
		n, _, who, err := readFrom(c, b)
		if err != nil || own.trusts(who) {
			return n, err
		}
	}
}

// mustTrust is the error of an answer of another user's.
func mustTrust(own, who user) error {
	if own.trusts(who) {
		return nil
	}
	return fmt.Errorf("%w: user %d has it; give another name, or run as that user", ErrUser, int(who))
}
