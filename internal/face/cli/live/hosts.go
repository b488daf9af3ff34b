package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/metrics"
	"weft/internal/live/ranks"
	"weft/units"
)

// livePort is the TCP port on which hosts accept requests for ranks.
const livePort = 18517

func newLiveServe(e *process.Env) *cobra.Command {
	var asJSON bool
	var addrs []string
	var port uint16
	var memory, to string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "offer ranks on this host to collectives that other hosts start",
		Long: `Offers ranks to weft live all-reduce --hosts on other machines, one at a time for each
address of --addr, until interrupted. It listens on the loopback only, unless --addr
has other addresses of this machine: any host that reaches the first of them can make
it use memory and processor time, and open UDP sockets at these addresses. Requests
use TCP and are not encrypted.`,
		Example: `  weft live serve --addr 192.0.2.7
  weft live serve --addr 127.0.0.2,127.0.0.3    # two ranks`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := rankAddrs(addrs)
			if err != nil {
				return err
			}
			bytes, err := memoryFlag(memory)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
			defer stop()
			l, err := listen(list[0].String(), port)
			if err != nil {
				return err
			}
			if asJSON {
				if err := e.PrintLine(map[string]any{"serving": l.Addr().String(), "ranks": addrs}); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(e.Stdout, "serving on %v, ranks at %s\n", l.Addr(), strings.Join(addrs, ", "))
			}
			server := ranks.NewServer(bytes, list...)
			end, err := simulator.ExportMetrics(e, to, func() *metrics.Snapshot { return ranksSnapshot(server.Devices()) })
			if err != nil {
				return errors.Join(err, l.Close())
			}
			err = server.Serve(ctx, l, func(caller net.Addr, err error) {
				fmt.Fprintf(e.Stderr, "weft: %v: %v\n", caller, err)
			})
			if err = errors.Join(err, end()); err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&addrs, "addr", []string{"127.0.0.1"}, "addresses of this machine, one for each rank; it listens on the first")
	cmd.Flags().Uint16VarP(&port, "port", "p", livePort, "TCP port for requests of ranks")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's address as a line of JSON")
	simulator.MetricsFlag(cmd, &to)
	cmd.Flags().StringVar(&memory, "memory", units.Bytes(ranks.DefaultMemory).Exact(), "memory for the vectors of all ranks together")
	return cmd
}

// rankAddrs are the addresses of --addr, each of which can have one rank.
func rankAddrs(texts []string) (list []netip.Addr, err error) {
	seen := map[netip.Addr]bool{}
	for _, text := range texts {
		a, err := netip.ParseAddr(text)
		switch {
		case err != nil || a.IsUnspecified():
			return nil, fmt.Errorf("--addr %q: want an IP address such as 192.0.2.7", text)
		case seen[a]:
			return nil, fmt.Errorf("--addr has %v twice: an address has one rank", a)
		}
		seen[a] = true
		list = append(list, a)
	}
	if len(list) == 0 || len(list) > ranks.MaxRanks {
		return nil, fmt.Errorf("--addr has %d addresses: valid are 1 to %d", len(list), ranks.MaxRanks)
	}
	return list, nil
}

// servers are the servers of --hosts, one entry for each rank, in order. It is nil without hosts;
// with hosts their ranks are the group.
func (l *liveRun) servers() (list []string, err error) {
	for _, text := range l.hosts {
		host, n, err := hostRanks(text)
		if err != nil {
			return nil, err
		}
		for range n {
			list = append(list, net.JoinHostPort(host, strconv.Itoa(int(l.tcp))))
		}
	}
	if len(list) > ranks.MaxRanks {
		return nil, fmt.Errorf("--hosts has %d ranks: valid are 1 to %d", len(list), ranks.MaxRanks)
	}
	if list != nil {
		l.ranks = len(list)
	}
	return list, nil
}

// hostRanks parses HOST, HOST:RANKS or [IPv6]:RANKS.
func hostRanks(text string) (host string, n int, err error) {
	host, n = text, 1
	if _, bad := netip.ParseAddr(text); bad != nil && strings.Contains(text, ":") {
		var count string
		if host, count, err = net.SplitHostPort(text); err == nil {
			n, err = strconv.Atoi(count)
		}
	}
	if err != nil || host == "" || n < 1 || n > ranks.MaxRanks {
		return "", 0, fmt.Errorf("--hosts %q: want HOST or HOST:RANKS with 1 to %d ranks, such as 192.0.2.7:2", text, ranks.MaxRanks)
	}
	return host, n, nil
}

// startHosts requests ranks from servers, and replaces the entries of addrs by their addresses.
func startHosts(ctx context.Context, servers []string, addrs []netip.AddrPort) (members []ranks.Member, end func(), err error) {
	var ends []func() error
	hangUp := func() {
		for _, f := range ends {
			_ = f()
		}
	}
	for i, server := range servers {
		m, addr, one, err := ranks.Call(ctx, server)
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		ends = append(ends, one)
		members = append(members, m)
		addrs[i] = netip.AddrPortFrom(addr, addrs[i].Port())
	}
	// An interruption closes the connection to the awaited rank.
	stop := context.AfterFunc(ctx, hangUp)
	return members, func() {
		stop()
		hangUp()
	}, nil
}

// listen opens a server's port at an address of this machine.
func listen(addr string, port uint16) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(addr, strconv.Itoa(int(port))))
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, exit.Errorf(exit.Failed, "--addr %s is no address of this machine", addr)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, exit.Errorf(exit.Failed, "--port %d: another program listens there at %s", port, addr)
	case err != nil:
		return nil, exit.Errorf(exit.Failed, "%w", err)
	}
	return l, nil
}
