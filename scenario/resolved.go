package scenario

import "weft/units"

// Resolved is a scenario with every number present, without pointers. The simulator
// reads nothing else, and --print-scenario prints it. A section that does not apply to
// its fabric (IB in RoCE v2, TCP in InfiniBand) is zero and is not printed. The text of
// MarshalYAML resolves to the identical value.
type Resolved struct {
	// Name is the scenario's name, for headings.
	Name string `yaml:"name"`
	// Cluster is the machines.
	Cluster Cluster `yaml:"cluster"`
	// Fabrics are the candidates that are laid side by side, each complete.
	Fabrics []Fabric `yaml:"fabrics"`
	// Workload is the collective or the traffic pattern that runs on each of them.
	Workload Workload `yaml:"workload"`
	// Training is the job of weft train; of all else it is no part.
	Training Training `yaml:"training"`
	// Serving is the job of weft serve; of all else it is no part.
	Serving Serving `yaml:"serving"`
	// Faults are failures during the run; they are the same on every fabric.
	Faults []Fault `yaml:"faults,omitzero"`
	// Control is how long control planes take to bring a fabric up and to mend it.
	Control Control `yaml:"control"`
	// NCCL is factors on the times of NCCL's cost model.
	NCCL NCCL `yaml:"nccl"`
	// Run is how it is run: seed, repetitions, bounds.
	Run Run `yaml:"run"`
	// Isolation is the zones to keep apart, for weft audit isolation.
	Isolation Isolation `yaml:"isolation"`
	// Tune is a search for better parameters, for weft tune.
	Tune Tune `yaml:"tune"`
	// Sweep is the scenario's variants, for weft sweep.
	Sweep Sweep `yaml:"sweep"`
}

// Cluster is the machines: all nodes are alike.
type Cluster struct {
	// Nodes is the number of nodes.
	Nodes int `yaml:"nodes" range:"1..16777216"`
	// Node is the hardware of a node. A node is one scale-up domain: a
	// rack of GB200 NVL72 is one node of 72 GPUs.
	Node Node `yaml:"node"`
	// Hosts are the names of the nodes, in their order: of a real fabric (topology.file), all hosts of a kind by
	// default. gpu[01-64] stands for 64 names, @FILE for the names in a file, one a line.
	Hosts []string `yaml:"hosts,omitzero"`
	// Adapters are the names of a host's NICs in a real fabric, in the order of the GPUs: mlx5_[0-3]. Empty: all
	// ports of a host, in the order of their names.
	Adapters []string `yaml:"adapters,omitzero"`
}

// Ranks is the number of GPUs of the cluster, one rank each.
func (c Cluster) Ranks() int { return c.Nodes * c.Node.GPUs }

// Job is the part of the cluster that a collective runs on: the first nodes.
func (r *Resolved) Job() Cluster {
	job := r.Cluster
	if r.Workload.Nodes > 0 {
		job.Nodes = r.Workload.Nodes
	}
	return job
}

// Endpoints is the number of NICs of the cluster.
func (c Cluster) Endpoints() int { return c.Nodes * c.Node.NICs }

// Node is one machine. It may be given as the name of a preset.
type Node struct {
	// Preset is the catalog's entry that the node starts from.
	Preset string `yaml:"preset"`
	// GPUs is the number of GPUs.
	GPUs int `yaml:"gpus" range:"1..65536"`
	// GPU is the model of the GPUs.
	GPU GPU `yaml:"gpu"`
	// ScaleUp is the network between the GPUs inside the node.
	ScaleUp ScaleUp `yaml:"scale-up"`
	// NICs is the number of compute NICs (storage and management not counted).
	NICs int `yaml:"nics" range:"1..1024"`
	// Rails is the number of rails of its NICs, if it is not one for each NIC: the 72
	// NICs of a GB200 NVL72 are four in each of 18 trays.
	Rails int `yaml:"rails,omitzero" range:"0..1024"`
	// NIC is the model that the node is sold with. Each fabric starts from it;
	// Fabric.NIC is simulated.
	NIC NIC `yaml:"nic"`
	// PCIe connects GPUs, NICs and host memory.
	PCIe PCIe `yaml:"pcie"`
	// CPU is the host side: memory and copies.
	CPU CPU `yaml:"cpu"`
}

