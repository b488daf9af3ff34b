package workload

import (
	"slices"

	"weft/internal/sim/collective"
	"weft/units"
)

// Graph is what the ranks of a cluster do.
type Graph struct {
	// Ranks has the operations of each rank, in the order in which it issues them.
	Ranks [][]Op
	// Groups are the groups that collectives run on.
	Groups []Group
	// Sender is who sends the messages of Send and Recv.
	Sender Sender
}

// Sender is the software that sends messages between two ranks.
type Sender uint8

// Who sends messages.
const (
	NCCL  Sender = iota // ncclSend and ncclRecv: a kernel's launch, pieces of a channel's slot, software for each
	Verbs               // a WRITE for each message: no software but the host's posting and polling
	MPI                 // the same, and what an MPI library takes for a message
	numSenders
)

var senderNames = [numSenders]string{"nccl", "verbs", "mpi"}

func (s Sender) String() string {
	if s < numSenders {
		return senderNames[s]
	}
	return "unknown sender"
}

// SenderOf is the sender of a name.
func SenderOf(name string) (Sender, bool) {
	i := slices.Index(senderNames[:], name)
	return Sender(max(0, i)), i >= 0
}

// SenderNames are the names of all.
func SenderNames() []string { return senderNames[:] }

// Sends reports whether a rank sends a message.
func (g *Graph) Sends() bool {
	return slices.ContainsFunc(g.Ranks, func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(o Op) bool { return o.Kind == Send })
	})
}

// Group is some ranks that communicate, in the group's own order: the order of
// rings and the numbers of roots go by it.
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
	// Name is what it is, for timelines and errors. Many may have the same.
	Name string
	Kind Kind
	// Purpose is what a communication is for; reports sum times by it.
	Purpose Purpose
	// Stream is the rank's stream that it runs on, or Unordered.
	Stream uint8
	// Unit is the part of the rank that does one operation at a time, in the order in
	// which they may begin (of those that may begin at once, in the list's), or NoUnit.
	Unit Unit
	// Phase is the place of the communication in a list of phases, for Replay.
	Phase int32
	// After are the operations of the same rank, by their places in its list, that
	// must be over before it begins, beside the one before it in its stream.
	After []int32
	// Time is how long a Compute takes.
	Time units.Time
	// Bytes is the message's length, or the size of a collective as nccl-tests
	// counts it (collective.Op).
	Bytes units.Bytes
	// Peer is the other rank of a Send or Recv, and Tag what they are matched by.
	Peer int32
	Tag  int32
	// Group is a collective's, Do the operation and Root the root of a broadcast or send,
	// as its place in the group.
	Group int32
	Root  int32
	Do    collective.Op
}

// Unordered is the stream of operations that wait for nothing but what they name in
// After.
const Unordered uint8 = 255

// Unit is a part of a rank that is busy with one operation at a time.
type Unit uint8

// The units: none, and the GPU's multiprocessors.
const (
	NoUnit Unit = iota
	Multiprocessors
	numUnits
)

// Purpose is what a communication is for.
type Purpose uint8

// The purposes: the dimension of parallelism that it belongs to.
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

// Computing is how long the rank computes that computes the longest.
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
