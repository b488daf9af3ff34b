package randomtest

// choice is a field, and its values with | between.
type choice struct{ path, values string }

// choices are fields that are drawn alike.
type choices struct {
	when  func(*draw) bool // the scenarios that have them
	one   int              // the chance of each is one in so many
	of    []choice
	noisy bool // a run draws something at random with them, or loses its steady phase: calm scenarios have none
}

// steadyRarer is how much more seldom steady scenarios have each field: with many of them at once hardly any repeats itself.
const steadyRarer = 3

func always(*draw) bool         { return true }
func onInfiniBand(d *draw) bool { return d.protocol().ServiceLevels }
func onEthernet(d *draw) bool   { return d.protocol().Ethernet() }
func onTCP(d *draw) bool        { return d.protocol().OnTCP() }
func onRDMA(d *draw) bool       { return !d.protocol().OnTCP() }
func onUltra(d *draw) bool      { return d.protocol().Unordered }

func withPFC(d *draw) bool {
	return d.protocol().NeedsPauses() && d.fabric().Ethernet.PFC.Enabled
}

// fields draws the fields of all lists.
func (d *draw) fields() {
	var pairs []string
	for _, list := range lists {
		if list.noisy && d.calm || !list.when(d) {
			continue
		}
		rare := list.one
		if d.steady {
			rare *= steadyRarer
		}
		for _, c := range list.of {
			if d.odds(rare) {
				pairs = append(pairs, c.path, d.oneOf(c.values))
			}
		}
	}
	if d.calm {
		d.quiet()
		if onRDMA(d) {
			pairs = append(pairs, "fabric.transport.retransmission", "fixed")
		}
	}
	d.tryAll(pairs)
}

// quiet turns marking by chance off.
func (d *draw) quiet() {
	if !onEthernet(d) {
		return
	}
	if d.steady {
		d.try("fabric.ethernet.ecn.enabled", "false", "fabric.cc.preset", d.one(steadyControls(d.protocol().Controls)...))
		return
	}
	switch {
	case (onUltra(d) || d.odds(2)) && d.try("fabric.ethernet.ecn.kmin", "100KB", "fabric.ethernet.ecn.kmax", "100KB"):
	case onTCP(d):
		d.try("fabric.ethernet.ecn.enabled", "false", "fabric.tcp.variant", "cubic")
	default:
		d.try("fabric.ethernet.ecn.enabled", "false", "fabric.cc.preset", d.one("none", "timely", "swift", "hpcc"))
	}
}

