package contest

import (
	"slices"

	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/wire"
)

// property is one way in which two fabrics can differ.
type property struct {
	name   string
	fields []string // of a fabric, or sections of it
	// take gives a fabric the property of another, and reports false if the fabric cannot have it.
	// nil copies the fields.
	take func(p *property, to, from *scenario.Fabric) bool
	// sameKind is true for what fabrics of one protocol alone can take from each other.
	sameKind bool
	// differ replaces the comparison of the fields; nil compares all.
	differ func(a, b *scenario.Fabric) bool
}

// properties are all ways in which two fabrics can differ, each field in one of them. What is a
// consequence of another property comes before it. The last one holds what belongs to the protocol.
var properties = []property{
	{
		name: "ordering of adaptive delivery",
		fields: []string{
			"nic.fence", "transport.adaptive-routing", "transport.ar-threshold", "transport.ooo-rq", "nic.out-of-order", "nic.out-of-order-receives",
		},
		take: queuePairs,
	},
	{
		name:   "routing",
		fields: []string{"routing.mode", "routing.hash-seed", "routing.hash", "routing.hash-function", "routing.max-paths", "routing.asn", "routing.multipath-relax", "routing.flowlet-gap", "routing.adaptive-threshold", "routing.tables", "routing.forwarding", "routing.lmc", "routing.lids", "routing.levels", "routing.level-lanes", "routing.nic-lanes", "ib.engine", "ib.by-speed", "transport.entropy", "transport.entropy-values"},
		take:   routing,
	},
	{name: "switch latency", fields: []string{"switch.latency", "switch.forwarding", "switch.jitter"}},
	{name: "FEC and cables", fields: []string{"link.fec-latency", "link.per-metre", "topology.cables"}},
	{
		name:   "link errors",
		fields: []string{"link.error-rate", "link.raw-ber", "link.effective-ber", "link.fec", "link.fec-codewords", "link.llr", "slow-links"},
	},
	{name: "link rate", fields: []string{"link.lanes", "link.lane-rate", "link.code"}},
	{name: "headers", fields: []string{"headers", "ethernet.ip-version", "ethernet.vlan", "ib.grh"}, take: headers, differ: func(a, b *scenario.Fabric) bool { return framing(a) != framing(b) }},
	{name: "packet size", fields: []string{"mtu"}, take: packetSize},
	{
		name:   "congestion control",
		fields: []string{"cc", "ethernet.ecn", "nic.cnp-generation", "nic.cnp-reaction", "nic.cnp-jitter"},
		take:   congestionControl,
	},
	{name: "NIC", fields: []string{
		"nic.ports", "nic.rate", "nic.tx-pipeline", "nic.rx-pipeline", "nic.ack-pipeline", "nic.packet-gap", "nic.reads-in-flight",
		"nic.receive-rate", "nic.receive-buffer", "nic.contexts", "nic.context-fetch", "nic.context-fetches", "nic.jitter",
	}},
	{name: "queue pairs", fields: []string{"transport.qps-per-connection", "transport.split-data"}, take: queuePairs},
	{
		name: "acknowledgements and retries",
		fields: []string{
			"transport.ack-every", "transport.timeout", "transport.retransmission", "transport.retry", "transport.recovery",
			"transport.rnr-timer", "transport.rnr-retry", "transport.packet-window", "transport.window", "nic.retransmission",
		},
		take: queuePairs,
	},
	{name: "host software", fields: []string{"host"}},
	{name: "settings of single switches", fields: []string{"switches"}, sameKind: true},
	{
		name: "topology",
		fields: []string{
			"topology.shape", "topology.plane-shape", "topology.radix", "topology.levels", "topology.oversubscription", "topology.spine-oversubscription",
			"topology.hosts-per-leaf", "topology.spines", "topology.cores", "topology.rails", "topology.nodes-per-unit", "topology.ufm",
			"topology.spare-ports", "topology.planes", "topology.groups", "topology.switches-per-group", "topology.global-links", "topology.dims",
			"topology.links-per-dim", "topology.links", "topology.file", "topology.devices", "topology.others", "switch.ports", "switch.max-ports", "switch.rate",
		},
	},
	{
		name:   "reduction in the switches",
		fields: []string{"ib.sharp", "ib.sharp-latency", "switch.streaming-aggregation"},
		take:   reduction,
		differ: func(a, b *scenario.Fabric) bool {
			return a.IB.SHARP != b.IB.SHARP || a.IB.SHARP && !a.Same(b, "ib.sharp-latency")
		},
	},
	{name: "other traffic", fields: []string{"beside"}},
	{name: "inspection", fields: []string{"inspection"}},
	{name: "slow receivers", fields: []string{"ethernet.pfc.receivers"}, sameKind: true},
	{name: "PFC watchdog", fields: []string{"ethernet.pfc.watchdog"}, sameKind: true},
	{
		name: "service levels and partitions",
		fields: []string{
			"ib.sl", "ib.ack-sl", "ib.sl2vl", "ib.vlarb-high", "ib.vlarb-low", "ib.high-limit", "ib.nic-vlarb", "ib.partitions", "ib.partitions-conf",
			"ib.partition-enforcement", "ib.opensm-conf", "ib.qos-policy", "ib.service-levels",
		},
		sameKind: true,
	},
	{
		name: "buffers and flow control",
		fields: []string{
			"kind", "switch.buffer", "switch.cell", "switch.mtu", "switch.sonic", "switch.sonic-port",
			"ib.vls", "ib.buffer", "ib.nic-buffer", "ib.credit-update", "ib.credit-threshold", "ib.hoq-lifetime", "ib.leaf-hoq-lifetime", "ib.vl-stall-count",
			"ib.leaf-vl-stall-count", "ib.queueing", "ib.speedup",
			"ethernet.dscp", "ethernet.cnp-dscp", "ethernet.data-priority", "ethernet.ack-priority", "ethernet.cnp-priority", "ethernet.queues",
			"ethernet.pfc.enabled", "ethernet.pfc.priorities", "ethernet.pfc.alpha", "ethernet.pfc.reserve", "ethernet.pfc.xoff",
			"ethernet.pfc.xon-offset", "ethernet.pfc.xon", "ethernet.pfc.headroom", "ethernet.pfc.headroom-pool", "ethernet.pfc.quanta",
			"ethernet.pfc.response", "ethernet.pfc.stops", "ethernet.pfc.classes", "ethernet.pfc.link-pause",
			"ethernet.shared", "ethernet.egress-alpha", "ethernet.trim", "tcp",
		},
	},
}

