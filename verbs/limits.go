package verbs

// Every bound of this package, with its reason. They are those that
// ibv_query_device reports for current NICs, where there is one.
const (
	// MaxQPWR bounds the work requests of a queue: the transport's rings end there.
	MaxQPWR = 1 << 15
	// MaxSGE bounds the buffers of a work request.
	MaxSGE = 30
	// MaxCQE bounds the entries of a completion queue: 2^22, as ConnectX.
	MaxCQE = 1 << 22
	// MaxInline bounds inline data: it is copied at posting.
	MaxInline = 1024
	// MaxMR bounds the memory regions and windows together: keys have 24 bits of index,
	// and half of those stay free, so that a drawn one is soon found.
	MaxMR = 1 << 23
	// MaxMessage is the longest message (IBA vol. 1, 9.4.3).
	MaxMessage = 1 << 31
	// MaxRdAtomic is how many READs and atomics may be outstanding at once.
	MaxRdAtomic = 16
	// readChunk is how a long READ is cut. The requester asks for no more at a
	// time than it can bound on its way to it, so that a READ does not overrun
	// its own socket buffer.
	readChunk = 64 << 10
	// grhBytes is the room that a receive of UD leaves for the GRH in front.
	grhBytes = 40
	// maxAsync bounds the asynchronous events that nobody has fetched.
	maxAsync = 64
)
