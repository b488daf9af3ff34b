package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/metrics"
	"weft/internal/live/ranks"
	"weft/internal/sim/collective"
	"weft/units"
	"weft/wire"
)

// NewLive is the verb weft live.
func NewLive(e *simulator.Simulator) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "live",
		Short: "RDMA on a real network: measurements, collectives, captures",
		Long: `Real RDMA between processes with real memory: RoCE v2 on UDP sockets, without an RDMA
NIC and without privileges. Collectives run along the schedules of the simulator. weft
verbs run starts perftest's, libibverbs' and librdmacm's own programs on the same devices.`,
		Example: "  weft live all-reduce --ranks 4 -b 8 -e 64M\n  weft live serve --addr 192.0.2.7    # on each of several hosts, for --hosts",
	}
	cmd.AddCommand(newLiveAllReduce(e), newLiveServe(e.Env), newLiveRank(e))
	for _, c := range NewMeasurements(e.Env) {
		if c.HasSubCommands() {
			flags.Group(c)
		}
		cmd.AddCommand(c)
	}
	return cmd
}

// NewMeasurements are the verbs of live with old names at the top level.
func NewMeasurements(e *process.Env) []*cobra.Command {
	return []*cobra.Command{newPerf(e), newSniff(e)}
}

// newLiveRank is the verb of a collective's rank processes; it is not for users.
func newLiveRank(e *simulator.Simulator) *cobra.Command {
	return &cobra.Command{
		Use:    "rank",
		Short:  "one rank of a collective, controlled by standard input",
		Hidden: true,
		Args:   flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ranks.Serve(cmd.Context(), e.Stdin, e.Stdout); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			return nil
		},
	}
}

// liveAlgos are the schedules of an all-reduce that ranks of one host each can run.
var liveAlgos = map[string]collective.Algo{
	"ring": collective.Ring, "tree": collective.Tree, "halving-doubling": collective.HalvingDoubling,
}

// liveRun is the flags of a collective.
type liveRun struct {
	ranks    int
	min, max string
	factor   int64
	iters    int
	warmup   int
	check    bool
	algo     string
	chunk    string
	addr     string
	port     uint16
	inside   bool
	hosts    []string
	tcp      uint16
	predict  bool
	pcap     string
	metrics  string
	json     bool
}

func newLiveAllReduce(e *simulator.Simulator) *cobra.Command {
	l := &liveRun{}
	cmd := &cobra.Command{
		Use:   "all-reduce",
		Short: "add up the vectors of several processes",
		Long: `Adds up vectors of float32 over several processes, each with a device and an
address of its own, and prints the table of nccl-tests. The result is checked
element by element.

With --hosts the ranks are on other machines, or on several addresses of this one:
each runs weft live serve, and the first ranks run on the first host.

With --predict ranks 0 and 1 first measure one pair, five times. The simulator then
predicts the time of the collective between hosts that are all like that pair: in the
median, and from the best to the worst of the five. If ranks share processors, or if
the five differ too much, there is no prediction.`,
		Example: `  weft live all-reduce --ranks 4
  weft live all-reduce --ranks 8 -b 1M -e 64M --algo halving-doubling
  weft live all-reduce --ranks 4 --predict
  weft live all-reduce --hosts 192.0.2.7,192.0.2.8`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.IntVar(&l.ranks, "ranks", 4, "processes")
	f.StringVarP(&l.min, "min", "b", "8", "smallest vector")
	f.StringVarP(&l.max, "max", "e", "16M", "largest vector")
	f.Int64VarP(&l.factor, "factor", "f", 2, "from one size to the next")
	f.IntVar(&l.iters, "iters", 20, "measured operations of each size")
	f.IntVarP(&l.warmup, "warmup", "w", 5, "operations before them")
	f.BoolVar(&l.check, "check", true, "check every element of a result")
	f.StringVar(&l.algo, "algo", "ring", "ring, tree or halving-doubling")
	f.StringVar(&l.chunk, "chunk", "1M", "longest message of a channel's ring or tree")
	f.StringVar(&l.addr, "addr", "127.0.1.1", "address of the first rank; the others have the next addresses")
	f.Uint16Var(&l.port, "udp-port", wire.RoCEv2Port, "UDP port of all ranks' devices")
	f.BoolVar(&l.inside, "in-process", false, "ranks are goroutines of this process, with sockets of their own")
	f.StringSliceVar(&l.hosts, "hosts", nil, "hosts that run weft live serve, HOST or HOST:RANKS; instead of -n and --addr")
	f.Uint16VarP(&l.tcp, "port", "p", livePort, "TCP port of the hosts' servers")
	f.StringVar(&l.pcap, "pcap", "", "write every packet to a file of this name and the rank's number (pcapng)")
	cmd.MarkFlagsMutuallyExclusive("hosts", "ranks")
	cmd.MarkFlagsMutuallyExclusive("hosts", "addr")
	cmd.MarkFlagsMutuallyExclusive("hosts", "in-process")
	cmd.MarkFlagsMutuallyExclusive("hosts", "pcap")
	simulator.MetricsFlag(cmd, &l.metrics)
	f.BoolVar(&l.predict, "predict", false, "compare with the simulator's prediction from one pair")
	f.BoolVar(&l.json, "json", false, "print as JSON")
	return cmd
}

// spec is the flags as a group and its sizes.
func (l *liveRun) spec() (s ranks.Spec, from, to int64, err error) {
	parse := func(flag, text string) int64 {
		v, bad := units.ParseBytes(text)
		if bad == nil && (v < 1 || v > ranks.MaxVector) {
			bad = fmt.Errorf("valid are 1 to %d bytes", ranks.MaxVector)
		}
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("%s %s: %w", flag, text, bad))
		}
		return int64(v)
	}
	from, to, s.Chunk = parse("-b", l.min), parse("-e", l.max), parse("--chunk", l.chunk)
	algo, known := liveAlgos[l.algo]
	first, bad := netip.ParseAddr(l.addr)
	switch {
	case !known:
		err = errors.Join(err, fmt.Errorf("--algo %s: valid are ring, tree and halving-doubling", l.algo))
	case bad != nil:
		err = errors.Join(err, fmt.Errorf("--addr %q is no IP address", l.addr))
	case l.ranks < 1 || l.ranks > ranks.MaxRanks:
		err = errors.Join(err, fmt.Errorf("--ranks %d: valid are 1 to %d", l.ranks, ranks.MaxRanks))
	case l.factor < 2 || l.iters < 1 || l.warmup < 0:
		err = errors.Join(err, fmt.Errorf("-f %d, --iters %d, -w %d: at least 2, 1 and 0", l.factor, l.iters, l.warmup))
	case from > to:
		err = errors.Join(err, fmt.Errorf("-b %s is more than -e %s", l.min, l.max))
	case l.predict && l.ranks < 2:
		err = errors.Join(err, fmt.Errorf("--ranks %d with --predict: a prediction needs 2 ranks or more", l.ranks))
	}
	s.Algo, s.Max = algo, int(max(to&^3, 4))
	if l.predict {
		s.Max = max(s.Max, ranks.PairBytes)
	}
	for range l.ranks {
		s.Addrs = append(s.Addrs, netip.AddrPortFrom(first, l.port))
		first = first.Next()
	}
	return s, from, to, err
}

