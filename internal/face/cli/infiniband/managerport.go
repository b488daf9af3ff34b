package infiniband

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/umad"
	"weft/internal/live/emulate"
)

// managerPort is the port of a fabric that a manager, or a program that reads the fabric, runs on.
type managerPort interface {
	Send(d *ibsim.Datagram) error
	Receive() (*ibsim.Datagram, error)
	// SetReceiveDeadline ends Receive at a time, with os.ErrDeadlineExceeded.
	SetReceiveDeadline(t time.Time) error
	Close() error
}

// attachment is the flags of a port of a fabric.
type attachment struct {
	ibsim  bool
	socket string
	host   string
	umad   string
}

// register adds the flags: what a verb does at a port of a simulator, and at a port of an adapter.
func (a *attachment) register(e *process.Env, cmd *cobra.Command, simulated, adapter string) {
	f := cmd.Flags()
	f.BoolVar(&a.ibsim, "ibsim", false, simulated)
	f.StringVar(&a.umad, "umad", "", adapter)
	f.StringVar(&a.socket, "socket", cmp.Or(e.Getenv("IBSIM_SOCKNAME"), "sim"), "the simulator's name (default: IBSIM_SOCKNAME, or sim)")
	f.StringVar(&a.host, "host", e.Getenv("SIM_HOST"), "the node to run on, by GUID (H-0002c90300100004) or name (default: SIM_HOST, or the first)")
}

// asManager opens the port for a Subnet Manager.
func (a *attachment) asManager(e *process.Env) (managerPort, error) {
	if a.umad != "" {
		untried(e)
		p, err := umad.Open(a.umad)
		if err != nil {
			return nil, cannotOpen(a.umad, err)
		}
		return umadPort{p}, nil
	}
	client, err := a.dial()
	if err != nil {
		return nil, err
	}
	if err := client.BeManager(); err != nil {
		client.Close()
		return nil, exit.Errorf(exit.Failed, "the simulator does not let a Subnet Manager run at that port: %w", err)
	}
	return client, nil
}

// asReader opens the port for a program that writes nothing: of a simulator, of an adapter, or of weft emulate.
func (a *attachment) asReader(e *process.Env) (managerPort, error) {
	if a.umad == "" {
		return a.dial()
	}
	if info, err := os.Stat(e.Path(a.umad)); err == nil && info.Mode()&os.ModeSocket != 0 {
		asking, err := emulate.Ask(e.Path(a.umad), cmp.Or(a.host, e.Getenv("WEFT_NIC")))
		if err != nil {
			return nil, cannotOpen(a.umad, err)
		}
		return emulatedPort{asking}, nil
	}
	untried(e)
	p, err := umad.OpenReader(a.umad)
	if err != nil {
		return nil, cannotOpen(a.umad, err)
	}
	return umadPort{p}, nil
}

func untried(e *process.Env) {
	fmt.Fprintln(e.Stderr, "weft: --umad is untried: no adapter was at hand when it was written")
}

func cannotOpen(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w (Linux makes umad devices for adapters with a driver, once the module ib_umad is loaded)", err)
	}
	return exit.Errorf(exit.Failed, "%s cannot be opened: %w", path, err)
}

// dial attaches to a simulator.
func (a *attachment) dial() (*ibsim.Client, error) {
	client, err := ibsim.Dial(a.socket, a.host)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%w; start ibsim, or weft ibsim, with that name first", err)
	}
	return client, nil
}

// umadPort is a port of an adapter.
type umadPort struct{ *umad.Port }

func (p umadPort) Send(d *ibsim.Datagram) error {
	return p.Port.Send(&umad.Datagram{LID: d.DLID, MAD: d.MAD})
}

func (p umadPort) Receive() (*ibsim.Datagram, error) {
	d, err := p.Port.Receive()
	if err != nil {
		return nil, err
	}
	return &ibsim.Datagram{SLID: d.LID, MAD: d.MAD, TimedOut: d.TimedOut}, nil
}

// emulatedPort is a port of a fabric of weft emulate.
type emulatedPort struct{ *emulate.Asking }

func (p emulatedPort) Send(d *ibsim.Datagram) error { return p.Asking.Send(d.DLID, &d.MAD) }

func (p emulatedPort) Receive() (*ibsim.Datagram, error) {
	from, d, timedOut, err := p.Asking.Receive()
	if err != nil {
		return nil, err
	}
	return &ibsim.Datagram{SLID: from, MAD: d, TimedOut: timedOut}, nil
}
