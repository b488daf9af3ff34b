package transport

// Delivery is the order in which a reliable connection accepts packets, and its method of finding
// lost ones. The values are ordered by how much of the order they give up.
type Delivery uint8

// The deliveries.
const (
	// InOrder accepts packets in their order. A gap causes one NAK, and the requester goes back to
	// the gap.
	InOrder Delivery = iota
	// EndToEnd is InOrder for the stream of an end-to-end context, of service RC: the
	// error of a message does not end the stream (resync.go).
	EndToEnd
	// SelectiveHeld is Selective for live use. The caller keeps the requests that come
	// ahead, and gives them again in their turn: on a wire only a message's first
	// packet says where its payload goes.
	SelectiveHeld
	// Selective takes packets in any order. It reports each packet that comes ahead of
	// the expected one, and the requester repeats the missing packets alone. A packet
	// that comes ahead is a sign of loss, so Selective is for networks that keep the
	// order of a flow. The timeout finds lost responses of a READ.
	Selective
	// OutOfOrder takes packets in any order, for adaptive routing and spraying. Payload
	// is placed as it comes, tracked in a bitmap and acknowledged cumulatively. A gap is
	// no error and draws no NAK: the timeout finds losses. The receive of a SEND is not
	// known before its turn, so only lengths of SENDs may be moved like this.
	OutOfOrder
	// WriteOnly is OutOfOrder with WRITEs whose packets are messages of their own. The
	// requester holds back all packets that the network must keep in order (writeonly.go).
	WriteOnly
	// Unordered is the reliable unordered delivery of Ultra Ethernet (unordered.go). It
	// needs EntropyValues and a congestion control with a window, and has WRITEs and
	// SENDs only, whose receives are always there. Its Marks are MarksAcked.
	Unordered
	numDeliveries
)

// anyOrder reports whether packets are accepted in any order.
func (d Delivery) anyOrder() bool { return d >= SelectiveHeld }

// placesAhead reports whether the responder itself accepts requests in any order.
func (d Delivery) placesAhead() bool { return d >= Selective }

// selective reports whether the responder reports packets that come ahead.
func (d Delivery) selective() bool { return d == SelectiveHeld || d == Selective }

// Fence is what waits, in delivery WriteOnly, for the acknowledgement of the WRITEs before a SEND or
// before immediate data.
type Fence uint8

// The fences.
const (
	FenceQueue   Fence = iota // it, and all work posted behind it
	FenceMessage              // it alone: WRITEs posted behind it go first
	FenceNone                 // nothing: the responder alone keeps the order
	numFences
)

// Duplicates is a responder's answer to duplicate requests.
type Duplicates uint8

// The answers to duplicates.
const (
	DuplicatesCounted Duplicates = iota // each counts for AckEvery, as a new request does
	DuplicatesAcked                     // each is acknowledged, as Linux does
	DuplicatesDropped                   // a duplicate is acknowledged only if it requests it
	numDuplicates
)

// Marks is a responder's answer to a congestion mark.
type Marks uint8

// The answers to marks.
const (
	// MarksNotified sends a CNP.
	MarksNotified Marks = iota
	// MarksEchoed sets FlagCNP in the next acknowledgement of RC: BECN on InfiniBand's
	// ACK, and a peculiarity of the HPCC ns-3 model. Marks of UC and of read responses
	// draw a CNP.
	MarksEchoed
	// MarksAcked is MarksEchoed, and acknowledges a marked request at once: the mark does
	// not wait for AckEvery packets. Linux's hfi1 does so.
	MarksAcked
	numMarks
)