// protocolStep is the index of the property that holds the protocol.
var protocolStep = len(properties) - 1

// give has a fabric take the property of another.
func (p *property) give(to, from *scenario.Fabric) bool {
	switch {
	case p.take != nil:
		return p.take(p, to, from)
	case p.sameKind && to.Kind != from.Kind:
		return false
	}
	p.copyTo(to, from)
	return true
}

func (p *property) copyTo(to, from *scenario.Fabric) {
	for _, field := range p.fields {
		to.Take(from, field)
	}
}

// differs reports whether two fabrics differ in the property.
func (p *property) differs(a, b *scenario.Fabric) bool {
	if p.differ != nil {
		return p.differ(a, b)
	}
	if p.sameKind && a.Kind != b.Kind {
		return false // it comes with the protocol
	}
	return slices.ContainsFunc(p.fields, func(field string) bool { return !a.Same(b, field) })
}

// queuePairs copies between fabrics whose messages go by queue pairs.
func queuePairs(p *property, to, from *scenario.Fabric) bool {
	if protocol.Of(to.Kind).OnTCP() || protocol.Of(from.Kind).OnTCP() {
		return false
	}
	p.copyTo(to, from)
	return true
}

// routing copies the choice of paths. A protocol without a mode takes its own of the same kind: one
// path for each flow, or a choice for each packet.
func routing(p *property, to, from *scenario.Fabric) bool {
	mode := from.Routing.Mode
	if valid := protocol.Of(to.Kind).Routing; valid != nil && !slices.Contains(valid, string(mode)) {
		switch mode {
		case scenario.ECMP, scenario.UpDown:
			mode = scenario.Deterministic
		case scenario.Deterministic:
			mode = scenario.ECMP
		default:
			return false
		}
		if !slices.Contains(valid, string(mode)) {
			return false
		}
	}
	engine, bySpeed := to.IB.Engine, to.IB.BySpeed
	p.copyTo(to, from)
	to.Routing.Mode = mode
	if to.Kind != from.Kind {
		to.IB.Engine, to.IB.BySpeed = engine, bySpeed
	}
	return true
}

// headers gives a fabric the bytes that the other's packets have around their payload.
func headers(p *property, to, from *scenario.Fabric) bool {
	if to.Kind == from.Kind {
		p.copyTo(to, from)
		return true
	}
	if !protocol.Of(to.Kind).RDMA() || !protocol.Of(from.Kind).RDMA() {
		return false
	}
	to.Headers += framing(from) - framing(to)
	return true
}

// framing is the number of bytes on the cable around a payload.
func framing(f *scenario.Fabric) int {
	const payload = 1024
	return protocol.Of(f.Kind).Bytes(wire.RCWriteMiddle, payload, scenario.Framing(f)) - payload + f.Headers
}

// packetSize copies the MTU if the other protocol has it.
func packetSize(p *property, to, from *scenario.Fabric) bool {
	if is := protocol.Of(to.Kind); !is.MTU.Has(from.MTU) || is.OnTCP() != protocol.Of(from.Kind).OnTCP() {
		return false
	}
	p.copyTo(to, from)
	return true
}

// congestionControl copies it, with the marking of switches. To a protocol that does not have the
// algorithm it gives none.
func congestionControl(p *property, to, from *scenario.Fabric) bool {
	switch {
	case to.Kind == from.Kind:
		p.copyTo(to, from)
		return true
	case protocol.Of(to.Kind).OnTCP() || from.CC.Algorithm != scenario.CCNone:
		return false
	}
	to.CC, to.Ethernet.ECN.Enabled = from.CC, false
	return true
}

// reduction copies the reduction of switches. A protocol without it can be given none.
func reduction(p *property, to, from *scenario.Fabric) bool {
	switch {
	case to.Kind == from.Kind:
		p.copyTo(to, from)
		return true
	case from.IB.SHARP:
		return false
	}
	to.IB.SHARP = false
	return true
}
