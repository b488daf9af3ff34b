package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"

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

	// Emulator is the socket of a weft emulate: the device is then at a NIC of the emulated fabric, which
	// has its clock, its path MTU and its congestion control, and the other options have no effect. Empty takes
	// the environment's WEFT_EMULATOR. Addr is an address of the NIC; the zero value takes any of the NIC with
	// the name NIC, which is by default the environment's WEFT_NIC.
	Emulator, NIC string

	clock func() units.Time // socket.Config.Clock, for tests
}

// Device is an open RDMA device with one port.
type Device struct {
	port    *socket.Port
	mtu     int
	fabric  *socket.Emulated    // nil: the device is on a real network
	dcqcn   *cc.DCQCNParams     // on a real network; nil: no congestion control
	control func() cc.Algorithm // makes the congestion control of a queue pair; nil: none
	keys    keys
	qps     map[*QP]struct{}
	cqs     map[*CQ]struct{}
	armings uint32 // how often a queue was armed
	closed  bool
	down    bool // the emulated fabric's NIC has no cable in service
	foreign bool // Options.ForeignMemory
	async   chan AsyncEvent

	rejected atomic.Int64 // rejected messages to the manager: Stats.ManagerDropped

	shared shared                                   // nil: the address is the device's alone
	ends   interface{ OnEnd(func(netip.AddrPort)) } // tells of devices that have ended; nil: nobody does
	cmOnce sync.Once
	cm     *manager
	cmErr  error
}

// shared is the connection of a device at an address that devices of other processes have, too.
type shared interface {
	Listens(service uint64) error
	Leaves(service uint64)
	OnLost(lost func())
}

// listens has the device listen to a service at an address, for which a shared address has one device. What is for other
// addresses never comes.
func (d *Device) listens(p bound) error {
	if d.shared == nil || !p.takes(d.Addr().Addr()) {
		return nil
	}
	err := d.shared.Listens(p.service)
	if errors.Is(err, socket.ErrTaken) {
		return ErrInUse
	}
	return err
}

func (d *Device) leaves(p bound) {
	if d.shared != nil && p.takes(d.Addr().Addr()) {
		d.shared.Leaves(p.service)
	}
}

// AsyncEvent is an event of an object that no call asked for (ibv_get_async_event(3)).
type AsyncEvent struct {
	Type EventType
	QP   *QP
	CQ   *CQ
	SRQ  *SRQ
}

// EventType is the kind of an asynchronous event.
type EventType uint8

