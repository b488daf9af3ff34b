package ibsim

import (
	"errors"
	"fmt"
	"net"
	"os"

	"weft/internal/base/door"
)

// Abstract names have no permissions: a program of any user can send to them, or bind a name first.
// So both sides check the sender of each datagram. A user trusts itself and root.

// ErrUser is the error for a name whose simulator belongs to another user.
var ErrUser = errors.New("the simulator of this name belongs to another user")

// trusts reports whether datagrams of the other user are accepted.
func (own user) trusts(other user) bool {
	return other == 0 || other == own && !door.Anybody(uint32(other))
}

// user is the number of a user; nobody stands for a datagram without a user.
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

// mustTrust is the error for an answer from another user.
func mustTrust(own, who user) error {
	if own.trusts(who) {
		return nil
	}
	return fmt.Errorf("%w: user %d has it; give another name, or run as that user", ErrUser, int(who))
}
