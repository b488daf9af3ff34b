package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"weft/internal/live/sniff"
	"weft/wire"
)

// sniffJSON prints one object; its packets are written one by one.
type sniffJSON struct {
	e    *Env
	w    io.Writer
	some bool
}

type sniffPacket struct {
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

	RETH      *sniffRETH    `json:"reth,omitempty"`
	Atomic    *sniffAtomic  `json:"atomic,omitempty"`
	Original  *uint64       `json:"original,omitempty"` // of an ATOMIC Acknowledge
	Syndrome  string        `json:"syndrome,omitempty"`
	MSN       *uint32       `json:"msn,omitempty"`
	DETH      *sniffDETH    `json:"deth,omitempty"`
	Immediate *uint32       `json:"immediate,omitempty"`
	Invalid   *uint32       `json:"invalidates_rkey,omitempty"`
	Manager   *sniffManager `json:"cm,omitempty"`

	Anomalies []string `json:"anomalies,omitempty"`
	Missing   int      `json:"psns_skipped_or_repeated,omitempty"`
	Error     string   `json:"error,omitempty"`
}

// sniffRETH is the target of a READ or WRITE.
type sniffRETH struct {
	VA     uint64 `json:"va"`
	RKey   uint32 `json:"rkey"`
	Length uint32 `json:"length"`
}

type sniffAtomic struct {
	VA      uint64 `json:"va"`
	RKey    uint32 `json:"rkey"`
	SwapAdd uint64 `json:"swap_or_add"`
	Compare uint64 `json:"compare"`
}

type sniffDETH struct {
	QKey  uint32 `json:"q_key"`
	SrcQP uint32 `json:"src_qp"`
}

// sniffManager is a message of the connection manager.
type sniffManager struct {
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

type sniffFlow struct {
	Src      string           `json:"src"`
	Dst      string           `json:"dst"`
	QP       uint32           `json:"dest_qp"`
	PeerQP   *uint32          `json:"src_qp"` // null if it is unknown
	Packets  int64            `json:"packets"`
	Requests int64            `json:"request_packets"`
	Payload  int64            `json:"payload_bytes"`
	Repeated int64            `json:"repeated_bytes"`
	FirstNs  int64            `json:"first_ns"`
	LastNs   int64            `json:"last_ns"`
	Found    map[string]int64 `json:"found"`
}

func (s *sniffJSON) packet(n int64, e *sniff.Event) error {
	p := sniffPacket{Packet: n, TimeNs: e.TimeNs, Src: e.Src.String(), Dst: e.Dst.String(), Anomalies: e.Anomaly.Names(), Missing: e.Missing}
	p.fields(e)
	open := ",\n  "
	if !s.some {
		open, s.some = "{\n \"version\": 1,\n \"packets\": [\n  ", true
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.w, "%s%s", open, text)
	return err
}

// fields copies the fields of the headers. For a malformed packet it copies only the addresses.
func (p *sniffPacket) fields(e *sniff.Event) {
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
		p.RETH = &sniffRETH{in.RETH.VA, uint32(in.RETH.RKey), in.RETH.Length}
	}
	if h.Has(wire.AtomicETH) {
		p.Atomic = &sniffAtomic{in.Atomic.VA, uint32(in.Atomic.RKey), in.Atomic.SwapAdd, in.Atomic.Compare}
	}
	if h.Has(wire.AETH) {
		msn := in.AETH.MSN
		p.Syndrome, p.MSN = in.AETH.Syndrome.String(), &msn
	}
	if h.Has(wire.AtomicAckETH) {
		p.Original = &in.Original
	}
	if h.Has(wire.DETH) {
		p.DETH = &sniffDETH{in.DETH.QKey, uint32(in.DETH.SrcQP)}
	}
	if h.Has(wire.ImmDt) {
		p.Immediate = &in.Immediate
	}
	if h.Has(wire.IETH) {
		key := uint32(in.Invalid)
		p.Invalid = &key
	}
	if m := e.Manager; m != nil {
		p.Manager = &sniffManager{
			Kind: m.Kind.String(), Transaction: m.Transaction, Local: uint32(m.Local), Remote: uint32(m.Remote),
			QPN: uint32(m.QPN), PSN: uint32(m.PSN), Service: m.Service, Reason: uint16(m.Reason),
		}
		if m.Reason != 0 {
			p.Manager.ReasonText = m.Reason.String()
		}
	}
}

// icrcVerdict is ok, bad or unknown.
func icrcVerdict(e *sniff.Event) string {
	switch {
	case e.Anomaly&sniff.BadICRC != 0:
		return "bad"
	case e.Cut || e.Err != nil:
		return "unknown"
	default:
		return "ok"
	}
}

func (s *sniffJSON) finish(t *sniff.Tracker, cut error) error {
	end := "\n ],\n"
	if !s.some {
		end = "{\n \"version\": 1,\n \"packets\": [],\n"
	}
	flows := make([]sniffFlow, 0, len(t.Flows()))
	for _, f := range t.Flows() {
		one := sniffFlow{
			Src: f.Src.String(), Dst: f.Dst.String(), QP: uint32(f.QP), Packets: f.Packets, Requests: f.Requests,
			Payload: f.Payload, Repeated: f.Repeated, FirstNs: f.FirstNs, LastNs: f.LastNs, Found: anomaliesFound(&f.Counts),
		}
		if f.Paired {
			qp := uint32(f.PeerQP)
			one.PeerQP = &qp
		}
		flows = append(flows, one)
	}
	text, err := json.Marshal(flows)
	if err != nil {
		return err
	}
	all, err := json.Marshal(anomaliesFound(&t.Counts))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.w, end); err != nil {
		return err
	}
	return s.e.rest(fmt.Appendf(nil, "{\n \"flows\": %s,\n \"found\": %s,\n \"roce_packets\": %d,\n \"cut_packets\": %d,\n \"other_packets\": %d,\n \"complete\": %v\n}\n",
		text, all, t.Packets, t.Cut, t.Other, cut == nil))
}

func anomaliesFound(c *sniff.Counts) map[string]int64 {
	m := map[string]int64{}
	c.Each(func(one, _ string, n int64) { m[one] = n })
	return m
}
