package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"weft/internal/sniff"
	"weft/wire"
)

// sniffJSON prints one object; its packets are written as they come.
type sniffJSON struct {
	w    io.Writer
	some bool
}

type sniffPacket struct {
	Packet    int64    `json:"packet"`
	TimeNs    int64    `json:"time_ns"`
	Src       string   `json:"src"`
	Dst       string   `json:"dst"`
	QP        uint32   `json:"dest_qp"`
	Opcode    string   `json:"opcode,omitempty"`
	PSN       uint32   `json:"psn"`
	Payload   int      `json:"payload_bytes"`
	Syndrome  string   `json:"syndrome,omitempty"`
	Anomalies []string `json:"anomalies,omitempty"`
	Missing   int      `json:"psns_skipped_or_repeated,omitempty"`
	Error     string   `json:"error,omitempty"`
}

type sniffFlow struct {
	Src      string           `json:"src"`
	Dst      string           `json:"dst"`
	QP       uint32           `json:"dest_qp"`
	PeerQP   *uint32          `json:"src_qp"` // null where it is not known
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
	if e.Err != nil {
		p.Error = e.Err.Error()
	} else {
		in := &e.Packet.Packet
		p.QP, p.PSN, p.Opcode, p.Payload = uint32(in.BTH.DestQP), uint32(in.BTH.PSN), in.BTH.Opcode.String(), len(in.Payload)
		if in.BTH.Opcode.Headers().Has(wire.AETH) {
			p.Syndrome = in.AETH.Syndrome.String()
		}
	}
	open := ",\n  "
	if !s.some {
		open, s.some = "{\n \"packets\": [\n  ", true
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.w, "%s%s", open, text)
	return err
}

func (s *sniffJSON) finish(t *sniff.Tracker, cut error) error {
	end := "\n ],\n"
	if !s.some {
		end = "{\n \"packets\": [],\n"
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
	_, err = fmt.Fprintf(s.w, "%s \"flows\": %s,\n \"found\": %s,\n \"roce_packets\": %d,\n \"other_packets\": %d,\n \"complete\": %v\n}\n",
		end, text, all, t.Packets, t.Other, cut == nil)
	return err
}

func anomaliesFound(c *sniff.Counts) map[string]int64 {
	m := map[string]int64{}
	c.Each(func(one, _ string, n int64) { m[one] = n })
	return m
}
