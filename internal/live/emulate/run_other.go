//go:build !linux

package emulate

import (
	"context"
	"errors"

	"weft/scenario"
)

// Run fails: the sockets between the fabric and its devices are Linux's.
func Run(context.Context, *scenario.Resolved, Options) (*Report, error) {
	return nil, errors.New("an emulated fabric needs Linux")
}
