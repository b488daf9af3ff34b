package verbs

import (
	"net/netip"
	"strings"

	"weft/internal/sim/transport"
	"weft/units"
)

// QPType is the transport service of a queue pair.
type QPType uint8

// The services.
const (
	RC      QPType = iota // reliable connection
	UC                    // unreliable connection
	UD                    // unreliable datagram
	XRCSend               // extended reliable connection, the end that sends: see XRCD
	XRCRecv               // and the end that receives
)

func (t QPType) String() string {
	return [...]string{
		RC: "RC", UC: "UC", UD: "UD", XRCSend: "XRC, sending", XRCRecv: "XRC, receiving",
	}[t]
}

func (t QPType) service() transport.Service {
	return [...]transport.Service{
		RC: transport.RC, UC: transport.UC, UD: transport.UD,
		XRCSend: transport.RC, XRCRecv: transport.RC,
	}[t]
}

// QPState is the state of a queue pair (IBA vol. 1, 10.3.1).
type QPState uint8

// The states, with the numbers of ibv_qp_state.
const (
	StateReset QPState = iota
	StateInit
	StateRTR
	StateRTS
	StateSQD
	StateSQE
	StateErr
)

func (s QPState) String() string { return transport.State(s).String() }

// QPAttr are the attributes of a queue pair; a QPAttrMask selects the valid ones
// (ibv_modify_qp(3)).
type QPAttr struct {
	State           QPState
	Access          Access // the peer's rights
	QKey            uint32 // UD
	PathMTU         int
	Dest            netip.AddrPort // the peer's device; port 0 is 4791
	DestQPN         QPN
	RQPSN           units.PSN // of the peer's first request
	SQPSN           units.PSN // of the own first request
	MaxRdAtomic     int       // READs and atomics outstanding as a requester
	MaxDestRdAtomic int       // READs and atomics served as a responder
	MinRNRTimer     uint8     // code of the time that peers must wait, 0 to 31
	Timeout         uint8     // 4.096 us times 2^Timeout; 0 is for ever
	RetryCnt        uint8     // 0 to 7
	RNRRetry        uint8     // 0 to 7; 7 is for ever
	// SelectiveRepeat says that the peer, too, is weft with this attribute set: both then use
	// selective repeat. The connection manager agrees on it by itself.
	SelectiveRepeat bool
}

// QPAttrMask selects attributes.
type QPAttrMask uint32

// The attributes.
const (
	AttrState QPAttrMask = 1 << iota
	AttrAccess
	AttrQKey
	AttrPathMTU
	AttrAV // Dest
	AttrDestQPN
	AttrRQPSN
	AttrSQPSN
	AttrMaxRdAtomic
	AttrMaxDestRdAtomic
	AttrMinRNRTimer
	AttrTimeout
	AttrRetryCnt
	AttrRNRRetry
	AttrSelectiveRepeat // optional, to RTR of RC
)

var attrNames = []string{
	"State", "Access", "QKey", "PathMTU", "AV", "DestQPN", "RQPSN", "SQPSN", "MaxRdAtomic",
	"MaxDestRdAtomic", "MinRNRTimer", "Timeout", "RetryCnt", "RNRRetry",
	"SelectiveRepeat",
}

func (m QPAttrMask) String() string {
	var names []string
	for i, name := range attrNames {
		if m&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// needs are the required and the optional attributes of each transition (ibv_modify_qp(3), the
// tables of the services). Each end of XRC takes what is of the other, too, as in the kernel.
var needs = map[QPState][6]struct{ must, may QPAttrMask }{
	StateInit: {
		RC: {must: AttrState | AttrAccess},
		UC: {must: AttrState | AttrAccess},
		UD: {must: AttrState | AttrQKey},

		XRCSend: {must: AttrState | AttrAccess},
		XRCRecv: {must: AttrState | AttrAccess},
	},
	StateRTR: {
		RC: {
			AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN |
				AttrMaxDestRdAtomic | AttrMinRNRTimer,
			AttrAccess | AttrSelectiveRepeat,
		},
		UC: {AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN, AttrAccess},
		UD: {AttrState, AttrQKey},

		XRCSend: {
			AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN,
			AttrAccess | AttrMaxDestRdAtomic | AttrMinRNRTimer,
		},
		XRCRecv: {
			AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN |
				AttrMaxDestRdAtomic | AttrMinRNRTimer,
			AttrAccess,
		},
	},
	StateRTS: {
		RC: {
			AttrState | AttrSQPSN | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry | AttrTimeout,
			AttrAccess | AttrMinRNRTimer,
		},
		UC: {AttrState | AttrSQPSN, AttrAccess},
		UD: {AttrState | AttrSQPSN, AttrQKey},

		XRCSend: {
			AttrState | AttrSQPSN | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry | AttrTimeout,
			AttrAccess | AttrMinRNRTimer,
		},
		XRCRecv: {
			AttrState | AttrSQPSN | AttrTimeout,
			AttrAccess | AttrMinRNRTimer | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry,
		},
	},
}