// lists are the fields by the scenarios that have them.
var lists = []choices{
	{when: always, one: 6, of: []choice{
		{"fabric.name", "a fabric"},
		{"fabric.link.per-metre", "4.9ns | 5ns | 1ps"},
		{"fabric.link.fec-latency", "0 | 120ns"},
		{"fabric.switch.latency", "0 | 90ns | 1.2us"},
		{"fabric.switch.forwarding", "store-and-forward | cut-through"},
		{"fabric.nic.tx-pipeline", "0 | 300ns | 1us"},
		{"fabric.nic.rx-pipeline", "0 | 300ns"},
		{"fabric.nic.ack-pipeline", "0 | 100ns | 700ns"},
		{"fabric.nic.packet-gap", "0 | 5ns | 70ns"},
		{"fabric.nic.out-of-order", "true | false"},
		{"fabric.nic.reads-in-flight", "1 | 2 | 16"},
		{"topology.cables.node-leaf", lengths},
		{"topology.cables.leaf-spine", lengths},
		{"topology.cables.spine-core", lengths},
		{"topology.cables.local", lengths},
		{"topology.cables.global", lengths},
		{"fabric.routing.hash-seed", "1 | 7 | 4711"},
		{"fabric.routing.hash", "flow | addresses"},
		{"fabric.routing.hash-function", "crc/0 | crc/10"},
		{"fabric.routing.max-paths", "1 | 2 | 64"},
		{"fabric.routing.flowlet-gap", "0 | 500ns | 5us"},
		{"fabric.routing.adaptive-threshold", "0 | 4KiB | 64KiB"},
		{"fabric.host.path", "cpu | rdma-host | gpudirect-p2p | gpudirect-rdma"},
		{"fabric.host.post", "0 | 200ns"},
		{"fabric.host.poll", "0 | 300ns"},
		{"fabric.inspection.latency", "1us | 5us"},
		{"cluster.node.pcie.latency", "0 | 250ns"},
		{"cluster.node.pcie.max-payload", "128B | 512B"},
		{"cluster.node.cpu.memory-latency", "0 | 200ns"},
		{"nccl.harness", "process | thread | for-all | torch"},
		{"nccl.times", "measured | nccl"},
		{"nccl.pxn", "false"},
		{"nccl.version", "2.18 | 2.21 | 2.27.3"},
		{"run.pauses", "true | false"},
	}},
	{when: always, one: 20, of: []choice{
		{"cluster.node.scale-up.latency", "0 | 500ns"},
		{"cluster.node.scale-up.overhead", "0B | 32B"},
		{"cluster.node.scale-up.buffer", "64KiB | 1MiB"},
		{"cluster.node.scale-up.packet", "128B | 1KiB"},
		{"cluster.node.pcie.generation", "gen3 | gen4 | gen5 | gen6"},
		{"cluster.node.pcie.lanes", "8 | 16"},
		{"cluster.node.pcie.lane-rate", "16Gbps | 32Gbps"},
		{"cluster.node.pcie.overhead", "20B | 28B"},
		{"cluster.node.pcie.peer-rate", "100Gbps | 200Gbps"},
		{"cluster.node.cpu.vendor", "intel | amd | other"},
		{"cluster.node.cpu.cores", "2 | 64"},
		{"fabric.link.lanes", "1 | 2 | 4"},
		{"fabric.link.lane-rate", "10Gbps | 25Gbps"},
		{"fabric.link.code", "64/66 | 8/10"},
		{"fabric.switch.ports", "64"},
		{"fabric.switch.max-ports", "256"},
		{"fabric.switch.rate", "800Gbps"},
		{"fabric.nic.rate", "800Gbps"},
		{"nccl.base", "0.5 | 2"},
		{"nccl.step-local", "0.5 | 2"},
		{"nccl.step-network", "0.5 | 2"},
		{"nccl.proxy", "0.5 | 2"},
		{"nccl.turn", "0.5 | 2"},
		{"nccl.kernel", "0.5 | 2"},
		{"nccl.tuner", `["allreduce,0,1073741824,ring,simple,2,-1,-1"]`},
		{"control.sm.agent", "1us | 20us"},
		{"control.sm.datagram", "1us"},
		{"control.sm.entry", "1us"},
		{"control.sm.window", "1 | 16"},
		{"control.sm.timeout", "1ms"},
		{"control.sm.sweep", "1s"},
		{"control.bgp.detection", "bfd | loss-of-signal"},
		{"control.bgp.bfd-interval", "10us | 1ms"},
		{"control.bgp.bfd-multiplier", "2 | 5"},
		{"control.bgp.advertisement", "10us"},
		{"run.limit.memory", "16GiB"},
		{"run.limit.events", "1000000000"},
	}},
	{when: func(d *draw) bool { return !onUltra(d) }, one: 10, of: []choice{
		{"fabric.inspection.rate", "40Gbps | 90Gbps"},
	}},
	{when: onRDMA, one: 5, of: []choice{
		{"fabric.transport.ack-every", "1 | 2 | 4 | 64"},
		{"fabric.transport.recovery", "selective-repeat | go-back-n"},
		{"fabric.transport.retry", "3 | 7"},
		{"fabric.transport.rnr-timer", "10us | 100us"},
		{"fabric.transport.rnr-retry", "7"},
		{"fabric.transport.qps-per-connection", "2 | 3"},
		{"fabric.transport.split-data", "true | false"},
		{"fabric.transport.ar-threshold", "0B | 8KiB | 8GiB"},
		{"fabric.transport.packet-window", "8 | 64 | 1000"},
		{"fabric.transport.window", "16KiB | 256KiB | 1MiB"},
		{"fabric.nic.receive-rate", "10Gbps | 90Gbps"},
		{"fabric.nic.receive-buffer", "1MiB | 4MiB"},
	}},
	{when: onRDMA, one: 10, of: []choice{
		{"fabric.nic.contexts", "1 | 4 | 16"},
		{"fabric.nic.context-fetch", "500ns | 2us"},
		{"fabric.nic.context-fetches", "1 | 8"},
		{"fabric.nic.cnp-generation", "1us | 4us"},
		{"fabric.nic.cnp-reaction", "1us | 4us"},
	}},
	{when: onEthernet, one: 2, of: []choice{
		{"fabric.routing.mode", "adaptive | ecmp | spray | flowlet | up-down"},
	}},
	{when: onInfiniBand, one: 2, of: []choice{
		{"fabric.routing.mode", "adaptive | deterministic"},
	}},
	{when: onUltra, one: 3, of: []choice{
		{"fabric.transport.entropy", "oblivious | recycled"},
		{"fabric.transport.entropy-values", "1 | 8 | 64 | 256"},
		{"fabric.ethernet.trim.size", "0B | 64B | 192B"},
		{"fabric.ethernet.trim.priority", "6"},
		{"fabric.ethernet.trim.threshold", "20KB | 300KB"},
	}},
	{when: onTCP, one: 3, of: []choice{
		{"fabric.tcp.variant", "cubic | dctcp"},
		{"fabric.tcp.sockets", "2 | 4 | 6"},
		{"fabric.tcp.threads", "0 | 1 | 2"},
		{"fabric.tcp.initial-window", "2 | 40"},
		{"fabric.tcp.max-window", "64KiB | 512KiB"},
		{"fabric.tcp.min-rto", "1ms | 5ms"},
		{"fabric.tcp.ack-every", "1 | 4"},
		{"fabric.tcp.delayed-ack", "100us | 1ms"},
		{"fabric.tcp.segment", "9000B | 32KiB"},
		{"fabric.tcp.mpa-markers", "true | false"},
		{"fabric.tcp.tick", "1ms"},
		{"fabric.host.copies", "0 | 2"},
		{"fabric.host.copy-start", "100ns"},
		{"fabric.host.copy-rate", "40Gbps | 200Gbps"},
		{"fabric.host.syscall", "0 | 2us"},
		{"fabric.host.per-segment", "0 | 500ns"},
		{"fabric.host.interrupt", "0 | 3us"},
	}},
	{when: onInfiniBand, one: 5, of: []choice{
		{"fabric.ib.engine", "auto"},
		{"fabric.ib.by-speed", "true"},
		{"fabric.ib.vls", "1 | 2 | 8 | 15"},
		{"fabric.ib.buffer", "8KiB | 16KiB | 128KiB"},
		{"fabric.ib.nic-buffer", "8KiB | 32KiB | 128KiB"},
		{"fabric.ib.sl", "1 | 2 | 3"},
		{"fabric.ib.ack-sl", "1 | 2 | 3"},
		{"fabric.ib.sl2vl", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] | [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]"},
		{"fabric.ib.vlarb-high", "[] | [{vl: 0, weight: 1}, {vl: 1, weight: 16}]"},
		{"fabric.ib.vlarb-low", "[{vl: 0, weight: 64}, {vl: 1, weight: 192}, {vl: 2, weight: 4}, {vl: 3, weight: 4}] | [{vl: 0, weight: 255}]"},
		{"fabric.ib.nic-vlarb", "{high: [{vl: 1, weight: 9}], low: [{vl: 0, weight: 3}, {vl: 1, weight: 5}, {vl: 2, weight: 8}, {vl: 3, weight: 13}], limit: 4}"},
		{"fabric.ib.high-limit", "1 | 255"},
		{"fabric.ib.credit-update", "1us | 65us"},
		{"fabric.ib.credit-threshold", "64B | 1KiB | 8KiB"},
		{"fabric.ib.queueing", "fifo | voq"},
		{"fabric.ib.speedup", "1 | 3/2 | 4"},
		{"fabric.ib.grh", "true | false"},
		{"fabric.ib.sharp-latency", "0 | 400ns"},
		{"fabric.switch.streaming-aggregation", "none | one-per-switch | one-per-port"},
		{"control.sm.standby", "true | false"},
	}},
	{when: onInfiniBand, one: 8, noisy: true, of: []choice{
		{"fabric.ib.hoq-lifetime", "20us | 1ms"},
		{"fabric.ib.leaf-hoq-lifetime", "20us | 1ms"},
		{"fabric.ib.vl-stall-count", "0 | 1"},
		{"fabric.ib.leaf-vl-stall-count", "0 | 1"},
	}},
	{when: onEthernet, one: 5, of: []choice{
		{"fabric.ethernet.ip-version", "6"},
		{"fabric.ethernet.vlan", "true | false"},
		{"fabric.ethernet.dscp", "10"},
		{"fabric.ethernet.cnp-dscp", "11"},
		{"fabric.ethernet.data-priority", "3 | 4"},
		{"fabric.ethernet.ack-priority", "0 | 6"},
		{"fabric.ethernet.cnp-priority", "3 | 6"},
		{"fabric.ethernet.queues", `[{priority: 0, schedule: dwrr, weight: 1}, {priority: 1, schedule: dwrr, weight: 3}, {priority: 2, schedule: strict}, {priority: 3, schedule: dwrr, weight: 7},
			{priority: 4, schedule: dwrr, weight: 2}, {priority: 5, schedule: strict}, {priority: 6, schedule: strict}, {priority: 7, schedule: strict}]`},
		{"fabric.ethernet.egress-alpha", "1/8 | 4"},
		{"fabric.switch.cell", "64B | 256B"},
	}},
	{when: onEthernet, one: 6, noisy: true, of: []choice{
		{"fabric.ethernet.ecn.kmin", "0B | 5KB | 200KB"},
		{"fabric.ethernet.ecn.kmax", "40KB | 400KB"},
		{"fabric.ethernet.ecn.pmax", "1% | 1"},
		{"fabric.ethernet.shared", "500KB | 4MiB"},
		{"fabric.switch.mtu", "9216B"},
	}},
	{when: func(d *draw) bool { return d.protocol().NeedsPauses() }, one: 8, of: []choice{
		{"fabric.ethernet.pfc.enabled", "false"},
	}},
	{when: func(d *draw) bool { return onEthernet(d) && !withPFC(d) }, one: 3, of: []choice{
		{"fabric.switch.buffer", "2MiB | 4MiB | 16MiB"},
	}},
	{when: withPFC, one: 6, of: []choice{
		{"fabric.switch.buffer", "20MiB | 64MiB"},
		{"fabric.ethernet.pfc.priorities", "[3, 4] | [0, 3]"},
		{"fabric.ethernet.pfc.alpha", "1/8 | 1/64 | 4"},
		{"fabric.ethernet.pfc.reserve", "0B | 9KiB"},
		{"fabric.ethernet.pfc.xoff", "40KiB | 256KiB"},
		{"fabric.ethernet.pfc.xon-offset", "0B | 9KiB"},
		{"fabric.ethernet.pfc.xon", "9KiB | 20KiB"},
		{"fabric.ethernet.pfc.headroom", "50KiB | 200KiB"},
		{"fabric.ethernet.pfc.headroom-pool", "400KiB | 1MiB"},
		{"fabric.ethernet.pfc.quanta", "1000 | 5000 | 20000"},
		{"fabric.ethernet.pfc.response", "0 | 300ns"},
		{"fabric.ethernet.pfc.link-pause", "true | false"},
	}},
	{when: func(d *draw) bool { return withPFC(d) && !d.steady }, one: 6, of: []choice{
		{"fabric.ethernet.pfc.watchdog", "{enabled: true, detection: 50us, restoration: 50us, poll: 20us, action: drop} | {enabled: true, detection: 50us, restoration: 100us, poll: 20us, action: forward} | {enabled: true, detection: 1ms, restoration: 1ms, action: alert}"},
	}},
	{when: withPFC, one: 12, noisy: true, of: []choice{
		{"fabric.ethernet.pfc.classes", "[{priority: 3, headroom: 0B}] | [{priority: 3, headroom: 300KB, reserve: 10KB, xon: 5KB, alpha: 1/8}]"},
		{"fabric.ethernet.pfc.stops", "[{priority: 3, queue: 0}] | [{priority: 3, queue: -1}] | [{priority: 3, queue: 4}]"},
	}},
	{when: always, one: 4, noisy: true, of: []choice{
		{"run.jitter", "true | false"},
		{"fabric.switch.jitter", jitters},
		{"fabric.nic.jitter", jitters},
		{"fabric.host.jitter", jitters},
		{"fabric.nic.cnp-jitter", jitters},
	}},
	{when: always, one: 8, noisy: true, of: []choice{
		{"fabric.link.error-rate", "0.01% | 0.1% | 1%"},
		{"fabric.link.raw-ber", "1e-5 | 1e-8 | 2e-4"},
		{"fabric.link.effective-ber", "1e-9 | 1e-8 | 1e-7"},
		{"fabric.link.fec", "none | rs-272-258 | rs-528-514 | rs-544-514"},
		{"fabric.link.fec-codewords", "1 | 2 | 4"},
		{"fabric.link.llr", "true | false"},
	}},
	{when: onRDMA, one: 8, noisy: true, of: []choice{
		{"fabric.nic.retransmission", "{times: [50us, 100us, 300us, 1ms], first: 2, least-timeout: 1ms} | {times: [], first: 0, least-timeout: 0}"},
		{"fabric.transport.retransmission", "adaptive | fixed"},
		{"fabric.host.max-inline-data", "64B | 1KiB"}, // its work requests wait for each other, which is not compared
	}},
}

