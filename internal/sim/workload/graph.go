package workload

import (
	"slices"

	"weft/internal/sim/collective"
	"weft/units"
)

// Graph is the work of a cluster's ranks.
type Graph struct {
	// Ranks has the operations of each rank, in the order of issue.
	Ranks [][]Op
	// Groups are the groups that collectives run on.
	Groups []Group
	// Sender is the software that sends the messages of Send and Recv.
	Sender Sender
	// Proxy is the time of a rank's proxy thread for a work request of the sender GPU. 0: the kernel
	// posts its requests itself. ProxyThreads is the number of these threads, which connections have in
	// turn; 0 is 1.
	Proxy        units.Time
	ProxyThreads int
	// CopyRate is the rate at which the sender GPU's kernel stores at other GPUs of its node. 0: NCCL's
	// figure for a kernel.
	CopyRate units.Rate
	// Multiprocessors is the number that a GPU has, of which communication takes some from
	// computation (Op.Blocks). 0: it takes none.
	Multiprocessors int
}

// Sender is the software that sends messages between two ranks.
type Sender uint8

// Senders of messages.
const (
	NCCL  Sender = iota // ncclSend and ncclRecv: a kernel's launch, pieces of a channel's slot, software for each
	Verbs               // a WRITE for each message: only posting and polling in the host's software
	MPI                 // the same, plus the time of an MPI library for a message
	GPU                 // a GPU's kernel: stores inside a node, WRITEs between nodes, as Posting says
	numSenders
)

var senderNames = [numSenders]string{"nccl", "verbs", "mpi", "gpu"}

func (s Sender) String() string {
	if s < numSenders {
		return senderNames[s]
	}
	return "unknown sender"
}

// Posting is how the sender GPU sends a message.
type Posting struct {
	// Requests is the number of WRITEs of equal length that the message's bytes take between nodes.
	Requests int32
	// Connection is the number of the connection between the two ranks.
	Connection int32
	// Spread is the number of queue pairs of the connection, which take the requests in equal parts,
	// each with its own signal. 0 is 1.
	Spread int32
	// Signal sends an empty request after the last WRITE (an atomic); otherwise the last WRITE has
	// immediate data.
	Signal bool
	// Network sends through the NICs inside a node, too.
	Network bool
}

// SenderOf is the sender with a name.
func SenderOf(name string) (Sender, bool) {
	i := slices.Index(senderNames[:], name)
	return Sender(max(0, i)), i >= 0
}

// SenderNames are the names of all senders.
func SenderNames() []string { return senderNames[:] }

// Among is the graph on ranks of a larger cluster, from a first one on; the others do nothing. A graph has
// no groups.
func (g *Graph) Among(ranks, first int) *Graph {
	out := *g
	out.Ranks = make([][]Op, ranks)
	for i, ops := range g.Ranks {
		own := slices.Clone(ops)
		for k := range own {
			own[k].Peer += int32(first)
		}
		out.Ranks[first+i] = own
	}
	return &out
}

// Sends reports whether a rank sends a message.
func (g *Graph) Sends() bool {
	return slices.ContainsFunc(g.Ranks, func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(o Op) bool { return o.Kind == Send })
	})
}

// Group is a set of communicating ranks, in the group's own order: rings and root numbers use it.
type Group struct {
	Name  string // for people
	Ranks []int32
}

// Kind is a kind of operation.
type Kind uint8

// The kinds of operation.
const (
	Compute Kind = iota
	Send
	Recv
	Collective
	numKinds
)

var kindNames = [numKinds]string{"compute", "send", "recv", "collective"}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown kind"
}

// Op is one operation of a rank.
type Op struct {
	// Name is for timelines and errors. Several operations may have the same name.
	Name string
	Kind Kind
	// Purpose is the purpose of a communication; reports sum times by it.
	Purpose Purpose
	// Stream is the stream of the rank, or Unordered.
	Stream uint8
	// Unit is the part of the rank that executes one operation at a time, in the order in which
	// they may begin (if several may begin at once, in the list's order), or NoUnit.
	Unit Unit
	// Phase is the index of the communication in a list of phases, for Replay.
	Phase int32
	// After are operations of the same rank, as indices into its list. They must be over before
	// this operation begins, as must its predecessor in the stream.
	After []int32
	// Time is the time of a Compute.
	Time units.Time
	// Blocks is the number of thread blocks of a communication's kernel.
	Blocks int32
	// Bytes is the message's length, or the size of a collective as nccl-tests
	// counts it (collective.Op).
	Bytes units.Bytes
	// Peer is the other rank of a Send or Recv; Tag is for matching the two.
	Peer int32
	Tag  int32
	// Posting is of a Send by the sender GPU; nil is one WRITE.
	Posting *Posting
	// Group is a collective's group, Do the operation and Root the root of a broadcast or send, as
	// an index into the group.
	Group int32
	Root  int32
	Do    collective.Op
}

// Unordered is the stream of operations that wait only for the operations in After.
const Unordered uint8 = 255

// Unit is a part of a rank that executes one operation at a time.
type Unit uint8

// The units: none, and the GPU's multiprocessors.
const (
	NoUnit Unit = iota
	Multiprocessors
	numUnits
)

// Purpose is the purpose of a communication.
type Purpose uint8

// The purposes: the dimensions of parallelism.
const (
	Other Purpose = iota
	Tensor
	Pipeline
	Data
	Expert
	Context
	NumPurposes
)

var purposeNames = [NumPurposes]string{"other", "tensor", "pipeline", "data", "expert", "context"}

func (p Purpose) String() string {
	if p < NumPurposes {
		return purposeNames[p]
	}
	return "unknown purpose"
}

// Ops is the number of operations of all ranks.
func (g *Graph) Ops() (n int) {
	for _, ops := range g.Ranks {
		n += len(ops)
	}
	return n
}

// Computing is the longest computation time of a rank, without what communication takes from it.
func (g *Graph) Computing() (most units.Time) {
	for _, ops := range g.Ranks {
		sum := units.Time(0)
		for i := range ops {
			if ops[i].Kind == Compute {
				sum += ops[i].Time
			}
		}
		most = max(most, sum)
	}
	return most
}
