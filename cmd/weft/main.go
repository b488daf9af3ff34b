// Command weft simulates InfiniBand, RoCE v2 and TCP fabrics of AI clusters.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"weft/internal/face/cli"
)

func main() { os.Exit(run()) }

// run leaves its deferred calls behind before the process exits. The first
// Ctrl-C stops the run cleanly; after it the signal has its usual effect.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return int(cli.Main(ctx, cli.ThisProcess()))
}
