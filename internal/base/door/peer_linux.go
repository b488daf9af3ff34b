package door

import (
	"net"
	"os"
	"syscall"
)

// Peer is the user of the process at the other end of a Unix socket, as of its call of connect or listen (SO_PEERCRED,
// unix(7)).
func Peer(fd int) (uid uint32, err error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return none, os.NewSyscallError("getsockopt", err)
	}
	return cred.Uid, nil
}

// OwnAt reports whether the process at the other end of a connection belongs to the user of this one.
func OwnAt(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		uid, err := Peer(int(fd))
		own = err == nil && Own(uid)
	})
	return err == nil && own
}
