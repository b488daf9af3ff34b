package ibsim

import (
	"errors"
	"net"
	"syscall"
)

// checkPlatform succeeds: Linux has abstract socket names.
func checkPlatform() error { return nil }

// connectSocket connects a bound socket to the abstract name of another socket.
func connectSocket(fd uintptr, name string) error {
	return syscall.Connect(int(fd), &syscall.SockaddrUnix{Name: name})
}

// identify makes the kernel add the sender's user to each received datagram (SO_PASSCRED, unix(7)).
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

// readFrom reads a datagram, with its source address and the sender's user.
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