// The events.
const (
	EventCQErr           EventType = iota // a completion queue was overrun
	EventQPFatal                          // a queue pair went to ERR after a local error
	EventQPAccessErr                      // a peer's request was refused for an access error
	EventSRQLimitReached                  // fewer receives than the limit are left
	EventPortActive                       // the port has a link again
	EventPortErr                          // the port has lost its link
	EventDeviceFatal                      // the device works no more: its emulated fabric, or the sharing of its address, has ended
)

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
	if err == nil && d.shared != nil { // it may have to reject a request to a port at which no device listens
		_, err = d.manager()
		if err != nil {
			_ = d.Close()
			return nil, err
		}
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
		Conn: conn, PathMTU: o.PathMTU, StrictID: o.StrictICRC, Lose: o.Lose, LoseSeed: o.LoseSeed, Clock: o.clock, Emulated: fabric != nil,
	}
	if o.Capture != nil {
		w, err := pcap.NewWriter(o.Capture, pcap.Raw)
		if err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("verbs: the capture cannot be written: %w", err)
		}
		c.Capture = w
	}
	d := &Device{mtu: o.PathMTU, foreign: o.ForeignMemory, fabric: fabric, dcqcn: params, keys: keys{}, qps: map[*QP]struct{}{}, cqs: map[*CQ]struct{}{}, async: make(chan AsyncEvent, maxAsync)}
	if params != nil {
		d.control = func() cc.Algorithm { return cc.NewDCQCN(params, cc.Unlimited) }
	}
	d.ends, _ = conn.(interface{ OnEnd(func(netip.AddrPort)) })
	d.port = socket.Open(c)
	if d.shared, _ = conn.(shared); d.shared != nil {
		d.shared.OnLost(d.lost)
	}
	if fabric != nil {
		fabric.Serve(d.port, d.link, d.lost)
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

// PathMTU is the largest path MTU of the device's queue pairs, in bytes.
func (d *Device) PathMTU() int { return d.mtu }

func validMTU(n int) bool { return n >= 256 && n <= 4096 && n&(n-1) == 0 }

// Addr is the address and UDP port of the device: its GID, in RoCE's terms.
func (d *Device) Addr() netip.AddrPort { return d.port.Local() }

// Clock is the time of the device's clock: the machine's since the device was opened, or that of its emulated fabric
// when the device last had work. It is right when a completion has just come.
func (d *Device) Clock() units.Time {
	if d.fabric != nil {
		return d.fabric.Worked()
	}
	return d.port.Now()
}

// Sync brings the clock of a device on an emulated fabric to the present time. A program that measures calls
// it before it begins. It fails if the fabric has ended.
func (d *Device) Sync() error {
	if d.fabric == nil {
		return nil
	}
	return d.fabric.Sync()
}

// Wait says that the caller is about to wait for an event of a queue with a Notify. The device then does its own work at
// once, which it leaves to a caller that polls.
func (d *Device) Wait() {
	d.port.Lock()
	defer d.port.Unlock()
	d.port.StopPolling()
}

// Events delivers asynchronous events. Beyond a bound, events that nobody fetches are dropped.
func (d *Device) Events() <-chan AsyncEvent { return d.async }

func (d *Device) raise(e AsyncEvent) {
	select {
	case d.async <- e:
	default:
	}
}

// Progress receives arrived packets and sends pending ones. It reports whether any packet had
// arrived. A program that waits for memory to change, which one-sided operations do without a
// completion, calls it in a loop.
func (d *Device) Progress() bool {
	d.port.Lock()
	busy := d.port.Progress()
	d.port.Unlock()
	if !busy {
		d.rest()
	}
	return busy
}

// Stats are the device's counters.
type Stats struct {
	PacketsSent, PacketsReceived     int64
	BytesSent, BytesReceived         int64 // from the BTH to the ICRC
	DatagramsSent, DatagramsReceived int64 // entries of system calls: GSO and GRO put many packets in one
	NearSent, NearReceived           int64 // of them through shared memory
	Placed                           int64 // packets of READ responses whose payload the kernel put at its place
	BadICRC                          int64
	Malformed                        int64
	Lost                             int64 // dropped because of Options.Lose
	Misdirected                      int64 // for an unknown queue pair, not from its peer, or of another partition
	SolvedICRC                       int64 // matched an IP identification other than weft's
	Repeated                         int64 // packets retransmitted
	Marked                           int64 // packets that arrived with a congestion mark
	CNPsSent, CNPsReceived           int64 // congestion notifications
	OutOfSequence, Duplicates        int64 // requests ahead of and behind the expected PSN
	SequenceNAKs, RNRNAKs            int64 // that arrived
	Timeouts                         int64 // of acknowledgements
	Reads, Writes, Atomics           int64 // requests that arrived: of WRITEs the first packet of each message
	ManagerDropped                   int64 // messages to the connection manager that were invalid, or found no room
}

// Stats returns the counters since the device was opened.
func (d *Device) Stats() Stats {
	d.port.Lock()
	defer d.port.Unlock()
	s := d.port.Stats()
	out := Stats{
		ManagerDropped: d.rejected.Load(),
		PacketsSent:    s.PacketsOut, PacketsReceived: s.PacketsIn, BytesSent: s.BytesOut, BytesReceived: s.BytesIn,
		DatagramsSent: s.DatagramsOut, DatagramsReceived: s.DatagramsIn, NearSent: s.NearOut, NearReceived: s.NearIn, Placed: s.Placed,
		BadICRC: s.BadICRC, Malformed: s.Malformed, Lost: s.Lost, Misdirected: s.Misdirected, SolvedICRC: s.Solved, Repeated: s.Repeated,
		Marked: s.Marked, CNPsSent: s.CNPsOut, CNPsReceived: s.CNPsIn,
		OutOfSequence: s.OutOfSequence, Duplicates: s.Duplicates, SequenceNAKs: s.SequenceNAKs, RNRNAKs: s.RNRNAKs, Timeouts: s.Timeouts,
		Reads: s.Reads, Writes: s.Writes, Atomics: s.Atomics,
	}
	for q := range d.qps {
		out.Repeated += int64(q.end.QP.Repeated())
	}
	return out
}

// Farewell ends the device's connections for a program that ends. Peers are told, and it
// waits for their answers until ctx ends: meanwhile the device answers what peers send again. The last
// acknowledgements and the last answers to peers that have parted are sent twice, since nobody answers later.
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

// PD is a protection domain: its queue pairs reach only its memory.
type PD struct {
	dev  *Device
	refs int
}

// AllocPD allocates a protection domain.
func (d *Device) AllocPD() *PD {
	return &PD{dev: d}
}

// Dealloc frees the domain; it must be empty.
func (p *PD) Dealloc() error {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	if p.refs > 0 {
		return fmt.Errorf("%w: %d objects are in the protection domain", ErrBusy, p.refs)
	}
	return nil
}

// AH is an address handle: the destination of datagrams.
type AH struct {
	pd   *PD
	peer *socket.Peer
	dead bool
}

// CreateAH creates an address handle for the device at an address and UDP port; port 0 means 4791.
func (p *PD) CreateAH(to netip.AddrPort) (*AH, error) {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	peer, err := p.dev.peer(to)
	if err != nil {
		return nil, err
	}
	return &AH{pd: p, peer: peer}, nil
}

// Destroy frees the handle. Work requests already posted with it are still sent.
func (a *AH) Destroy() error {
	a.pd.dev.port.Lock()
	defer a.pd.dev.port.Unlock()
	if a.dead {
		return ErrClosed
	}
	a.dead = true
	a.pd.dev.port.Release(a.peer)
	return nil
}

// peer is the peer at an address, with one more user.
func (d *Device) peer(to netip.AddrPort) (*socket.Peer, error) {
	if !to.IsValid() || to.Addr().IsUnspecified() {
		return nil, invalid("%v is not a device's address", to)
	}
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), wire.RoCEv2Port)
	}
	peer, err := d.port.Peer(to)
	if err != nil {
		return nil, invalid("%v: %w", to, err)
	}
	return peer, nil
}

// QPN is the number of a queue pair.
type QPN = units.QPN
