package sniff

import "weft/wire"

// PacketRecord is a packet as JSON has it.
type PacketRecord struct {
	Packet    int64  `json:"packet"`
	TimeNs    int64  `json:"time_ns"`
	Src       string `json:"src"`
	Dst       string `json:"dst"`
	QP        uint32 `json:"dest_qp"`
	Opcode    string `json:"opcode,omitempty"`
	PSN       uint32 `json:"psn"`
	Payload   int    `json:"payload_bytes"`
	ICRC      string `json:"icrc"`          // ok, bad, or unknown if the packet is cut or malformed
	Cut       bool   `json:"cut,omitempty"` // only the first bytes were captured
	PKey      uint16 `json:"p_key"`
	AckReq    bool   `json:"ack_req"`
	Solicited bool   `json:"solicited,omitempty"`
	ECN       uint8  `json:"ecn"`
	DSCP      uint8  `json:"dscp"`
	UDPSource uint16 `json:"udp_source_port"`

	RETH      *rethRecord    `json:"reth,omitempty"`
	Atomic    *atomicRecord  `json:"atomic,omitempty"`
	Original  *uint64        `json:"original,omitempty"` // of an ATOMIC Acknowledge
	Syndrome  string         `json:"syndrome,omitempty"`
	MSN       *uint32        `json:"msn,omitempty"`
	DETH      *dethRecord    `json:"deth,omitempty"`
	Immediate *uint32        `json:"immediate,omitempty"`
	Invalid   *uint32        `json:"invalidates_rkey,omitempty"`
	Manager   *messageRecord `json:"cm,omitempty"`

	Anomalies []string `json:"anomalies,omitempty"`
	Missing   int      `json:"psns_skipped_or_repeated,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// rethRecord is the target of a READ or WRITE.
type rethRecord struct {
	VA     uint64 `json:"va"`
	RKey   uint32 `json:"rkey"`
	Length uint32 `json:"length"`
}

type atomicRecord struct {
	VA      uint64 `json:"va"`
	RKey    uint32 `json:"rkey"`
	SwapAdd uint64 `json:"swap_or_add"`
	Compare uint64 `json:"compare"`
}

type dethRecord struct {
	QKey  uint32 `json:"q_key"`
	SrcQP uint32 `json:"src_qp"`
}

// messageRecord is a message of the connection manager.
type messageRecord struct {
	Kind        string `json:"message"` // REQ, REP, REJ ...
	Transaction uint64 `json:"transaction"`
	Local       uint32 `json:"local_id,omitempty"`
	Remote      uint32 `json:"remote_id,omitempty"`
	QPN         uint32 `json:"qpn,omitempty"`
	PSN         uint32 `json:"first_psn,omitempty"`
	Service     uint64 `json:"service,omitempty"`
	Reason      uint16 `json:"reason,omitempty"`
	ReasonText  string `json:"reason_text,omitempty"`
}

// Record is the n-th packet of a capture as JSON has it. The first packet is 1.
func (e *Event) Record(n int64) *PacketRecord {
	p := &PacketRecord{Packet: n, TimeNs: e.TimeNs, Src: e.Src.String(), Dst: e.Dst.String(), Anomalies: e.Anomaly.Names(), Missing: e.Missing}
	p.fields(e)
	return p
}

// fields copies the fields of the headers. For a malformed packet it copies only the addresses.
func (p *PacketRecord) fields(e *Event) {
	r, in := e.Packet, &e.Packet.Packet
	p.ICRC, p.Cut = icrcVerdict(e), e.Cut
	if e.Err != nil {
		p.Error = e.Err.Error()
		return
	}
	class := r.V4.TOS
	if r.IPv6 {
		class = r.V6.TrafficClass
	}
	p.DSCP, p.ECN, p.UDPSource = class>>2, class&3, r.UDP.Src
	p.QP, p.PSN, p.Opcode, p.Payload = uint32(in.BTH.DestQP), uint32(in.BTH.PSN), in.BTH.Opcode.String(), e.Payload
	p.PKey, p.AckReq, p.Solicited = in.BTH.PKey, in.BTH.AckReq, in.BTH.Solicited
	h := in.BTH.Opcode.Headers()
	if h.Has(wire.RETH) {
		p.RETH = &rethRecord{in.RETH.VA, uint32(in.RETH.RKey), in.RETH.Length}
	}
	if h.Has(wire.AtomicETH) {
		p.Atomic = &atomicRecord{in.Atomic.VA, uint32(in.Atomic.RKey), in.Atomic.SwapAdd, in.Atomic.Compare}
	}
	if h.Has(wire.AETH) {
		msn := in.AETH.MSN
		p.Syndrome, p.MSN = in.AETH.Syndrome.String(), &msn
	}
	if h.Has(wire.AtomicAckETH) {
		p.Original = &in.Original
	}
	if h.Has(wire.DETH) {
		p.DETH = &dethRecord{in.DETH.QKey, uint32(in.DETH.SrcQP)}
	}
	if h.Has(wire.ImmDt) {
		p.Immediate = &in.Immediate
	}
	if h.Has(wire.IETH) {
		key := uint32(in.Invalid)
		p.Invalid = &key
	}
	if m := e.Manager; m != nil {
		p.Manager = &messageRecord{
			Kind: m.Kind.String(), Transaction: m.Transaction, Local: uint32(m.Local), Remote: uint32(m.Remote),
			QPN: uint32(m.QPN), PSN: uint32(m.PSN), Service: m.Service, Reason: uint16(m.Reason),
		}
		if m.Reason != 0 {
			p.Manager.ReasonText = m.Reason.String()
		}
	}
}

// icrcVerdict is ok, bad or unknown.
func icrcVerdict(e *Event) string {
	switch {
	case e.Anomaly&BadICRC != 0:
		return "bad"
	case e.Cut || e.Err != nil:
		return "unknown"
	default:
		return "ok"
	}
}
