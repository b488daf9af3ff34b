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
	// Payload is the length of the payload on the wire, in bytes. If the capture kept only the
	// first bytes of the packet, Cut is set, Packet has fewer bytes, and the ICRC is unknown.
	Payload int
	Cut     bool
	Manager *Message // of the connection manager, nil for other packets
	Err     error    // of a malformed packet
	Anomaly Anomaly
	// Missing is the number of PSNs that a gap skips, or the number that a retransmission goes
	// back.
	Missing int
	Flow    *Flow // nil if the packet is not followed

	tunnelMarked bool
	filled       bool // the packet is the last of a gap without loss
}

// Tracker takes packets in the order of their capture.
type Tracker struct {
	flows map[flowKey]*Flow
	order []*Flow
	// between lists the RC flows from one host to another whose other direction is unknown. A
	// response's flow is sought there.
	between map[hosts][]*Flow

	packet wire.RoCEv2

	Other      int64             // packets that are not RoCE v2
	Foreign    [numForeign]int64 // of them, by their kind
	Packets    int64
	Cut        int64 // packets captured with their first bytes only
	Missed     int64 // packets that the capture itself has lost, if it knows
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
	return &Tracker{flows: map[flowKey]*Flow{}, order: []*Flow{}, between: map[hosts][]*Flow{}}
}

// Flows are all flows in the order of their first packets. Without a flow the list is empty, not
// nil: JSON has [].
func (t *Tracker) Flows() []*Flow { return t.order }

// Take judges a captured packet. ok is false if it is not RoCE v2.
func (t *Tracker) Take(p *pcap.Packet) (e Event, ok bool) {
	ip, marked, ok := findRoCE(p)
	if !ok {
		t.Other++
		t.Foreign[foreign(p)]++
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

// parse reads the captured part of the packet.
func (e *Event) parse(ip []byte) (err error) {
	if e.Cut {
		e.Payload, err = e.Packet.ParseCut(ip)
		return err
	}
	err = e.Packet.Parse(ip)
	e.Payload = len(e.Packet.Packet.Payload)
	return err
}

// follow finds the flow of a valid packet and judges the packet there.
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
		e.Flow.PeerQP = new(r.Packet.DETH.SrcQP)
	}
}

// flow is the flow of a packet, a new flow if there is room.
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

// answered is the flow in the other direction that contains a response's PSN; nil if none or
// several do.
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

// pair marks two flows as the directions of one conversation.
func (t *Tracker) pair(a, b *Flow) {
	a.PeerQP, b.PeerQP = &b.QP, &a.QP
	for _, f := range []*Flow{a, b} {
		h := hosts{f.Src, f.Dst}
		t.between[h] = slices.DeleteFunc(t.between[h], func(g *Flow) bool { return g == f })
	}
}
