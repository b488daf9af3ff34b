package headroom

import (
	"context"
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/roce"
	"weft/internal/sim/catalog"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// payload is the size of a full packet without its headers.
const payload = 4096

// Drops runs the worst phase of PFC on the first fabric of a scenario, and counts the packets that
// overran a headroom. The fabric's buffer and classes are the phase's. amend may be nil.
func Drops(ctx context.Context, r *scenario.Resolved, headroom units.Bytes, amend func(*network.Devices)) (int64, error) {
	const packets, threshold = 200, 40_000
	f := r.Fabrics[0]
	// One threshold for the whole run; it is not a multiple of a packet.
	f.Ethernet.Shared, f.Ethernet.PFC.Alpha = 64<<20, scenario.Ratio{Num: 1, Den: 64 << 20 / threshold}
	f.Ethernet.PFC.Reserve, f.Ethernet.PFC.Headroom, f.Ethernet.PFC.XONOffset = 0, headroom, 30_000
	p, err := network.OnGraph(r, &f, topology.SingleSwitch{Endpoints: 3})
	if err != nil {
		return 0, err
	}
	p.Class.Used = []int{0, 1} // lossless and lossy
	p.Slow, p.Amend = map[topology.NodeID]units.Rate{1: 100 * units.Mbps}, amend
	flood := &flood{bytes: packets * payload}
	n, err := p.Build(flood, 3, network.ScaleUp{}, 1)
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
		return 0, fmt.Errorf("no pause at %v with a headroom of %v", f.Link.Rate(), headroom)
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
	link := fmt.Sprintf("%dg", speed/units.Gbps)
	if _, err := catalog.Lookup(catalog.Link, link); err != nil {
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
	r, err := phaseOf(link, &l)
	if err != nil {
		return Proof{}, err
	}
	p := Proof{Loop: l.Time(), Packet: l.Packet, Bound: l.Bound()}
	if p.AtBound, err = Drops(ctx, r, p.Bound, nil); err != nil {
		return Proof{}, err
	}
	p.Below, err = Drops(ctx, r, p.Bound-p.Packet, nil)
	return p, err
}

// phaseOf is a scenario of RoCE v2 on a link of the catalog with the times of a loop.
func phaseOf(link string, l *roce.Loop) (*scenario.Resolved, error) {
	file, err := scenario.New("headroom", &scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 3, Node: scenario.Node{Preset: "dgx-b300", GPUs: 1, NICs: 1, NIC: scenario.NIC{Model: "connectx-8", Rate: 800 * units.Gbps}}},
		Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabric:   scenario.Fabric{Preset: "roce-v2-800g", Link: scenario.Link{Generation: link}, CC: scenario.CC{Preset: "none"}, MTU: payload},
		Workload: scenario.Workload{Pattern: scenario.Incast, Sizes: []units.Bytes{units.MiB}},
	})
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	f := &r.Fabrics[0]
	f.Link.PerMetre, f.Link.FECLatency = 0, l.Propagation
	f.Switch.Latency, f.Switch.Forwarding = l.Pipeline, scenario.CutThrough
	f.NIC.AckPipeline, f.NIC.PacketGap = 300*units.Nanosecond, 0
	f.Ethernet.Queues, f.Ethernet.ECN = nil, scenario.ECN{}
	f.Ethernet.PFC = scenario.PFC{Enabled: true, Priorities: []int{0}, Response: l.Response + 1}
	return r, nil
}
