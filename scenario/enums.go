package scenario

import (
	"reflect"

	"weft/internal/ib/route"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport/cc"
	"weft/wire"
)

// FabricKind is the protocol of a fabric.
type FabricKind string

// The two kinds with a name in code: for questions that depend on the protocol's management or
// configuration. All other questions go to package protocol.
const (
	InfiniBandKind FabricKind = "infiniband"
	RoCEv2Kind     FabricKind = "roce-v2"
)

// Framing holds the properties that affect a packet's headers, apart from its protocol.
func Framing(f *Fabric) protocol.Framing {
	framing := protocol.Framing{GRH: f.IB.GRH, Markers: f.TCP.MPAMarkers}
	framing.VLAN, framing.IPv6 = f.Ethernet.VLAN, f.Ethernet.IPVersion == 6
	if f.Link.Code == (Ratio{Num: 4, Den: 5}) { // 8b/10b, of SDR, DDR and QDR
		framing.Delimiters = wire.InfiniBandDelimiterBytes
	}
	return framing
}

// ScaleUpKind is the kind of connection between the GPUs of a node.
type ScaleUpKind string

// The kinds of scale-up network.
const (
	ScaleUpSwitch ScaleUpKind = "switch"      // every link to a switch: NVSwitch
	ScaleUpMesh   ScaleUpKind = "mesh"        // links straight to every other GPU
	ScaleUpPCIe   ScaleUpKind = "pcie"        // the node's PCIe switches
	ScaleUpPool   ScaleUpKind = "memory-pool" // memory that all GPUs write to and read from: CXL
	ScaleUpNone   ScaleUpKind = "none"        // one GPU, or all traffic through the NICs
)

// Architecture is a generation of GPU as NCCL's cost model groups them.
type Architecture string

// The architectures.
const (
	Volta     Architecture = "volta"
	Ampere    Architecture = "ampere"
	Hopper    Architecture = "hopper"
	Blackwell Architecture = "blackwell"
	CDNA3     Architecture = "cdna3" // AMD's MI300X and MI325X, with RCCL
	Ada       Architecture = "ada"
)

// CPUVendor is the kind of a node's CPU as NCCL's cost model groups them.
type CPUVendor string

// The vendors.
const (
	IntelCPU CPUVendor = "intel"
	AMDCPU   CPUVendor = "amd"
	OtherCPU CPUVendor = "other"
)

// Precision is the number format of a training job's matrix products.
type Precision string

// The precisions.
const (
	BF16 Precision = "bf16" // bfloat16
	FP8  Precision = "fp8"  // 8 bits; the attention in bfloat16
)

// LengthDistribution is how the lengths of prompts and answers are distributed.
type LengthDistribution string

// The distributions of lengths.
const (
	FixedLengths       LengthDistribution = "fixed"
	ExponentialLengths LengthDistribution = "exponential"
)

// KVSend is when keys and values leave.
type KVSend string

// The times at which keys and values leave.
const (
	KVLayers KVSend = "layers" // each layer when it is computed
	KVWhole  KVSend = "whole"  // all after the prompt
)

// KVLayout is the order of numbers in a page of keys or values.
type KVLayout string

// The layouts: tokens (n), heads (h), a head's numbers (d), the last varies fastest.
const (
	KVTokensFirst KVLayout = "nhd"
	KVHeadsFirst  KVLayout = "hnd"
)

// GradientPrecision is the number format of gradients, in memory and on the network.
type GradientPrecision string

// The precisions of gradients.
const (
	GradientsFP32 GradientPrecision = "fp32"
	GradientsBF16 GradientPrecision = "bf16"
)

// Recompute is a part of the forward pass that the backward pass computes again.
type Recompute string

// The kinds of recomputation.
const (
	RecomputeNone      Recompute = "none"
	RecomputeSelective Recompute = "selective" // norms and activations, which costs no matrix product
	RecomputeFull      Recompute = "full"      // all but the layers' inputs

	RecomputeNorms         Recompute = "layernorm"
	RecomputeActivation    Recompute = "moe-act"     // of the feed-forward part, with and without experts
	RecomputeAttention     Recompute = "core-attn"   // the attention's kernel
	RecomputeUpProjections Recompute = "mla-up-proj" // of latent attention
	RecomputeDense         Recompute = "mlp"         // the feed-forward part of layers without experts
	RecomputeExperts       Recompute = "moe"         // that of layers with experts
	RecomputeProducts      Recompute = "op"          // every second product, and all that is no product (torchtitan)
)

