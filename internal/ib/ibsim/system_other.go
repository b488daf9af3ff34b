//go:build !linux

package ibsim

import (
	"errors"
	"net"
)

var errLinux = errors.New("ibsim needs Linux: its sockets have abstract names, which only Linux has")

func checkPlatform() error { return errLinux }

func connectSocket(uintptr, string) error { return errLinux }

func identify(*net.UnixConn) error { return errLinux }

func readFrom(*net.UnixConn, []byte) (int, *net.UnixAddr, user, error) {
	return 0, nil, nobody, errLinux
}

func processEnded(int) bool { return false }