// GPU is a model of GPU. It may be given as the name of a model.
type GPU struct {
	// Model is the catalog's entry.
	Model string `yaml:"model"`
	// Architecture names the row of NCCL's cost model.
	Architecture Architecture `yaml:"architecture"`
	// Memory is the GPU's own.
	Memory units.Bytes `yaml:"memory" range:"1MB..1TiB"`
	// MemoryRate is the rate of the memory, reads and writes together.
	MemoryRate units.Rate `yaml:"memory-rate" range:"1Gbps..1000Tbps"`
	// Multiprocessors is their number, of which a kernel of communication has one for each of
	// its thread blocks. 0: it takes none from computing.
	Multiprocessors int `yaml:"multiprocessors" range:"0..10000"`
	// BF16 is the datasheet's peak of matrix products in bfloat16, without sparsity.
	BF16 units.FLOPS `yaml:"bf16" range:"0..1000PFLOPS"`
	// FP8 is the same in 8 bits. 0: the GPU has none.
	FP8 units.FLOPS `yaml:"fp8" range:"0..1000PFLOPS"`
	// MatrixBF16 is the share of the peak that large matrix products reach in a short run.
	MatrixBF16 Ratio `yaml:"matrix-bf16"`
	// MatrixFP8 is the same in 8 bits.
	MatrixFP8 Ratio `yaml:"matrix-fp8"`
	// Attention is the share of the peak in bfloat16 that the attention kernel reaches for
	// long sequences.
	Attention Ratio `yaml:"attention"`
	// Sustained is the share of a short run's rate of products and attention that remains in
	// a long one, in which power limits the clock.
	Sustained Ratio `yaml:"sustained"`
}

// ScaleUp is the network inside a node. It may be given as a generation.
type ScaleUp struct {
	// Generation is the catalog's entry: nvlink-4, pcie, …
	Generation string `yaml:"generation"`
	// Kind is how GPUs are joined.
	Kind ScaleUpKind `yaml:"kind"`
	// Links is the number of links of each GPU.
	Links int `yaml:"links" range:"0..1024"`
	// PairLinks is the most links of a mesh between two GPUs: 1 in a node of eight MI300X,
	// each with seven links. 0: the links are spread evenly.
	PairLinks int `yaml:"pair-links,omitzero" range:"0..1024"`
	// LinkRate is the rate of one link in each direction.
	LinkRate units.Rate `yaml:"link-rate" range:"0bps..100Tbps"`
	// Switches is the number of switches (planes) that the links are spread
	// over; 0 if GPUs are joined directly or by PCIe.
	Switches int `yaml:"switches" range:"0..1024"`
	// Devices is the number of memory devices of a memory-pool, each at LinkRate.
	Devices int `yaml:"devices,omitzero" range:"0..1024"`
	// Latency is one traversal from GPU to GPU, load to use, without
	// serialisation; with a memory-pool from a GPU to the pool, or back.
	Latency units.Time `yaml:"latency" range:"0..1ms"`
	// Packet is the payload of one packet on the link.
	Packet units.Bytes `yaml:"packet" range:"1B..64KiB"`
	// Overhead is header and flow control per packet on the link.
	Overhead units.Bytes `yaml:"overhead" range:"0B..4KiB"`
	// Buffer is the receiver's buffer per GPU and switch, in bytes of credits.
	Buffer units.Bytes `yaml:"buffer" range:"0B..64GiB"`
	// Multicast says whether the switches replicate and reduce (NVLS).
	Multicast bool `yaml:"multicast"`
}

// Rate is one GPU's rate into the scale-up network, in each direction.
func (s ScaleUp) Rate() units.Rate { return s.LinkRate * units.Rate(s.Links) }

