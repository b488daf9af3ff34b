package collective

// Path says which network a transfer takes.
type Path uint8

// The paths of a transfer.
const (
	// PathAuto is the scale-up network inside a node, the NICs between nodes.
	PathAuto Path = iota
	// PathMulticast is one send that the scale-up switch delivers to every
	// other GPU of the node (NVLS store), in their same step PeerStep.
	PathMulticast
	// PathReduce is one GPU's contribution to a reduction inside the scale-up
	// switch (NVLS load-reduce); the switch delivers one combined message to
	// Peer when all GPUs of the node except Peer have contributed.
	PathReduce
	// PathNetReduce is a rank's contribution to a reduction in the switches of the
	// scale-out network, which all ranks of its local number take part in; Peer is
	// the rank itself, in whose step PeerStep the network delivers the result.
	PathNetReduce
	// PathNetScatter is a rank's contribution to the same whose result goes to Peer
	// alone, which may be the rank itself.
	PathNetScatter
	// PathNetGather is what the switches of the scale-out network copy to all ranks of
	// the sender's local number, itself included, in their same step PeerStep; Peer is the
	// sender.
	PathNetGather
)

// InNetwork reports whether the switches of the scale-out network do more on a path
// than forward.
func (p Path) InNetwork() bool { return p >= PathNetReduce }

// Transfer is one message of a step, or a part of one, seen from the rank that holds it. It is
// never empty: a transfer that would carry no byte is not produced, and nobody
// waits for it.
type Transfer struct {
	Peer     int32 // the other rank; −1 with PathMulticast
	PeerStep int32 // at a send: the receiver's step that waits for it, in the same lane
	Bytes    int64
	Path     Path
	// More says that the next transfer of the step is part of the same message, with
	// other places in the buffers.
	More bool
	// Rail is 1 + the NIC of the node, at both ends, that carries the transfer
	// between two nodes; 0 leaves it to the ends, each taking its own. A NIC
	// that is not the sender's is reached through the GPU beside it over the
	// scale-up network (NCCL's PXN).
	Rail int16
	// Src and Dst are where the data lies in the sender's and in the receiver's
	// buffer. Who only counts time needs neither.
	Src, Dst int64
}

// Step is one step of a lane: all sends are posted at once when the step is
// entered; the next step is entered when all receives have arrived and been
// reduced or copied (sends need not have completed). A step may have no send,
// no receive, or neither: then it is left at once. A message can arrive before
// its step is entered; it is kept until then, as NCCL keeps it in the slots of
// a connection.
type Step struct {
	Sends     []Transfer
	Recvs     int   // how many messages the step waits for
	RecvBytes int64 // their sum, for the time of reduction or copy
	Reduce    bool  // whether what arrives, if anything, is combined with local data
}

// Program is the schedule of one collective operation. Implementations are
// immutable, compute steps on demand and hold nothing per rank and step, so
// that ten thousand ranks cost nothing.
type Program interface {
	// Ranks is the number of ranks.
	Ranks() int
	// Lanes is the number of independent sequences of steps of each rank (the
	// same for every rank): channels times chunks. Lane l of one rank talks
	// only to lane l of others.
	Lanes() int
	// Window is how many lanes of one channel may be active in a rank at the
	// same time; lanes of channel c are c, c+Channels, c+2·Channels, …, and
	// are entered in that order.
	Window() int
	// Channels is the number of channels.
	Channels() int
	// Step fills s (whose Sends is reused) with step k of a rank's lane; it
	// reports false when k is past the lane's last step. A lane that has
	// nothing to move has no step at all.
	Step(rank, lane, k int, s *Step) bool
}
