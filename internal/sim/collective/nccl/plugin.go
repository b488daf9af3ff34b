package nccl

import (
	"cmp"

	"weft/internal/sim/collective"
)

// Plugin is the settings of a network plug-in; 0 is NCCL's own.
type Plugin struct {
	// LatencyUs is the plug-in's property latency in µs, which NCCL adds to a step between nodes in
	// its choice, and twice with Simple.
	LatencyUs float64
	// MessageUs is the time of a message from a GPU's memory to that of a GPU in another node, the
	// wire included, in µs; with Simple completionUs in addition.
	MessageUs float64
	WireUs    float64 // of MessageUs: NICs and switches, in µs
	// Sizes in bytes: NCCL_BUFFSIZE, NCCL_P2P_NET_CHUNKSIZE, NCCL_NVLS_CHUNKSIZE,
	// NCCL_NVLSTREE_MAX_CHUNKSIZE.
	Buffer, NetChunk, NVLSChunk, NVLSTreeChunk int64
}

// completionUs is OFI_NCCL_TUNER_NET_COMP_OVERHEAD of aws-ofi-nccl (include/nccl_ofi_param.h).
const completionUs = 3

// EFA is aws-ofi-nccl at 2daf7d30 on the instances with a GPU and an EFA of some rate in Gb/s:
// platform_data_map in src/platform-aws.cpp has latency and sizes, model_platform_params in
// src/tuner/nccl_ofi_model.cpp the time of a message (net_lat) on p5 and p5en. For p4d it has none:
// there the property latency is taken, an assumption, and for the instances after p5en p5en's. WireUs is the latency of a packet that the
// catalog has for the NIC.
func EFA(gpu GPU, gbps int) Plugin {
	switch {
	case gpu <= Ampere:
		return Plugin{LatencyUs: 75, MessageUs: 75, WireUs: 9, Buffer: 8 << 20, NetChunk: 512 << 10}
	case gpu == Hopper && gbps <= 100:
		return Plugin{LatencyUs: 75, MessageUs: 20, WireUs: 9, Buffer: 8 << 20, NetChunk: 512 << 10, NVLSChunk: 512 << 10, NVLSTreeChunk: 512 << 10}
	default:
		return Plugin{LatencyUs: 35, MessageUs: 18, WireUs: 6.5, Buffer: 8 << 20, NetChunk: 512 << 10, NVLSChunk: 512 << 10, NVLSTreeChunk: 512 << 10}
	}
}

// slot is the slot of a connection with Simple, in bytes.
func (c Cluster) slot() int64 {
	return cmp.Or(c.Plugin.Buffer, collective.Slots*collective.SlotBytes) / collective.Slots
}

// netChunk is the chunk of a send to another node, in bytes.
func (c Cluster) netChunk() int64 { return cmp.Or(c.Plugin.NetChunk, netChunk) }

// softwareUs is the time of a message beside the wire.
func (p *Plugin) softwareUs(proto Proto) float64 {
	if proto == Simple {
		return p.MessageUs - p.WireUs + completionUs
	}
	return p.MessageUs - p.WireUs
}
