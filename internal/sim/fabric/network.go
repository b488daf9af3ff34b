package fabric

import (
	"errors"

	"weft/internal/base/cores"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// App is the application of a network. Its methods are called from the simulation partition of the
// node or source, and may call that partition's methods.
type App interface {
	// Complete reports a finished work request of a queue pair in a NIC; c is valid only during the
	// call.
	Complete(p *Partition, nic int32, c *transport.Completion)
	// Timer is called at the time given to Partition.At.
	Timer(p *Partition, source uint32)
}

// HostApp is an application whose hosts affect each other only through the network: what it does in a
// call concerns the host of this call's node alone. It may make a connection between two hosts.
type HostApp interface {
	App
	// NodeOf is a node of the host that the timer of a source belongs to.
	NodeOf(source uint32) (node int32)
}

// Trace observes a network; a network without one pays nothing.
type Trace interface {
	// Pause is called when a PFC frame for a class of the sender on a link is sent, with the time
	// of its effect: the frames of one switch in order, frames of different switches in no order.
	Pause(now, effect units.Time, link int32, class uint8, on bool)
}

// Network is a fabric ready to run.
type Network struct {
	app       App           `state:"-"`
	hosts     HostApp       `state:"-"` // nil if the application is in the cell of the ends
	foreign   ForeignApp    `state:"-"` // nil if the application has no foreign packets
	builder   *Builder      `state:"-"` // for Amend; nil without foreign packets
	progress  progress      `state:"-"`
	maxEvents int64         `state:"-"` // 0 is no bound
	patience  units.Time    `state:"-"`
	spare     *engine.Spare `state:"-"` // additional cores for a run; nil for none
	parts     []*Partition  `state:"-"`
	lookahead units.Time    `state:"-"`
	slot      units.Time    `state:"-"` // length of the slots of cells; 0 without cells
	seed      uint64        `state:"-"`

	wiring
	alone    []*node  `state:"-"` // by cell: its switch, if that handles the cell's events itself
	lastHost int      `state:"-"` // the last cell of a host
	turns    []uint16 // by port and class: the turn

	observers `state:"-"`
	forwarding
	ethernetPorts
	pauseState
	creditPorts
	infinibandPorts
	nicPorts
	scaleUp
	borders     `state:"-"`
	hazards     `state:"-"`
	aggregation *aggregation `state:"-"` // nil: no switch reduces
	periods     periodSearch `state:"-"`
}

// observers are the traces of a network.
type observers struct {
	trace    Trace
	packets  PacketTrace    // nil if packets are not followed
	examined bool           // arriving packets are followed, or may be corrupted
	adapters []*series.Port // by link: counters of NICs' ports, if the network records; nil for others
}

// forwarding is the switches' choice of ports and lanes.
type forwarding struct {
	tables     routing.Tables `state:"-"`
	choices    []choice       `state:"-"` // the sets of ports in tables
	laneRule   *routing.Lanes `state:"-"`
	flowletGap units.Time     `state:"-"`
	flowlets   [][]flowletEntry
	threshold  int64                                      `state:"-"` // of adaptive routing, in bytes
	hash       func(row int32, entropy uint32, n int) int `state:"-"` // ECMP's hash; nil is weft's
}

// scaleUp is the GPUs of the scale-up network.
type scaleUp struct {
	local LocalApp   `state:"-"`
	gpus  []gpuState `state:"-"` // visited by node
}

// borders are the rules that separate hosts.
type borders struct {
	pkeys    *isolation.PKeys    // nil: P_Keys are not checked
	segments *isolation.Segments // nil: there are no VRFs
	offences []isolation.Log     // by discarding port; nil without checks
}

// hazards are the possible errors of links.
type hazards struct {
	faults *faultState         // nil without faults
	jitter []impair.LinkJitter // by link; nil if no switch has jitter
	errors []impair.LinkErrors // by link; nil if packets are not corrupted
	bursts []impair.LinkBursts // by link; nil if errors do not come in bursts
}

// Run runs the network until an exact time, or until no event is left, on at most workers cores. It
// returns the error that ended it, if any.
func (n *Network) Run(until units.Time, workers int, stop *engine.Stop) error {
	parts := make([]engine.Partition, len(n.parts))
	for i, p := range n.parts {
		parts[i] = p
	}
	for {
		engine.Run(parts, engine.Windows{Lookahead: n.lookahead, Grain: n.slot, Single: n.single()}, until, workers, n.spare, stop)
		at, halted := n.halted(until, stop)
		if !halted {
			break
		}
		n.searchPeriod(at, until)
	}
	for _, p := range n.parts {
		if d := (*cores.Panic)(nil); errors.As(p.err, &d) {
			panic(d)
		}
		if s := (*Standstill)(nil); errors.As(p.err, &s) {
			s.Since, s.Waiting = n.lastArrival(), n.Waiting()
		}
		if p.err != nil {
			return p.err
		}
	}
	return audit{n}.conserved()
}

// single is the window of a run with one partition: 50 us for 1,024 NICs and less for more, so that a run
// stops and tells its progress within a second.
func (n *Network) single() units.Time {
	return 50 * units.Microsecond * 1024 / units.Time(max(1024, len(n.nics)))
}

// UseSpare lets runs use spare cores, when available, in addition to their workers.
func (n *Network) UseSpare(spare *engine.Spare) { n.spare = spare }

// Stats sums the counters of all partitions.
func (n *Network) Stats() (s counts.Stats) {
	for _, p := range n.parts {
		s.Add(&p.stats)
	}
	return s
}

// Retransmissions is the number of data packets that the flows have retransmitted.
func (n *Network) Retransmissions() (sum int64) {
	for i := range n.nics {
		for f := range n.nics[i].flows.all {
			sum += int64(f.retransmitted())
		}
	}
	return sum
}

// Timeouts is the number of retransmission timeouts that have expired in the flows.
func (n *Network) Timeouts() (sum int64) {
	for i := range n.nics {
		for f := range n.nics[i].flows.all {
			if f.socket {
				sum += int64(f.conn.Stats().Timeouts)
			} else {
				sum += int64(f.qp.Timeouts())
			}
		}
	}
	return sum
}

// Lookahead is the shortest time in which one simulation partition affects another; units.Forever
// if no link connects two.
func (n *Network) Lookahead() units.Time { return n.lookahead }

// Partitions is the number of simulation partitions.
func (n *Network) Partitions() int { return len(n.parts) }

// Partition is the simulation partition of a node.
func (n *Network) Partition(node int32) *Partition { return n.parts[n.nodes[node].part] }

// nicOf is the state of the NIC at a node.
func (n *Network) nicOf(node int32) *nicState { return &n.nics[n.nodes[node].state] }

// Credited reports whether a link has credits.
func (n *Network) Credited(link int32) bool {
	return n.inboxes[link].back >= 0 && n.receiverCredits(link).Period > 0
}

// LinkBytes is the number of bytes sent on a link, as on the wire.
func (n *Network) LinkBytes(link int32) int64 { return n.ports[link].bytes }

// Connection describes one direction of a connected pair of queue pairs.
type Connection struct {
	Entropy      uint32 // the input of ECMP's hash
	Class, Reply uint8  // of data and of acknowledgements
	CNP          uint8  // of congestion notifications
	Port         int32  // the NIC's port, from 0
	CC           cc.Algorithm
	// Service is the transport service of RDMA, the same at both ends; the
	// zero value is RC.
	Service transport.Service
	// PKey is the P_Key of the end's packets, and SL their service level. They enter on Class. If
	// Builder.Lanes follows service levels, SL determines their lanes from there on; otherwise only
	// reports use it.
	PKey uint16
	SL   units.SL
	// QKey is the required Q_Key of datagrams to the end, with UD on a network whose Builder has
	// QKeys.
	QKey uint32
	// Order decides among the ends of a NIC whose timers are due at the same instant: the lowest
	// goes first, among equals the end that was made first.
	Order uint64
	// Phase is the phase of the host's ticks, which fire TCP's timers if tcp.Config has a Tick.
	Phase units.Time
}

// Connect makes a connection between two NICs, of RDMA or TCP according to the NICs, and returns
// the numbers of its ends. It may be called before the run, and by the application of a network of
// one partition.
func (n *Network) Connect(a, b int32, fromA, fromB Connection) (endA, endB units.QPN, err error) {
	na, nb := n.nicOf(a), n.nicOf(b)
	fa, fb := n.newFlow(a, b, fromA), n.newFlow(b, a, fromB)
	n.Partition(a).addFlow()
	n.Partition(b).addFlow()
	if na.spec.TCP != nil {
		fa.conn, fb.conn = tcp.New(na.spec.TCP, uint32(fb.id)), tcp.New(nb.spec.TCP, uint32(fa.id))
		fa.socket, fb.socket = true, true
		fa.conn.SetPhase(fromA.Phase)
		fb.conn.SetPhase(fromB.Phase)
		return fa.id, fb.id, nil
	}
	if err := fa.connect(na.spec, fb.id, &fromA); err != nil {
		return 0, 0, err
	}
	if err := fb.connect(nb.spec, fa.id, &fromB); err != nil {
		return 0, 0, err
	}
	fa.qp.SetChance(n.chance(a, fa))
	fb.qp.SetChance(n.chance(b, fb))
	return fa.id, fb.id, nil
}

// chance is the random stream of a NIC's queue pair.
func (n *Network) chance(nic int32, f *flow) uint32 {
	return uint32(engine.Mix(n.seed ^ uint64(nic)<<32 ^ uint64(f.entropy)))
}

func (f *flow) connect(s *NIC, remote units.QPN, c *Connection) error {
	if err := f.qp.Setup(s.Transport, c.Service, f.id, c.CC); err != nil {
		return err
	}
	f.qp.SetQKey(c.QKey)
	err := f.qp.Connect(0, remote, 0, 0)
	f.wants = f.qp.Wants() & (cc.WantRTT | cc.WantPath | cc.WantEntropy)
	return err
}

// newFlow makes one end of a connection.
func (n *Network) newFlow(from, to int32, c Connection) *flow {
	flows := &n.nicOf(from).flows
	id := flows.makeRoom(&n.slab)
	f := flows.flow(id)
	*f = flow{
		timerAt: units.Forever, timer: -1, id: id, dst: to, port: n.nodes[from].base + c.Port,
		entropy: c.Entropy, class: c.Class, reply: c.Reply, cnp: c.CNP, pkey: c.PKey, sl: c.SL, order: c.Order,
	}
	return f
}

// Post posts a work request on a queue pair of a NIC, or a message on a socket; a socket uses only
// the work request's length and immediate data.
func (p *Partition) Post(nic int32, end units.QPN, wr transport.WorkRequest) error {
	s := p.net.nicOf(nic)
	f := s.flows.flow(end)
	var err error
	if f.socket {
		length := units.Bytes(wr.Length)
		if s.spec.MPA != nil {
			length = s.spec.MPA.Stream(length)
		}
		err = f.conn.Send(p.now, length, wr.Imm)
	} else {
		err = f.qp.PostSend(p.now, wr)
	}
	if err != nil {
		return err
	}
	if p.record != nil {
		s.recordPost(p, nic, f, &wr)
	}
	s.updateFlow(p, nic, f)
	return nil
}

// LinkBusy is the time for which a link's wire has been busy.
func (n *Network) LinkBusy(link int32) units.Time {
	o := &n.ports[link]
	return units.Time(n.LinkBytes(link) * int64(o.num) / int64(o.den))
}

// NextTime is the time of the earliest pending event of all partitions.
func (n *Network) NextTime() units.Time {
	t := units.Forever
	for _, p := range n.parts {
		t = min(t, p.NextTime())
	}
	return t
}
