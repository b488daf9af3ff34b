package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/live/perf"
)

// pinging is the flags of the verb.
type pinging struct {
	liveDevice
	count    int
	size     int
	interval time.Duration
	json     bool
}

func newPing(e *process.Env) *cobra.Command {
	p := &pinging{}
	cmd := &cobra.Command{
		Use:   "ping HOST",
		Short: "read a peer's memory repeatedly and print the times",
		Long: `Connects to the device at HOST, where weft live perf serve runs, by InfiniBand's
connection manager, and reads its memory by RDMA READ: only the peer's device takes
part, not its software.`,
		Example: "  weft live ping 127.0.0.1",
		Args:    flags.Args(1, 1, "one host"),
		RunE:    func(cmd *cobra.Command, given []string) error { return p.run(cmd.Context(), e, given[0]) },
	}
	p.flags(cmd, "", "address of this machine (default: 127.0.0.2 to a loopback, else the route's)")
	f := cmd.Flags()
	f.IntVarP(&p.count, "count", "c", 4, "pings; 0 is until interrupted")
	flags.SizeVarP(f, &p.size, "size", "s", 64, "bytes of a ping")
	f.BoolVar(&p.json, "json", false, "print as JSON")
	f.DurationVarP(&p.interval, "interval", "i", 200*time.Millisecond, "time between two")
	return cmd
}

func (p *pinging) run(ctx context.Context, e *process.Env, host string) (err error) {
	if p.interval > perf.PingIdle/2 {
		return fmt.Errorf("-i %v: at most %v: after twice that time the other side ends the connection", p.interval, perf.PingIdle/2)
	}
	if p.count < 0 || p.interval < 0 {
		return fmt.Errorf("-c %d, -i %v: neither may be negative", p.count, p.interval)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return err
	}
	dev, err := p.openFor(e, host, p.port, 4096)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	dial, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	to := found[0].Unmap()
	pinger, err := perf.NewPinger(dial, dev.Device, to, p.size)
	if err != nil {
		return exit.Errorf(exit.Failed, "%v: %w (does weft live perf serve run there?)", to, err)
	}
	out := e.Stdout
	if p.json {
		out = io.Discard
	}
	fmt.Fprintf(out, "PING %s (%v) by RDMA READ of %d bytes\n", host, to, p.size)
	pings := &perf.Pings{Host: host, Addr: to, Bytes: p.size, Times: []float64{}}
	err = p.loop(ctx, out, pinger, pings)
	pingSummary(out, pings)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if p.json {
		if err := process.PrintJSON(e, pings); err != nil {
			return err
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = pinger.Close(end) // otherwise the peer learns of it from its timeout
	return nil
}

// loop pings until it is stopped.
func (p *pinging) loop(ctx context.Context, out io.Writer, pinger *perf.Pinger, pings *perf.Pings) error {
	for i := 1; p.count == 0 || i <= p.count; i++ {
		d, err := pinger.Ping(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = nil // interrupted
			}
			return err
		}
		us := float64(d.Nanoseconds()) / 1000
		pings.Times = append(pings.Times, us)
		fmt.Fprintf(out, "%d bytes from %v: seq=%d time=%.1f us\n", p.size, pings.Addr, i, us)
		if i == p.count {
			break
		}
		select {
		case <-time.After(p.interval):
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// pingSummary prints the last lines, in the form of ping.
func pingSummary(out io.Writer, pings *perf.Pings) {
	if len(pings.Times) == 0 {
		return
	}
	low, high, sum, squares := math.Inf(1), 0.0, 0.0, 0.0
	for _, us := range pings.Times {
		low, high = min(low, us), max(high, us)
		sum += us
		squares += us * us
	}
	n := float64(len(pings.Times))
	mean := sum / n
	fmt.Fprintf(out, "--- %s: %d answered; min/avg/max/mdev = %.1f/%.1f/%.1f/%.1f us\n",
		pings.Host, len(pings.Times), low, mean, high, math.Sqrt(max(0, squares/n-mean*mean)))
}
