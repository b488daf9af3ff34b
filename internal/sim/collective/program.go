package collective

// Path is the network of a transfer.
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
	// PathNetReduce is a rank's contribution to a reduction in the switches of the scale-out
	// network, among all ranks of its local number; Peer is the rank itself, in whose step PeerStep
	// the network delivers the result.
	PathNetReduce
	// PathNetScatter is a contribution to the same reduction, whose result goes to Peer alone; Peer
	// may be the rank itself.
	PathNetScatter
	// PathNetGather is data that the switches of the scale-out network copy to all ranks of the
	// sender's local number, itself included, in their same step PeerStep; Peer is the sender.
	PathNetGather
)

// InNetwork reports whether the switches of the scale-out network reduce or copy on a path.
func (p Path) InNetwork() bool { return p >= PathNetReduce }

// Transfer is one message of a step, or a part of one, from the view of its rank. It is never
// empty: an empty transfer is not produced, and nobody waits for it.
type Transfer struct {
	Peer     int32 // the other rank; −1 with PathMulticast
	PeerStep int32 // at a send: the receiver's step that waits for the message, in the same lane
	Bytes    int64
	Path     Path
	// More is true if the next transfer of the step is part of the same message, with other places
	// in the buffers.
	More bool
	// Rail is 1 + the number of the NIC, at both ends, that carries the transfer between two nodes;
	// 0 lets each end use its own. A rank reaches a NIC that is not its own through the GPU beside
	// it over the scale-up network (NCCL's PXN).
	Rail int16
	// Src and Dst are the places of the data in the sender's and in the receiver's buffer. A
	// simulation of times needs neither.
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
	Recvs     int   // the number of messages that the step waits for
	RecvBytes int64 // their sum, for the time of reduction or copy
	Reduce    bool  // whether arriving data is combined with local data
	Pieces    bool  // whether the sends are the chunks of one message, which the rank writes one after another
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
	// Window is the maximum number of active lanes of a channel in a rank; lanes of channel c are
	// c, c+Channels, c+2·Channels, …, and are entered in that order.
	Window() int
	// Channels is the number of channels.
	Channels() int
	// Step fills s (whose Sends is reused) with step k of a rank's lane; it returns false if k is
	// past the lane's last step. A lane without data has no steps.
	Step(rank, lane, k int, s *Step) bool
}

// Regular is a program that knows which of its steps are alike.
type Regular interface {
	// Alike returns the end of a stretch of steps of a lane that begins with step k: at every rank
	// they differ only in their number.
	Alike(lane, k int) (end int)
}
