package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/verbs/internal/socket"
	"weft/wire"
	"weft/wire/pcap"
)

// Options are the parameters of a device.
type Options struct {
	// Addr is an address of this machine, and the UDP port; port 0 means RoCE v2's 4791. The whole
	// of 127.0.0.0/8 is this machine: two devices on one machine take two addresses.
	Addr netip.AddrPort
	// PathMTU is the largest path MTU of the device's queue pairs, in bytes; it also bounds the
	// data in flight. 0 is 4096. The device uses less if the interface's MTU is too small: see
	// Device.PathMTU.
	PathMTU int
	// SocketOnly sends every packet through the UDP socket, where tools see it. Otherwise packets to a
	// device of the same user on this machine go through shared memory.
	SocketOnly bool
	// StrictICRC refuses packets whose ICRC does not match the IP identification that weft sends
	// with; see package weft/verbs/internal/socket. Other implementations send other
	// identifications.
	StrictICRC bool
	// LineRate gives every queue pair of a connected service DCQCN (Zhu et al., SIGCOMM 2015, with
	// the paper's parameters), starting at this rate: packets are paced and ECN-capable, and CNPs
	// slow them down. 0 is no congestion control. The device answers marks with CNPs in either
	// case.
	LineRate units.Rate
	// ForeignMemory says that registered memory is not Go's, and may be unmapped while it is
	// registered: work on it then ends with an error.
	ForeignMemory bool
	// Capture receives a pcapng of every packet.
	Capture io.Writer
	// Lose is the share of arriving packets that the device drops, 0 to 1, to test a program on a
	// bad network. LoseSeed is the seed of the choice.
	Lose     float64
	LoseSeed uint64

	// Emulator is the socket of a weft emulate: the device is then at a NIC of the emulated fabric,
	// which has its clock, its path MTU and its congestion control, and the other options have no
	// effect. Empty takes the environment's WEFT_EMULATOR. Addr is an address of the NIC; the zero
	// value takes any of the NIC with the name NIC, which is by default the environment's WEFT_NIC.
	Emulator, NIC string

	clock func() units.Time // socket.Config.Clock, for tests
}

// Open opens a device.
func Open(o Options) (*Device, error) {
	if o.Emulator = cmp.Or(o.Emulator, os.Getenv("WEFT_EMULATOR")); o.Emulator != "" {
		return openEmulated(o)
	}
	a := o.Addr
	if a.Port() == 0 {
		a = netip.AddrPortFrom(a.Addr(), wire.RoCEv2Port)
	}
	way := socket.OpenNear
	if o.SocketOnly {
		way = socket.OpenUDP
	}
	conn, err := socket.OpenShared(a)
	if conn == nil && err == nil {
		conn, err = way(a)
	}
	if err != nil {
		return nil, err
	}
	d, err := open(conn, o)
	// it may have to reject a request to a port at which no device listens
	if err == nil && d.shared != nil {
		_, err = d.manager()
		if err != nil {
			_ = d.Close()
			return nil, err
		}
	}
	return d, err
}

// openEmulated opens a device at a NIC of an emulated fabric.
func openEmulated(o Options) (*Device, error) {
	conn, err := socket.OpenEmulated(o.Emulator, o.Addr.Addr(), cmp.Or(o.NIC, os.Getenv("WEFT_NIC")))
	if err != nil {
		return nil, fmt.Errorf("verbs: %w", err)
	}
	w := &conn.Welcome
	var control func() cc.Algorithm
	if c := w.QueuePairs.Control; c != nil {
		_ = conn.AllowMarks()
		if control, err = c.Algorithms(); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("verbs: %w", err)
		}
	}
	d, err := open(conn, Options{
		PathMTU: w.PathMTU, StrictICRC: true, Capture: o.Capture,
		clock: conn.Clock,
	})
	if err == nil {
		d.control = control
	}
	return d, err
}

// open creates a device on a connection.
func open(conn socket.Conn, o Options) (*Device, error) {
	if o.PathMTU == 0 {
		o.PathMTU = 4096
	}
	if !validMTU(o.PathMTU) {
		_ = conn.Close()
		return nil, invalid("path MTU %d: 256, 512, 1024, 2048 or 4096", o.PathMTU)
	}
	if !(o.Lose >= 0 && o.Lose <= 1) {
		_ = conn.Close()
		return nil, invalid("a loss of %v of the packets: valid is 0 to 1", o.Lose)
	}
	o.PathMTU = fitting(o.PathMTU, conn.MTU())
	var params *cc.DCQCNParams
	if o.LineRate != 0 {
		var err error
		if params, err = congestionControl(conn, o.LineRate); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	fabric, _ := conn.(*socket.Emulated)
	c := socket.Config{
		Conn: conn, PathMTU: o.PathMTU, StrictID: o.StrictICRC, Lose: o.Lose, LoseSeed: o.LoseSeed,
		Clock: o.clock, Emulated: fabric != nil,
	}
	if o.Capture != nil {
		w, err := pcap.NewWriter(o.Capture, pcap.Raw)
		if err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("verbs: the capture cannot be written: %w", err)
		}
		c.Capture = w
	}
	d := &Device{
		mtu: o.PathMTU, foreign: o.ForeignMemory, fabric: fabric, dcqcn: params, keys: keys{},
		qps: map[*QP]struct{}{}, cqs: map[*CQ]struct{}{}, async: make(chan AsyncEvent, maxAsync),
	}
	if params != nil {
		d.control = func() cc.Algorithm { return cc.NewDCQCN(params, cc.Unlimited) }
	}
	d.ends, _ = conn.(interface{ OnEnd(func(netip.AddrPort)) })
	d.port = socket.Open(c)
	if d.shared, _ = conn.(shared); d.shared != nil {
		d.shared.OnLost(d.connectionLost)
	}
	if fabric != nil {
		fabric.Serve(d.port, d.linkChanged, d.connectionLost)
	}
	return d, nil
}

// congestionControl prepares a connection for DCQCN.
func congestionControl(conn socket.Conn, line units.Rate) (*cc.DCQCNParams, error) {
	p, err := cc.DCQCNPreset("paper", line)
	if err == nil && line < p.MinRate {
		return nil, invalid("a line rate of %v: valid is at least %v", line, p.MinRate)
	}
	return &p, errors.Join(err, conn.AllowMarks())
}

// fitting is the largest path MTU that fits an interface's MTU. Linux counts the same headers: GRH,
// UDP, BTH, XRCETH, AtomicETH and ICRC (iboe_get_mtu).
func fitting(path, link int) int {
	const headers = 40 + 8 + 12 + 4 + 28 + 4
	for link > 0 && path > 256 && path+headers > link {
		path /= 2
	}
	return path
}

// Farewell ends the device's connections for a program that ends. Peers are told, and it waits for
// their answers until ctx ends: meanwhile the device answers what peers send again. The last
// acknowledgements and the last answers to peers that have parted are sent twice, since nobody
// answers later.
func (d *Device) Farewell(ctx context.Context) {
	d.port.Lock()
	d.port.Farewell()
	d.port.Unlock()
	d.cmOnce.Do(func() { d.cmErr = ErrClosed })
	if d.cm != nil {
		d.cm.leave(ctx)
	}
}

// Close closes the device. Unfinished work requests complete with WRFlushErr; completion queues can
// still be polled.
func (d *Device) Close() error {
	d.port.Lock()
	if d.closed {
		d.port.Unlock()
		return ErrClosed
	}
	d.closed = true
	for q := range d.qps {
		q.destroy()
	}
	for c := range d.cqs {
		c.wake()
	}
	d.port.Unlock()
	return d.port.Close()
}
