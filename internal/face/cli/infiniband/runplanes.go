package infiniband

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/ib/sm"
	"weft/units"
)

// attachments is the flags of the ports of weft sm run: one, or one on each plane.
type attachments struct {
	ibsim  bool
	socket string
	hosts  []string
	umad   []string
}

// mostPlanes bounds the ports: fabrics have two to eight planes.
const mostPlanes = 16

func (a *attachments) register(e *process.Env, cmd *cobra.Command) {
	var one attachment
	defaults := cobra.Command{}
	one.register(e, &defaults, "attach to a fabric that ibsim or weft ibsim serves", "")
	f := cmd.Flags()
	f.BoolVar(&a.ibsim, "ibsim", false, defaults.Flags().Lookup("ibsim").Usage)
	f.StringArrayVar(&a.umad, "umad", nil, "manage the real fabric at a port, such as /dev/infiniband/umad0; again for each further plane. Tested against a double of Linux's interface, not on an adapter")
	f.StringVar(&a.socket, "socket", one.socket, defaults.Flags().Lookup("socket").Usage)
	f.StringArrayVar(&a.hosts, "host", nil, "the node to run on, by GUID (H-0002c90300100004) or name; of weft ibsim also its port, H-0002c90300100004[2]; again for each further plane (default: SIM_HOST, or the first)")
}

// each is a port on each plane.
func (a *attachments) each(e *process.Env) ([]attachment, error) {
	var all []attachment
	for _, path := range a.umad {
		all = append(all, attachment{umad: path})
	}
	hosts := a.hosts
	if len(hosts) == 0 {
		hosts = []string{e.Getenv("SIM_HOST")}
	}
	for _, host := range hosts {
		if a.ibsim {
			all = append(all, attachment{ibsim: true, socket: a.socket, host: host})
		}
	}
	if len(all) > mostPlanes {
		return nil, fmt.Errorf("%d ports: valid are up to %d, one on each plane", len(all), mostPlanes)
	}
	for i := range all {
		for j := range all[:i] {
			if all[i] == all[j] {
				return nil, fmt.Errorf("the port %s is given twice: give a port of each plane once", all[i].port())
			}
		}
	}
	return all, nil
}

// port is the port for messages.
func (a *attachment) port() string {
	if a.umad != "" {
		return a.umad
	}
	return a.host
}

// manage runs a manager at each port until the context ends, or, with --once, until all subnets are up. If one fails the
// others go on: their planes need them.
func (r *smRun) manage(ctx context.Context, e *process.Env, cfg sm.Config) error {
	ports, err := r.ports.each(e)
	if err != nil {
		return err
	}
	if len(ports) > 1 {
		cfg.Shared = sharedLIDs()
	}
	drivers := make([]*smDriver, len(ports))
	output := &sync.Mutex{}
	defer func() {
		for _, d := range drivers {
			if d != nil {
				d.client.Close()
			}
		}
	}()
	for i := range ports {
		client, err := ports[i].asManager(e)
		if err != nil {
			return err
		}
		d := &smDriver{e: e, r: r, client: client, lids: r.lids, output: output, start: time.Now()}
		drivers[i] = d
		if len(ports) > 1 {
			d.plane = i + 1
			if d.lids != "" {
				d.lids += fmt.Sprintf(".plane%d", d.plane)
			}
		}
		own := cfg
		if err := readLIDs(e, d.lids, &own); err != nil {
			return err
		}
		d.manager = sm.New(own)
	}
	return runAll(ctx, drivers)
}

// sharedLIDs are the LIDs of planes by the managers' own port: managers whose ports have one GUID are at an aggregated
// port, whose planes are one subnet.
func sharedLIDs() func(units.GUID, func(map[units.LID]units.GUID)) {
	var lock sync.Mutex
	of := map[units.GUID]map[units.LID]units.GUID{}
	return func(own units.GUID, use func(map[units.LID]units.GUID)) {
		lock.Lock()
		defer lock.Unlock()
		if of[own] == nil {
			of[own] = map[units.LID]units.GUID{}
		}
		use(of[own])
	}
}

// runAll runs the managers side by side.
func runAll(ctx context.Context, drivers []*smDriver) error {
	if len(drivers) == 1 {
		return drivers[0].run(ctx)
	}
	failures := make([]error, len(drivers))
	var wait sync.WaitGroup
	for i, d := range drivers {
		wait.Go(func() {
			if err := d.run(ctx); err != nil {
				failures[i] = fmt.Errorf("%s%w", d.prefix(), err)
				if !d.r.once { // the others may run for long
					d.output.Lock()
					fmt.Fprintf(d.e.Stderr, "weft: %v\n", failures[i])
					d.output.Unlock()
				}
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failures...); err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return nil
}

// prefix names the plane before a message, if there are several.
func (d *smDriver) prefix() string {
	if d.plane == 0 {
		return ""
	}
	return fmt.Sprintf("plane %d: ", d.plane)
}
