package transport

import (
	"errors"
	"strconv"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// Op is the operation of a work request.
type Op uint8

// The operations. SEND and WRITE with immediate data are operations of their
// own, as in the verbs.
const (
	OpSend Op = iota
	OpSendImm
	OpWrite
	OpWriteImm
	OpRead
	OpSendInv
	OpCmpSwap
	OpFetchAdd
	OpBindMW   // local: binds a memory window
	OpLocalInv // local: makes a key stale
	numOps

	opResync = numOps // of an end-to-end context: see resync.go
)

var opNames = [...]string{"SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "READ", "SEND_WITH_INV", "CMP_SWAP", "FETCH_ADD", "BIND_MW", "LOCAL_INV", "RESYNC"}

func (o Op) String() string {
	if o <= opResync {
		return opNames[o]
	}
	return "Op(" + strconv.Itoa(int(o)) + ")"
}

// asks reports whether the responder answers the operation with data, which is its only
// acknowledgement.
func (o Op) asks() bool { return o == OpRead || o.atomic() }

// atomic reports whether the operation is an atomic.
func (o Op) atomic() bool { return o == OpCmpSwap || o == OpFetchAdd }

// hasImm reports whether the operation carries immediate data.
func (o Op) hasImm() bool { return o == OpSendImm || o == OpWriteImm }

// WorkRequest is what an application posts to a send queue.
type WorkRequest struct {
	ID         uint64
	Op         Op
	Solicited  bool
	Unsignaled bool // no completion when it succeeds
	Refused    bool // RD: it ends with LocProtErr in its turn, and sends no packet
	Fence      bool // waits for the READs and atomics before it; a local operation waits for all work before it
	Ordered    bool // a WRITE with immediate data keeps its order in the network (writeonly.go)
	Length     uint32
	Imm        uint32    // immediate data; of SEND_WITH_INV the R_Key to invalidate
	RKey       uint32    // WRITE, READ and atomics
	RemoteVA   uint64    // likewise
	DestQP     units.QPN // UD
	QKey       uint32    // UD
}

// RecvRequest is what an application posts to a receive queue.
type RecvRequest struct {
	ID     uint64
	Length uint32 // room, in bytes
}

// Status is the outcome of a work request, named after ibv_wc_status.
type Status uint8

// The statuses that this transport reports.
const (
	Success Status = iota
	LocLenErr
	LocQPOpErr
	LocProtErr
	WRFlushErr
	BadRespErr
	RemInvReqErr
	RemAccessErr
	RemOpErr
	RetryExcErr
	RNRRetryExcErr
	MWBindErr
	LocRDDViolErr
	RemInvRDReqErr
	InvEECStateErr
	numStatuses
)

var statusNames = [...]string{
	"SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR", "BAD_RESP_ERR",
	"REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "MW_BIND_ERR",
	"LOC_RDD_VIOL_ERR", "REM_INV_RD_REQ_ERR", "INV_EEC_STATE_ERR",
}

func (s Status) String() string {
	if s < numStatuses {
		return statusNames[s]
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// Completion reports a finished work request.
type Completion struct {
	ID     uint64
	QPN    units.QPN
	SrcQP  units.QPN // UD receives: the sender
	Bytes  uint32
	Imm    uint32
	Op     Op // of a receive: the peer's operation
	Status Status
	HasImm bool
	HasInv bool // Imm is the R_Key that the peer has invalidated
	Recv   bool // from the receive queue
}

// Batch is the output of a call. The caller owns it and empties it with Reset once it has sent the
// packets, in order, and delivered the completions, in order. The packets are acknowledgements and
// notifications: they bypass Next and go to the NIC's control queue.
type Batch struct {
	Packets     []Packet
	Completions []Completion
	// Seen is the telemetry of the packet passed to Receive; the caller sets it, nil for none, and
	// sends it back with the acknowledgements that Receive leaves in Packets.
	Seen *cc.Seen
	// Refusals accumulates over all calls; Reset keeps it.
	Refusals Refusals
}

// Reset empties the batch and keeps its memory and its Refusals.
func (b *Batch) Reset() { b.Packets, b.Completions = b.Packets[:0], b.Completions[:0] }

// packet appends an empty packet and returns it, to be filled in place: a copy
// of a value that has just been written in parts would stall the processor.
func (b *Batch) packet() *Packet {
	n := len(b.Packets)
	if n == cap(b.Packets) {
		b.Packets = append(b.Packets, Packet{})
	} else {
		b.Packets = b.Packets[:n+1]
		b.Packets[n] = Packet{}
	}
	return &b.Packets[n]
}

// The reasons why a post is refused.
var (
	ErrQueueFull  = errors.New("transport: the queue is full")
	ErrState      = errors.New("transport: the queue pair's state does not take this")
	ErrOperation  = errors.New("transport: the service does not offer this operation")
	ErrTooLong    = errors.New("transport: the message is longer than the service allows")
	ErrTransition = errors.New("transport: no such state transition")
	ErrConfig     = errors.New("transport: bad configuration")
)

// sendWork is a posted work request with the PSNs that it takes.
type sendWork struct {
	id      uint64
	va      uint64 // UD: the destination queue pair
	length  uint32
	rkey    uint32 // UD: the Q_Key
	imm     uint32
	packets uint32    // PSNs that the message takes
	first   units.PSN `state:"-"` // visited by the queue
	op      Op
	flags   workFlags
	passed  uint16 // PSNs of the WRITEs that were posted behind it and go before it (FenceMessage)
}

type workFlags uint8

const (
	workSolicited workFlags = 1 << iota
	workUnsignaled
	workFence
	workDone   // an executed local operation
	workFailed // a failed one; imm is the status
	workOrdered
)

// flags are the flags of a work request.
func (wr *WorkRequest) flags() (f workFlags) {
	if wr.Solicited {
		f |= workSolicited
	}
	if wr.Unsignaled {
		f |= workUnsignaled
	}
	if wr.Fence {
		f |= workFence
	}
	if wr.Ordered {
		f |= workOrdered
	}
	return f
}

// end is the PSN after the message's last.
func (w *sendWork) end() units.PSN { return w.first.Add(int32(w.packets)) }

// bytesTo is the payload of the message's packets before psn.
func (w *sendWork) bytesTo(psn units.PSN, mtu uint32) uint32 {
	n := uint64(uint32(psn.Sub(w.first))&units.PSNMask) * uint64(mtu)
	return uint32(min(n, uint64(w.length)))
}

// recvWork is a posted receive.
type recvWork struct {
	id     uint64
	length uint32
}