// PCIe is the bus between GPU, NIC and host memory. It may be given as a
// generation.
type PCIe struct {
	// Generation is the catalog's entry: gen3 … gen6.
	Generation string `yaml:"generation"`
	// Lanes is the width of the slots of GPUs and NICs.
	Lanes int `yaml:"lanes" range:"1..64"`
	// LaneRate is the rate of a lane after line coding, in each direction.
	LaneRate units.Rate `yaml:"lane-rate" range:"1Mbps..1Tbps"`
	// MaxPayload is the payload of a write or completion packet.
	MaxPayload units.Bytes `yaml:"max-payload" range:"64B..4KiB"`
	// Overhead is header, framing and link CRC per packet.
	Overhead units.Bytes `yaml:"overhead" range:"0B..4KiB"`
	// Latency is one traversal of root complex or PCIe switch, one way.
	Latency units.Time `yaml:"latency" range:"0..1ms"`
	// PeerRate is the rate between two devices that talk without the host's
	// memory (GPUDirect), in each direction.
	PeerRate units.Rate `yaml:"peer-rate" range:"1Mbps..100Tbps"`
}

// Rate is the payload rate of a slot in each direction, in packets of MaxPayload.
func (p PCIe) Rate() units.Rate {
	share := Ratio{Num: int64(p.MaxPayload), Den: int64(p.MaxPayload + p.Overhead)}
	return units.Rate(share.Mul(Ratio{Num: int64(p.Lanes), Den: 1}).Of(int64(p.LaneRate)))
}

// CPU is the host's processor and memory.
type CPU struct {
	// Vendor is the row of NCCL's cost model: the time of its proxy thread, and rates between
	// nodes.
	Vendor CPUVendor `yaml:"vendor"`
	// Clock is the core's frequency in cycles per second: weft latency counts
	// the cycles of a message by it.
	Clock int64 `yaml:"clock" range:"1..100000000000"`
	// Cores is the number of cores of the node. Copies on the path through the CPU use as
	// many cores at a time as are the share of a GPU.
	Cores int `yaml:"cores" range:"1..1048576"`
	// MemoryLatency is one access to the host's memory from a device, after
	// PCIe.
	MemoryLatency units.Time `yaml:"memory-latency" range:"0..1ms"`
}

