package perf

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"

	"weft/units"
	"weft/verbs"
)

// LeastLineRate is the least line rate that DCQCN takes: its minimum rate.
const LeastLineRate = 40 * units.Mbps

// DeviceOptions say how a device of a measurement is opened.
type DeviceOptions struct {
	Addr netip.Addr // of the device
	Port uint16     // UDP
	MTU  int        // path MTU in bytes
	// LineRate turns DCQCN on and is its line rate; 0 turns it off.
	LineRate units.Rate
	Lose     float64 // share of arriving packets that the device discards, 0 to 1
	LoseSeed uint64
	// SocketOnly is verbs.Options.SocketOnly.
	SocketOnly bool
	Capture    string // file that every packet is written to (pcapng); "" for none
}

// Device is an open device and the capture that it writes.
type Device struct {
	*verbs.Device
	AtClose func() error // nil, or called before the device closes
	capture *os.File     // nil for none
}

// OpenDevice opens a device. An address in use is an error that says what to change.
func OpenDevice(o DeviceOptions) (*Device, error) {
	d := &Device{}
	opts := verbs.Options{
		Addr: netip.AddrPortFrom(o.Addr, o.Port), PathMTU: o.MTU,
		LineRate: o.LineRate, Lose: o.Lose, LoseSeed: o.LoseSeed, SocketOnly: o.SocketOnly,
	}
	var err error
	if o.Capture != "" {
		if d.capture, err = os.Create(o.Capture); err != nil {
			return nil, err
		}
		opts.Capture = d.capture
	}
	if d.Device, err = verbs.Open(opts); errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w (another device has it: name another address by --addr, or another port by --udp-port)", err)
	}
	if err != nil {
		return nil, errors.Join(err, d.closeCapture())
	}
	return d, nil
}

// Close closes the device, then the capture.
func (d *Device) Close() error {
	var before error
	if d.AtClose != nil {
		before = d.AtClose()
	}
	return errors.Join(before, d.Device.Close(), d.closeCapture())
}

func (d *Device) closeCapture() error {
	if d.capture == nil {
		return nil
	}
	return d.capture.Close()
}

// LocalAddr is the address of this machine from which packets to a host leave. On the
// loopback it is 127.0.0.2: two devices of one machine need two addresses for RoCE's port.
func LocalAddr(host string, port uint16) (netip.Addr, error) {
	c, err := net.Dial("udp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return netip.Addr{}, fmt.Errorf("%s is no IP address, and no host of that name is found", host)
	}
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	a, err := netip.ParseAddrPort(c.LocalAddr().String())
	if err != nil {
		return netip.Addr{}, err
	}
	if a.Addr().IsLoopback() && a.Addr().Is4() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 2}), nil
	}
	return a.Addr(), nil
}
