package ibsim

import (
	"errors"
	"net"
	"syscall"
)

// checkPlatform passes: Linux has the abstract names of sockets.
func checkPlatform() error { return nil }

// connectSocket connects a bound socket to the abstract name of another.
func connectSocket(fd uintptr, name string) error {
	return syscall.Connect(int(fd), &syscall.SockaddrUnix{Name: name})
}

// identify has the kernel say with each datagram that a socket receives which user has
// sent it (SO_PASSCRED, unix(7)).
func identify(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_PASSCRED, 1)
	}); cerr != nil {
		return cerr
	}
	return err
}

// readFrom reads a datagram, and says where it comes from and which user has sent it.
func readFrom(c *net.UnixConn, b []byte) (n int, from *net.UnixAddr, who user, err error) {
	oob := make([]byte, syscall.CmsgSpace(syscall.SizeofUcred))
	n, m, _, from, err := c.ReadMsgUnix(b, oob)
	if err != nil {
		return n, from, nobody, err
	}
	list, err := syscall.ParseSocketControlMessage(oob[:m])
	if err != nil || len(list) != 1 {
		return n, from, nobody, nil //nolint:nilerr // a datagram without credentials
	}
	cred, err := syscall.ParseUnixCredentials(&list[0])
	if err != nil {
		return n, from, nobody, nil //nolint:nilerr // as above
	}
	return n, from, user(cred.Uid), nil
}

// processEnded is true if no process of a number runs.
func processEnded(process int) bool {
	return errors.Is(syscall.Kill(process, 0), syscall.ESRCH)
}
