//go:build !linux

package socket

import (
	"errors"
	"net/netip"
	"time"

	"weft/internal/sim/channel"
	"weft/units"
)

// Emulated needs Linux.
type Emulated struct {
	Conn
	Welcome channel.Welcome
}

// OpenEmulated fails: sockets of type SOCK_SEQPACKET between processes are Linux's.
func OpenEmulated(string, netip.Addr, string) (*Emulated, error) {
	return nil, errors.New("live: an emulated fabric needs Linux")
}

// Clock is never called.
func (e *Emulated) Clock() units.Time { return 0 }

// Worked is never called.
func (e *Emulated) Worked() units.Time { return 0 }

// Sync is never called.
func (e *Emulated) Sync() error { return nil }

// Serve is never called.
func (e *Emulated) Serve(*Port, func(bool), func()) {}

// Rest is never called.
func (e *Emulated) Rest(time.Duration) {}
