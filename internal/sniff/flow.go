package sniff

import (
	"net/netip"

	"weft/units"
	"weft/wire"
)

// Flow is what one host sends to one queue pair of another: requests, and
// responses to the requests of the flow that goes the other way.
type Flow struct {
	Src, Dst netip.Addr
	QP       units.QPN // at Dst
	PeerQP   units.QPN // at Src, once Paired
	Paired   bool

	Packets, Payload int64 // payload in bytes
	FirstNs, LastNs  int64
	Requests         int64 // packets of requests
	Repeated         int64 // bytes of payload that were sent again
	Counts           Counts

	started bool
	first   units.PSN // of the first request seen
	next    units.PSN // expected of the next request
	open    bool      // next is a lower bound: a READ's length in packets is not known
	mtu     int       // 0 until a packet of several shows it

	readStarted bool
	readNext    units.PSN // expected of the next READ response
}

// pathMTUs are the sizes that a path MTU can have (IBA vol. 1, 9.2).
var pathMTUs = [...]int{256, 512, 1024, 2048, 4096}

func (f *Flow) count(e *Event) {
	if f.Packets == 0 {
		f.FirstNs = e.TimeNs
	}
	f.LastNs = e.TimeNs
	f.Packets++
	p := &e.Packet.Packet
	f.Payload += int64(len(p.Payload))
	if e.Anomaly&Retransmission != 0 {
		f.Repeated += int64(len(p.Payload))
	}
	f.Counts.add(e.Anomaly)
}

// request judges a request by its PSN.
func (f *Flow) request(e *Event) {
	p := &e.Packet.Packet
	f.Requests++
	f.learnMTU(p)
	psn := p.BTH.PSN
	if !f.started {
		f.started, f.first, f.next = true, psn, psn
	}
	switch ahead := psn.Sub(f.next); {
	case ahead < 0:
		e.Anomaly |= Retransmission
		e.Missing = int(-ahead)
		return
	case ahead > 0 && !f.open:
		e.Anomaly |= Gap
		e.Missing = int(ahead)
	}
	f.open = false
	f.next = psn.Add(1)
	if p.BTH.Opcode == wire.RCReadRequest {
		f.expectRead(p)
	}
}

// expectRead moves on by the PSNs that a READ's response takes.
func (f *Flow) expectRead(p *wire.Packet) {
	switch {
	case f.mtu > 0:
		f.next = p.BTH.PSN.Add(int32(max(1, (int64(p.RETH.Length)+int64(f.mtu)-1)/int64(f.mtu))))
	case p.RETH.Length > uint32(pathMTUs[0]):
		f.open = true // any number of packets, until the MTU is known
	}
}

// learnMTU reads the path MTU off a packet that is not its message's last.
func (f *Flow) learnMTU(p *wire.Packet) {
	if f.mtu != 0 || p.BTH.Opcode.Last() || !p.BTH.Opcode.HasPayload() {
		return
	}
	for _, m := range pathMTUs {
		if len(p.Payload) == m {
			f.mtu = m
		}
	}
}

// recent reports whether a PSN is one of the last requests of the flow.
func (f *Flow) recent(psn units.PSN) bool {
	if psn.Before(f.first) {
		return false
	}
	return f.open || psn.Before(f.next)
}

// response judges an acknowledgement or a READ response, and learns from it
// which flow it answers.
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
	if !f.Paired {
		if of := t.answered(e); of != nil {
			t.pair(f, of)
		}
	}
	of := t.flows[flowKey{hosts{e.Dst, e.Src}, f.PeerQP}]
	if !f.Paired || of == nil || !readResponse(p.BTH.Opcode) {
		return
	}
	of.learnMTU(p)
	f.readResponse(e)
}

func readResponse(op wire.Opcode) bool {
	return op >= wire.RCReadResponseFirst && op <= wire.RCReadResponseOnly
}

// readResponse judges the order of the packets of READ responses.
func (f *Flow) readResponse(e *Event) {
	psn := e.Packet.Packet.BTH.PSN
	if f.readStarted && psn.Before(f.readNext) {
		e.Anomaly |= DuplicateRead
		return
	}
	f.readStarted, f.readNext = true, psn.Add(1)
}