// Stack is the software that trains a model: an entry of the catalog.
type Stack string

// The stacks of which steps were published.
const (
	Megatron   Stack = "megatron"   // Megatron-LM, Megatron-Bridge
	TorchTitan Stack = "torchtitan" // PyTorch's FSDP2 and DTensor
	NeMo       Stack = "nemo"       // NeMo, above Megatron-Core
	MaxText    Stack = "maxtext"    // JAX
	DeepSpeed  Stack = "deepspeed"  // with Megatron-LM's models or Hugging Face's
)

// BackwardPass is the stack whose backward pass a job has.
type BackwardPass string

// The backward passes.
const (
	MegatronBackward BackwardPass = "megatron-lm"
	PyTorchBackward  BackwardPass = "pytorch" // autograd: FSDP2, DTensor, torch.utils.checkpoint
)

// PipelineSchedule is the order in which pipeline stages take their work.
type PipelineSchedule string

// The schedules of a pipeline.
const (
	OneFOneB  PipelineSchedule = "1f1b"       // interleaved, if stages have several parts of the layers
	ZBH1      PipelineSchedule = "zb-h1"      // gradients of weights in the bubbles
	ZBH2      PipelineSchedule = "zb-h2"      // the same, with twice the activations
	ZBV       PipelineSchedule = "zb-v"       // two parts a stage: the layers go down the stages and up
	DualPipe  PipelineSchedule = "dualpipe"   // micro-batches from both ends, and every part of the layers twice
	DualPipeV PipelineSchedule = "dualpipe-v" // the same with the parts of zb-v
)

// Detection is a switch's method of detecting the loss of a neighbour.
type Detection string

// The methods of detection.
const (
	DetectSignal Detection = "loss-of-signal" // by the port
	DetectBFD    Detection = "bfd"            // RFC 5880: packets that do not come
)

// Forwarding is the time at which a switch forwards a packet.
type Forwarding string

// The kinds of forwarding.
const (
	CutThrough      Forwarding = "cut-through"
	StoreAndForward Forwarding = "store-and-forward"
)

// Aggregation is the number of trees of SHARP's streaming aggregation that a switch serves at a
// time.
type Aggregation string

// The limits of streaming aggregation.
const (
	NoAggregation        Aggregation = "none"
	AggregationPerSwitch Aggregation = "one-per-switch"
	AggregationPerPort   Aggregation = "one-per-port"
)

// Shape is the kind of a topology.
type Shape string

// The shapes.
const (
	SingleSwitch  Shape = "single-switch"
	FatTree       Shape = "fat-tree"
	RailOptimised Shape = "rail-optimised"
	DualPlane     Shape = "dual-plane"
	Dragonfly     Shape = "dragonfly"
	DragonflyPlus Shape = "dragonfly-plus"
	Torus         Shape = "torus"
	Listed        Shape = "listed" // cable by cable
)

// LIDChoice is which LIDs of a NIC connections use.
type LIDChoice string

// The choices of LIDs.
const (
	FirstLID   LIDChoice = "first"  // the base LID
	SpreadLIDs LIDChoice = "spread" // each connection one of all, by a hash
)

// RoutingMode is how a packet's path is chosen among equals.
type RoutingMode string

// The modes of routing.
const (
	Deterministic RoutingMode = "deterministic" // by destination, spread evenly
	Adaptive      RoutingMode = "adaptive"      // per packet, by the switch's own queues
	ECMP          RoutingMode = "ecmp"          // hash of the flow
	Flowlet       RoutingMode = "flowlet"       // the shortest queue, anew after a silence
	Spray         RoutingMode = "spray"         // per packet, round robin
	UpDown        RoutingMode = "up-down"       // by destination, towards a root and then away from it
)

// RoutingEngine is the routing engine of InfiniBand's Subnet Manager, by
// OpenSM's names.
type RoutingEngine string

// ofShape reports whether an engine follows the shape of the fabric and not the rates of its cables.
func (e RoutingEngine) ofShape() bool { return e == "ftree" || e == "torus-2QoS" || e == "dragonfly" }

