package sniff

import (
	"errors"
	"net/netip"
	"slices"

	"weft/units"
	"weft/wire"
	"weft/wire/pcap"
)

// Event is one packet, decoded and judged.
type Event struct {
	TimeNs   int64 // since 1970
	Src, Dst netip.Addr
	Packet   *wire.RoCEv2 // valid until the next packet
	// Payload is its bytes on the wire. Where the capture kept only the first bytes of the
	// packet, Cut is set, Packet has fewer, and the ICRC is not known.
	Payload int
	Cut     bool
	Manager *Message // of the connection manager, nil for other packets
	Err     error    // of a malformed one
	Anomaly Anomaly
	// Missing is the number of PSNs that a gap skips, or by which a
	// retransmission goes back.
	Missing int
	Flow    *Flow // nil where the packet is not followed

	tunnelMarked bool
	filled       bool // the packet is the last of a gap in which nothing was lost
}

// Tracker takes packets in the order of their capture.
type Tracker struct {
	flows map[flowKey]*Flow
	order []*Flow
	// between lists the flows of RC from one host to another whose other
	// direction is not known yet, to find the one that a response belongs to.
	between map[hosts][]*Flow

	packet wire.RoCEv2

	Other      int64 // packets that do not go to port 4791
	Packets    int64
	Cut        int64 // packets of which only the first bytes were captured
	Unfollowed int64 // packets to flows beyond the bound
	Counts     Counts
}

type hosts struct{ src, dst netip.Addr }

type flowKey struct {
	hosts
	qp units.QPN
}

// NewTracker makes a tracker that has seen nothing.
func NewTracker() *Tracker {
	return &Tracker{flows: map[flowKey]*Flow{}, between: map[hosts][]*Flow{}}
}

// Flows are all flows in the order of their first packets.
func (t *Tracker) Flows() []*Flow { return t.order }

// Take judges a captured packet. ok is false for one that is not RoCE v2.
func (t *Tracker) Take(p *pcap.Packet) (e Event, ok bool) {
	ip, marked, ok := findRoCE(p)
	if !ok {
		t.Other++
		return Event{}, false
	}
	t.Packets++
	r := &t.packet
	e = Event{TimeNs: p.TimeNs, Packet: r, Cut: len(p.Data) < p.Length, tunnelMarked: marked}
	err := e.parse(ip)
	if e.Cut {
		t.Cut++
	}
	if r.IPv6 {
		e.Src, e.Dst = r.V6.Addrs()
	} else {
		e.Src, e.Dst = r.V4.Addrs()
	}
	switch {
	case errors.Is(err, wire.ErrICRC):
		e.Anomaly |= BadICRC
	case err != nil:
		e.Err, e.Anomaly = err, Malformed
	default:
		t.follow(&e)
	}
	t.Counts.add(&e)
	if e.Flow != nil {
		e.Flow.count(&e)
	}
	return e, true
}

// parse reads the packet, as much of it as was captured.
func (e *Event) parse(ip []byte) (err error) {
	if e.Cut {
		e.Payload, err = e.Packet.ParseCut(ip)
		return err
	}
	err = e.Packet.Parse(ip)
	e.Payload = len(e.Packet.Packet.Payload)
	return err
}

// follow finds the flow of a sound packet and judges it there.
func (t *Tracker) follow(e *Event) {
	r := e.Packet
	ecn := r.V4.TOS
	if r.IPv6 {
		ecn = r.V6.TrafficClass
	}
	if ecn&3 == 3 || e.tunnelMarked {
		e.Anomaly |= Marked
	}
	op := r.Packet.BTH.Opcode
	if op == wire.CNP {
		e.Anomaly |= CNP
	}
	if m, ok := message(&r.Packet); ok {
		e.Manager = &m
		if m.refused() {
			e.Anomaly |= Rejected
		}
	}
	if e.Flow = t.flow(e); e.Flow == nil {
		t.Unfollowed++
		return
	}
	switch {
	case op.Response():
		e.Flow.response(t, e)
	case op.Service() == wire.ServiceRC || op.Service() == wire.ServiceUC:
		e.Flow.request(e)
	case op.Headers().Has(wire.DETH):
		e.Flow.PeerQP, e.Flow.Paired = r.Packet.DETH.SrcQP, true
	}
}

// flow is the flow that a packet belongs to, a new one if there is room.
func (t *Tracker) flow(e *Event) *Flow {
	qp := e.Packet.Packet.BTH.DestQP
	key := flowKey{hosts{e.Src, e.Dst}, qp}
	if f := t.flows[key]; f != nil {
		return f
	}
	if len(t.flows) >= maxFlows {
		return nil
	}
	f := &Flow{Src: e.Src, Dst: e.Dst, QP: qp}
	t.flows[key] = f
	t.order = append(t.order, f)
	if op := e.Packet.Packet.BTH.Opcode; op.Service() == wire.ServiceRC && len(t.between[key.hosts]) < maxUnpaired {
		t.between[key.hosts] = append(t.between[key.hosts], f)
	}
	return f
}

// answered is the flow in the other direction that a response's PSN lies in;
// nil where none or several could be meant.
func (t *Tracker) answered(e *Event) *Flow {
	psn := e.Packet.Packet.BTH.PSN
	var found *Flow
	for _, f := range t.between[hosts{e.Dst, e.Src}] {
		if !f.sent.started || !f.recent(psn) {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	return found
}

// pair notes that two flows are the directions of one conversation.
func (t *Tracker) pair(a, b *Flow) {
	a.PeerQP, a.Paired = b.QP, true
	b.PeerQP, b.Paired = a.QP, true
	for _, f := range []*Flow{a, b} {
		h := hosts{f.Src, f.Dst}
		t.between[h] = slices.DeleteFunc(t.between[h], func(g *Flow) bool { return g == f })
	}
}
