package sniff

import (
	"net/netip"

	"weft/units"
	"weft/wire"
)

// Flow is the packets of one host to one queue pair of another: requests, and responses to requests
// of the opposite flow.
type Flow struct {
	Src      netip.Addr `json:"src"`
	Dst      netip.Addr `json:"dst"`
	QP       units.QPN  `json:"dest_qp"`         // at Dst
	PeerQP   *units.QPN `json:"src_qp"`          // at Src; nil if it is unknown
	Packets  int64      `json:"packets"`         // requests and responses
	Requests int64      `json:"request_packets"` // requests alone
	Payload  int64      `json:"payload_bytes"`
	Repeated int64      `json:"repeated_bytes"` // payload sent again
	FirstNs  int64      `json:"first_ns"`       // since 1970
	LastNs   int64      `json:"last_ns"`
	Counts   Counts     `json:"found"`

	sent   sequence  // requests
	first  units.PSN // of the first request seen
	open   bool      // sent.next is a lower bound: a READ's length in packets is not known
	mtu    int       // 0 until a message of several packets shows it
	inside bool      // UC: between the packets of one message

	read sequence // READ responses
}

// pathMTUs are the sizes that a path MTU can have (IBA vol. 1, 9.2).
var pathMTUs = [...]int{256, 512, 1024, 2048, 4096}

func (f *Flow) count(e *Event) {
	if f.Packets == 0 {
		f.FirstNs = e.TimeNs
	}
	f.LastNs = e.TimeNs
	f.Packets++
	f.Payload += int64(e.Payload)
	if e.Anomaly&(Retransmission|DuplicateRead) != 0 {
		f.Repeated += int64(e.Payload)
	}
	f.Counts.add(e)
}

// request judges a request by its PSN.
func (f *Flow) request(e *Event) {
	p := &e.Packet.Packet
	f.Requests++
	f.learnMTU(p, e.Payload)
	s, psn := &f.sent, p.BTH.PSN
	fresh := !s.started
	if fresh {
		s.started, f.first, s.next = true, psn, psn
	}
	ahead := psn.Sub(s.next)
	switch {
	case ahead < 0:
		what, whole := s.behind(psn, e.TimeNs)
		e.Anomaly |= what
		e.filled, e.Missing = whole, int(-ahead)
		return
	case ahead > 0 && !f.open:
		e.Anomaly |= Gap
		e.Missing = int(ahead)
		s.skip(psn, e.TimeNs)
	}
	if p.BTH.Opcode.Service() == wire.ServiceUC {
		f.message(e, fresh)
	}
	f.open, s.back = false, false
	s.next = psn.Add(1)
	if p.BTH.Opcode == wire.RCReadRequest {
		f.expectRead(p)
	}
}

// message judges whether the packets of a UC message are whole. The responder drops a
// message without one of its packets, and nobody sends it again (IBA vol. 1, 9.8.2).
func (f *Flow) message(e *Event, fresh bool) {
	op := e.Packet.Packet.BTH.Opcode
	if e.Anomaly&Gap != 0 || f.inside == op.First() && !fresh {
		e.Anomaly |= LostMessage
	}
	f.inside = !op.Last()
}

// expectRead advances by the PSNs of a READ's response.
func (f *Flow) expectRead(p *wire.Packet) {
	switch {
	case f.mtu > 0:
		f.sent.next = p.BTH.PSN.Add(int32(max(1, (int64(p.RETH.Length)+int64(f.mtu)-1)/int64(f.mtu))))
	case p.RETH.Length > uint32(pathMTUs[0]):
		f.open = true // any number of packets, until the MTU is known
	}
}

// learnMTU takes the path MTU from a packet that is not its message's last.
func (f *Flow) learnMTU(p *wire.Packet, payload int) {
	if f.mtu != 0 || p.BTH.Opcode.Last() || !p.BTH.Opcode.HasPayload() {
		return
	}
	for _, m := range pathMTUs {
		if payload == m {
			f.mtu = m
		}
	}
}

// recent reports whether a PSN is one of the last requests of the flow.
func (f *Flow) recent(psn units.PSN) bool {
	if psn.Before(f.first) {
		return false
	}
	return f.open || psn.Before(f.sent.next)
}

// response judges an acknowledgement or a READ response, and learns which flow it answers.
func (f *Flow) response(t *Tracker, e *Event) {
	p := &e.Packet.Packet
	if p.BTH.Opcode.Headers().Has(wire.AETH) {
		switch p.AETH.Syndrome.Kind() {
		case wire.SyndromeNAK:
			e.Anomaly |= NAK
		case wire.SyndromeRNR:
			e.Anomaly |= RNR
		}
	}
	if f.PeerQP == nil {
		if of := t.answered(e); of != nil {
			t.pair(f, of)
		}
	}
	if f.PeerQP == nil {
		return
	}
	of := t.flows[flowKey{hosts{e.Dst, e.Src}, *f.PeerQP}]
	if of == nil {
		return
	}
	if e.Anomaly&(NAK|RNR) != 0 {
		of.sent.refuse(p.BTH.PSN)
	}
	if readResponse(p.BTH.Opcode) {
		of.learnMTU(p, e.Payload)
		f.readResponse(e)
	}
}

func readResponse(op wire.Opcode) bool {
	return op >= wire.RCReadResponseFirst && op <= wire.RCReadResponseOnly
}

// readResponse judges the order of READ response packets. PSNs of other requests may be missing
// between two responses.
func (f *Flow) readResponse(e *Event) {
	op, psn, s := e.Packet.Packet.BTH.Opcode, e.Packet.Packet.BTH.PSN, &f.read
	if ahead := psn.Sub(s.next); s.started && ahead < 0 {
		what, whole := s.behind(psn, e.TimeNs)
		if what == Retransmission {
			what = DuplicateRead
		}
		e.Anomaly |= what
		e.filled, e.Missing = whole, int(-ahead)
		return
	} else if s.started && ahead > 0 && !op.First() {
		e.Anomaly |= Gap
		e.Missing = int(ahead)
		s.skip(psn, e.TimeNs)
	}
	s.started, s.back, s.next = true, false, psn.Add(1)
}