func (l *liveRun) run(ctx context.Context, e *simulator.Simulator) error {
	servers, err := l.servers()
	if err != nil {
		return err
	}
	s, from, to, err := l.spec()
	if err != nil {
		return err
	}
	if l.pcap != "" {
		s.Capture = e.Path(l.pcap)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	members, end, err := l.start(ctx, e, servers, s.Addrs)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	defer end()
	g, err := ranks.NewGroup(members, s)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	unshow, err := simulator.ExportMetrics(e.Env, l.metrics, func() *metrics.Snapshot { return ranksSnapshot(g.Devices()) })
	if err != nil {
		return err
	}
	return cmp.Or(l.measure(ctx, e, g, s.Addrs, from, to), unshow())
}

// measure runs all sizes and prints them.
func (l *liveRun) measure(ctx context.Context, e *simulator.Simulator, g *ranks.Group, addrs []netip.AddrPort, from, to int64) (err error) {
	table := &liveTable{w: e.Stdout, run: l, from: from, to: to, weft: e.Version.Weft}
	if l.json {
		table.w = io.Discard
	}
	table.head(addrs)
	var pair []ranks.Pair
	if l.predict {
		if pair, err = g.Pairs(); err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
	}
	var rows []liveRow
	for bytes := max(4, from&^3); bytes <= to; bytes *= l.factor {
		row := liveRow{bytes: bytes}
		for i, inPlace := range []bool{false, true} {
			if row.of[i], err = g.AllReduce(int(bytes), l.iters, l.warmup, l.check, inPlace); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
		}
		table.row(&row)
		rows = append(rows, row)
	}
	wrong := table.end()
	p, why, err := l.withPrediction(ctx, e, table.w, pair, g.Machines(), rows)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if l.json {
		if err := process.PrintJSON(e.Env, liveJSON(l, addrs, rows, p, why)); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return exit.Errorf(exit.Failed, "%d elements are wrong", wrong)
	}
	return nil
}

// start starts the ranks. Ranks of servers report their addresses.
func (l *liveRun) start(ctx context.Context, e *simulator.Simulator, servers []string, addrs []netip.AddrPort) (members []ranks.Member, end func(), err error) {
	switch {
	case servers != nil:
		return startHosts(ctx, servers, addrs)
	case l.inside:
		return startInside(ctx, l.ranks)
	}
	return startProcesses(ctx, e, l.ranks)
}

// startInside starts ranks as goroutines.
func startInside(ctx context.Context, n int) (members []ranks.Member, end func(), err error) {
	var ends []func()
	ctx, cancel := context.WithCancel(ctx)
	for range n {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = outW.CloseWithError(ranks.Serve(ctx, inR, outW))
		}()
		members = append(members, ranks.Member{In: inW, Out: outR})
		ends = append(ends, func() {
			_ = inW.Close()
			<-done
		})
	}
	return members, func() { endRanks(ends, cancel) }, nil
}

// ranksEnd is the time for ranks to end by themselves. A rank that waits for a rank that is gone
// would not.
const ranksEnd = time.Second

// endRanks ends ranks, by force if necessary.
func endRanks(ends []func(), force func()) {
	defer force()
	defer time.AfterFunc(ranksEnd, force).Stop()
	for _, f := range ends {
		f()
	}
}

// startProcesses starts ranks as processes of this program, which end when their
// standard input does.
func startProcesses(ctx context.Context, e *simulator.Simulator, n int) (members []ranks.Member, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	var ends []func()
	ctx, cancel := context.WithCancel(ctx)
	end = func() { endRanks(ends, cancel) }
	for range n {
		cmd := exec.CommandContext(ctx, self, "live", "rank")
		cmd.Stderr = e.Stderr
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err1, err2); err != nil {
			end()
			return nil, nil, err
		}
		if err := cmd.Start(); err != nil {
			end()
			return nil, nil, err
		}
		members = append(members, ranks.Member{In: in, Out: out})
		ends = append(ends, func() {
			_ = in.Close()
			_ = cmd.Wait()
		})
	}
	return members, end, nil
}
