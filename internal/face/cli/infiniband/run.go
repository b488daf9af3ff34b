package infiniband

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/route"
	"weft/internal/ib/sm"
	"weft/units"
)

// smRun is the flags of weft sm run.
type smRun struct {
	engineInput
	ports    attachments
	engine   string
	lids     string
	parts    string
	qos      string
	config   string
	site     siteConfig
	once     bool
	deadline time.Duration // with once; 0: none
	lmc      uint8
	priority uint8
	smKey    uint64
	mKey     sm.MKey
	lease    time.Duration
	reassign bool
	asJSON   bool
}

func newSMRun(e *process.Env) *cobra.Command {
	var r smRun
	cmd := &cobra.Command{
		Use:   "run",
		Short: "manage a fabric: discover it, assign LIDs, write tables, bring up ports",
		Long: `run is a Subnet Manager for a fabric that ibsim or weft ibsim serves, or, untried, for
a real one at a port of an adapter (--umad). It brings the
subnet up and keeps it up, until it is interrupted. Tables are
proven before they are written. If the engine cannot route the fabric, or its tables
are refuted, the manager uses the tables of minhop, as opensm does, or of auto. It
reports that, and returns to the engine when it can. With --guid2lid, port GUIDs and
their LIDs are kept in a file of opensm's format, so they survive restarts.

Planes that no cable joins: --host or --umad with a port of
each plane runs one manager for each. Ports with one GUID get one LID on all planes.`,
		Example: `  weft sm run --ibsim --socket sim --engine ftree
  weft sm run --ibsim --host H-0002c90300100004 --once
  weft sm run --ibsim --host 'gpu1 mlx5_0[1]' --host 'gpu1 mlx5_0[2]'`,
		Args: flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.ports.ibsim == (len(r.ports.umad) > 0) {
				return errors.New("give --ibsim or --umad: scripts must name the kind of fabric")
			}
			if err := r.readConfig(e, cmd); err != nil {
				return err
			}
			return runManager(cmd.Context(), e, &r)
		},
	}
	f := cmd.Flags()
	r.ports.register(e, cmd)
	f.StringVar(&r.engine, "engine", "minhop", "routing engine: auto, "+engineNames())
	r.engineInput.register(cmd)
	f.StringVar(&r.lids, "guid2lid", "", "file of LIDs to read before and write after each sweep")
	f.StringVar(&r.parts, "partitions", "", "partitions.conf in opensm's format: the members of each partition")
	f.StringVar(&r.config, "config", "", "opensm.conf: engine, files, keys, partitions, quality of service and times; flags come before it")
	f.StringVar(&r.qos, "qos", "", "file with the qos_… keys of opensm.conf alone: lanes, arbitration, service levels")
	f.BoolVar(&r.once, "once", false, "end when the subnet is up, or with an error after --deadline")
	f.DurationVar(&r.deadline, "deadline", time.Minute, "with --once: the time in which the subnet must come up; 0 is without end")
	f.Uint8Var(&r.lmc, "lmc", 0, "2^lmc LIDs for each adapter port, 0 to 7")
	f.Uint8Var(&r.priority, "priority", 0, "among several managers the highest priority is master, 0 to 15")
	f.Uint64Var(&r.smKey, "sm-key", 1, "key by which managers trust each other; 1 is opensm's default")
	f.Uint64Var(&r.mKey.Key, "m-key", 0, "key that protects ports from other managers; 0 protects nothing")
	f.Uint8Var(&r.mKey.Level, "m-key-protection", 1, "requests that ports refuse without the key: 0 writes, 1 also reads of the key, 2 all reads")
	f.DurationVar(&r.lease, "m-key-lease", 0, "time that ports keep the key without a request, in whole seconds; 0: without end")
	f.BoolVar(&r.asJSON, "json", false, "print events as JSON, one per line")
	f.BoolVar(&r.reassign, "reassign", false, "assign LIDs anew, even if ports have one")
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.NoFileCompletions)
	return cmd
}

func engineNames() string {
	text := ""
	for i, e := range route.Engines() {
		if i > 0 {
			text += ", "
		}
		text += string(e.Name)
	}
	return text
}

// runManager runs a manager with a simulator's socket and the clock.
func runManager(ctx context.Context, e *process.Env, r *smRun) error {
	if r.deadline < 0 {
		return errors.New("--deadline is a time such as 30s, or 0 for none")
	}
	if r.lmc > 7 || r.priority > 15 {
		return errors.New("--lmc is 0 to 7, --priority 0 to 15")
	}
	if r.mKey.Level > 3 || r.lease < 0 || r.lease%time.Second != 0 || r.lease > math.MaxUint16*time.Second {
		return errors.New("--m-key-protection is 0 to 3, --m-key-lease whole seconds, 0 to 65535s")
	}
	r.mKey.Lease = uint16(r.lease / time.Second)
	if err := checkEngine(r.engine); err != nil {
		return err
	}
	o, err := r.options(e)
	if err != nil {
		return err
	}
	o.Cores = e.Cores
	engines := r.site.engines
	if len(engines) == 0 {
		engines = []route.Name{route.Name(r.engine)}
	}
	cfg := sm.Config{
		Priority: r.priority, SMKey: r.smKey, MKey: r.mKey, LMC: r.lmc, Reassign: r.reassign, Route: routesInTurn(engines, o),
		Settings: &r.site.settings, Window: r.site.window, Timeout: r.site.timeout, Retries: r.site.retries,
		Sweep: r.site.sweep, Poll: r.site.poll, LostPolls: r.site.lostPolls,
	}
	if err := readPolicy(e, r, &cfg); err != nil {
		return err
	}
	r.tellOfUntaken(e)
	return r.manage(ctx, e, cfg)
}

