package cli

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"weft/units"
	rdma "weft/verbs" // the package has verbs of its own
	"weft/wire"
)

// liveDevice is the flags that open a device.
type liveDevice struct {
	addr string
	port uint16
	pcap string
	// dcqcn is the line rate of DCQCN; empty is none.
	dcqcn string
	// lose is the share of arriving packets that the device loses, by seed.
	lose float64
	seed uint64
}

func (d *liveDevice) flags(cmd *cobra.Command, addr, what string) {
	f := cmd.Flags()
	f.StringVar(&d.addr, "addr", addr, what)
	f.Uint16Var(&d.port, "udp-port", wire.RoCEv2Port, "UDP port of the device; others than 4791 only between two weft")
	f.StringVar(&d.dcqcn, "dcqcn", "", "pace by DCQCN from this line rate (10Gbps), and let switches mark packets")
	f.Var(shareFlag(&d.lose), "lose", "share of the packets that arrive which this device loses: 0.01, 1%")
	f.Uint64Var(&d.seed, "seed", 1, "which packets --lose loses")
	f.StringVar(&d.pcap, "pcap", "", "write every packet to this file (pcapng)")
}

// leastLine is the least line rate of DCQCN: what it slows down to.
const leastLine = 40 * units.Mbps

// openFor opens the device that meets a host on a port, at the address of the route
// to it where no other is named; without a host one that serves on the loopback.
func (d *liveDevice) openFor(e *Env, host string, port uint16, mtu int) (dev *rdma.Device, closeAll func() error, err error) {
	switch {
	case d.addr != "":
	case host == "":
		d.addr = "127.0.0.1"
	default:
		if d.addr, err = localAddr(host, port); err != nil {
			return nil, nil, fail(Failed, "%w", err)
		}
	}
	return d.open(e, mtu)
}

// open opens the device; closeAll closes it and the capture.
func (d *liveDevice) open(e *Env, mtu int) (dev *rdma.Device, closeAll func() error, err error) {
	a, err := netip.ParseAddr(d.addr)
	if err != nil {
		return nil, nil, fmt.Errorf("--addr %q is no IP address", d.addr)
	}
	o := rdma.Options{Addr: netip.AddrPortFrom(a, d.port), PathMTU: mtu, Lose: d.lose, LoseSeed: d.seed}
	if d.dcqcn != "" {
		if o.LineRate, err = units.ParseRate(d.dcqcn); err != nil || o.LineRate < leastLine {
			return nil, nil, fmt.Errorf("--dcqcn %q: give a line rate of at least %v, such as 10Gbps", d.dcqcn, leastLine)
		}
	}
	closeFile := func() error { return nil }
	if d.pcap != "" {
		f, err := os.Create(e.path(d.pcap))
		if err != nil {
			return nil, nil, err
		}
		o.Capture, closeFile = f, f.Close
	}
	dev, err = rdma.Open(o)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w (another device has it: name another address by --addr, or another port by --udp-port)", err)
	}
	if err != nil {
		return nil, nil, fail(Failed, "%w", errors.Join(err, closeFile()))
	}
	return dev, func() error { return errors.Join(dev.Close(), closeFile()) }, nil
}

// localAddr is the address of this machine that reaches a host. Two devices of one
// machine need two addresses for RoCE's one port, and a loopback has many.
func localAddr(host string, port uint16) (string, error) {
	c, err := net.Dial("udp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return "", err
	}
	defer c.Close()
	a, err := netip.ParseAddrPort(c.LocalAddr().String())
	if err != nil {
		return "", err
	}
	if a.Addr().IsLoopback() && a.Addr().Is4() {
		return "127.0.0.2", nil
	}
	return a.Addr().String(), nil
}
