package latency

import (
	"errors"
	"fmt"

	"weft/internal/sim/protocol"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/host"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// Op is the operation of a small message.
type Op string

// The operations.
const (
	// Write is an RDMA WRITE with immediate data, which notifies the receiver: as in weft's
	// collectives.
	Write Op = "write"
	Send  Op = "send" // with immediate data; the only operation of TCP
	Read  Op = "read"
)

// The bounds of weft latency.
const (
	MaxBytes      = 64 * units.KiB // a larger message measures throughput: weft bench
	MaxHops       = 16             // switches; the longest fat tree has five
	MaxIterations = 1_000_000
)

// Spec is the message to explain.
type Spec struct {
	Bytes      units.Bytes
	Op         Op
	Hops       int // switches in the path
	Iterations int // of the ping-pong
}

// Result is the time of a message, term by term. Terms are differences of timestamps of the packet
// that completes it; their sum is OneWay.
type Result struct {
	Fabric   string
	Protocol scenario.FabricKind
	Path     scenario.HostPath
	Op       Op
	Bytes    units.Bytes
	Hops     int
	Wire     units.Bytes // of that packet, with its full overhead on the wire
	Packets  int         // of the message

	Clock  int64 // of the nodes' CPUs, in Hz
	Jitter bool  // jitter is drawn

	Terms  []Term
	OneWay units.Time // from posting until the program has the data; for a READ the whole round trip
	Cost   Cost
	// Trips are perftest's figures: half of each round trip of the ping-pong; for a READ the whole
	// round trip.
	Trips []units.Time
}

// Term is a part of a message's time.
type Term struct {
	Part    Part
	Way     string // the links and switches that the term belongs to; empty at a host or NIC
	Name    string
	Time    units.Time
	Bytes   units.Bytes // of a copy
	Rate    units.Rate  // of a copy
	Note    string
	Sources []host.Source
	work    host.Work
}

// Part is the location of a term.
type Part string

// The parts of the path.
const (
	AtSender   Part = "sender"
	InFabric   Part = "fabric"
	AtReceiver Part = "receiver"
)

// Cost is the cost of a message besides its time, at its sender and at its receiver; for a READ, at
// the reader only.
type Cost struct {
	CPUCopies   [2]int
	GPUCopies   [2]int        // by the GPU's stores
	KernelCalls [2]int        // each enters and leaves the kernel
	Interrupts  [2]int        // interrupts in the message's path
	CPU         [2]units.Time // time of a CPU
	Cycles      [2]int64      // the same in the CPU's clock cycles
}

// Moves is the number of times that the data is moved: by each copy, and once from memory to memory
// by the two NICs.
func (c *Cost) Moves() int {
	return c.CPUCopies[0] + c.CPUCopies[1] + c.GPUCopies[0] + c.GPUCopies[1] + 1
}

// Measure simulates a message between two NICs on a chain of switches of
// a scenario's fabric, and its ping-pong.
func Measure(r *scenario.Resolved, f *scenario.Fabric, s Spec) (*Result, error) {
	if err := s.Check(f); err != nil {
		return nil, err
	}
	run, err := executor.NewPingPong(r, f, executor.PingPongSpec{Op: latencyOps[s.Op], Bytes: int64(s.Bytes), Hops: s.Hops, Rounds: s.Iterations})
	if err != nil {
		return nil, err
	}
	if err := run.Play(r.Run.Limit.SimulatedTime); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	out := &Result{
		Fabric: f.Name, Protocol: f.Kind, Path: f.Host.Path, Op: s.Op, Bytes: s.Bytes, Hops: s.Hops,
		Clock: r.Cluster.Node.CPU.Clock, Jitter: r.Run.Jitter, OneWay: run.First.Arrived - run.First.Posted, Trips: run.Trips,
	}
	e := explainer{run: run, fabric: f, node: &r.Cluster.Node, out: out}
	if err := e.explain(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return out, nil
}

// Check returns an error for a message that the fabric cannot have.
func (s *Spec) Check(f *scenario.Fabric) error {
	var errs []error
	if s.Bytes < 1 || s.Bytes > MaxBytes {
		errs = append(errs, fmt.Errorf("a message of %s: want 1B to %s; weft bench measures the throughput of larger ones", s.Bytes.Exact(), MaxBytes.Exact()))
	}
	if s.Hops < 0 || s.Hops > MaxHops {
		errs = append(errs, fmt.Errorf("a path over %d switches: want 0 (a cable between the NICs) to %d", s.Hops, MaxHops))
	}
	if s.Iterations < 1 || s.Iterations > MaxIterations {
		errs = append(errs, fmt.Errorf("%d iterations: want 1 to %d", s.Iterations, MaxIterations))
	}
	switch p := protocol.Of(f.Kind); {
	case s.Op != Write && s.Op != Send && s.Op != Read:
		errs = append(errs, fmt.Errorf("%q is no operation: want write, send or read", s.Op))
	case !p.RDMA() && s.Op != Send:
		errs = append(errs, fmt.Errorf("%s has no %s: TCP sends", f.Name, s.Op))
	case !p.Reads && s.Op == Read:
		errs = append(errs, fmt.Errorf("%s: %s has writes and sends here, no reads: take another operation", f.Name, f.Kind))
	case p.OnTCP() && p.RDMA() && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: iWARP's TCP is in the NIC, and %s is the path of sockets: take another path", f.Name, f.Host.Path))
	case s.Op == Read && f.Host.Path == scenario.PathCPU:
		errs = append(errs, fmt.Errorf("%s: a read of memory through the remote CPU is no RDMA READ: take another path", f.Name))
	}
	return errors.Join(errs...)
}

var latencyOps = map[Op]transport.Op{
	Write: transport.OpWriteImm, Send: transport.OpSendImm, Read: transport.OpRead,
}
