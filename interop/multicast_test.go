//go:build linux

package interop

import (
	"context"
	"testing"
	"time"
)

// mckey joins a group; with -s it sends to it.
const mckey = "mckey -m 239.77.1.1 -C 4 -S 64 -b "

// The members of a group and those who send to it are mckey on both sides. It does not say when it has
// joined, so the sender sends until the member has all datagrams.
func TestMulticastGoesBothWays(t *testing.T) {
	if machine == nil {
		t.Skip("SKIPPED: make interop runs this, in a virtual machine")
	}
	there := func(ctx context.Context, flags string) ending {
		out, err := machine.runUntil(ctx, words(mckey, guestAddr, flags)...)
		return ending{there: out, failed: err}
	}
	here := func(ctx context.Context, flags string) ending {
		out, err := onWeft(ctx, words(mckey, hostAddr, flags)).CombinedOutput()
		return ending{weft: out, err: err}
	}
	for name, side := range map[string]struct {
		from, to func(context.Context, string) ending
	}{
		"weft sends": {here, there}, "weft is a member": {there, here},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), runTime)
			defer cancel()
			member := make(chan ending, 1)
			go func() { member <- side.to(ctx, "") }()
			for {
				select {
				case e := <-member:
					judge(t, e)
					return
				case <-time.After(200 * time.Millisecond):
					judge(t, side.from(ctx, "-s"))
				}
			}
		})
	}
}
