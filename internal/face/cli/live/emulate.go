package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats/metrics"
	"weft/internal/live/emulate"
	"weft/internal/sim/fabric/counts"
	"weft/results"
	"weft/scenario"
)

// emulated is the flags of an emulated fabric, and its report.
type emulated struct {
	simulator.Execution
	socket   string
	dilation string
	during   time.Duration
	report   *emulate.Report
}

// NewEmulate is the verb weft emulate.
func NewEmulate(e *simulator.Simulator) *cobra.Command {
	var c overrides.Flags
	x := &emulated{}
	cmd := &cobra.Command{
		Use:   "emulate FILE",
		Short: "run RDMA programs through the fabric of a scenario",
		Long: `Runs the fabric of a scenario under RDMA programs. Each program opens a device at a NIC
of the scenario; its packets cross the simulated switches with their delays, marks,
pauses or credits, buffers and faults. The scenario's workload is not run. Programs
find the fabric by the variable WEFT_EMULATOR, which is printed at the start, and
their NIC by WEFT_NIC or by an address of the NIC. Ctrl-C ends the fabric and prints
what the programs did to it.

Lines of standard input are commands: down NAME and up NAME break and mend a switch,
a node, a NIC, or a cable by one of its ends (leaf0 port 5); status prints the clock and
the devices; statistic [NIC] prints counters as rdma statistic does. Faults of the
scenario occur at their times of the fabric's clock.

The fabric's clock waits for the devices, so a slow machine slows the time of all
devices alike. With a dilation of N, N seconds of the machine are a second of the
fabric; auto goes as fast as the machine can, never faster than its own clock.`,
		Example: `  weft emulate example:two-nodes-h100 --fabric roce-v2-200g --out run
  weft emulate example:pfc-victim --fabric 'slow NIC, PFC only' --dilation 1000`,
		Args:              flags.Args(1, 1, "one scenario file"),
		ValidArgsFunction: flags.ScenarioFile,
		RunE: func(cmd *cobra.Command, given []string) error {
			r, err := c.Load(e.Env, given[0])
			if err != nil {
				return err
			}
			if x.during <= 0 && cmd.Flags().Changed("for") {
				return fmt.Errorf("--for %v: want a time above 0", x.during)
			}
			return c.Placed(x.emulate(cmd.Context(), e, r))
		},
	}
	f := cmd.Flags()
	f.StringVar(&x.socket, "socket", "", "the socket for programs (default: a new one in a folder for temporary files)")
	f.StringVar(&x.dilation, "dilation", "auto", "seconds of the machine for a second of the fabric, 1 to 1000000, or auto")
	f.DurationVar(&x.during, "for", 0, "end after this time of the machine, such as 30s (default: at Ctrl-C)")
	c.RegisterFields(cmd)
	c.RegisterSeed(cmd)
	flags.Absent(cmd, flags.NoCollective, "algo", "proto", "error")
	flags.OutFolder(cmd, &x.Out, "scenario.yaml, results.json, meta.json and report.html")
	f.BoolVar(&x.JSON, "json", false, "print as JSON")
	simulator.SeriesFlag(cmd, &x.Series)
	simulator.MetricsFlag(cmd, &x.Metrics)
	e.DetailsFlag(cmd)
	return cmd
}

// emulate checks the flags, and runs the fabric as a verb that simulates runs a simulation.
func (x *emulated) emulate(ctx context.Context, e *simulator.Simulator, r *scenario.Resolved) error {
	if len(r.Fabrics) != 1 {
		return fmt.Errorf("the scenario has %d fabrics, and programs run on one: choose it with --fabric, one of %s", len(r.Fabrics), strings.Join(overrides.FabricNames(r), "; "))
	}
	o := emulate.Options{Tell: func(format string, args ...any) { e.Note(format+"\n", args...) }}
	if x.dilation != "auto" {
		n, err := strconv.ParseInt(x.dilation, 10, 64)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("--dilation %s: want auto or a whole number from 1 to 1000000", flags.Abridged(x.dilation))
		}
		o.Dilation = n
	}
	if o.Socket = x.socket; o.Socket == "" {
		if e.Quiet {
			return errors.New("--quiet hides the name of the socket, which programs need: give one with --socket")
		}
		dir, err := os.MkdirTemp("", "weft-emulate-")
		if err != nil {
			return exit.Errorf(exit.Failed, "no folder for the socket: %w", err)
		}
		defer os.RemoveAll(dir)
		o.Socket = filepath.Join(dir, "fabric")
	}
	if x.during > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.during)
		defer cancel()
	}
	o.Commands = lines(ctx, e)
	o.Statistic = func(nic string, c *counts.Port) {
		p := metrics.Port{Protocol: string(r.Fabrics[0].Kind), Device: strings.ReplaceAll(nic, "/", "_"), Number: 1, Counts: *c}
		e.Note("%s\n", p.Statistic())
	}
	o.Ready = func(nics []emulate.NIC) { x.ready(e, o.Socket, nics) }
	e.Run = func(run context.Context, r *scenario.Resolved, s weft.Options) (*results.Results, error) {
		run, cancel := context.WithCancel(run)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		o.Sim = s
		var err error
		if x.report, err = emulate.Run(run, r, o); x.report == nil {
			return nil, err
		}
		return x.report.Results, err
	}
	// Ctrl-C is the usual end of an emulation, and its results are whole.
	return x.Run(context.WithoutCancel(ctx), e, r, func(*results.Results) error { return e.Tell(report.Emulation(x.report)) })
}

// lines are the lines of standard input until its end.
func lines(ctx context.Context, e *simulator.Simulator) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(e.Stdin); s.Scan(); {
			select {
			case out <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// ready tells how programs find the fabric.
func (x *emulated) ready(e *simulator.Simulator, socket string, nics []emulate.NIC) {
	e.Note("export WEFT_EMULATOR=%s\n", socket)
	const most = 16
	for i, n := range nics {
		if i == most {
			e.Note("and %d further NICs, to %s: %s to %s\n", len(nics)-most, nics[len(nics)-1].Name, nics[len(nics)-1].First, nics[len(nics)-1].Last)
			return
		}
		e.Note("%s: %s to %s\n", n.Name, n.First, n.Last)
	}
}