// NIC is a model of network adapter. It may be given as the name of a model.
type NIC struct {
	// Model is the catalog's entry.
	Model string `yaml:"model"`
	// Ports is the number of network ports in use.
	Ports int `yaml:"ports" range:"1..16"`
	// Rate is the fastest rate of a port.
	Rate units.Rate `yaml:"rate" range:"1Mbps..100Tbps"`
	// TxPipeline is from the work request in the NIC to the first bit on the
	// wire, without PCIe.
	TxPipeline units.Time `yaml:"tx-pipeline" range:"0..1ms"`
	// RxPipeline is from the last bit of a packet to its first PCIe write.
	RxPipeline units.Time `yaml:"rx-pipeline" range:"0..1ms"`
	// AckPipeline is from the last bit of a packet to its acknowledgement's
	// first bit on the wire.
	AckPipeline units.Time `yaml:"ack-pipeline" range:"0..1ms"`
	// PacketGap is the least time between two packets of the NIC (its packet
	// rate).
	PacketGap units.Time `yaml:"packet-gap" range:"0..1ms"`
	// OutOfOrder says whether WRITEs that arrive out of order are placed and
	// not answered by a NAK.
	OutOfOrder bool `yaml:"out-of-order"`
	// OutOfOrderReceives says whether SENDs and WRITEs with immediate data may arrive out of
	// order, too, and complete in order (MLX5DV_QP_CREATE_OOO_DP).
	OutOfOrderReceives bool `yaml:"out-of-order-receives"`
	// Fence is what waits at the sender of SENDs and immediate data for the acknowledgement of the WRITEs before
	// them, if WRITEs may arrive out of order: queue, message or none.
	Fence Fence `yaml:"fence"`
	// ReadsInFlight is the number of RDMA READs that a queue pair has
	// outstanding (max_rd_atomic of the verbs).
	ReadsInFlight int `yaml:"reads-in-flight" range:"1..128"`
	// Retransmission is the schedule by which the NIC sends unacknowledged packets again.
	Retransmission RetransmissionSchedule `yaml:"retransmission"`
	// ReceiveRate is the rate at which the NIC passes what it receives to its host, no
	// more than its PCIe slot has. 0: as fast as the wire; PCIe then bounds sending, and receiving
	// only if several NICs share a GPU's slot.
	ReceiveRate units.Rate `yaml:"receive-rate,omitzero" range:"0bps..100Tbps"`
	// ReceiveBuffer is the NIC's buffer in front of that on Ethernet; on InfiniBand it is
	// IB.NICBuffer. At one half the NIC pauses its switch. 0: twice the PFC headroom, or, on a
	// fabric without, twice what PFC would need on its cables.
	ReceiveBuffer units.Bytes `yaml:"receive-buffer,omitzero" range:"0B..1GiB"`
	// Contexts is the number of queue pairs whose context (with the translation of its
	// buffers' addresses) the NIC holds; others are fetched from the host. 0: all.
	Contexts int `yaml:"contexts,omitzero" range:"0..16777216"`
	// ContextFetch is the time to fetch a context.
	ContextFetch units.Time `yaml:"context-fetch" range:"0..1ms"`
	// ContextFetches is the number of contexts that are fetched at a time.
	ContextFetches int `yaml:"context-fetches" range:"1..1024"`
	// CNPGeneration is the time from a marked packet to its CNP, at the receiver.
	CNPGeneration units.Time `yaml:"cnp-generation,omitzero" range:"0..1ms"`
	// CNPReaction is the time from the arrival of a CNP to its effect, at the sender.
	CNPReaction units.Time `yaml:"cnp-reaction,omitzero" range:"0..1ms"`
	// CNPJitter is a seeded extra of both.
	CNPJitter Jitter `yaml:"cnp-jitter,omitzero"`
	// Jitter is a seeded extra delay of each message in the NIC's transmit
	// pipeline, and of each in its receive pipeline.
	Jitter Jitter `yaml:"jitter"`
}

// RetransmissionSchedule is the adaptive retransmission of a NIC.
type RetransmissionSchedule struct {
	// Times are the times after the last progress at which a packet is sent again, as
	// long as the steps between them are no longer than the timeout. A NIC without times
	// has the timeout alone.
	Times []units.Time `yaml:"times" range:"1us..60s"`
	// First is the number of leading times; the first repetition takes one of them at
	// random.
	First int `yaml:"first" range:"0..64"`
	// LeastTimeout takes the place of a shorter timeout.
	LeastTimeout units.Time `yaml:"least-timeout" range:"0..60s"`
}

// Run is how the scenario is run.
type Run struct {
	// Seed decides everything random.
	Seed uint64 `yaml:"seed"`
	// Iterations is how often each size is measured.
	Iterations int `yaml:"iterations" range:"1..1000000"`
	// Warmup is how often each size runs before it is measured.
	Warmup int `yaml:"warmup" range:"0..1000000"`
	// Jitter turns the seeded jitter of hosts, NICs and switches on.
	Jitter bool `yaml:"jitter"`
	// Pauses records which port paused which by PFC, for weft explain and the report.
	Pauses bool `yaml:"pauses,omitzero"`
	// Error is the error to which the time of a long collective may be estimated from a part of it;
	// 0 is DefaultError.
	Error ErrorBound `yaml:"error,omitzero"`
	// Limit bounds the run.
	Limit Limit `yaml:"limit"`
}

// Limit bounds one simulation. A run that reaches a bound stops and says so.
type Limit struct {
	// Events is the most events.
	Events int64 `yaml:"events" range:"1..9000000000000000000"`
	// Memory is the most memory; a scenario that is estimated to need more is
	// refused before the run.
	Memory units.Bytes `yaml:"memory" range:"1MiB..1024TiB"`
	// SimulatedTime is the latest simulated time.
	SimulatedTime units.Time `yaml:"simulated-time" range:"1ns..forever"`
}