const lengths = "1mm | 50cm | 3m | 30m | 200m | 1km"

const jitters = "{distribution: exponential, mean: 50ns} | {distribution: lognormal, mean: 80ns, sigma: 1/2} | {distribution: none, mean: 0}"

// ordered are the fields of the order of packets. They are drawn last, for few scenarios have some engines and
// shapes.
var ordered = []choice{
	{"fabric.transport.adaptive-routing", "true | false"},
	{"fabric.nic.out-of-order-receives", "true | false"},
	{"fabric.transport.ooo-rq", "true | true | false"},
	{"fabric.nic.fence", "queue | message | none"},
}

// order draws the fields of the order of packets.
func (d *draw) order() {
	if !onRDMA(d) {
		return
	}
	for _, c := range ordered {
		if d.odds(3) {
			d.try(c.path, d.oneOf(c.values))
		}
	}
	if d.odds(20) {
		d.try("fabric.headers", d.one("-20", "50"))
	}
	d.roundTrips()
}

// roundTrips draws RTTCC on RoCE v2, with its parameters. As the fields above it is drawn last.
func (d *draw) roundTrips() {
	if d.calm || d.steady || d.fabric().Kind != "roce-v2" || !d.odds(4) || !d.try("fabric.cc.preset", d.one("rttcc", "rttcc-ra2.0")) {
		return
	}
	for _, c := range roundTripped {
		if d.odds(4) {
			d.try("fabric.cc."+c.path, d.oneOf(c.values))
		}
	}
}

// roundTripped are RTTCC's own parameters.
var roundTripped = []choice{
	{"delay-threshold", "5us | 20us"},
	{"target-slope", "0 | 1/5"},
	{"max-delay", "60us | 300us"},
	{"least-decrease", "9/10 | 97/100"},
	{"hyper-decrease", "1/2 | 9/10"},
	{"most-increase", "21/20 | 6/5"},
	{"hyper-period", "100us | 2ms"},
	{"delay-only", "true | true | false"},
}
