package live

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/metrics"
	"weft/internal/live/perf"
	"weft/internal/live/ranks"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// liveDevice is the flags that open a device.
type liveDevice struct {
	addr string
	port uint16
	pcap string
	// metrics is where the device's counters go.
	metrics string
	// dcqcn is the line rate of DCQCN; empty is none.
	dcqcn string
	// lose is the share of arriving packets that the device loses, by seed.
	lose float64
	seed uint64
	// socketOnly sends packets to this machine by UDP, too.
	socketOnly bool
}

func (d *liveDevice) flags(cmd *cobra.Command, addr, what string) {
	f := cmd.Flags()
	f.StringVar(&d.addr, "addr", addr, what)
	f.Uint16Var(&d.port, "udp-port", wire.RoCEv2Port, "UDP port of the device; other ports than 4791 work only between two weft")
	f.StringVar(&d.dcqcn, "dcqcn", "", "pace by DCQCN from this line rate (10Gbps), and let switches mark packets")
	f.Var(flags.Share(&d.lose), "lose", "share of arriving packets that this device loses: 0.01, 1%")
	f.Uint64Var(&d.seed, "seed", 1, "which packets --lose loses")
	f.BoolVar(&d.socketOnly, "socket-only", false, "send by UDP also to this user's devices on this machine, not through shared memory")
	simulator.MetricsFlag(cmd, &d.metrics)
	f.StringVar(&d.pcap, "pcap", "", "write every packet to this file (pcapng)")
}

// openFor opens the device for a connection to a host on a port, at the address of the route to it
// unless another is given.
func (d *liveDevice) openFor(e *process.Env, host string, port uint16, mtu int) (*perf.Device, error) {
	if d.addr == "" {
		a, err := perf.LocalAddr(host, port)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "%w", err)
		}
		d.addr = a.String()
	}
	return d.open(e, mtu)
}

// open opens the device that the flags describe.
func (d *liveDevice) open(e *process.Env, mtu int) (*perf.Device, error) {
	a, err := netip.ParseAddr(d.addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %q is no IP address", d.addr)
	}
	o := perf.DeviceOptions{Addr: a, Port: d.port, MTU: mtu, Lose: d.lose, LoseSeed: d.seed, SocketOnly: d.socketOnly}
	if d.dcqcn != "" {
		if o.LineRate, err = units.ParseRate(d.dcqcn); err != nil || o.LineRate < perf.LeastLineRate {
			return nil, fmt.Errorf("--dcqcn %q: give a line rate of at least %v, such as 10Gbps", d.dcqcn, perf.LeastLineRate)
		}
	}
	if d.pcap != "" {
		o.Capture = e.Path(d.pcap)
	}
	dev, err := perf.OpenDevice(o)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%w", err)
	}
	if dev.AtClose, err = simulator.ExportMetrics(e, d.metrics, func() *metrics.Snapshot { return deviceSnapshot(dev) }); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return dev, nil
}

// deviceSnapshot is the counters of a live device, under the names of an adapter.
func deviceSnapshot(dev *perf.Device) *metrics.Snapshot {
	return ranksSnapshot([]ranks.Device{{Addr: dev.Addr().Addr(), Stats: dev.Stats(), State: dev.QueryPort().State}})
}

// ranksSnapshot is the counters of the live devices of ranks. A socket has no rate.
func ranksSnapshot(devices []ranks.Device) *metrics.Snapshot {
	s := new(metrics.Snapshot)
	for _, d := range devices {
		s.Ports = append(s.Ports, metrics.Port{
			Protocol: "roce-v2", Device: "weft_" + d.Addr.String(), Number: 1, State: int(d.State), Live: true, Sent: d.BytesSent, Received: d.BytesReceived,
			Counts: counts.Port{
				Sent: d.PacketsSent, Received: d.PacketsReceived, CNPsSent: d.CNPsSent, CNPsHandled: d.CNPsReceived, Marked: d.Marked,
				Counters: transport.Counters{
					OutOfSequence: d.OutOfSequence, Duplicates: d.Duplicates, SequenceNAKs: d.SequenceNAKs, RNRNAKs: d.RNRNAKs, Timeouts: d.Timeouts,
					Reads: d.Reads, Writes: d.Writes, Atomics: d.Atomics,
				},
			},
		})
	}
	return s
}
