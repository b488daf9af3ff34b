package latency

import (
	"errors"
	"fmt"

	"weft/internal/sim/protocol"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/host"
	"weft/internal/sim/scenario"
	"weft/internal/sim/transport"
	"weft/units"
)

// Op is what a small message is sent by.
type Op string

// The operations.
const (
	// Write is an RDMA WRITE with immediate data, by which the receiver
	// learns of it: what weft's collectives use.
	Write Op = "write"
	Send  Op = "send" // with immediate data; TCP knows no other
	Read  Op = "read"
)

// The bounds of what weft latency explains.
const (
	MaxBytes      = 64 * units.KiB // beyond, a time is one of throughput: weft bench
	MaxHops       = 16             // switches; the longest fat tree has five
	MaxIterations = 1_000_000
)

// Spec is the message whose latency is asked for.
type Spec struct {
	Bytes      units.Bytes
	Op         Op
	Hops       int // switches on the way
	Iterations int // of the ping-pong
}

// Result is where the time of a message goes. Terms are differences of the
// timestamps of the packet that completes it, and their sum is OneWay.
type Result struct {
	Fabric   string
	Protocol scenario.FabricKind
	Path     scenario.HostPath
	Op       Op
	Bytes    units.Bytes
	Hops     int
	Wire     units.Bytes // of that packet, with all that it costs on the wire
	Packets  int         // of the message

	Terms  []Term
	OneWay units.Time // from posting to the program that has the data; of a READ the whole round trip
	Cost   Cost
	// Trips are what perftest reports: half of each round trip of the
	// ping-pong, but the whole of each READ.
	Trips []units.Time
}

// Term is a part of a message's time.
type Term struct {
	Part    Part
	Name    string
	Time    units.Time
	Bytes   units.Bytes // of a copy
	Rate    units.Rate  // of a copy
	Note    string
	Sources []host.Source
	work    host.Work
}

// Part is where a term is.
type Part string

// The parts of the way.
const (
	AtSender   Part = "sender"
	InFabric   Part = "fabric"
	AtReceiver Part = "receiver"
)

// Cost is what a message costs besides its time, at its sender and at its
// receiver; of a READ, at the reader alone.
type Cost struct {
	CPUCopies   [2]int
	GPUCopies   [2]int        // by the GPU's stores
	KernelCalls [2]int        // each goes into the kernel and out of it
	Interrupts  [2]int        // that the message waits for
	CPU         [2]units.Time // of a CPU's work
	Cycles      [2]int64      // the same in its clock
}

// Moves is how often the data are moved: by each copy, and once from memory to
// memory by the two NICs.
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
		OneWay: run.First.Arrived - run.First.Posted, Trips: run.Trips,
	}
	e := explainer{run: run, fabric: f, node: &r.Cluster.Node, out: out}
	if err := e.explain(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return out, nil
}

// Check says what is wrong with asking a fabric for such a message.
func (s *Spec) Check(f *scenario.Fabric) error {
	var errs []error
	if s.Bytes < 1 || s.Bytes > MaxBytes {
		errs = append(errs, fmt.Errorf("a message of %s: want 1B to %s; with more a time is one of throughput, which weft bench measures", s.Bytes.Exact(), MaxBytes.Exact()))
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