// AutoEngine chooses the engine by the topology of the fabric.
const AutoEngine RoutingEngine = "auto"

// Queueing is the order of an InfiniBand switch's input buffer.
type Queueing string

// The ways of queueing.
const (
	VOQ  Queueing = "voq"
	FIFO Queueing = "fifo"
)

// KernelTimes is the source of the times of NCCL's kernels.
type KernelTimes string

// The sources.
const (
	// KernelsMeasured is published measurements of the generation of GPUs; generations without any
	// have NCCL's constants.
	KernelsMeasured KernelTimes = "measured"
	// KernelsReckoned is the constants of NCCL's cost model (src/graph/tuning.cc).
	KernelsReckoned KernelTimes = "nccl"
)

// Harness is the program that measures a collective, and its way of launch.
type Harness string

// The harnesses.
const (
	Process Harness = "process" // nccl-tests, a process for each GPU
	Thread  Harness = "thread"  // nccl-tests -t: one process, a thread for each GPU
	ForAll  Harness = "for-all" // nccl-tests -g: one thread launches for all GPUs
	Torch   Harness = "torch"   // PyTorch, which times one operation at a time
)

// String is the harness for people.
func (h Harness) String() string {
	switch h {
	case Process:
		return "nccl-tests, a process for each GPU"
	case Thread:
		return "nccl-tests, a thread for each GPU"
	case ForAll:
		return "nccl-tests, one thread for all GPUs"
	case Torch:
		return "PyTorch"
	}
	return "not known"
}

// Enforcement is the place where P_Keys are checked, in addition to the receiving HCA, which always
// checks. The values are OpenSM's part_enforce.
type Enforcement string

// The places of enforcement.
const (
	EnforceBoth Enforcement = "both" // at switch ports to NICs, on incoming and on outgoing packets
	EnforceIn   Enforcement = "in"
	EnforceOut  Enforcement = "out"
	EnforceOff  Enforcement = "off" // at the HCA alone
)

// ZoneKind is the kind of a zone of the isolation.
type ZoneKind string

// The kinds of zone.
const (
	TenantZone     ZoneKind = "tenant"
	ComputeZone    ZoneKind = "compute"
	ManagementZone ZoneKind = "management"
	SecurityZone   ZoneKind = "security"
	StorageZone    ZoneKind = "storage"
)

// Separation is the kind of separation of two zones.
type Separation string

// The kinds of separation, the strictest first.
const (
	ByCables     Separation = "cables"     // no chain of cables and forwarding devices connects them
	ByLinks      Separation = "links"      // by forwarding, and no cable carries both zones' traffic
	ByForwarding Separation = "forwarding" // no packet gets from one to the other, as P_Keys, tables, VLANs and VRFs are
)

// DeviceKind is the kind of a device outside the compute fabric.
type DeviceKind string

// The kinds of device.
const (
	SwitchDevice DeviceKind = "switch" // forwards within a VLAN
	RouterDevice DeviceKind = "router" // also between the VLANs of a VRF
	HostDevice   DeviceKind = "host"   // is the end of every path, unless it forwards
)

// Schedule is the scheduling of an egress queue.
type Schedule string

// The schedules.
const (
	Strict Schedule = "strict"
	DWRR   Schedule = "dwrr"
)

// WatchdogAction is the action of a PFC watchdog on a queue in a storm.
type WatchdogAction string

// The actions.
const (
	WatchdogDrop    WatchdogAction = "drop"    // drop waiting and arriving packets
	WatchdogForward WatchdogAction = "forward" // in spite of the pause
	WatchdogAlert   WatchdogAction = "alert"   // count the storm and do nothing
)

// CCAlgorithm is a congestion control of RDMA.
type CCAlgorithm string

// The congestion controls with a name in code.
const (
	CCNone CCAlgorithm = "none"
	DCQCN  CCAlgorithm = "dcqcn"
)

// ByMarks reports whether the algorithm acts on congestion marks alone.
func (a CCAlgorithm) ByMarks() bool { return a == DCQCN || a == "ib-cc" }

// Choices are none and the registered congestion controls.
func (CCAlgorithm) Choices() []string {
	names := []string{string(CCNone)}
	for _, c := range cc.All() {
		names = append(names, c.Name)
	}
	return names
}

