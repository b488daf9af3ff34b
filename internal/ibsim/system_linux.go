package ibsim

import (
	"errors"
	"syscall"
)

// checkPlatform passes: Linux has the abstract names of sockets.
func checkPlatform() error { return nil }

// connectSocket connects a bound socket to the abstract name of another.
func connectSocket(fd uintptr, name string) error {
	return syscall.Connect(int(fd), &syscall.SockaddrUnix{Name: name})
}

// processEnded is true where no process of a number runs.
func processEnded(process int) bool {
	return errors.Is(syscall.Kill(process, 0), syscall.ESRCH)
}
