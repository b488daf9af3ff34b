package socket

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// transmitter gathers packets into datagrams, and datagrams into system calls.
type transmitter struct {
	arena   []byte // headers and trailers of the waiting datagrams
	out     [maxBatch]Outgoing
	n       int // number of waiting datagrams
	last    datagram
	packet  wire.Packet
	next    transport.Packet // filled in by a queue pair
	scratch [][]byte

	waitsFor units.Time // the deadline until which the port's goroutine sleeps
}

// datagram is the state of the last datagram, which may still grow.
type datagram struct {
	peer    *Peer
	part    int // of the queue pairs that it is for: a shared address has a socket for each
	segment int
	bytes   int
	closed  bool // its last packet was shorter, so no packet may follow
	tail    int  // start of the last part in the arena; -1: the last part is payload
}

func (t *transmitter) setUp() {
	t.arena = make([]byte, 0, headArena)
	for i := range t.out {
		t.out[i].Parts = make([][]byte, 0, maxSegments*3)
	}
	t.waitsFor = units.Forever
}

// emit adds a packet of e to peer, with its payload in parts.
func (p *Port) emit(e *Endpoint, peer *Peer, pkt *transport.Packet, parts [][]byte) {
	t := &p.tx
	h := &t.packet
	fillHeaders(h, e, pkt)
	if pkt.Op == wire.RCCompareSwap || pkt.Op == wire.RCFetchAdd {
		h.Atomic.SwapAdd, h.Atomic.Compare = e.Owner.Operands(pkt)
	}
	payload := int(pkt.Length)
	if pkt.Op == wire.RCReadRequest {
		payload = 0
	}
	pad := -payload & 3
	size := h.BTH.Opcode.HeaderBytes() + payload + pad + wire.ICRCBytes
	if cap(t.arena)-len(t.arena) < size-payload+copied {
		p.flush()
	}
	report := e.seen != nil && pkt.Op == wire.RCAcknowledge
	t.last.closed = t.last.closed || report
	part := partOf(pkt.DestQP)
	t.last.closed = t.last.closed || t.last.part != part
	id := p.place(peer, size, len(parts))
	t.last.part = part
	t.last.closed = t.last.closed || pkt.DestQP == GSI // the filter of a shared address reads its message
	if report {                                        // in a datagram of its own
		t.out[t.n-1].Seen, t.last.closed = e.seen, true
	}
	start := len(t.arena)
	arena, _ := h.AppendHeaders(t.arena, payload) // queue pairs use no other opcodes
	crc := checksum{left: peer.way.open() && p.capture == nil}
	crc.begin(&peer.flow, id, wire.UDPBytes+size, arena[start:])
	t.arena = arena
	o := &t.out[t.n-1]
	if payload <= copied {
		at := len(t.arena)
		for _, part := range parts {
			t.arena = append(t.arena, part...)
		}
		crc.add(t.arena[at:])
		t.extend(o)
	} else {
		t.extend(o)
		for _, part := range parts {
			crc.add(part)
			o.Parts = append(o.Parts, part)
		}
		t.last.tail = -1
	}
	at := len(t.arena)
	t.arena = append(t.arena, make([]byte, pad)...)
	crc.add(t.arena[at:])
	t.arena = wire.AppendICRC(t.arena, crc.value)
	if t.last.tail < 0 {
		t.last.tail = at
		o.Parts = append(o.Parts, nil)
	}
	t.extend(o)
	p.stats.PacketsOut++
	p.stats.BytesOut += int64(size)
	if p.capture != nil {
		p.capture.sent(peer.addr, id, t.arena[start:at], parts, payload > copied, t.arena[at:])
	}
}

// extend adds the end of the arena to the datagram's last part.
func (t *transmitter) extend(o *Outgoing) {
	o.Parts[len(o.Parts)-1] = t.arena[t.last.tail:len(t.arena):len(t.arena)]
}

// place makes room for a packet: in the last datagram if it fits there, as one more segment, whose
// position is its identification. The datagram's last part stays open in the arena.
func (p *Port) place(peer *Peer, size, parts int) (id uint16) {
	t := &p.tx
	d := &t.last
	if t.n > 0 {
		o := &t.out[t.n-1]
		if d.peer == peer && !d.closed && size <= d.segment && o.Packets < maxSegments &&
			d.bytes+size <= maxDatagram && len(o.Parts)+parts+2 <= maxParts {
			o.Packets++
			d.bytes += size
			d.closed = size < d.segment
			return p.identification(peer, o.Packets-1)
		}
	}
	if t.n == maxBatch {
		p.flush()
	}
	o := &t.out[t.n]
	t.n++
	*o = Outgoing{To: peer.addr, By: peer.way, Segment: size, Packets: 1, Parts: append(o.Parts[:0], nil)}
	*d = datagram{peer: peer, segment: size, bytes: size, tail: len(t.arena)}
	return 0
}

