package infiniband

import (
	"fmt"
	"time"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/ib/ibsim"
	"weft/internal/ib/umad"
)

// managerPort is the port of a fabric that a manager runs on.
type managerPort interface {
	Send(d *ibsim.Datagram) error
	Receive() (*ibsim.Datagram, error)
	// SetReceiveDeadline ends Receive at a time, with os.ErrDeadlineExceeded.
	SetReceiveDeadline(t time.Time) error
	Close() error
}

// attach opens the port: of a simulator, or of an adapter.
func (r *smRun) attach(e *process.Env) (managerPort, error) {
	if r.umad != "" {
		fmt.Fprintln(e.Stderr, "weft: --umad is untried: no adapter was at hand when it was written")
		p, err := umad.Open(r.umad)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "%s cannot be opened: %w", r.umad, err)
		}
		return umadPort{p}, nil
	}
	client, err := ibsim.Dial(r.socket, r.host)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%w; start ibsim, or weft ibsim, with that name first", err)
	}
	if err := client.BeManager(); err != nil {
		client.Close()
		return nil, exit.Errorf(exit.Failed, "the simulator does not let a Subnet Manager run at that port: %w", err)
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