// Recovery is a reliable connection's method of retransmitting lost packets.
type Recovery string

// The kinds of recovery.
const (
	GoBackN         Recovery = "go-back-n"        // everything from the lost packet on
	SelectiveRepeat Recovery = "selective-repeat" // lost packets only
)

// Fence is what waits, at the sender of a SEND or of immediate data, for the acknowledgement of the
// WRITEs before it.
type Fence string

// The fences.
const (
	FenceQueue   Fence = "queue"   // it, and all that is posted behind it
	FenceMessage Fence = "message" // it alone: later WRITEs go before it
	FenceNone    Fence = "none"    // nothing
)

// Retransmission is the timing of a reliable connection's retransmissions.
type Retransmission string

// The ways to time it.
const (
	AdaptiveRetransmission Retransmission = "adaptive" // by the NIC's schedule
	FixedRetransmission    Retransmission = "fixed"    // after each timeout
)

// HashFields are the fields of a packet that the switches of Ethernet hash.
type HashFields string

// The choices.
const (
	HashFlow      HashFields = "flow"      // addresses and ports: each queue pair has a path of its own
	HashAddresses HashFields = "addresses" // addresses alone: all queue pairs of two NICs share a path
)

// Entropy is Ultra Ethernet's choice of the entropy values of packets.
type Entropy string

// The choices.
const (
	Oblivious Entropy = "oblivious" // in turn
	Recycled  Entropy = "recycled"  // first the values that came back unmarked (REPS)
)

// TCPVariant is a congestion control of TCP.
type TCPVariant string

// The variants of TCP.
const (
	Cubic TCPVariant = "cubic"
	DCTCP TCPVariant = "dctcp"
)

// HostPath is the path of the data between GPU memory and NIC.
type HostPath string

// The host's data paths.
const (
	PathCPU           HostPath = "cpu"            // GPU → host buffer → kernel socket → NIC
	PathRDMAHost      HostPath = "rdma-host"      // GPU → registered host memory → NIC
	PathGPUDirectP2P  HostPath = "gpudirect-p2p"  // between GPUs of a node by PCIe, RDMA from host memory between nodes
	PathGPUDirectRDMA HostPath = "gpudirect-rdma" // GPU memory → NIC
)

// FEC is the code of a link's forward error correction.
type FEC string

// The codes. A Reed-Solomon code RS(n, k) has n symbols of 10 bits, of which it corrects (n - k)/2.
const (
	NoFEC FEC = "none"
	RS272 FEC = "rs-272-258"
	RS528 FEC = "rs-528-514"
	RS544 FEC = "rs-544-514"
)

// Distribution is the shape of a jitter.
type Distribution string

// The distributions.
const (
	NoJitter    Distribution = "none"
	Exponential Distribution = "exponential"
	Lognormal   Distribution = "lognormal"
)

// Collective is a collective operation.
type Collective string

// The collectives.
const (
	AllReduce     Collective = "all-reduce"
	AllGather     Collective = "all-gather"
	ReduceScatter Collective = "reduce-scatter"
	Broadcast     Collective = "broadcast"
	Reduce        Collective = "reduce"
	Scatter       Collective = "scatter"
	Gather        Collective = "gather"
	AllToAll      Collective = "all-to-all"
	SendRecv      Collective = "send-recv"
)

// Pattern is a synthetic traffic pattern.
type Pattern string

// The patterns.
const (
	Permutation Pattern = "permutation" // each NIC sends to one other, a seeded derangement
	Incast      Pattern = "incast"      // fan-in NICs send to one
	Uniform     Pattern = "uniform"     // Poisson arrivals to uniform destinations
	Flows       Pattern = "flows"       // an explicit list
)

// Service is the transport service of RDMA that a pattern's messages use.
type Service string

// The services.
const (
	RC Service = "rc" // reliable connection
	UC Service = "uc" // unreliable connection
	UD Service = "ud" // unreliable datagram
)

// Operation is the verb of a pattern's messages.
type Operation string

// The operations.
const (
	Write Operation = "write" // RDMA WRITE with immediate data
	Read  Operation = "read"  // RDMA READ: the receiver requests the message
	Send  Operation = "send"  // SEND with immediate data
)

