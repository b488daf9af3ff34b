package sim

import (
	"errors"
	"fmt"

	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// LatencyOp is what a small message is sent by.
type LatencyOp string

// The operations.
const (
	// LatencyWrite is an RDMA WRITE with immediate data, by which the receiver
	// learns of it: what weft's collectives use.
	LatencyWrite LatencyOp = "write"
	LatencySend  LatencyOp = "send" // with immediate data; TCP knows no other
	LatencyRead  LatencyOp = "read"
)

// The bounds of what weft latency explains.
const (
	MaxLatencyBytes      = 64 * units.KiB // beyond, a time is one of throughput: weft bench
	MaxLatencyHops       = 16             // switches; the longest fat tree has five
	MaxLatencyIterations = 1_000_000
)

// LatencySpec is the message whose latency is asked for.
type LatencySpec struct {
	Bytes      units.Bytes
	Op         LatencyOp
	Hops       int // switches on the way
	Iterations int // of the ping-pong
}

// Latency is where the time of a message goes. Terms are differences of the
// timestamps of the packet that completes it, and their sum is OneWay.
type Latency struct {
	Fabric   string
	Protocol scenario.FabricKind
	Path     scenario.HostPath
	Op       LatencyOp
	Bytes    units.Bytes
	Hops     int
	Wire     units.Bytes // of that packet, with all that it costs on the wire
	Packets  int         // of the message

	Terms  []LatencyTerm
	OneWay units.Time // from posting to the program that has the data; of a READ the whole round trip
	Cost   LatencyCost
	// Trips are what perftest reports: half of each round trip of the
	// ping-pong, but the whole of each READ.
	Trips []units.Time
}

// LatencyTerm is a part of a message's time.
type LatencyTerm struct {
	Part    LatencyPart
	Name    string
	Time    units.Time
	Bytes   units.Bytes // of a copy
	Rate    units.Rate  // of a copy
	Note    string
	Sources []Source
	work    hostWork
}

// LatencyPart is where a term is.
type LatencyPart string

// The parts of the way.
const (
	AtSender   LatencyPart = "sender"
	InFabric   LatencyPart = "fabric"
	AtReceiver LatencyPart = "receiver"
)

// LatencyCost is what a message costs besides its time, at its sender and at its
// receiver; of a READ, at the reader alone.
type LatencyCost struct {
	CPUCopies   [2]int
	GPUCopies   [2]int        // by the GPU's stores
	KernelCalls [2]int        // each goes into the kernel and out of it
	Interrupts  [2]int        // that the message waits for
	CPU         [2]units.Time // of a CPU's work
	Cycles      [2]int64      // the same in its clock
}

// Moves is how often the data are moved: by each copy, and once from memory to
// memory by the two NICs.
func (c *LatencyCost) Moves() int {
	return c.CPUCopies[0] + c.CPUCopies[1] + c.GPUCopies[0] + c.GPUCopies[1] + 1
}

// MeasureLatency simulates a message between two NICs on a chain of switches of
// a scenario's fabric, and its ping-pong.
func MeasureLatency(r *scenario.Resolved, f *scenario.Fabric, s LatencySpec) (*Latency, error) {
	if err := s.Check(f); err != nil {
		return nil, err
	}
	run, err := newPingPong(r, f, pingPongSpec{op: latencyOps[s.Op], bytes: int64(s.Bytes), hops: s.Hops, rounds: s.Iterations})
	if err != nil {
		return nil, err
	}
	if err := run.play(r.Run.Limit.SimulatedTime); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	out := &Latency{
		Fabric: f.Name, Protocol: f.Kind, Path: f.Host.Path, Op: s.Op, Bytes: s.Bytes, Hops: s.Hops,
		OneWay: run.first.arrived - run.first.posted, Trips: run.trips,
	}
	e := explainer{run: run, fabric: f, node: &r.Cluster.Node, out: out}
	if err := e.explain(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return out, nil
}

// Check says what is wrong with asking a fabric for such a message.
func (s *LatencySpec) Check(f *scenario.Fabric) error {
	var errs []error
	if s.Bytes < 1 || s.Bytes > MaxLatencyBytes {
		errs = append(errs, fmt.Errorf("a message of %v: want 1 B to %v; with more a time is one of throughput, which weft bench measures", s.Bytes, MaxLatencyBytes))
	}
	if s.Hops < 0 || s.Hops > MaxLatencyHops {
		errs = append(errs, fmt.Errorf("a path over %d switches: want 0 (a cable between the NICs) to %d", s.Hops, MaxLatencyHops))
	}
	if s.Iterations < 1 || s.Iterations > MaxLatencyIterations {
		errs = append(errs, fmt.Errorf("%d iterations: want 1 to %d", s.Iterations, MaxLatencyIterations))
	}
	switch {
	case s.Op != LatencyWrite && s.Op != LatencySend && s.Op != LatencyRead:
		errs = append(errs, fmt.Errorf("%q is no operation: want write, send or read", s.Op))
	case f.Kind == scenario.TCPKind && s.Op != LatencySend:
		errs = append(errs, fmt.Errorf("%s has no %s: TCP sends", f.Name, s.Op))
	case (f.Kind == scenario.UltraEthernetKind || f.Kind == scenario.IWARPKind) && s.Op == LatencyRead:
		errs = append(errs, fmt.Errorf("%s: %s has writes and sends here, no reads: take another operation", f.Name, f.Kind))
	case f.Kind == scenario.IWARPKind && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: iWARP's TCP is in the NIC, and %s is the path of sockets: take another path", f.Name, f.Host.Path))
	case s.Op == LatencyRead && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: a read of memory through the remote CPU is no RDMA READ: take another path", f.Name))
	}
	return errors.Join(errs...)
}

var latencyOps = map[LatencyOp]transport.Op{
	LatencyWrite: transport.OpWriteImm, LatencySend: transport.OpSendImm, LatencyRead: transport.OpRead,
}