// identification is the value that Linux writes into the IP header of a segment; IPv6 has no such
// field.
func (p *Port) identification(peer *Peer, segment int) uint16 {
	if !p.alone && peer.addr.Addr().Is4() {
		return uint16(segment)
	}
	return 0
}

// flush passes the waiting datagrams to the socket.
func (p *Port) flush() {
	t := &p.tx
	if t.n == 0 {
		return
	}
	p.fail(p.conn.Send(t.out[:t.n]))
	p.stats.DatagramsOut += int64(t.n)
	for i := range t.n {
		if t.out[i].By.open() {
			p.stats.NearOut++
		}
		clear(t.out[i].Parts) // release deregistered memory
	}
	t.n, t.arena = 0, t.arena[:0]
}

// fillHeaders fills in the wire form of a queue pair's packet, except the operands of atomics.
func fillHeaders(h *wire.Packet, e *Endpoint, pkt *transport.Packet) {
	h.BTH = wire.BTH{
		Opcode: pkt.Op, Solicited: pkt.Flags&transport.FlagSolicited != 0, MigReq: true, PKey: e.PKey,
		BECN: pkt.Flags&transport.FlagCNP != 0, DestQP: pkt.DestQP, AckReq: pkt.Flags&transport.FlagAckReq != 0, PSN: pkt.PSN,
	}
	h.RETH = wire.RETHeader{VA: pkt.VA, RKey: wire.RKey(pkt.RKey), Length: pkt.DMALen}
	h.AETH = wire.AETHeader{Syndrome: pkt.Syndrome, MSN: pkt.MSN}
	if e.Selective && pkt.Op == wire.RCAcknowledge && pkt.Syndrome == wire.NAKSequence {
		h.AETH.MSN = pkt.Imm // the PSN of a packet ahead: see hold.go
	}
	h.Immediate, h.Invalid = pkt.Imm, wire.RKey(pkt.Imm)
	switch pkt.Op {
	case wire.UDSendOnly, wire.UDSendOnlyImm:
		h.DETH = wire.DETHeader{QKey: pkt.RKey, SrcQP: pkt.SrcQP}
	case wire.RCCompareSwap, wire.RCFetchAdd:
		h.Atomic = wire.AtomicETHeader{VA: pkt.VA, RKey: wire.RKey(pkt.RKey)}
	case wire.RCAtomicAcknowledge:
		h.Original = pkt.VA
	}
	if e.RemoteSRQ != nil && pkt.Op != wire.CNP {
		h.BTH.Opcode += wire.XRCOffset
		if !pkt.Op.Response() {
			h.SRQ = e.RemoteSRQ(pkt)
		}
	}
}

// readHeaders converts an arrived packet to the queue pair's form.
func readHeaders(pkt *transport.Packet, h *wire.Packet) {
	*pkt = transport.Packet{
		Op: h.BTH.Opcode, DestQP: h.BTH.DestQP, PSN: h.BTH.PSN, Length: uint32(len(h.Payload)),
	}
	for _, f := range [...]struct {
		set  bool
		flag transport.Flags
	}{
		{h.BTH.Solicited, transport.FlagSolicited},
		{h.BTH.AckReq, transport.FlagAckReq},
		{h.BTH.FECN, transport.FlagCE},
		{h.BTH.BECN, transport.FlagCNP},
	} {
		if f.set {
			pkt.Flags |= f.flag
		}
	}
	has := h.BTH.Opcode.Headers() // h keeps the fields of earlier packets in its other headers
	if has.Has(wire.AETH) {
		pkt.Syndrome, pkt.MSN = h.AETH.Syndrome, h.AETH.MSN
	}
	switch {
	case has.Has(wire.RETH):
		pkt.VA, pkt.RKey, pkt.DMALen = h.RETH.VA, uint32(h.RETH.RKey), h.RETH.Length
	case has.Has(wire.AtomicETH):
		pkt.VA, pkt.RKey = h.Atomic.VA, uint32(h.Atomic.RKey)
	case has.Has(wire.DETH):
		pkt.RKey, pkt.SrcQP = h.DETH.QKey, h.DETH.SrcQP
	}
	switch {
	case has.Has(wire.ImmDt):
		pkt.Imm = h.Immediate
	case has.Has(wire.IETH):
		pkt.Imm = uint32(h.Invalid)
	}
	if h.BTH.Opcode == wire.CNP {
		pkt.Flags |= transport.FlagCNP
	}
}

// packetBytes is the least size of a RoCE packet after its UDP header.
const packetBytes = wire.BTHBytes + wire.ICRCBytes
