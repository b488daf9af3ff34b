package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/live/perf"
	"weft/units"
)

// perfPort is the TCP port of perftest's programs as well.
const perfPort = 18515

// perfTests are the measurements, with perftest's names without ib_.
var perfTests = []struct {
	name string
	verb perf.Verb
	kind perf.Kind
	what string
}{
	{"write-bw", perf.Write, perf.Bandwidth, "bandwidth of RDMA WRITE"},
	{"read-bw", perf.Read, perf.Bandwidth, "bandwidth of RDMA READ"},
	{"send-bw", perf.Send, perf.Bandwidth, "bandwidth of SEND"},
	{"write-lat", perf.Write, perf.Latency, "latency of RDMA WRITE, one way"},
	{"read-lat", perf.Read, perf.Latency, "latency of RDMA READ, there and back"},
	{"send-lat", perf.Send, perf.Latency, "latency of SEND, one way"},
}

func newPerf(e *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "perf",
		Short: "measure bandwidth and latency between two hosts",
		Long: `Measures real RDMA: RoCE v2 on ordinary UDP sockets, with the queue pairs of the
simulator. It needs no RDMA NIC, no kernel module and no privileges. One terminal
serves, the other measures; the columns are perftest's (ib_write_bw and so on).`,
		Example: `  weft live perf serve
  weft live perf write-bw 127.0.0.1
  weft live perf write-lat 127.0.0.1 -s 8
  weft live perf write-bw 127.0.0.1 -s 1048576 --against tcp`,
	}
	cmd.AddCommand(newPerfServe(e))
	for _, t := range perfTests {
		cmd.AddCommand(newPerfTest(e, t.name, t.what, perf.Test{Verb: t.verb, Kind: t.kind}))
	}
	return cmd
}

func newPerfServe(e *process.Env) *cobra.Command {
	var asJSON bool
	var d liveDevice
	var port uint16
	var memory string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "answer measurements until interrupted",
		Long: `Answers measurements until interrupted. It listens on the loopback only unless
--addr is another address of this machine: any host that reaches it can make it use
memory and processor time.`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			bytes, err := memoryFlag(memory)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			dev, err := d.open(e, 4096)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, dev.Close()) }()
			l, err := listen(d.addr, port)
			if err != nil {
				return err
			}
			if asJSON {
				if err := e.PrintLine(map[string]any{"serving": l.Addr().String(), "device": dev.Addr().String()}); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(e.Stdout, "serving on %v, device %v\n", l.Addr(), dev.Addr())
			}
			err = perf.Serve(ctx, l, dev.Device, bytes, func(peer net.Addr, t *perf.Test, err error) {
				if err != nil {
					fmt.Fprintf(e.Stderr, "weft: %v: %v\n", peer, err)
				}
			})
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			return nil
		},
	}
	d.flags(cmd, "127.0.0.1", "address of this machine")
	cmd.Flags().Uint16VarP(&port, "port", "p", perfPort, "TCP port for clients")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's address as a line of JSON")
	cmd.Flags().StringVar(&memory, "memory", units.Bytes(perf.DefaultMemory).Exact(), "memory for all tests together")
	return cmd
}

// memoryFlag is the bytes of --memory.
func memoryFlag(text string) (int64, error) {
	n, err := units.ParseBytes(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--memory %q: want a number of bytes such as 8G", text)
	}
	return int64(n), nil
}

// perfRun is the flags of a measurement.
type perfRun struct {
	liveDevice
	test    perf.Test
	all     bool
	port    uint16
	against string
	gbits   bool
	json    bool
}

