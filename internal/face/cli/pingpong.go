package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/live/perf"
)

// linuxTool is the flags of a verb whose peer is a program of rdma-core.
type linuxTool struct {
	liveDevice
	meet uint16
	json bool
}

// text is the output for users.
func (l *linuxTool) text(e *Env) io.Writer {
	if l.json {
		return io.Discard
	}
	return e.Stdout
}

func (l *linuxTool) flags(cmd *cobra.Command, port uint16, what string) {
	l.liveDevice.flags(cmd, "", "address of this machine (default: the route's to HOST; to serve, 127.0.0.1)")
	cmd.Flags().Uint16VarP(&l.meet, "port", "p", port, what)
	cmd.Flags().BoolVar(&l.json, "json", false, "print as JSON")
}

// meeting opens the device, which the caller closes.
func (l *linuxTool) meeting(e *Env, host string) (m perf.Meeting, dev *perf.Device, err error) {
	m.Server, m.Port = host, l.meet
	m.Waiting = func() { fmt.Fprintf(l.text(e), "waiting for a client on %s, port %d\n", l.addr, l.meet) }
	if dev, err = l.openFor(e, host, l.meet, 4096); err != nil {
		return m, nil, err
	}
	m.Dev = dev.Device
	return m, dev, nil
}

// optional is the only argument, if given.
func optional(given []string) string {
	if len(given) == 0 {
		return ""
	}
	return given[0]
}

func newPingPong(e *Env) *cobra.Command {
	l := &linuxTool{}
	p := &perf.PingPong{}
	cmd := &cobra.Command{
		Use:   "pingpong rc|uc|ud [HOST]",
		Short: "exchange messages with ibv_rc_pingpong and its variants, or with weft",
		Long: `Sends messages to and fro over a reliable or unreliable connection or by datagrams.
At HOST runs ibv_rc_pingpong, ibv_uc_pingpong or ibv_ud_pingpong of rdma-core, on any
RoCE v2 device and with the index of a GID (-g), or weft live pingpong; without HOST
this program waits for one of them. Both sides need the same size and iterations.
Every message is compared with the data that such programs send. UC and UD do not
retransmit: weft reports a lost message, for which Linux's programs wait for ever.`,
		Example: "  weft live pingpong rc --addr 192.0.2.1    # then there: ibv_rc_pingpong -g 1 192.0.2.1",
		Args:    args(1, 2, "rc, uc or ud, and the host that serves"),
		RunE: func(cmd *cobra.Command, given []string) (err error) {
			var ok bool
			if p.Type, ok = perf.PingPongTypes[given[0]]; !ok {
				return fmt.Errorf("%q: valid are rc, uc and ud", given[0])
			}
			if err := perf.CheckMTU(p.MTU); err != nil {
				return err
			}
			if p.Patience <= 0 {
				return fmt.Errorf("--patience %v: give more than 0", p.Patience)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			var dev *perf.Device
			if p.Meeting, dev, err = l.meeting(e, optional(given[1:])); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, dev.Close()) }()
			return l.pingPong(ctx, e, p)
		},
	}
	l.flags(cmd, perfPort, "TCP port for the exchange of addresses")
	f := cmd.Flags()
	sizeVarP(f, &p.Size, "size", "s", 4096, "bytes of a message")
	f.IntVarP(&p.Iters, "iters", "n", 1000, "messages of each side")
	f.DurationVar(&p.Patience, "patience", 10*time.Second, "time to wait for a message")
	sizeVarP(f, &p.MTU, "mtu", "m", 1024, "path MTU: 256, 512, 1024, 2048 or 4096")
	return cmd
}

// pingPong prints the programs' output lines, and whether the data was right.
func (l *linuxTool) pingPong(ctx context.Context, e *Env, p *perf.PingPong) error {
	out := l.text(e)
	r, err := p.Run(ctx, func(local, peer perf.QPAddress) {
		for _, side := range []struct {
			name string
			perf.QPAddress
		}{{"local address: ", local}, {"remote address:", peer}} {
			fmt.Fprintf(out, "  %s LID 0x0000, QPN 0x%06x, PSN 0x%06x, GID %v\n",
				side.name, uint32(side.QPN), uint32(side.PSN), netip.AddrFrom16(side.Addr.As16()))
		}
	})
	if err != nil {
		return fail(Failed, "%w", err)
	}
	s := r.Seconds
	fmt.Fprintf(out, "%d bytes in %.2f seconds = %.2f Mbit/sec\n", r.Bytes, s, float64(r.Bytes)*8/1e6/s)
	fmt.Fprintf(out, "%d iters in %.2f seconds = %.2f usec/iter\n", p.Iters, s, s*1e6/float64(p.Iters))
	if r.Unconfirmed {
		fmt.Fprintln(out, "the last message was not acknowledged: the other side received it and left, or did not receive it")
	}
	if l.json {
		if err := printJSON(e, r); err != nil {
			return err
		}
	}
	if r.Wrong > 0 {
		return fail(Failed, "WRONG DATA in %d of %d messages", r.Wrong, p.Iters)
	}
	return nil
}

func newRping(e *Env) *cobra.Command {
	l := &linuxTool{}
	p := &perf.Rping{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "rping [HOST]",
		Short: "READ and WRITE with rdma-core's rping, or with weft",
		Long: `Connects to rping -s at HOST, or weft live rping, by the connection manager. A text goes
there by RDMA READ and comes back by RDMA WRITE, and is compared. Without HOST it
waits for a client, which is rping -c.`,
		Example: "  weft live rping --addr 192.0.2.1    # then there: rping -c -a 192.0.2.1 -C 10 -V",
		Args:    args(0, 1, "the host that serves"),
		RunE: func(cmd *cobra.Command, given []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			var dev *perf.Device
			if p.Meeting, dev, err = l.meeting(e, optional(given)); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, dev.Close()) }()
			seen := 0
			err = p.Run(ctx, func(text []byte) {
				if seen++; verbose {
					fmt.Fprintf(l.text(e), "ping data: %s\n", text)
				}
			})
			if err != nil {
				return fail(Failed, "%w", err)
			}
			fmt.Fprintf(l.text(e), "%d texts went and came back\n", seen)
			if l.json {
				return printJSON(e, map[string]int{"texts": seen})
			}
			return nil
		},
	}
	l.flags(cmd, rpingPort, "port of the connection manager")
	f := cmd.Flags()
	sizeVarP(f, &p.Size, "size", "S", 64, "bytes of a text")
	f.IntVarP(&p.Count, "count", "C", 10, "number of texts; rping itself goes on until it is stopped")
	f.BoolVarP(&verbose, "verbose", "v", false, "print every text")
	return cmd
}

// rpingPort is the port of rping.
const rpingPort = 7174
