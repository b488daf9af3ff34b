package infiniband

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/study/traffic"
)

// NewIbsim is the verb weft ibsim.
func NewIbsim(e *process.Env) *cobra.Command {
	var c overrides.Flags
	var socket string
	var asJSON, withTraffic bool
	cmd := &cobra.Command{
		Use:   "ibsim FABRIC",
		Short: "serve a simulated fabric to OpenSM and infiniband-diags",
		Long: `ibsim serves the protocol of the simulator ibsim, so that unmodified programs
manage and inspect a fabric that exists only here: a weft scenario, a file of
ibnetdiscover, or one of ibsim's nets. It runs until it is interrupted.

Attach a program with
  LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so IBSIM_SOCKNAME=weft opensm …
SIM_HOST=NODE selects its node: by GUID as in H-0002c9030010000c, or by name.
IBSIM_SOCKNAME, if set, is also the name of this simulator.

Lines on standard input are commands, those of ibsim's console: Link, Unlink,
ReLink, Clear, Error, Baselid, Guid, PerformanceSet, Dump, Route, Attached, X,
Wait, !FILE, Quit. Help lists them. down NODE[PORT], up NODE[PORT] and
restart NODE are weft's own.`,
		Example: `  weft ibsim example:h100-128
  weft ibsim example:h100-128 --traffic --set 'workload.sizes=[1MiB]'
  weft ibsim fabric.topo --socket mine`,
		Args: flags.Args(1, 1, "one fabric"),
		RunE: func(cmd *cobra.Command, given []string) error {
			for _, flag := range []string{"algo", "proto", "error", "seed"} {
				if !withTraffic && cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for --traffic: without it %s", flag, flags.NoSimulation)
				}
			}
			s, err := loadSubnet(e, given[0], &c)
			if err != nil {
				return err
			}
			var counted map[subnet.End]*sma.Traffic
			if withTraffic {
				r, err := c.Load(e, given[0])
				if err == nil {
					counted, err = traffic.OfPorts(cmd.Context(), r, s)
				}
				if err != nil {
					return err
				}
			}
			return serveIbsim(cmd.Context(), e, s, counted, socket, asJSON)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", cmp.Or(e.Getenv("IBSIM_SOCKNAME"), "weft"), "the value of IBSIM_SOCKNAME for programs (default: IBSIM_SOCKNAME, or weft)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the address and the size of the served fabric as JSON")
	cmd.Flags().BoolVar(&withTraffic, "traffic", false, "simulate the scenario's workload first: the ports' counters begin with its packets")
	c.Register(cmd)
	return cmd
}

// served is the output when programs can attach.
type served struct {
	Socket   string `json:"ibsim_sockname"`
	Switches int    `json:"switches"`
	Others   int    `json:"other_nodes"`
}

func serveIbsim(ctx context.Context, e *process.Env, s *subnet.Subnet, counted map[subnet.End]*sma.Traffic, socket string, asJSON bool) error {
	fabric, err := sma.New(s)
	if err != nil {
		return err
	}
	for at, t := range counted {
		fabric.CountTraffic(at, *t)
	}
	server, err := ibsim.Listen(socket, fabric)
	if err != nil {
		return exit.Errorf(exit.Failed, "the sockets cannot be opened: %w", err)
	}
	ready := served{socket, s.Switches(), len(s.Nodes) - s.Switches()}
	if asJSON {
		err = e.PrintLine(ready)
	} else {
		_, err = fmt.Fprintf(e.Stdout, "IBSIM_SOCKNAME=%s: %d switches, %d other nodes; ready\n", ready.Socket, ready.Switches, ready.Others)
	}
	if err != nil {
		return err
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	go func() {
		console := ibsim.NewConsole(server, e.Stdout, func(name string) ([]byte, error) { return readScript(e, name) })
		switch err := console.Run(ctx, e.Stdin); {
		case errors.Is(err, ibsim.ErrQuit):
			quit()
		case err != nil && !errors.Is(err, process.ErrInterrupted):
			fmt.Fprintf(e.Stderr, "weft: standard input: %v; no further commands are read\n", err)
		}
	}()
	return server.Serve(ctx)
}

// maxScript bounds a file of console commands.
const maxScript = 16 << 20

// readScript reads a file of console commands.
func readScript(e *process.Env, name string) ([]byte, error) {
	f, err := e.Open(name)
	if err != nil {
		return nil, process.CannotRead(name, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err == nil && len(text) > maxScript {
		err = fmt.Errorf("it has more than %d MiB", maxScript>>20)
	}
	if err != nil {
		return nil, process.CannotRead(name, err)
	}
	return text, nil
}