func newPerfTest(e *process.Env, name, what string, t perf.Test) *cobra.Command {
	p := &perfRun{test: t}
	original := "ib_" + strings.ReplaceAll(name, "-", "_")
	cmd := &cobra.Command{
		Use:   name + " HOST",
		Short: what,
		Long: "Measures the " + what + `.
HOST runs weft live perf serve. perftest's own program measures against itself on any
RoCE v2 device: weft verbs run starts it here.`,
		Example: "  weft live perf " + name + " 127.0.0.1\n  weft verbs run -- " + original + " 192.0.2.1    # there: " + original,
		Args:    flags.Args(1, 1, "the host that serves"),
		RunE:    func(cmd *cobra.Command, given []string) error { return p.run(cmd.Context(), e, given[0]) },
	}
	p.flags(cmd, "", "address of this machine (default: 127.0.0.2 to a loopback, else the route's)")
	f := cmd.Flags()
	size, iters, depth := 65536, 5000, 128
	if t.Kind == perf.Latency {
		size, iters, depth = 2, 1000, 1
	}
	flags.SizeVarP(f, &p.test.Size, "size", "s", size, "bytes of a message")
	f.BoolVarP(&p.all, "all", "a", false, "all sizes from 2 to 8388608")
	f.IntVarP(&p.test.Iters, "iters", "n", iters, "iterations")
	f.IntVar(&p.test.Warmup, "warmup", 200, "iterations before the measured ones")
	flags.SizeVarP(f, &p.test.MTU, "mtu", "m", 4096, "path MTU: 256, 512, 1024, 2048 or 4096")
	flags.SizeVarP(f, &p.test.Inline, "inline-size", "I", 220, "messages up to this size are copied when they are posted")
	f.Uint16VarP(&p.port, "port", "p", perfPort, "TCP port of the server")
	f.StringVar(&p.against, "against", "", "tcp: measure the same over kernel TCP, too")
	f.BoolVar(&p.json, "json", false, "print as JSON")
	f.BoolVar(&p.test.Selective, "selective-repeat", true, "offer selective repeat; go-back-N if false")
	f.BoolVarP(&p.test.Events, "events", "e", false, "sleep until something completes, instead of polling")
	p.test.QPs, p.test.Depth = 1, depth
	if t.Kind == perf.Bandwidth {
		f.IntVarP(&p.test.QPs, "qp", "q", 1, "queue pairs")
		f.IntVarP(&p.test.Depth, "tx-depth", "t", depth, "outstanding work requests of each queue pair")
		f.IntVarP(&p.test.List, "post-list", "l", 16, "work requests posted in one call; perftest's own default is 1")
		f.BoolVar(&p.gbits, "report-gbits", false, "in 10^9 bits per second, not in MiB")
	}
	return cmd
}

func (p *perfRun) run(ctx context.Context, e *process.Env, host string) (err error) {
	if p.against != "" && p.against != "tcp" {
		return fmt.Errorf("--against %q: valid is tcp", p.against)
	}
	first := p.test
	if p.all {
		first.Size = 2
	}
	tcp := first
	tcp.OverTCP = p.against != ""
	if err := cmp.Or(first.Check(), tcp.Check()); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	dev, err := p.openFor(e, host, p.port, p.test.MTU)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	c, err := perf.Dial(ctx, dev.Device, net.JoinHostPort(host, strconv.Itoa(int(p.port))))
	if err != nil {
		return exit.Errorf(exit.Failed, "%w (does weft live perf serve run there?)", err)
	}
	defer c.Close()
	results, err := p.measure(ctx, e.Stdout, c)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if p.json {
		return process.PrintJSON(e, perf.RecordOf(results...))
	}
	return nil
}

// measure runs every size, over RDMA and then over TCP.
func (p *perfRun) measure(ctx context.Context, out io.Writer, c *perf.Client) ([]*perf.Result, error) {
	var results []*perf.Result
	table := &perfTable{w: out, gbits: p.gbits, kind: p.test.Kind}
	if p.json {
		table.w = io.Discard
	}
	for _, overTCP := range []bool{false, true} {
		if overTCP && p.against == "" {
			break
		}
		headed := false
		for _, size := range p.sizes() {
			t := p.test
			t.Size, t.OverTCP = size, overTCP
			if headed && !overTCP {
				t.Warmup = min(t.Warmup, 100)
			}
			r, err := c.Run(ctx, t, func(t *perf.Test, local, peer *perf.End) {
				if !headed {
					table.head(t, local, peer)
				}
			})
			if err != nil {
				return results, err
			}
			if overTCP && !headed {
				table.overTCP()
			}
			headed = true
			table.row(r)
			results = append(results, r)
		}
		table.end()
	}
	table.notes(results)
	return results, nil
}

// sizes are the messages' sizes in turn.
func (p *perfRun) sizes() []int {
	if !p.all {
		return []int{p.test.Size}
	}
	var all []int
	for n := 2; n <= 8<<20; n *= 2 {
		all = append(all, n)
	}
	return all
}
