package fabric_test

import (
	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

func ethernetNIC() *fabric.NIC {
	s := &fabric.NIC{Pipeline: 300 * units.Nanosecond, PayloadPad: 4, MinFrame: 84, RepliesFirst: true, Transport: config()}
	for op := range s.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			s.Overhead[op] = uint16(wire.RoCEv2Bytes(o, 64, wire.EthernetFraming{}) - 64)
		}
	}
	s.PFC = fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: 100 * units.Nanosecond}
	return s
}

func infinibandNIC() *fabric.NIC {
	s := &fabric.NIC{Pipeline: 300 * units.Nanosecond, PayloadPad: 4, RepliesFirst: true, Transport: config(), Credits: credits()}
	for op := range s.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			s.Overhead[op] = uint16(wire.InfiniBandBytes(o, 64, false) - 64)
		}
	}
	return s
}

func config() *transport.Config {
	return &transport.Config{PathMTU: 4096, AckEvery: 1, RetryTimeout: 67 * units.Millisecond, RetryCount: 7, ImplicitRecv: true}
}

func credits() credit.Grant {
	c := credit.Grant{Period: 100 * units.Nanosecond, Latency: 50 * units.Nanosecond, FrameBytes: 6}
	for i := range c.Blocks {
		c.Blocks[i] = 2048
	}
	return c
}

func ethernetSwitch() *fabric.EthernetSwitch {
	s := &fabric.EthernetSwitch{
		Pipeline: 500 * units.Nanosecond, CutThrough: true,
		Shared: 20 << 20, Reserve: 4096, Headroom: 200 << 10, AlphaNum: 1, AlphaDen: 8, XonOffset: 18 << 10,
	}
	s.PFC = fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: 100 * units.Nanosecond, Quanta: 65535}
	s.ECN[0] = marking.ECN{KMin: 1600 << 10, KMax: 6400 << 10, PMax: 1 << 30}
	return s
}

// build makes a network of a graph, all of whose cables are alike.
func build(g *topology.Graph, name string, part []int32, app fabric.App) (*fabric.Network, error) {
	return buildHarmed(g, name, part, app, func(*fabric.Builder) {})
}

// buildFaulty makes such a network with faults.
func buildFaulty(g *topology.Graph, name string, part []int32, app fabric.App, faults *fault.Plan) (*fabric.Network, error) {
	return buildHarmed(g, name, part, app, func(b *fabric.Builder) { b.Faults = faults })
}

// buildHarmed makes such a network; harm may change its builder before nodes are added.
func buildHarmed(g *topology.Graph, name string, part []int32, app fabric.App, harm func(*fabric.Builder)) (*fabric.Network, error) {
	t, err := routing.Build(g)
	if err != nil {
		return nil, err
	}
	b := fabric.Builder{Classes: 1, Seed: 1, Tables: t, App: app}
	harm(&b)
	ib := name == "infiniband"
	nic, sw, isw := ethernetNIC(), ethernetSwitch(), &fabric.InfiniBandSwitch{Pipeline: 200 * units.Nanosecond, Credits: credits(), ReadPorts: 2}
	if ib {
		nic = infinibandNIC()
	}
	for i, nd := range g.Nodes {
		switch {
		case i < g.Endpoints:
			b.NIC(nd.Name, len(nd.Cables), nic)
		case ib:
			b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.Static, isw)
		default:
			b.EthernetSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.ECMP, sw)
		}
	}
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, (400 * units.Gbps).PerByte(), 100*units.Nanosecond)
	}
	return b.Build(part)
}

// buildWith makes a network of Ethernet with devices of its own, which set may
// change before it is built; its switches route statically.
func buildWith(g *topology.Graph, app fabric.App, set func(*fabric.Builder, *fabric.NIC, *fabric.EthernetSwitch)) (*fabric.Network, error) {
	return buildRouted(g, app, fabric.Static, set)
}

// buildRouted is buildWith with the switches' way to choose a path.
func buildRouted(g *topology.Graph, app fabric.App, r fabric.Routing, set func(*fabric.Builder, *fabric.NIC, *fabric.EthernetSwitch)) (*fabric.Network, error) {
	t, err := routing.Build(g)
	if err != nil {
		return nil, err
	}
	b := &fabric.Builder{Classes: 1, Seed: 1, Tables: t, App: app}
	nic, sw := ethernetNIC(), ethernetSwitch()
	for i, nd := range g.Nodes {
		if i < g.Endpoints {
			b.NIC(nd.Name, len(nd.Cables), nic)
		} else {
			b.EthernetSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, r, sw)
		}
	}
	set(b, nic, sw)
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, (400 * units.Gbps).PerByte(), 100*units.Nanosecond)
	}
	return b.Build(nil)
}

// buildInfiniBand makes a network of InfiniBand whose builder set may change
// before nodes are added.
func buildInfiniBand(g *topology.Graph, app fabric.App, set func(*fabric.Builder)) (*fabric.Network, error) {
	t, err := routing.Build(g)
	if err != nil {
		return nil, err
	}
	b := &fabric.Builder{Classes: 1, Seed: 1, Tables: t, App: app}
	set(b)
	nic, sw := infinibandNIC(), &fabric.InfiniBandSwitch{Pipeline: 200 * units.Nanosecond, Credits: credits(), ReadPorts: 2}
	for i, nd := range g.Nodes {
		if i < g.Endpoints {
			b.NIC(nd.Name, len(nd.Cables), nic)
		} else {
			b.InfiniBandSwitch(nd.Name, len(nd.Cables), i-g.Endpoints, fabric.Static, sw)
		}
	}
	for _, c := range g.Cables {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, (400 * units.Gbps).PerByte(), 100*units.Nanosecond)
	}
	return b.Build(nil)
}