// KVOperation is the operation by which keys and values go from a prefill's GPU to a decode's.
type KVOperation string

// The operations of keys and values.
const (
	KVWrite KVOperation = "write" // the prefill's GPU writes
	KVRead  KVOperation = "read"  // the decode's GPU reads
)

// StreamOperation is the operation that a stream repeats.
type StreamOperation string

// The operations of streams.
const (
	StreamWrite     StreamOperation = "write"      // RDMA WRITE
	StreamRead      StreamOperation = "read"       // RDMA READ
	StreamNVMeRead  StreamOperation = "nvme-read"  // command, data by WRITE, response
	StreamNVMeWrite StreamOperation = "nvme-write" // command, data by READ, response
)

// Algorithm is the algorithm of a collective.
type Algorithm string

// The algorithms.
const (
	AlgoAuto            Algorithm = "auto"
	AlgoRing            Algorithm = "ring"
	AlgoTree            Algorithm = "tree" // NCCL's double binary tree
	AlgoHierarchical    Algorithm = "hierarchical"
	AlgoHalvingDoubling Algorithm = "halving-doubling"
	AlgoNVLS            Algorithm = "nvls"
	AlgoNVLSTree        Algorithm = "nvls-tree"
	AlgoCollNetDirect   Algorithm = "collnet-direct" // the NVLink of the node, and SHARP
	AlgoCollNetChain    Algorithm = "collnet-chain"  // a chain in the node, and SHARP
	AlgoDirect          Algorithm = "direct"         // every pair at once: all-to-all, send-recv; an all-reduce in two such steps
)

// BetweenNodes reports whether an algorithm uses reduction in the fabric's switches between nodes,
// if there are several.
func (a Algorithm) BetweenNodes() bool {
	return a == AlgoNVLS || a == AlgoCollNetDirect || a == AlgoCollNetChain
}

// Protocol is NCCL's protocol.
type Protocol string

// The protocols.
const (
	ProtoAuto   Protocol = "auto"
	ProtoSimple Protocol = "simple"
	ProtoLL     Protocol = "ll"
	ProtoLL128  Protocol = "ll128"
)

// Datatype is an element type by its name in nccl-tests.
type Datatype string

// enum is the values of an enumerated type.
type enum struct {
	of     reflect.Type
	values []string
}

// otherNames are names that users have for values.
var otherNames = map[reflect.Type]map[string]string{
	reflect.TypeFor[Shape](): {
		"leaf-spine": string(FatTree), "clos": string(FatTree), "rail": string(RailOptimised),
		"rail-optimized": string(RailOptimised), //nolint:misspell // the spelling of others
	},
}

func listOf[T ~string](values ...T) enum {
	e := enum{of: reflect.TypeFor[T]()}
	for _, v := range values {
		e.values = append(e.values, string(v))
	}
	return e
}

// routingEngines are the names of the engines that the Subnet Manager has, and auto.
func routingEngines() []string {
	names := []string{string(AutoEngine)}
	for _, e := range route.Engines() {
		names = append(names, string(e.Name))
	}
	return names
}

