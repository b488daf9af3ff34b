package counts

import "weft/internal/sim/transport"

// Port are what a port of a NIC counts beside the bytes of its links, from the beginning of the run. Linux
// shows the same counters of an adapter.
type Port struct {
	Sent, Received          int64    `state:"count"` // packets, with acknowledgements
	CNPsSent, CNPsHandled   int64    `state:"count"` // of the notification point, of the reaction point
	Marked                  int64    `state:"count"` // packets that arrived with a congestion mark
	transport.Counters               // of the queue pairs
	PausesSent, PausesTaken [8]int64 `state:"count"` // PFC frames by class, XON frames included
}

// Add adds the counters of another run.
func (c *Port) Add(o *Port) {
	c.Sent += o.Sent
	c.Received += o.Received
	c.CNPsSent += o.CNPsSent
	c.CNPsHandled += o.CNPsHandled
	c.Marked += o.Marked
	c.Counters.Add(&o.Counters)
	for i := range c.PausesSent {
		c.PausesSent[i] += o.PausesSent[i]
		c.PausesTaken[i] += o.PausesTaken[i]
	}
}