// readPolicy reads the site's files of partitions and QoS.
func readPolicy(e *process.Env, r *smRun, cfg *sm.Config) (err error) {
	if r.qos != "" {
		if cfg.QoS, err = readQoS(e, r.qos); err != nil {
			return err
		}
	}
	if r.parts != "" {
		if err := r.readPartitions(e, cfg); err != nil {
			return err
		}
	}
	return nil
}

// readLIDs reads the previous LIDs of ports, if the file exists.
func readLIDs(e *process.Env, path string, cfg *sm.Config) error {
	if path == "" {
		return nil
	}
	f, err := e.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the first start
	}
	if err != nil {
		return fmt.Errorf("the LIDs cannot be read: %w", err)
	}
	defer f.Close()
	ranges, _, err := format.ReadGUID2LID(path, f)
	if err != nil {
		return err
	}
	cfg.LIDs = map[units.GUID]units.LID{}
	for _, one := range ranges {
		cfg.LIDs[one.Port] = one.First
	}
	return nil
}

// smDriver is a manager on a real clock and a socket.
type smDriver struct {
	e       *process.Env
	r       *smRun
	client  managerPort
	manager *sm.Manager
	lids    string      // file of LIDs; "" for none
	plane   int         // from 1; 0 if there is one alone
	output  *sync.Mutex // of the lines of all planes
	start   time.Time
	batch   sm.Batch
	up      bool
	faults  []string // reasons why the subnet is not up, the last few
}

func (d *smDriver) now() units.Time {
	return units.Time(time.Since(d.start).Nanoseconds()) * units.Nanosecond
}

// run passes datagrams and timeouts to the manager until the context ends.
func (d *smDriver) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = d.client.SetReceiveDeadline(time.Unix(1, 0)) })
	defer stop()
	d.manager.Start(d.now(), &d.batch)
	for {
		if err := d.flush(); err != nil || (d.up && d.r.once) {
			return err
		}
		if d.late() {
			return d.notUp()
		}
		_ = d.client.SetReceiveDeadline(d.wakes())
		if ctx.Err() != nil { // after the deadline is set: the end of ctx sets it again
			return nil
		}
		got, err := d.client.Receive()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			d.manager.Timeout(d.now(), &d.batch)
		case err != nil:
			return exit.Errorf(exit.Failed, "the port is gone: %w", err)
		case !got.TimedOut: // a datagram that comes back counts as lost: its deadline repeats it
			d.manager.Receive(d.now(), &sm.Packet{DLID: got.DLID, SLID: got.SLID, MAD: got.MAD}, &d.batch)
		}
	}
}

// wakes is the time at which the driver looks at the clock without a datagram; zero is never.
func (d *smDriver) wakes() (at time.Time) {
	if next := d.manager.NextTimeout(); next != units.Forever {
		at = d.start.Add(time.Duration(next/units.Nanosecond) + 1)
	}
	if end := d.start.Add(d.r.deadline); d.r.once && d.r.deadline > 0 && (at.IsZero() || end.Before(at)) {
		at = end
	}
	return at
}

// late reports whether the subnet should be up by now.
func (d *smDriver) late() bool {
	return d.r.once && d.r.deadline > 0 && time.Since(d.start) >= d.r.deadline
}

// mostFaults is the number of reasons in the error of a subnet that is not up; the output has all.
const mostFaults = 5

// notUp is the error after the deadline: the state of the manager and the last faults.
func (d *smDriver) notUp() error {
	text := ""
	for _, f := range d.faults {
		text += "\n  " + f
	}
	if text == "" {
		text = fmt.Sprintf(" this manager is %v", d.manager.State())
	}
	return exit.Errorf(exit.Failed, "the subnet is not up after %v (--deadline):%s", d.r.deadline, text)
}

// flush sends the manager's datagrams and prints its events.
func (d *smDriver) flush() error {
	for i := range d.batch.Send {
		p := &d.batch.Send[i]
		if err := d.client.Send(&ibsim.Datagram{DLID: p.DLID, SLID: p.SLID, MAD: p.MAD}); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return exit.Errorf(exit.Failed, "the port is gone: %w", err)
		}
	}
	for _, event := range d.batch.Events {
		if event.Kind == sm.SubnetUp { // before it is printed: a program that waits for the event reads the file
			d.up = true
			if err := d.writeLIDs(); err != nil {
				return err
			}
		}
		if event.Fault() {
			d.faults = append(d.faults[max(0, len(d.faults)-mostFaults+1):], event.String())
		}
		if err := d.tell(event); err != nil {
			return err
		}
		if event.Kind == sm.NotRouted && d.r.once {
			return exit.Errorf(exit.Failed, "the subnet cannot be brought up: %w", event.Err)
		}
	}
	d.batch.Reset()
	return nil
}

// printed is an event in JSON.
type printed struct {
	Plane   int     `json:"plane,omitempty"` // from 1, with several managers
	Seconds float64 `json:"seconds"`         // since the start
	sm.EventRecord
}

// tell prints an event.
func (d *smDriver) tell(event sm.Event) error {
	d.output.Lock()
	defer d.output.Unlock()
	if d.r.asJSON {
		return d.e.PrintLine(printed{d.plane, d.now().Seconds(), event.Record()})
	}
	_, err := fmt.Fprintf(d.e.Stdout, "%s%v\n", d.prefix(), event)
	return err
}

// writeLIDs writes the LIDs of ports, in opensm's format.
func (d *smDriver) writeLIDs() error {
	if d.lids == "" {
		return nil
	}
	var text bytes.Buffer
	if err := format.WriteGUID2LID(&text, d.manager.Subnet()); err != nil {
		return exit.Errorf(exit.Failed, "the LIDs cannot be written: %w", err)
	}
	return d.e.WriteText(d.lids, text.Bytes())
}
