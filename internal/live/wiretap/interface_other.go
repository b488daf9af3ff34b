//go:build !linux

package wiretap

import (
	"context"
	"errors"

	"weft/wire/pcap"
)

// Interface is an interface whose packets are read.
type Interface struct{}

var errLinux = errors.New("reading an interface needs Linux: let tcpdump write to weft live sniff -")

// Open fails: only Linux is supported.
func Open(context.Context, string) (*Interface, error) { return nil, errLinux }

// Next fails.
func (*Interface) Next(*pcap.Packet) error { return errLinux }

// Close does nothing.
func (*Interface) Close() error { return nil }
