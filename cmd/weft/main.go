// Command weft simulates InfiniBand, RoCE v2 and TCP fabrics of AI clusters.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"weft/internal/face/cli"
)

func main() { os.Exit(int(run())) }

// run leaves its deferred calls behind before the process exits. The first
// Ctrl-C stops the run cleanly; after it the signal has its usual effect.
func run() cli.Code {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	outTerminal, width := cli.Terminal(os.Stdout)
	errTerminal, errWidth := cli.Terminal(os.Stderr)
	return cli.Main(ctx, &cli.Env{
		Args: os.Args[1:], Getenv: os.Getenv,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdoutTerminal: outTerminal, StderrTerminal: errTerminal, Width: max(width, errWidth),
		Now: time.Now, Cores: cli.Cores(), Version: cli.ReadVersion(),
		UserCache: os.UserCacheDir,
	})
}
