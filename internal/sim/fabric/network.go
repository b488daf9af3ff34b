package fabric

import (
	"errors"
	"fmt"
	"sync/atomic"

	"weft/internal/base/cores"
	"weft/internal/sim/engine"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// nodeKind says which model a node follows.
type nodeKind uint8

const (
	kindNIC nodeKind = iota
	kindEthernet
	kindInfiniBand
	kindGPU
)

// localRouting says how a node finds a port without forwarding tables.
type localRouting uint8

const (
	byTables localRouting = iota // it has tables
	byPort                       // destination first+k is at port k
	inline                       // a box: to the NIC first by port 0, to all others by port 1
)

// node is the fixed description of a node, and where its state is.
type node struct {
	ethernet    *ethernetState   // Ethernet switches
	infiniband  *infinibandState // switches with credits
	ways        []uint16         // its row of the tables: static routing, the port to each destination; else the set of ports
	sets        int32            // the first of its sets of ports
	base, ports int32            // its ports
	state       int32            // index into the states of its kind
	row         int32            // switches: row of the forwarding tables
	first       int32            // local routing: the node at port 0
	salt        uint32
	turn        uint32 // spraying and adaptive routing: whose turn it is
	cell        uint16 // 0 is that of the ends: NICs, GPUs, scale-up switches, the application
	kind        nodeKind
	part        uint8
	routing     Routing
	local       localRouting
}

// App is what runs on the network. Its methods are called from the partition
// that the node or source belongs to, and may call that partition's methods.
type App interface {
	// Complete reports a finished work request of a queue pair in a NIC; c is the
	// partition's, for as long as the call lasts.
	Complete(p *Partition, nic int32, c *transport.Completion)
	// Timer is called at the time given to Partition.At.
	Timer(p *Partition, source uint32)
}

// Trace is told what happens; a network without one pays nothing.
type Trace interface {
	// Pause is called when a PFC frame for a class of the sender on a link is
	// sent, with the time at which it takes effect: those of one switch in their
	// order, those of different ones in no order.
	Pause(now, effect units.Time, link int32, class uint8, on bool)
}

// Network is a fabric ready to run.
type Network struct {
	app       App
	progress  progress
	maxEvents int64 // 0 is no bound
	patience  units.Time
	spare     *engine.Spare // cores that a run may take besides; nil for none
	parts     []*Partition
	lookahead units.Time
	slot      units.Time // that cells are handled in; 0 without cells
	classes   int
	seed      uint64
	names     []string

	nodes       []node
	ports       []port
	inboxes     []inbox
	back        []int32      // by port: the link that comes in at it
	propagation []units.Time // by link
	turns       []uint16     // by port and class: whose turn it is

	observers
	forwarding
	ethernetPorts
	pauseState
	creditPorts
	infinibandPorts
	nicPorts
	scaleUp
	borders
	hazards
	aggregation *aggregation // nil: no switch reduces
}

// observers are told what happens.
type observers struct {
	trace    Trace
	packets  PacketTrace // nil, unless somebody follows packets
	examined bool        // packets that arrive are followed, or may be corrupted
}

// forwarding is how switches choose ports and lanes.
type forwarding struct {
	tables     routing.Tables
	laneRule   *routing.Lanes
	flowletGap units.Time
	flowlets   [][]flowletEntry
	threshold  int64                                      // of adaptive routing, in bytes
	hash       func(row int32, entropy uint32, n int) int // of ECMP; nil is weft's
}

// scaleUp is the GPUs of the scale-up network.
type scaleUp struct {
	local LocalApp
	gpus  []gpuState
}

// borders are the rules that keep hosts apart.
type borders struct {
	pkeys    *PKeys        // nil: nobody checks P_Keys
	segments *Segments     // nil: nobody keeps VRFs apart
	offences [][]Violation // by port that discarded; nil where nobody checks
}

// hazards are what may go wrong on links.
type hazards struct {
	faults    *faultState  // nil, unless something may break
	jitter    []linkJitter // by link; nil, unless some switch jitters
	errors    []linkErrors // by link; nil, unless packets are corrupted
	errorRate uint64       // of packets, in 2^-64
}

// Run runs the network until an exact time, or until nothing is left to happen,
// on at most workers cores. It returns the fault that ended it, if any.
func (n *Network) Run(until units.Time, workers int, stop *atomic.Bool) error {
	parts := make([]engine.Partition, len(n.parts))
	for i, p := range n.parts {
		parts[i] = p
	}
	engine.Run(parts, engine.Windows{Lookahead: n.lookahead, Grain: n.slot}, until, workers, n.spare, stop)
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
	return n.conserved()
}

// Hire has runs take cores from those that are spare, when there are, beside their
// workers.
func (n *Network) Hire(spare *engine.Spare) { n.spare = spare }

// Stats sums the counts of all partitions.
func (n *Network) Stats() Stats {
	var s Stats
	for _, p := range n.parts {
		s.add(&p.stats)
	}
	return s
}

func (s *Stats) add(t *Stats) {
	s.Events += t.Events
	s.Hops += t.Hops
	s.Trains += t.Trains
	s.Injected += t.Injected
	s.Delivered += t.Delivered
	s.InBytes += t.InBytes
	s.OutBytes += t.OutBytes
	s.LostBytes += t.LostBytes
	s.CNPs += t.CNPs
	s.CNPsTaken += t.CNPsTaken
	s.CNPDelay += t.CNPDelay
	s.Marked += t.Marked
	s.Trimmed += t.Trimmed
	s.Pauses += t.Pauses
	s.Resumes += t.Resumes
	s.Stalls += t.Stalls
	s.Storms += t.Storms
	s.LastFault = max(s.LastFault, t.LastFault)
	for i := range s.Dropped {
		s.Dropped[i] += t.Dropped[i]
	}
}

// Retransmissions is the number of data packets that the flows have sent again.
func (n *Network) Retransmissions() (sum int64) {
	for i := range n.nics {
		for f := range n.nics[i].flows.all {
			if f.socket {
				sum += int64(f.conn.Stats().Retransmitted)
			} else {
				sum += int64(f.qp.Repeated())
			}
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

// Lookahead is the shortest time in which one partition reaches another;
// units.Forever where nothing crosses from one to another.
func (n *Network) Lookahead() units.Time { return n.lookahead }

// Partitions is how many partitions the network is cut into.
func (n *Network) Partitions() int { return len(n.parts) }

// Partition is the partition that a node belongs to.
func (n *Network) Partition(node int32) *Partition { return n.parts[n.nodes[node].part] }

// nicOf is the state of the NIC that a node is.
func (n *Network) nicOf(node int32) *nicState { return &n.nics[n.nodes[node].state] }

// LinkName names a link for people.
func (n *Network) LinkName(link int32) string {
	if link < 0 || int(link) >= len(n.ports) {
		return "the network"
	}
	from, to := &n.nodes[n.ports[link].node], n.inboxes[link].node
	return fmt.Sprintf("%s port %d to %s", n.names[n.ports[link].node], link-from.base+1, n.names[to])
}

// NodeName names a node for people.
func (n *Network) NodeName(node int32) string { return n.names[node] }

// LinkEnds are the nodes that a link joins, in its direction.
func (n *Network) LinkEnds(link int32) (from, to int32) {
	return n.ports[link].node, n.inboxes[link].node
}

// LinkPort is the port of its node that a link leaves by, from 0.
func (n *Network) LinkPort(link int32) int32 { return link - n.nodes[n.ports[link].node].base }

// Back is the link in the other direction on the same cable, below 0 where there is none.
func (n *Network) Back(link int32) int32 { return n.inboxes[link].back }

// Links is the number of directed links.
func (n *Network) Links() int { return len(n.ports) }

// LinkBytes is what has been sent on a link, in bytes on the wire.
func (n *Network) LinkBytes(link int32) int64 { return n.ports[link].bytes }

// Connection describes one direction of a connected pair of queue pairs.
type Connection struct {
	Entropy      uint32 // what ECMP hashes
	Class, Reply uint8  // of data and of acknowledgements
	CNP          uint8  // of congestion notifications
	Port         int32  // the NIC's port, from 0
	CC           cc.Algorithm
	// Service is the transport service of RDMA, the same at both ends; the
	// zero value is RC.
	Service transport.Service
	// PKey is the P_Key of the end's packets, and SL their service level. They
	// enter on Class, and where Builder.Lanes goes by levels it gives their lanes
	// from there on; else only reports tell it.
	PKey uint16
	SL   units.SL
	// QKey is what datagrams to the end must carry, with UD on a network whose
	// Builder says QKeys.
	QKey uint32
	// Order tells the ends of a NIC apart whose timers are due at the same instant: the
	// lesser goes first, among equals the end that was made first.
	Order uint64
	// Phase is that of the host's ticks, by which the timers of TCP go off
	// where tcp.Config has a Tick.
	Phase units.Time
}

// Connect makes a connection between two NICs, of RDMA or TCP as the
// NICs are, and gives the numbers of its ends. It may be called before the run,
// and by the application of a network of one partition.
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

// chance is what a queue pair of a NIC draws by.
func (n *Network) chance(nic int32, f *flow) uint32 {
	return uint32(engine.Mix(n.seed ^ uint64(nic)<<32 ^ uint64(f.entropy)))
}

func (f *flow) connect(s *NIC, remote units.QPN, c *Connection) error {
	if err := f.qp.Setup(s.Transport, c.Service, f.id, c.CC); err != nil {
		return err
	}
	f.qp.SetQKey(c.QKey)
	err := f.qp.Connect(0, remote, 0, 0)
	f.told = f.qp.Wants() & (cc.WantRTT | cc.WantPath | cc.WantEntropy)
	return err
}

// newFlow makes one end of a connection.
func (n *Network) newFlow(from, to int32, c Connection) *flow {
	flows := &n.nicOf(from).flows
	id := flows.add(&n.slab)
	f := flows.at(id)
	*f = flow{
		timerAt: units.Forever, timer: -1, id: id, dst: to, port: n.nodes[from].base + c.Port,
		entropy: c.Entropy, class: c.Class, reply: c.Reply, cnp: c.CNP, pkey: c.PKey, sl: c.SL, order: c.Order,
	}
	return f
}

// Post hands a work request to a queue pair of a NIC, or a message to a socket,
// where the work request's length and immediate data count alone.
func (p *Partition) Post(nic int32, end units.QPN, wr transport.WorkRequest) error {
	s := p.net.nicOf(nic)
	f := s.flows.at(end)
	var err error
	if f.socket {
		length := units.Bytes(wr.Length)
		if s.spec.MPA != nil {
			length = s.spec.MPA.stream(length)
		}
		err = f.conn.Send(p.now, length, wr.Imm)
	} else {
		err = f.qp.PostSend(p.now, wr)
	}
	if err != nil {
		return err
	}
	s.look(p, nic, f)
	return nil
}

// ScaleOut reports whether a link joins NICs and switches, and not GPUs.
func (n *Network) ScaleOut(link int32) bool {
	return n.inboxes[link].back >= 0 && n.ports[link].flags&flagUncounted == 0
}

// LinkBusy is how long a link's wire has been busy.
func (n *Network) LinkBusy(link int32) units.Time {
	o := &n.ports[link]
	return units.Time(o.bytes * int64(o.num) / int64(o.den))
}

// NextTime is the time of the earliest pending event of all partitions.
func (n *Network) NextTime() units.Time {
	t := units.Forever
	for _, p := range n.parts {
		t = min(t, p.NextTime())
	}
	return t
}