// enums are the values of each enumerated type, in the order in which errors, the schema and the
// completion of commands name them.
var enums = []enum{
	{reflect.TypeFor[FabricKind](), protocol.Names()},
	listOf(ScaleUpSwitch, ScaleUpMesh, ScaleUpPCIe, ScaleUpPool, ScaleUpNone),
	listOf(Volta, Ampere, Ada, Hopper, Blackwell, CDNA3),
	listOf(IntelCPU, AMDCPU, OtherCPU),
	listOf(CutThrough, StoreAndForward),
	listOf(NoAggregation, AggregationPerSwitch, AggregationPerPort),
	listOf(DetectSignal, DetectBFD),
	listOf(SingleSwitch, FatTree, RailOptimised, DualPlane, Dragonfly, DragonflyPlus, Torus, Listed),
	listOf(Deterministic, Adaptive, ECMP, Flowlet, Spray, UpDown),
	listOf(FirstLID, SpreadLIDs),
	{reflect.TypeFor[RoutingEngine](), routingEngines()},
	listOf(VOQ, FIFO),
	listOf(KernelsMeasured, KernelsReckoned),
	listOf(Process, Thread, ForAll, Torch),
	listOf(Strict, DWRR),
	listOf(EnforceBoth, EnforceIn, EnforceOut, EnforceOff),
	listOf(TenantZone, ComputeZone, ManagementZone, SecurityZone, StorageZone),
	listOf(ByCables, ByLinks, ByForwarding),
	listOf(SwitchDevice, RouterDevice, HostDevice),
	listOf(WatchdogDrop, WatchdogForward, WatchdogAlert),
	listOf(GoBackN, SelectiveRepeat),
	listOf(FenceQueue, FenceMessage, FenceNone),
	listOf(AdaptiveRetransmission, FixedRetransmission),
	listOf(HashFlow, HashAddresses),
	listOf(Oblivious, Recycled),
	listOf(Cubic, DCTCP),
	listOf(PathCPU, PathRDMAHost, PathGPUDirectP2P, PathGPUDirectRDMA),
	listOf(NoFEC, RS272, RS528, RS544),
	listOf(NoJitter, Exponential, Lognormal),
	listOf(
		AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Scatter, Gather, AllToAll, SendRecv,
	),
	listOf(Permutation, Incast, Uniform, Flows),
	listOf(Dispatch, Combine),
	listOf(ExchangeAllToAll, ExchangeDispatch),
	listOf(DeepEP, HybridEP, UCCLEP),
	listOf(LowLatency, Throughput),
	listOf(ElementFP8, ElementBF16),
	listOf(GatingUniform, GatingZipf, GatingWeights),
	listOf(PlacementContiguous, PlacementStriped, PlacementBalanced),
	listOf(PostingGPU, PostingProxy),
	listOf(SignalAtomic, SignalImmediate),
	listOf(RC, UC, UD),
	listOf(Write, Read, Send),
	listOf(KVWrite, KVRead),
	listOf(StreamWrite, StreamRead, StreamNVMeRead, StreamNVMeWrite),
	listOf(
		AlgoAuto, AlgoRing, AlgoTree, AlgoHierarchical, AlgoHalvingDoubling, AlgoNVLS, AlgoNVLSTree,
		AlgoCollNetDirect, AlgoCollNetChain, AlgoDirect,
	),
	listOf(ProtoAuto, ProtoSimple, ProtoLL, ProtoLL128),
	listOf(Linear, Log),
	listOf(LatinHypercube, Halton),
	listOf[SweepQuantity](
		"time_ps", "algbw_gbytes_per_s", "busbw_gbytes_per_s", "message_p50_ps", "message_p99_ps",
		"message_max_ps", "fairness", "packets", "packet_hops", "pfc_pauses", "credit_stalls",
		"ecn_marks", "cnps", "retransmissions", "drops", "hottest_link_busy", "first_token_p50_ps",
		"first_token_p90_ps", "first_token_p99_ps", "per_token_p50_ps", "per_token_p90_ps",
		"per_token_p99_ps", "kv_transfer_p50_ps", "kv_transfer_p99_ps", "kv_exposed_p99_ps",
		"good_share", "goodput_per_s", "tokens_per_s", "fabric_cost_p50_ps", "fabric_cost_p99_ps",
	),
	listOf[Datatype]("float", "half", "bfloat16", "double", "int8", "uint8", "int32", "int64"),
	listOf(BF16, FP8),
	listOf(GradientsFP32, GradientsBF16),
	listOf(FixedLengths, ExponentialLengths),
	listOf(KVLayers, KVWhole),
	listOf(KVTokensFirst, KVHeadsFirst),
	listOf(
		RecomputeNone, RecomputeSelective, RecomputeFull, RecomputeNorms, RecomputeActivation,
		RecomputeAttention, RecomputeUpProjections, RecomputeDense, RecomputeExperts,
		RecomputeProducts,
	),
	listOf(Megatron, TorchTitan, NeMo, MaxText, DeepSpeed),
	listOf(MegatronBackward, PyTorchBackward),
	listOf(OneFOneB, ZBH1, ZBH2, ZBV, DualPipe, DualPipeV),
}

// Values are the values of an enumerated type, in their order.
func Values[T ~string]() (out []T) {
	for _, v := range choices(reflect.TypeFor[T]()) {
		out = append(out, T(v))
	}
	return out
}
