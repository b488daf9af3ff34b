package weft

import (
	"cmp"
	"context"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// Load reads a scenario file. The error is an [io/fs.PathError] if the file cannot be read, and
// an [Errors] if its content is wrong.
func Load(path string) (*File, error) { return scenario.Load(path) }

// Parse reads a scenario from YAML, at most 1 MiB. The error is an [Errors], and each begins
// with name. Files that the scenario names are relative to the process's folder.
func Parse(name string, text []byte) (*File, error) { return scenario.Decode(name, text) }

// New is a scenario that is written in Go. A zero field takes the value of its preset or the
// default. The error is an [Errors], and each begins with name.
func New(name string, s *Scenario) (*File, error) { return scenario.New(name, s) }

// ParseOverlay reads fields that File.Under lays over scenarios, such as a file of weft
// calibrate. The error is an [Errors], and each begins with name. File.Under checks the fields.
func ParseOverlay(name string, text []byte) (*Overlay, error) {
	return scenario.DecodeOverlay(name, text)
}

// Set is an override for File.Resolve. path is a field by its name in a scenario file:
// fabrics[0].ethernet.ecn.enabled. value is of the field's type: an integer, a bool, a text,
// a quantity of package units, a [Ratio], a list or a section. Zero fields of a section are
// not set. origin names the override in errors.
func Set(path string, value any, origin string) Override { return scenario.Set(path, value, origin) }

// Run simulates a scenario: each size on each fabric. If ctx ends, Run stops, and returns the
// results so far, with Partial set, and the error of ctx. If a simulation fails, its [Point] has
// the reason, the error joins all reasons, and the other points are complete. If the scenario
// cannot be built, the results are nil and the error gives the reason.
func Run(ctx context.Context, r *Resolved, o Options) (*Results, error) { return sim.Run(ctx, r, o) }

// Pausable is a context whose runs can be paused: after hold(true) they wait, without using a core, until
// hold(false) or the end of the context. Results do not depend on it.
func Pausable(ctx context.Context) (pausable context.Context, hold func(bool)) {
	return sim.Pausable(ctx)
}

// AutoSeeds as Options.Seeds simulates a small size with three to five seeds, or with ten to sixteen where
// a seed draws more than jitter, and a large size with one. The choice depends on the scenario alone.
const AutoSeeds = sim.AutoSeeds

// MaxSeeds is the most that Options.Seeds may be.
const MaxSeeds = sim.MaxSeeds

// The settings of a run and its progress.
type (
	// Options are the settings of [Run]. The zero value takes all cores and reports nothing.
	Options = sim.Options
	// Progress is the progress of a run; Options.Progress gets it.
	Progress = sim.Progress
	// Live shows what a run in progress has counted; Options.Live takes it.
	Live = sim.Live
	// Cache keeps results of simulations for later runs; Options.Cache takes it. It keeps the results of different programs
	// apart: a key does not name the program.
	Cache = known.Store
	// CacheKey identifies a simulation.
	CacheKey = known.Key
	// CacheEntry is the result of a simulation with what is needed to simulate it again.
	CacheEntry = known.Entry
	// Finished is a simulation that has ended; Options.Finished gets it.
	Finished = sim.Finished
	// Exact is what a simulation does with traffic that repeats itself; Options.Exact takes it.
	Exact = sim.Exact
	// Skip is what a simulation may estimate; Options.Skip takes it.
	Skip = sim.Skip
	// PointEstimate says which part of a point was estimated.
	PointEstimate = runstore.Estimate
	// Skipped is the part of a run that repeats an earlier part exactly, and so was not simulated.
	Skipped = runstore.Skipped
)

// The values of [Exact]. Results are the same with each.
const (
	// ExactOn skips periods that are equal to an earlier one.
	ExactOn = sim.ExactOn
	// ExactOff simulates every period.
	ExactOff = sim.ExactOff
	// ExactCheck runs each simulation both ways. A difference is the simulation's failure.
	ExactCheck = sim.ExactCheck
)

// Collective is a collective operation on a cluster. A zero field has its default.
type Collective struct {
	// Op is the operation; the default is all-reduce.
	Op CollectiveOp
	// Cluster is the preset of its nodes, from the catalog; the default is dgx-h100.
	Cluster string
	// Nodes is the number of nodes; the default is 16.
	Nodes int
	// Fabrics are presets of the catalog, such as infiniband-ndr. The default is InfiniBand,
	// RoCE v2 and TCP at the rate of the node's NIC.
	Fabrics []string
	// Sizes are message sizes in bytes, as nccl-tests counts them. The default is 1 KiB to
	// 64 MiB in steps of a factor of four.
	Sizes []units.Bytes
	// Algorithm is the algorithm; the default is NCCL's choice.
	Algorithm Algorithm
}

// Scenario is the scenario of the collective. Change it, and give it to [New].
func (c Collective) Scenario() *Scenario {
	s := &Scenario{
		Name:     c.Cluster,
		Cluster:  Cluster{Nodes: c.Nodes, Node: Node{Preset: c.Cluster}},
		Workload: Workload{Collective: cmp.Or(c.Op, "all-reduce"), Sizes: c.Sizes, Algorithm: c.Algorithm},
	}
	for _, preset := range c.Fabrics {
		s.Fabrics = append(s.Fabrics, Fabric{Preset: preset})
	}
	return s
}

// Run simulates the collective on all cores. The error is an [Errors] if a field is wrong,
// otherwise the error of [Run].
func (c Collective) Run(ctx context.Context) (*Results, error) {
	file, err := New("weft.Collective", c.Scenario())
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return Run(ctx, r, Options{})
}

// Never is the time of an event that did not happen.
const Never = runstore.Never

// The results of a run. Times are simulated; bandwidths are in GB/s of 10⁹ bytes.
type (
	// Results is the outcome of [Run]. Encode gives the text of results.json.
	Results = runstore.Results
	// FabricResult is the results of a fabric, with a point for each size.
	FabricResult = runstore.FabricResult
	// Point is the result of a size on a fabric: the time, the algorithm and bus bandwidth of
	// nccl-tests, and the counts of the network.
	Point = runstore.Point
	// ExchangeResult is the kernels of an exchange of tokens with experts.
	ExchangeResult = runstore.Exchange
	// RankTimes is the times of the ranks' kernels of an exchange, in picoseconds.
	RankTimes = runstore.RankTimes
	// SeedTimes is the times of a size by seed, with the 95 % confidence interval of the mean, in
	// picoseconds.
	SeedTimes = runstore.Seeds
	// SeedDraws is what a seed draws besides jitter.
	SeedDraws = runstore.Draws
	// MessageTimes is the distribution of the completion times of messages.
	MessageTimes = runstore.Distribution
	// Counts is the numbers of events in the network: packets, pauses, marks, drops.
	Counts = runstore.Counts
	// HotLink is a busy link.
	HotLink = runstore.HotLink
	// LinkTransfer is the data from one rank to another that crossed a link.
	LinkTransfer = runstore.LinkTransfer
	// LinkSource is the part of a link's load that comes from one sender.
	LinkSource = runstore.LinkSource
	// LevelResult is the messages of an InfiniBand service level.
	LevelResult = runstore.Level
	// StreamResult is the throughput of a stream beside a collective.
	StreamResult = runstore.Stream
	// Reduction is the aggregation trees of switches that reduce.
	Reduction = runstore.Reduction
	// Contest is the tests of leads that weft compare adds: their reasons, and other readings of
	// what is not known. Run itself makes none.
	Contest = runstore.Contest
	// Trial is the test of one lead.
	Trial = runstore.Trial
	// Swap is the effect of one property in it.
	Swap = runstore.Swap
	// Reading is a time with another reading of one value.
	Reading = runstore.Reading
)

// What a simulation records over its time, if Options.Series is set. docs/SERIES.md describes the fields.
type (
	// Series is the record of a simulation.
	Series = runstore.Series
	// SeriesSimulation says which simulation it is, and how long its intervals are.
	SeriesSimulation = runstore.SeriesSimulation
	// SeriesNode is a node of the topology.
	SeriesNode = runstore.SeriesNode
	// SeriesLink is one direction of a cable.
	SeriesLink = runstore.SeriesLink
	// SeriesSample is a lane of a link in an interval.
	SeriesSample = runstore.SeriesSample
	// SeriesFlow is a message between two NICs.
	SeriesFlow = runstore.SeriesFlow
	// SeriesHop is a link on the path of one of the slowest messages.
	SeriesHop = runstore.SeriesHop
	// SeriesPause is a lane of a link that PFC paused, with the cause.
	SeriesPause = runstore.SeriesPause
	// SeriesStep is a step of a rank of a collective.
	SeriesStep = runstore.SeriesStep
)

// The results of flow control, keys and faults.
type (
	// Pauses says which port paused which by PFC.
	Pauses = runstore.Pauses
	// PausedLink is a sender that was paused in a priority.
	PausedLink = runstore.PausedLink
	// PausedFlow is a message that crosses paused links.
	PausedFlow = runstore.PausedFlow
	// Violation is a port that discarded packets for their P_Key, Q_Key or VRF.
	Violation = runstore.Violation
	// Traps is the traps of an InfiniBand fabric about violations.
	Traps = runstore.Traps
	// KeyCounts is the counters of a port for violations of keys.
	KeyCounts = runstore.KeyCounts
	// ControlResult is the work of the control plane of a fabric.
	ControlResult = runstore.Control
	// BringUp is the time of each phase in which a Subnet Manager brought the subnet up.
	BringUp = runstore.BringUp
	// RecoveryResult is the recovery of a control plane from a fault, with its times.
	RecoveryResult = runstore.Recovery
	// FaultResult is the effect of faults on the messages of a size.
	FaultResult = runstore.FaultPoint
)

// A scenario, from its file to what is simulated.
type (
	// Scenario has all fields of a scenario file, as a value of Go for [New].
	Scenario = scenario.Scenario
	// File is a scenario as it was written. Resolve gives what [Run] simulates.
	File = scenario.File
	// Idle is fields of a scenario without an effect on its run. File.Idle names them.
	Idle = scenario.Idle
	// Override is a value that File.Resolve lays over the file. [Set] makes one.
	Override = scenario.Override
	// Overlay is a part of a scenario that File.Under lays over whole ones. [ParseOverlay] reads one.
	Overlay = scenario.Overlay
	// Resolved is a scenario with every number present. MarshalYAML prints it as a scenario file
	// that means the same.
	Resolved = scenario.Resolved
	// Estimate is the number of endpoints, ranks and connections of a simulation, and the memory
	// that it is estimated to need.
	Estimate = scenario.Estimate
	// Error is one thing that is wrong with a scenario, with its place.
	Error = scenario.Error
	// Errors is everything that is wrong with a scenario, by place.
	Errors = scenario.Errors
)

// The machines of a scenario.
type (
	// Cluster is the machines; all nodes are alike.
	Cluster = scenario.Cluster
	// Node is a machine, by a preset of the catalog such as dgx-h100 and what differs from it.
	Node = scenario.Node
	// GPU is a model of GPU, by a preset such as h100.
	GPU = scenario.GPU
	// Architecture is a generation of GPU in the cost model of NCCL or RCCL. Values: volta, ampere,
	// ada, hopper, blackwell, cdna3.
	Architecture = scenario.Architecture
	// ScaleUp is the network inside a node, by a preset such as nvlink-4.
	ScaleUp = scenario.ScaleUp
	// ScaleUpKind is how the GPUs of a node are joined. Values: switch, mesh, pcie, memory-pool, none.
	ScaleUpKind = scenario.ScaleUpKind
	// PCIe is the bus between GPU, NIC and host memory, by a preset such as gen5.
	PCIe = scenario.PCIe
	// CPU is the processor and the memory of a host.
	CPU = scenario.CPU
	// CPUVendor is the kind of a CPU in NCCL's cost model. Values: intel, amd, other.
	CPUVendor = scenario.CPUVendor
	// NIC is a model of network adapter, by a preset such as connectx-7.
	NIC = scenario.NIC
	// RetransmissionSchedule is the adaptive retransmission of a NIC.
	RetransmissionSchedule = scenario.RetransmissionSchedule
	// Jitter is a random delay, drawn from the seed of the run if Run.Jitter is on.
	Jitter = scenario.Jitter
	// JitterDistribution is the distribution of a jitter. Values: none, exponential, lognormal.
	JitterDistribution = scenario.Distribution
	// Ratio is an exact fraction; Ratio{1, 8} is an eighth.
	Ratio = scenario.Ratio
)

// A fabric of a scenario.
type (
	// Fabric is a network, by a preset such as infiniband-ndr or roce-v2-400g and what differs from
	// it.
	Fabric = scenario.Fabric
	// FabricKind is the protocol of a fabric. Values: infiniband, roce-v2, roce-v1, ultra-ethernet,
	// efa, iwarp, tcp.
	FabricKind = scenario.FabricKind
	// Link is a generation of cable and transceiver, by a preset such as ndr or 400g.
	Link = scenario.Link
	// FEC is the code of a link's forward error correction. Values: none, rs-272-258, rs-528-514,
	// rs-544-514.
	FEC = scenario.FEC
	// Switch is a model of switch, by a preset such as qm9700.
	Switch = scenario.Switch
	// Forwarding is the moment at which a switch passes a packet on. Values: cut-through,
	// store-and-forward.
	Forwarding = scenario.Forwarding
	// Aggregation is the number of SHARP's streaming aggregation trees that a switch serves at a
	// time. Values: none, one-per-switch, one-per-port.
	Aggregation = scenario.Aggregation
	// Topology is the cabling of hosts and switches.
	Topology = scenario.Topology
	// Shape is the kind of a topology. Values: single-switch, fat-tree, rail-optimised, dual-plane,
	// dragonfly, dragonfly-plus, torus, listed.
	Shape = scenario.Shape
	// TopologyLink is a number of equal cables between two nodes of a listed topology.
	TopologyLink = scenario.TopologyLink
	// Cables is the length of each kind of cable.
	Cables = scenario.Cables
	// Routing is the choice of paths.
	Routing = scenario.Routing
	// RoutingMode is the choice among equal paths of a packet. Values: deterministic, adaptive,
	// ecmp, flowlet, spray, up-down.
	RoutingMode = scenario.RoutingMode
	// RoutingEngine is a routing engine of InfiniBand's Subnet Manager, by its name in OpenSM.
	// Values: auto, minhop, updn, dnup, ftree, dor, sssp, dfsssp, lash, torus-2QoS, dragonfly.
	RoutingEngine = scenario.RoutingEngine
	// Harness is the program that measures a collective, and its way of launch. Values: process,
	// thread, for-all, torch.
	Harness = scenario.Harness
	// KernelTimes is the source of the times of NCCL's kernels. Values: measured, nccl.
	KernelTimes = scenario.KernelTimes
	// Inspection is a store-and-forward box in the cable of each NIC, such as a firewall.
	Inspection = scenario.Inspection
	// SlowLink is a set of NICs whose cables run slower than the others.
	SlowLink = scenario.SlowLink
	// Stream is traffic that a fabric carries beside a collective, such as storage.
	Stream = scenario.Stream
	// StreamOperation is the operation that a stream repeats. Values: write, read, nvme-read,
	// nvme-write.
	StreamOperation = scenario.StreamOperation
)

// The link layers.
type (
	// InfiniBand is the settings that InfiniBand alone has.
	InfiniBand = scenario.InfiniBand
	// Queueing is the order of the input buffer of an InfiniBand switch. Values: voq, fifo.
	Queueing = scenario.Queueing
	// VLArbitration is the VL arbitration tables of a kind of port.
	VLArbitration = scenario.VLArbitration
	// VLWeight is an entry of a VL arbitration table.
	VLWeight = scenario.VLWeight
	// ServiceLevel gives a service level to paths between NICs.
	ServiceLevel = scenario.ServiceLevel
	// Partition is an InfiniBand partition and its members.
	Partition = scenario.Partition
	// PKey is the key of a partition without the membership bit, 0x0001 to 0x7fff.
	PKey = scenario.PKey
	// QKey is the Q_Key of datagrams of UD, 31 bits.
	QKey = scenario.QKey
	// Enforcement is the direction in which switches check P_Keys, as part_enforce of OpenSM.
	// Values: both, in, out, off.
	Enforcement = scenario.Enforcement
	// Ethernet is the settings that all fabrics but InfiniBand share.
	Ethernet = scenario.Ethernet
	// Queue is the service of a priority at an egress port.
	Queue = scenario.Queue
	// Schedule is the scheduler of an egress queue. Values: strict, dwrr.
	Schedule = scenario.Schedule
	// PFC is priority flow control (802.1Qbb) with its ingress accounting.
	PFC = scenario.PFC
	// Stop is the traffic that a pause of a priority stops at a switch.
	Stop = scenario.Stop
	// Watchdog is the PFC watchdog of the switches.
	Watchdog = scenario.Watchdog
	// WatchdogAction is the action of a PFC watchdog on a queue in a storm. Values: drop, forward,
	// alert.
	WatchdogAction = scenario.WatchdogAction
	// Receiver is a NIC that takes in data more slowly than its link delivers it.
	Receiver = scenario.Receiver
	// ECN is the marking at an egress queue (RFC 3168, WRED profile).
	ECN = scenario.ECN
	// Trim is the trimming of packets for which a switch has no room, instead of drops.
	Trim = scenario.Trim
)

// The transports and the hosts of a fabric.
type (
	// Transport is the reliable connection of RDMA.
	Transport = scenario.Transport
	// Recovery is the retransmission of lost packets by a reliable connection. Values: go-back-n,
	// selective-repeat.
	Recovery = scenario.Recovery
	// Retransmission is the timeout after which a packet without acknowledgement is sent again.
	// Values: adaptive, fixed.
	Retransmission = scenario.Retransmission
	// Form is the form of a collective's message between nodes through RDMA, see Fabric.Form.
	Form = scenario.Form
	// Fence is what waits at the sender of a SEND or of immediate data for the acknowledgement of
	// earlier WRITEs that may arrive out of order. Values: queue, message, none.
	Fence = scenario.Fence
	// Entropy is the choice of a packet's entropy value in Ultra Ethernet. Values: oblivious,
	// recycled.
	Entropy = scenario.Entropy
	// CC is the congestion control of RDMA, by a preset such as dcqcn-firmware, with the
	// parameters that differ from it.
	CC = scenario.CC
	// CCAlgorithm is a congestion control of RDMA, by its name: none, dcqcn, ib-cc, or another of
	// weft catalog cc.
	CCAlgorithm = scenario.CCAlgorithm
	// CCParameter is a parameter of a congestion control, by its name in a scenario file.
	CCParameter = scenario.CCParameter
	// TCP is the transport of sockets, in the kernel, and of iWARP, in the NIC.
	TCP = scenario.TCP
	// TCPVariant is a congestion control of TCP. Values: cubic, dctcp.
	TCPVariant = scenario.TCPVariant
	// Host is the path of the data between GPU memory and NIC, with its times.
	Host = scenario.Host
	// HostPath is the name of a [Host] path. Values: gpudirect-rdma, rdma-host, gpudirect-p2p, cpu.
	HostPath = scenario.HostPath
)

// The workload of a scenario.
type (
	// Workload is the work of each fabric: a collective, a traffic pattern or an
	// exchange with experts.
	Workload = scenario.Workload
	// CollectiveOp is a collective operation. Values: all-reduce, all-gather, reduce-scatter,
	// broadcast, reduce, scatter, gather, all-to-all, send-recv.
	CollectiveOp = scenario.Collective
	// Algorithm is the algorithm of a collective; auto is NCCL's choice. Values: auto, ring, tree,
	// hierarchical, halving-doubling, nvls, nvls-tree, collnet-direct, collnet-chain, direct.
	Algorithm = scenario.Algorithm
	// Protocol is NCCL's protocol; auto is NCCL's choice. Values: auto, simple, ll, ll128.
	Protocol = scenario.Protocol
	// Datatype is an element type by its name in nccl-tests. Values: float, half, bfloat16, double,
	// int8, uint8, int32, int64.
	Datatype = scenario.Datatype
	// Pattern is a traffic pattern. Values: permutation, incast, uniform, flows.
	Pattern = scenario.Pattern
	// Flow is a message of the pattern flows.
	Flow = scenario.Flow
	// Exchange is an exchange of tokens with experts. Values: moe-dispatch, moe-combine.
	Exchange = scenario.Exchange
	// Experts is the mixture of experts of an exchange.
	Experts = scenario.Experts
	// ExpertKernel is a kind of kernel of an exchange. Values: low-latency, throughput.
	ExpertKernel = scenario.ExpertKernel
	// Element is the type of a token's elements. Values: fp8, bf16.
	Element = scenario.Element
	// TokenExchange is what carries the tokens of a training job to their experts and back. Values: all-to-all,
	// dispatch.
	TokenExchange = scenario.TokenExchange
	// Library is a library of kernels for experts. Values: deepep, uccl-ep.
	Library = scenario.Library
	// Gating is how tokens choose experts. Values: uniform, zipf, weights.
	Gating = scenario.Gating
	// Placement is how experts are divided among ranks. Values: contiguous, striped, balanced.
	Placement = scenario.Placement
	// Posting is what posts work requests. Values: gpu, proxy.
	Posting = scenario.Posting
	// Signal is how the end of a rank's tokens is told. Values: atomic, immediate.
	Signal = scenario.Signal
	// Service is the transport service of a pattern. Values: rc, uc, ud.
	Service = scenario.Service
	// Operation is the verb of a pattern. Values: write, read, send.
	Operation = scenario.Operation
	// RunSettings is the settings of a run: seed, iterations, bounds.
	RunSettings = scenario.Run
	// Limit bounds one simulation.
	Limit = scenario.Limit
	// NCCL is factors on the times of NCCL's cost model; 1 is the published figure.
	NCCL = scenario.NCCL
)

// The faults of a scenario and the control planes that mend them.
type (
	// Fault is a link, a switch or a Subnet Manager that fails during the run.
	Fault = scenario.Fault
	// ControlPlanes is the times of the control planes.
	ControlPlanes = scenario.Control
	// SubnetManager is the times of the host that manages an InfiniBand subnet.
	SubnetManager = scenario.SubnetManager
	// BGP is the times of eBGP with a session over every link (RFC 7938).
	BGP = scenario.BGP
	// Detection is the means by which a switch notices a lost neighbour. Values: loss-of-signal, bfd.
	Detection = scenario.Detection
)

// The serving job of a scenario, for weft serve; [Run] does not read it.
type (
	// Serving is a job that answers requests: prompts computed on some nodes, answers on others.
	Serving = scenario.Serving
	// Pool is the GPUs of a serving job that do the same work.
	Pool = scenario.Pool
	// ServingLoad is the requests of a serving job.
	ServingLoad = scenario.ServingLoad
	// ServingExperts is which experts of a mixture a serving job's tokens choose, and where these are.
	ServingExperts = scenario.ServingExperts
	// ServingLimits are the times that a request may take to count as good.
	ServingLimits = scenario.ServingLimits
	// LengthDistribution is how the lengths of prompts and answers are distributed. Values: fixed, exponential.
	LengthDistribution = scenario.LengthDistribution
	// KVSend is when keys and values leave. Values: layers, whole.
	KVSend = scenario.KVSend
	// KVOperation is the operation by which keys and values go. Values: write, read.
	KVOperation = scenario.KVOperation
	// KVTransfer is how keys and values get from prefill to decode.
	KVTransfer = scenario.KVTransfer
	// KVLayout is the order of the numbers in a page of keys or values. Values: nhd, hnd.
	KVLayout = scenario.KVLayout
)

// The training job of a scenario, for weft train; [Run] does not read it.
type (
	// Training is a training job.
	Training = scenario.Training
	// Model is a decoder-only transformer, by a preset such as llama3-8b.
	Model = scenario.Model
	// Precision is the format of the matrix products. Values: bf16, fp8.
	Precision = scenario.Precision
	// Parallel is the division of the work over the GPUs.
	Parallel = scenario.Parallel
	// Batch is the data of a step.
	Batch = scenario.Batch
	// Recompute is a part of the forward pass that the backward pass computes again. Values: none,
	// selective, full, layernorm, moe-act, core-attn, mla-up-proj, mlp, moe, op.
	Recompute = scenario.Recompute
	// PipelineSchedule is the order in which pipeline stages take their work. Values: 1f1b, zb-h1,
	// zb-h2, zb-v, dualpipe, dualpipe-v.
	PipelineSchedule = scenario.PipelineSchedule
	// Checkpoint is how a job saves its state.
	Checkpoint = scenario.Checkpoint
	// Failures are the unexpected interruptions of a job.
	Failures = scenario.Failures
	// Published is what a publication says of a job.
	Published = scenario.Published
	// GradientPrecision is the format of gradients. Values: fp32, bf16.
	GradientPrecision = scenario.GradientPrecision
	// BackwardPass is the stack whose backward pass a job has. Values: megatron-lm, pytorch.
	BackwardPass = scenario.BackwardPass
	// Overlap is the communication that goes on beside computation.
	Overlap = scenario.Overlap
	// Noise is the difference in speed between the GPUs of a job.
	Noise = scenario.Noise
)

// The isolation of a scenario, for weft audit isolation; [Run] does not read it.
type (
	// Isolation is the zones of a cluster and the required separation between them.
	Isolation = scenario.Isolation
	// Zone is a tenant, or another party, of the cluster.
	Zone = scenario.Zone
	// ZoneKind is the kind of a zone. Values: tenant, compute, management, security, storage.
	ZoneKind = scenario.ZoneKind
	// Apart is the requirement that zones are kept apart.
	Apart = scenario.Apart
	// Separation is the kind of separation between zones. Values: cables, links, forwarding.
	Separation = scenario.Separation
	// Device is a switch, router or host beside the compute fabric.
	Device = scenario.Device
	// DeviceKind is the kind of a device. Values: switch, router, host.
	DeviceKind = scenario.DeviceKind
	// VRF is a routing table of a router and the VLANs that use it.
	VRF = scenario.VRF
	// Leak is a route from one VRF into another.
	Leak = scenario.Leak
	// PlaneCable is a cable beside the compute fabric.
	PlaneCable = scenario.PlaneCable
	// Segment is the VLAN and the VRF of NICs on an Ethernet compute fabric.
	Segment = scenario.Segment
)

// The search of a scenario, for weft tune; [Run] does not read it.
type (
	// Tune is a search for better parameters of a fabric.
	Tune = scenario.Tune
	// Objective is the weights of the sum that the search minimises.
	Objective = scenario.Objective
	// Parameter is a field that the search may change.
	Parameter = scenario.Parameter
	// Value is the value of a field, as a scenario file writes it.
	Value = scenario.Value
	// Scale is the spacing of the values in a range. Values: linear, log.
	Scale = scenario.Scale
)

// The variants of a scenario, for weft sweep; [Run] does not read them.
type (
	// Sweep is a scenario's variants.
	Sweep = scenario.Sweep
	// SweepAxis is a field that varies.
	SweepAxis = scenario.SweepAxis
	// Sampling is a way to draw points from the space of the axes. Values: latin-hypercube, halton.
	Sampling = scenario.Sampling
	// SweepQuantity is a quantity in the table of a sweep. Values: time_ps, algbw_gbytes_per_s,
	// busbw_gbytes_per_s, message_p50_ps, message_p99_ps, message_max_ps, fairness, packets, packet_hops,
	// pfc_pauses, credit_stalls, ecn_marks, cnps, retransmissions, drops, hottest_link_busy,
	// first_token_p50_ps, first_token_p90_ps, first_token_p99_ps, per_token_p50_ps, per_token_p90_ps, per_token_p99_ps,
	// kv_transfer_p50_ps, kv_transfer_p99_ps, kv_exposed_p99_ps, good_share, goodput_per_s, tokens_per_s,
	// fabric_cost_p50_ps, fabric_cost_p99_ps.
	SweepQuantity = scenario.SweepQuantity
)
