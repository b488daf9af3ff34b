package scenario

import (
	"weft/internal/sim/protocol"
	"weft/units"
)

// Workload is a collective, a synthetic traffic pattern, or an exchange with experts, that runs on
// each fabric.
type Workload struct {
	// Collective is the operation; empty for a pattern.
	Collective Collective `yaml:"collective,omitzero"`
	// Pattern is the synthetic traffic; empty for a collective.
	Pattern Pattern `yaml:"pattern,omitzero"`
	// Exchange is the exchange of tokens with the experts of a mixture; empty for a collective or
	// pattern.
	Exchange Exchange `yaml:"exchange,omitzero"`
	// Experts is the mixture of an exchange.
	Experts Experts `yaml:"experts,omitzero"`
	// Sizes are the message sizes of the sweep, as nccl-tests counts them;
	// each is one simulation. Empty for flows and exchanges.
	Sizes []units.Bytes `yaml:"sizes,omitzero" range:"1B..1TiB"`

	// Nodes is the number of nodes of a collective, the cluster's first; the others are for
	// storage and other jobs, which beside and isolation name. 0: all.
	Nodes int `yaml:"nodes,omitzero" range:"0..1048576"`

	// Algorithm is the collective's, auto is NCCL's choice by its cost model.
	Algorithm Algorithm `yaml:"algorithm,omitzero"`
	// Protocol is NCCL's: auto, simple, ll or ll128.
	Protocol Protocol `yaml:"protocol,omitzero"`
	// Channels is the number of parallel rings or trees. 0: as many as NCCL
	// would open for the size.
	Channels int `yaml:"channels,omitzero" range:"0..64"`
	// Chunk is the piece that is pipelined within a channel. 0: the
	// algorithm's own.
	Chunk units.Bytes `yaml:"chunk,omitzero" range:"0B..1GiB"`
	// Window is the number of chunks of a channel that may be on the way. 0: the
	// algorithm's own.
	Window int `yaml:"window,omitzero" range:"0..1024"`
	// Root is the root rank of a broadcast.
	Root int `yaml:"root,omitzero" range:"0..16777216"`
	// Datatype is the name in nccl-tests' table; its width is ElementBytes.
	Datatype Datatype `yaml:"datatype,omitzero"`

	// Transport is the transport service of a pattern's messages: rc, uc or ud.
	Transport Service `yaml:"transport,omitzero"`
	// Operation is the verb by which they go: write, read or send. With read
	// the receiver of a message asks for it.
	Operation Operation `yaml:"operation,omitzero"`
	// ReceiveQueue is the number of receives that a queue pair of a pattern has posted
	// at the start. 0: one is there whenever a message needs it.
	ReceiveQueue int `yaml:"receive-queue,omitzero" range:"0..32768"`
	// Repost is the time from the arrival of a message in the host's memory until the
	// program posts its receive again.
	Repost units.Time `yaml:"repost,omitzero" range:"0..1s"`
	// QKey is the Q_Key of the queue pairs of ud: they take datagrams that carry
	// it.
	QKey QKey `yaml:"qkey,omitzero" range:"0x0..0x7fffffff"`

	// FanIn is the number of senders of each receiver of an incast.
	FanIn int `yaml:"fan-in,omitzero" range:"1..16777216"`
	// Receivers is the number of receivers of an incast.
	Receivers int `yaml:"receivers,omitzero" range:"1..16777216"`
	// Load is the payload that each NIC offers in uniform traffic, over the rate of one
	// of its links.
	Load Ratio `yaml:"load,omitzero"`
	// Duration is how long uniform traffic is offered.
	Duration units.Time `yaml:"duration,omitzero" range:"1ns..forever"`
	// Flows is the explicit list.
	Flows []Flow `yaml:"flows,omitzero"`
}

// Flow is one message of an explicit list.
type Flow struct {
	// Src is the sending NIC, counted over the cluster.
	Src int `yaml:"src" range:"0..16777216"`
	// Dst is the receiving NIC.
	Dst int `yaml:"dst" range:"0..16777216"`
	// From and To, instead of src and dst, are NICs by name, as those of a [Stream]: one message from
	// each NIC of from to the NIC at the same place of to; a list of one NIC serves all.
	From []string `yaml:"from,omitzero"`
	To   []string `yaml:"to,omitzero"`
	// Bytes is the message's length.
	Bytes units.Bytes `yaml:"bytes" range:"1B..1TiB"`
	// Start is when it is posted.
	Start units.Time `yaml:"start" range:"0..forever"`
	// SL is its service level on InfiniBand. 0: the fabric's.
	SL int `yaml:"sl,omitzero" range:"0..15"`
	// QKey is the Q_Key that its datagrams carry with ud. 0: the workload's.
	QKey QKey `yaml:"qkey,omitzero" range:"0x0..0x7fffffff"`
	// Priority is its 802.1p priority on Ethernet, of its data and acknowledgements.
	// 0: the fabric's.
	Priority int `yaml:"priority,omitzero" range:"0..7"`
}

// ClassOn is the service level, or on Ethernet the priority, of the message on a fabric. 0: the
// fabric's.
func (f *Flow) ClassOn(fabric *Fabric) int {
	if protocol.Of(fabric.Kind).ServiceLevels {
		return f.SL
	}
	return f.Priority
}

// ElementBytes is the width of the datatype.
func (d Datatype) ElementBytes() units.Bytes { return datatypeBytes[d] }

var datatypeBytes = map[Datatype]units.Bytes{
	"int8": 1, "uint8": 1, "half": 2, "bfloat16": 2, "int32": 4, "float": 4, "int64": 8, "double": 8,
}
