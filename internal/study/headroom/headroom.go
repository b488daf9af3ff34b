package headroom

import (
	"context"
	"fmt"

	"weft/internal/roce"
	"weft/internal/sim/catalog"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// payload is the size of a full packet without its headers.
const payload = 4096

// Phase is the worst phase of PFC on a link.
type Phase struct {
	PerByte units.PerByte
	Signal  units.Time // through each cable
	NIC     fabric.NIC // class 0 is lossless here and in Switch
	// Switch has its pipeline and its PFC. Its buffer is part of the phase.
	Switch fabric.EthernetSwitch
}

// Drops runs the phase and counts the packets that overran a headroom.
func (p *Phase) Drops(ctx context.Context, headroom units.Bytes) (int64, error) {
	const packets, threshold = 200, 40_000
	sw := p.Switch
	// One threshold for the whole run; it is not a multiple of a packet.
	sw.Shared, sw.AlphaNum, sw.AlphaDen = 64<<20, 1, 64<<20/threshold
	sw.Reserve, sw.Headroom, sw.XonOffset = 0, int32(headroom), 30_000
	flood := &flood{bytes: packets * payload}
	b := &fabric.Builder{Classes: 2, Seed: 1, App: flood, Tables: &routing.Tables{Endpoints: 3, Switches: 1, Port: []uint16{0, 1, 2}}}
	for _, name := range []string{"A", "B", "C"} {
		b.NIC(name, 1, &p.NIC)
	}
	b.EthernetSwitch("switch", 3, 0, fabric.Static, &sw)
	for i, rate := range []units.PerByte{p.PerByte, {Num: 80_000, Den: 1}, p.PerByte} {
		b.Cable(int32(i), 0, 3, int32(i), rate, p.Signal)
	}
	n, err := b.Build(nil)
	if err != nil {
		return 0, err
	}
	lossless, lossy := fabric.Connection{Service: transport.UC}, fabric.Connection{Service: transport.UC, Class: 1}
	if flood.qp, _, err = n.Connect(0, 1, lossless, lossless); err != nil {
		return 0, err
	}
	n.Partition(0).At(1, 0) // C's packets start to leave 1 ps before the switch counts A's
	against, _, err := n.Connect(2, 0, lossy, lossy)
	if err != nil {
		return 0, err
	}
	if err := n.Partition(2).Post(2, against, transport.WorkRequest{Op: transport.OpSend, Length: 20 * packets * payload}); err != nil {
		return 0, err
	}
	stop, release := engine.NewStop(ctx)
	defer release()
	if err := n.Run(units.Second, 1, stop); err != nil {
		return 0, err
	}
	s := n.Stats()
	if s.Pauses == 0 && ctx.Err() == nil {
		return 0, fmt.Errorf("no pause at %v with a headroom of %v", p.PerByte, headroom)
	}
	return s.Dropped[counts.DropHeadroom], ctx.Err()
}

// flood is the application of NIC A.
type flood struct {
	qp    units.QPN
	bytes uint32
}

// Complete has nothing to do: nothing follows the flood.
func (*flood) Complete(*fabric.Partition, int32, *transport.Completion) {}

// Timer posts the flood.
func (f *flood) Timer(p *fabric.Partition, _ uint32) {
	if err := p.Post(0, f.qp, transport.WorkRequest{Op: transport.OpSend, Length: f.bytes}); err != nil {
		panic(fmt.Sprintf("headroom: %v", err))
	}
}

// Proof is the result of the worst phase on a link.
type Proof struct {
	Loop   units.Time  // from the packet that passes the threshold to the peer's stop
	Packet units.Bytes // of one packet on the wire
	Bound  units.Bytes // the least headroom, in whole packets
	// AtBound is the number of lost packets with the bound, Below with one packet
	// less. In a proof AtBound is 0, and Below is not.
	AtBound, Below int64
}

// Prove runs the worst phase on a link of a speed, with the peer's response of the standard and a
// cut-through switch. It fails for a speed without a link in the catalog.
func Prove(ctx context.Context, speed units.Rate, cable units.Length) (Proof, error) {
	if _, err := catalog.Lookup(catalog.Link, fmt.Sprintf("%dg", speed/units.Gbps)); err != nil {
		return Proof{}, fmt.Errorf("the simulator has no link of %v: %w", speed, err)
	}
	response, ok := roce.PeerResponse(speed)
	if !ok {
		return Proof{}, fmt.Errorf("no response time is known at %v", speed)
	}
	perByte, packet := speed.PerByte(), wire.RoCEv2Bytes(wire.UCSendOnly, payload, wire.EthernetFraming{})
	l := roce.Loop{
		PerByte: perByte, Propagation: units.Time(cable * 505 / 100), Pipeline: 500 * units.Nanosecond,
		Response: units.Time(response*perByte.Num/perByte.Den) - 1, // the packet before the frame starts 1 ps earlier
		Packet:   units.Bytes(packet), Frame: wire.PFCBytes,
	}
	pfc := fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: l.Response + 1}
	phase := Phase{
		PerByte: perByte, Signal: l.Propagation,
		NIC: fabric.NIC{
			Pipeline: 300 * units.Nanosecond, PayloadPad: 4, RepliesFirst: true, PFC: pfc,
			MinFrame:  wire.EthernetMinFrame + wire.EthernetGapBytes,
			Transport: &transport.Config{PathMTU: payload, AckEvery: 1, ImplicitRecv: true},
		},
		Switch: fabric.EthernetSwitch{Pipeline: l.Pipeline, CutThrough: true, PFC: pfc},
	}
	for op := range phase.NIC.Overhead {
		phase.NIC.Overhead[op] = uint16(packet - payload)
	}
	p := Proof{Loop: l.Time(), Packet: l.Packet, Bound: l.Bound()}
	var err error
	if p.AtBound, err = phase.Drops(ctx, p.Bound); err != nil {
		return Proof{}, err
	}
	p.Below, err = phase.Drops(ctx, p.Bound-p.Packet)
	return p, err
}
