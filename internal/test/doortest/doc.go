// Package doortest has listeners that fail as those of a machine without room do.
package doortest

import (
	"net"
	"os"
	"syscall"
)

// Crowded is a listener that has no descriptor for its first callers.
type Crowded struct {
	net.Listener
	Left int // callers that it fails for
}

// Accept fails with EMFILE while callers are left.
func (c *Crowded) Accept() (net.Conn, error) {
	if c.Left > 0 {
		c.Left--
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return c.Listener.Accept()
}
