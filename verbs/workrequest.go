package verbs

import "weft/internal/sim/transport"

// Opcode is the operation of a send, with the numbers of ibv_wr_opcode.
type Opcode uint8

// The operations.
const (
	RDMAWrite Opcode = iota
	RDMAWriteWithImm
	Send
	SendWithImm
	RDMARead
	AtomicCmpAndSwp
	AtomicFetchAndAdd
	LocalInv // invalidates InvalidateRKey, the key of a type 2 window of the queue pair
	BindMW   // binds a type 2 window
	SendWithInv
)

var opcodeNames = map[Opcode]string{
	RDMAWrite: "IBV_WR_RDMA_WRITE", RDMAWriteWithImm: "IBV_WR_RDMA_WRITE_WITH_IMM",
	Send: "IBV_WR_SEND", SendWithImm: "IBV_WR_SEND_WITH_IMM",
	RDMARead: "IBV_WR_RDMA_READ", AtomicCmpAndSwp: "IBV_WR_ATOMIC_CMP_AND_SWP",
	AtomicFetchAndAdd: "IBV_WR_ATOMIC_FETCH_AND_ADD",
	LocalInv:          "IBV_WR_LOCAL_INV", BindMW: "IBV_WR_BIND_MW",
	SendWithInv: "IBV_WR_SEND_WITH_INV",
}

func (o Opcode) String() string { return named(o, opcodeNames) }

// operations maps each operation to the transport's, and to its completion.
var operations = map[Opcode]struct {
	op transport.Op
	wc WCOpcode
}{
	RDMAWrite:         {transport.OpWrite, WCRDMAWrite},
	RDMAWriteWithImm:  {transport.OpWriteImm, WCRDMAWrite},
	Send:              {transport.OpSend, WCSend},
	SendWithImm:       {transport.OpSendImm, WCSend},
	RDMARead:          {transport.OpRead, WCRDMARead},
	AtomicCmpAndSwp:   {transport.OpCmpSwap, WCCompSwap},
	AtomicFetchAndAdd: {transport.OpFetchAdd, WCFetchAdd},
	LocalInv:          {transport.OpLocalInv, WCLocalInv},
	BindMW:            {transport.OpBindMW, WCBindMW},
	SendWithInv:       {transport.OpSendInv, WCSend},
}

// SendFlags are properties of a send, with the numbers of ibv_send_flags.
type SendFlags uint8

// The flags.
const (
	SendFence     SendFlags = 1 << iota // waits for the earlier READs and atomics
	SendSignaled                        // completes on success, too; without it only a failure does
	SendSolicited                       // raises a solicited event at the peer
	SendInline                          // the data is copied at posting
)

func (f SendFlags) String() string {
	return flags(f, []string{
		"IBV_SEND_FENCE", "IBV_SEND_SIGNALED", "IBV_SEND_SOLICITED",
		"IBV_SEND_INLINE",
	})
}

// SendWR is a work request of a send queue.
type SendWR struct {
	WRID    uint64
	Opcode  Opcode
	Flags   SendFlags
	SGL     []SGE
	Inline  []byte // with SendInline, instead of SGL
	ImmData uint32
	// InvalidateRKey is the key that SendWithInv invalidates at the peer, and LocalInv at this end:
	// of a type 2 window bound to the queue pair.
	InvalidateRKey uint32
	Bind           *BindWR // BindMW

	RemoteAddr uint64 // WRITE, READ and atomics
	RKey       uint32
	// Add is the summand of FETCH_ADD, and the value that CMP_SWAP compares with, as in the verbs.
	CompareAdd uint64
	Swap       uint64

	AH      *AH // UD
	DestQPN QPN // UD
	// RemoteSRQ is the number of the peer's shared receive queue that an XRC message is for, and whose
	// protection domain has the memory.
	RemoteSRQ uint32
	// likewise; with the highest bit set, the queue pair's own Q_Key is sent (IBA vol. 1, 10.2.5)
	QKey uint32
}

// ownQKey is the bit of a controlled Q_Key.
const ownQKey = 1 << 31

// RecvWR is a work request of a receive queue.
type RecvWR struct {
	WRID uint64
	SGL  []SGE
}
