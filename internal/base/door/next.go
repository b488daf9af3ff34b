package door

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// The waits between two calls of accept: the first is shorter than a connection takes, and no caller
// notices the longest.
const firstWait, longestWait = time.Millisecond, 50 * time.Millisecond

// Next is the next connection that accept returns. What is wrong with one caller, and a machine that has no
// descriptor or memory for it, does not end a server: Next asks again until there is a connection. Its
// error says that the listener is closed, or none.
func Next[C any](accept func() (C, error)) (C, error) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		c, err := accept()
		if err == nil || over(err) {
			return c, err
		}
		time.Sleep(wait)
	}
}

// over reports whether accept will never succeed again: the socket is closed, or does not listen.
func over(err error) bool {
	for _, end := range []error{net.ErrClosed, syscall.EBADF, syscall.EINVAL, syscall.ENOTSOCK} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
