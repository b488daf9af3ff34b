package validate

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/units"
)

// streams are endless senders to one receiver; they start one after the
// other.
type streams struct {
	senders int
	depth   int        // messages in flight; a queue pair never waits for its application
	stagger units.Time // between two starts
	end     units.Time
	window  units.Time // the last of the run, over which goodput is counted
}

// streamBytes is the length of a stream's messages.
const streamBytes = 64 << 10

// run gives the goodput of each sender over the window, in bits per second, and
// the network as it was left.
func (s streams) run(e *Env, m *testbed) ([]float64, *network.Network, error) {
	got, ends := make([]float64, s.senders), make([]units.QPN, s.senders)
	next := func(p *fabric.Partition, nic int32) {
		if err := p.Post(nic, ends[nic-1], transport.WorkRequest{Op: transport.OpSend, Length: streamBytes}); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}
	n, err := m.star(e, s.senders+1, &app{
		timer: func(p *fabric.Partition, source uint32) {
			for range s.depth {
				next(p, int32(source))
			}
		},
		complete: func(p *fabric.Partition, nic int32, c *transport.Completion) {
			switch {
			case !c.Recv:
				next(p, nic)
			case p.Now() >= s.end-s.window:
				got[c.QPN] += streamBytes * 8 / (float64(s.window) / 1e12) // the receiver's queue pairs count as the senders do
			}
		},
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range s.senders {
		qp, _, err := n.ConnectNICs(int32(i+1), 0, uint32(i), 0, 0)
		if err != nil {
			return nil, nil, err
		}
		ends[i] = qp
		n.Partition(int32(i+1)).At(units.Time(i)*s.stagger, uint32(i+1))
	}
	return got, n, run(e, n, s.end)
}
