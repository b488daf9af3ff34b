//go:build !linux

package emulate

import (
	"context"
	"errors"
	"os"
	"time"

	"weft/scenario"
	"weft/units"
	"weft/wire/mad"
)

// Run fails: the sockets between the fabric and its devices are Linux's.
func Run(context.Context, *scenario.Resolved, Options) (*Report, error) {
	return nil, errors.New("an emulated fabric needs Linux")
}

// Asking exchanges management datagrams with an emulated fabric, on Linux alone.
type Asking struct{}

// Ask fails: the sockets between the fabric and its programs are Linux's.
func Ask(string, string) (*Asking, error) {
	return nil, errors.New("an emulated fabric needs Linux")
}

// Send fails.
func (*Asking) Send(units.LID, *mad.MAD) error { return os.ErrClosed }

// Receive fails.
func (*Asking) Receive() (from units.LID, d mad.MAD, timedOut bool, err error) {
	return 0, d, false, os.ErrClosed
}

// SetReceiveDeadline fails.
func (*Asking) SetReceiveDeadline(time.Time) error { return os.ErrClosed }

// Close does nothing.
func (*Asking) Close() error { return nil }
