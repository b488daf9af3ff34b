package collective

import "fmt"

// Op is a collective operation.
type Op uint8

// The operations. Each comment is the meaning of Spec.Bytes for the operation: the size column of
// nccl-tests.
const (
	AllReduce     Op = iota // the vector of every rank, before and after
	AllGather               // the gathered vector; rank i contributes its i-th part
	ReduceScatter           // the vector of every rank; rank i keeps its i-th part
	Broadcast               // the root's vector
	Reduce                  // the vector of every rank; the root gets the sum
	Scatter                 // the root's data for all ranks, itself included, in equal parts
	Gather                  // the data that the root gets from all ranks, itself included, in equal parts
	AllToAll                // the data that a rank sends to all, itself included, in equal parts
	SendRecv                // the data that rank r sends to rank r+1
	Send                    // the data that the root sends to the next rank
	numOps
)

var opNames = [numOps]string{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "scatter", "gather", "all-to-all", "send/recv", "send"}

func (o Op) String() string {
	if o < numOps {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Known reports whether there is such an operation.
func Known(o Op) bool { return o < numOps }

// BusFactor is busbw/algbw in nccl-tests (doc/PERFORMANCE.md): the bytes on the links for each byte
// of the size column at perfect use of the hardware.
func (o Op) BusFactor(ranks int) float64 {
	n := float64(ranks)
	switch o {
	case AllReduce:
		return 2 * (n - 1) / n
	case AllGather, ReduceScatter, AllToAll, Scatter, Gather:
		return (n - 1) / n
	default:
		return 1
	}
}

// Algo is an algorithm for an operation.
type Algo uint8

// The algorithms.
const (
	Ring            Algo = iota
	Tree                 // NCCL's double binary tree over the nodes, chains inside
	Hierarchical         // scale-up network inside the nodes, one ring per rail between them
	HalvingDoubling      // recursive vector halving and doubling
	NVLS                 // reduction and multicast in the scale-up switch, and between nodes in the network
	NVLSTree             // NVLS inside the nodes, double binary tree between them
	Bruck                // log n steps, each with more shards
	Direct               // every pair directly: all-to-all, send/recv; an all-reduce in two such steps
	CollNetDirect        // between nodes reduction in the network, inside them every pair directly
	CollNetChain         // between nodes reduction in the network, inside them a chain for each channel
	numAlgos
)

var algoNames = [numAlgos]string{"ring", "tree", "hierarchical", "halving-doubling", "nvls", "nvls-tree", "bruck", "direct", "collnet-direct", "collnet-chain"}

func (a Algo) String() string {
	if a < numAlgos {
		return algoNames[a]
	}
	return fmt.Sprintf("Algo(%d)", uint8(a))
}

// Spec describes the program to make. Only Op, Algo, Layout and Bytes are needed: a zero elsewhere
// is the default in parentheses.
type Spec struct {
	Op     Op
	Algo   Algo
	Layout Layout
	Bytes  int64 // the size column of nccl-tests
	Root   int   // of a broadcast, a reduce, a scatter, a gather or a send

	// Channels is the number of equal parts of the message, each with its own order of ranks (1).
	Channels int
	// Chunk is the maximum size of a message of a channel (the defaults of NCCL's Simple protocol:
	// chunk.go). In an all-to-all, a scatter and a gather a part inside a node goes as a whole.
	Chunk int64
	// Slices cuts each chunk of a ring, so that one slice is on the wire while
	// another is reduced (2, as NCCL).
	Slices int
	// MinChunk is the smallest chunk of a ring's all-reduce: with less data the last chunks are
	// empty (16, the alignment in NCCL's runRing).
	MinChunk int64
	// Elem is the size of an element: cuts fall between elements (1).
	Elem int64
	// Window is Program.Window (chosen by the algorithm).
	Window int
}

// maker makes the program of a checked spec with the defaults filled in.
type maker func(Spec) (Program, error)

// makers lists the operations of each algorithm.
var makers = map[Op]map[Algo]maker{
	AllReduce: {
		Ring:            newRingAllReduce,
		Direct:          newPairsAllReduce,
		Tree:            newTreeAllReduce,
		Hierarchical:    newHierarchicalAllReduce,
		HalvingDoubling: newHalvingAllReduce,
		NVLS:            newNVLSAllReduce,
		CollNetDirect:   newCollNetDirect,
		CollNetChain:    newCollNetChain,
		NVLSTree:        newNVLSTreeAllReduce,
	},
	AllGather:     {Ring: newRingAllGather, Hierarchical: newHierarchicalAllGather, NVLS: newNVLSShards, CollNetDirect: newCollNetShards, Bruck: newBruckAllGather},
	ReduceScatter: {Ring: newRingReduceScatter, Hierarchical: newHierarchicalReduceScatter, NVLS: newNVLSShards, CollNetDirect: newCollNetShards, Bruck: newBruckReduceScatter},
	Broadcast:     {Ring: newRingBroadcast, Tree: newTreeBroadcast},
	Reduce:        {Ring: newRingBroadcast},
	Scatter:       {Direct: newRooted},
	Gather:        {Direct: newRooted},
	AllToAll:      {Direct: newAllToAll},
	SendRecv:      {Direct: newSendRecv},
	Send:          {Direct: newSend},
}

// New makes the program of a spec.
func New(s Spec) (Program, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	m := makers[s.Op][s.Algo]
	if m == nil {
		return nil, fmt.Errorf("collective: there is no %v by %v", s.Op, s.Algo)
	}
	p, err := m(s.withDefaults())
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Has reports whether an algorithm supports an operation.
func Has(o Op, a Algo) bool { return makers[o][a] != nil }

func (s Spec) check() error {
	if err := s.Layout.check(); err != nil {
		return err
	}
	switch {
	case s.Bytes < 0 || s.Bytes > MaxBytes:
		return fmt.Errorf("collective: %d bytes: valid are 0 to %d", s.Bytes, int64(MaxBytes))
	case s.Elem < 0 || s.Elem > 0 && s.Bytes%s.Elem != 0:
		return fmt.Errorf("collective: %d bytes are not a whole number of %d-byte elements", s.Bytes, s.Elem)
	case s.Root < 0 || s.Root >= s.Layout.Ranks():
		return fmt.Errorf("collective: root %d: valid are 0 to %d", s.Root, s.Layout.Ranks()-1)
	case s.Channels < 0 || s.Channels > MaxChannels:
		return fmt.Errorf("collective: %d channels: valid are 1 to %d", s.Channels, MaxChannels)
	case s.Chunk < 0 || s.MinChunk < 0 || s.Slices < 0 || s.Window < 0:
		return fmt.Errorf("collective: chunk %d, smallest chunk %d, %d slices, window %d: none may be negative", s.Chunk, s.MinChunk, s.Slices, s.Window)
	}
	return nil
}

// chunk is Chunk, or the algorithm's own if the spec has none.
func (s Spec) chunk(own int64) int64 {
	if s.Chunk > 0 {
		return s.Chunk
	}
	return own
}

func (s Spec) withDefaults() Spec {
	s.Channels = max(s.Channels, 1)
	s.Elem = max(s.Elem, 1)
	if s.MinChunk == 0 {
		s.MinChunk = ringAlign
	}
	s.MinChunk = (s.MinChunk + s.Elem - 1) / s.Elem * s.Elem
	if s.Slices == 0 {
		s.Slices = RingSlices
	}
	return s
}
