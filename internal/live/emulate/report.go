package emulate

import (
	"time"

	"weft/internal/sim"
	"weft/internal/sim/fabric/counts"
	"weft/results"
	"weft/units"
)

// Options are the parameters of an emulation.
type Options struct {
	// Socket is the path of the socket to make; its folder exists.
	Socket string
	// Dilation is real time over simulated time; 0: as little as the machine allows.
	Dilation int64
	// Ready, if not nil, is called when programs may connect, with the addresses of the NICs.
	Ready func([]NIC)
	// Tell, if not nil, is called with each thing that happens.
	Tell func(format string, args ...any)
	// Commands, if not nil, are the lines of a console: down NAME, up NAME, status, statistic [NIC].
	Commands <-chan string
	// Statistic, if not nil, is called with the counters of a NIC for which the console asks.
	Statistic func(nic string, c *counts.Port)
	// Sim are the options of a simulation: Series, Live and Progress have an effect.
	Sim sim.Options
}

// NIC is a NIC of the fabric, with the first and the last of its addresses.
type NIC struct{ Name, First, Last string }

// Report is what an emulation has measured. Times of the network are simulated.
type Report struct {
	Results   *results.Results
	Devices   []Device      // in the order of their connections
	Simulated units.Time    // the fabric's clock at the end
	Real      time.Duration // the machine's
	Dilation  int64         // as asked; 0: as little as the machine allows
	Slip      units.Time    // with a dilation: the furthest that the fabric was behind
	Late      int           // turns that a device did not answer in time
	Forgotten int           // devices that are not in Devices, because they left too long ago
}

// Device is a device of a program. Bytes are from the BTH to the ICRC.
type Device struct {
	Addr            string
	NIC             string
	PacketsSent     int64
	BytesSent       int64
	PacketsReceived int64
	BytesReceived   int64
	Marked          int64      // received packets with a congestion mark
	CNPs            int64      // sent congestion notifications
	Repeated        int64      // requests that were sent again
	Lost            int64      // packets beyond the bounds of its NIC: for a device that did not answer, or more than there was room for
	First, Last     units.Time // times of its first and its last packet
}

// span is the time from the first to the last packet of all devices.
func (r *Report) span() (span units.Time, received int64) {
	first, last := units.Forever, units.Time(0)
	for i := range r.Devices {
		d := &r.Devices[i]
		if d.PacketsSent+d.PacketsReceived > 0 {
			first, last = min(first, d.First), max(last, d.Last)
			received += d.BytesReceived
		}
	}
	return max(0, last-first), received
}
