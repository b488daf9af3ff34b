package verbs

import (
	"fmt"
	"strings"
)

// Names as in verbs.h.

// named is the name of a value, or its type and number.
func named[T interface {
	comparable
	~uint8
}](v T, names map[T]string) string {
	if name, ok := names[v]; ok {
		return name
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", v), "verbs.")
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}

// flags are the names of the bits of a value.
func flags[T ~uint8](v T, names []string) string {
	var set []string
	for i := range 8 {
		switch {
		case v&(1<<i) == 0:
		case i < len(names) && names[i] != "":
			set = append(set, names[i])
		default:
			set = append(set, fmt.Sprintf("%#x", 1<<i))
		}
	}
	if set == nil {
		return "0"
	}
	return strings.Join(set, "|")
}

var opcodeNames = map[Opcode]string{
	RDMAWrite: "IBV_WR_RDMA_WRITE", RDMAWriteWithImm: "IBV_WR_RDMA_WRITE_WITH_IMM", Send: "IBV_WR_SEND", SendWithImm: "IBV_WR_SEND_WITH_IMM",
	RDMARead: "IBV_WR_RDMA_READ", AtomicCmpAndSwp: "IBV_WR_ATOMIC_CMP_AND_SWP", AtomicFetchAndAdd: "IBV_WR_ATOMIC_FETCH_AND_ADD",
	LocalInv: "IBV_WR_LOCAL_INV", BindMW: "IBV_WR_BIND_MW", SendWithInv: "IBV_WR_SEND_WITH_INV",
}

func (o Opcode) String() string { return named(o, opcodeNames) }

var wcOpcodeNames = map[WCOpcode]string{
	WCSend: "IBV_WC_SEND", WCRDMAWrite: "IBV_WC_RDMA_WRITE", WCRDMARead: "IBV_WC_RDMA_READ", WCCompSwap: "IBV_WC_COMP_SWAP",
	WCFetchAdd: "IBV_WC_FETCH_ADD", WCBindMW: "IBV_WC_BIND_MW", WCLocalInv: "IBV_WC_LOCAL_INV", WCRecv: "IBV_WC_RECV",
	WCRecvRDMAWithImm: "IBV_WC_RECV_RDMA_WITH_IMM",
}

func (o WCOpcode) String() string { return named(o, wcOpcodeNames) }

var eventNames = map[EventType]string{
	EventCQErr: "IBV_EVENT_CQ_ERR", EventQPFatal: "IBV_EVENT_QP_FATAL", EventQPAccessErr: "IBV_EVENT_QP_ACCESS_ERR",
	EventSRQLimitReached: "IBV_EVENT_SRQ_LIMIT_REACHED", EventPortActive: "IBV_EVENT_PORT_ACTIVE", EventPortErr: "IBV_EVENT_PORT_ERR",
	EventDeviceFatal: "IBV_EVENT_DEVICE_FATAL",
}

func (e EventType) String() string { return named(e, eventNames) }

func (t MWType) String() string {
	return named(t, map[MWType]string{MWType1: "IBV_MW_TYPE_1", MWType2: "IBV_MW_TYPE_2"})
}

func (f SendFlags) String() string {
	return flags(f, []string{"IBV_SEND_FENCE", "IBV_SEND_SIGNALED", "IBV_SEND_SOLICITED", "IBV_SEND_INLINE"})
}

func (f WCFlags) String() string {
	return flags(f, []string{"IBV_WC_GRH", "IBV_WC_WITH_IMM", "", "IBV_WC_WITH_INV"})
}

func (a Access) String() string {
	return flags(a, []string{
		"IBV_ACCESS_LOCAL_WRITE", "IBV_ACCESS_REMOTE_WRITE", "IBV_ACCESS_REMOTE_READ", "IBV_ACCESS_REMOTE_ATOMIC", "IBV_ACCESS_MW_BIND",
		"IBV_ACCESS_ZERO_BASED",
	})
}
