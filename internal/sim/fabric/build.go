package fabric

import (
	"errors"
	"fmt"
	"slices"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/buffer"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/routing"
	"weft/units"
)

// Builder assembles a network: nodes first, then cables, then Build.
type Builder struct {
	// Classes is the number of priorities or lanes in use, from 0.
	Classes int
	// Seed is the seed of every random stream.
	Seed uint64
	// Tables are the forwarding tables of the scale-out switches, whose
	// endpoints are the first nodes of the network.
	Tables *routing.Tables
	// Lanes, if not nil, is the rule by which packets change virtual lanes at
	// the scale-out switches of a credit-based fabric; they enter on the class
	// of their connection.
	Lanes *routing.Lanes
	// PKeys, if not nil, are the P_Keys of the NICs; they are then checked.
	PKeys *isolation.PKeys
	// QKeys is true if there are datagrams with possibly wrong Q_Keys: the network then records
	// their senders.
	QKeys bool
	// Segments, if not nil, are the VLANs and VRFs of the NICs, which switches then keep separate.
	Segments *isolation.Segments
	// FlowletGap is the pause after which Flowlet may move a flow.
	FlowletGap units.Time
	// AdaptiveThreshold is the difference in queued bytes between the static port and the least
	// loaded port above which adaptive routing leaves the static port.
	AdaptiveThreshold int64
	// Hash, if not nil, is ECMP's choice among n ports at the switch with a row
	// of the tables, in place of weft's own.
	Hash func(row int32, entropy uint32, n int) int
	// ErrorRate is the share of packets that arrive corrupted over each link of
	// the scale-out fabric, in 2^-64.
	ErrorRate uint64
	// Bursts, if not nil, are the bursts of errors on each link of the scale-out fabric.
	Bursts *impair.Bursts
	// Faults, if not nil, are the faults of the run; set it before adding nodes.
	Faults *fault.Plan
	// Aggregation, if not nil, is the reduction trees of the switches; set it before adding nodes.
	Aggregation *Aggregation
	// MaxEvents ends a run with more events; 0 is no bound.
	MaxEvents int64
	// Hosts is the host of each NIC, GPU and scale-up switch, from 0, by node; -1 for none, as for the
	// switches of the scale-out fabric. It is used if App is a HostApp.
	Hosts []int32
	// App runs on the network; Trace, which may be nil, watches it.
	App   App
	Trace Trace

	n     Network
	delay []units.Time // by node: receive pipeline
	tail  []bool       // by node: takes packets at the tail
	cable []cable

	longest units.Time // bytes of a NIC's largest packet
	places  int        // of the rings of credit updates
	err     []error
}

type cable struct {
	a, b         int32
	aPort, bPort int32
	rate         units.PerByte
	propagation  units.Time
	uncounted    bool
}

func (b *Builder) fail(format string, args ...any) {
	b.err = append(b.err, fmt.Errorf(format, args...))
}

func (b *Builder) addNode(name string, kind nodeKind, ports, state int, pipeline units.Time, tail bool) int32 {
	n := &b.n
	id := int32(len(n.nodes))
	base := int32(0)
	if id > 0 {
		last := &n.nodes[id-1]
		base = last.base + last.ports
	}
	if ports < 1 || ports > MaxRadix {
		b.fail("%s has %d ports: 1 to %d are possible", name, ports, MaxRadix)
	}
	if pipeline < 0 {
		b.fail("%s has a pipeline of %v", name, pipeline)
	}
	n.nodes = append(n.nodes, node{
		base: base, ports: int32(ports), state: int32(state), kind: kind, salt: Salt(b.Seed, int(id)), hashed: ^uint32(0),
	})
	n.names = append(n.names, name)
	b.delay = append(b.delay, pipeline)
	b.tail = append(b.tail, tail)
	return id
}

// NIC adds a network adapter. Adapters come before all switches: their numbers
// are the destinations of the forwarding tables.
func (b *Builder) NIC(name string, ports int, s *NIC) int32 {
	id := b.addNode(name, kindNIC, ports, len(b.n.nics), s.Pipeline, true)
	b.checkCredits(name, &s.Credits)
	b.n.credited = b.n.credited || s.Credits.Period > 0
	nic := nicState{spec: s, wakeAt: units.Forever, later: units.Forever, cnps: b.newCNPDelays(s, id)}
	nic.delays = nic.cnps != nil
	if s.Contexts != nil {
		nic.contexts = adapter.NewStore(s.Contexts)
	}
	b.n.nics = append(b.n.nics, nic)
	return id
}

// checkCredits refuses credits that do not fit into the records of a lane.
func (b *Builder) checkCredits(name string, c *credit.Grant) {
	if c.Period < 0 || c.Period > credit.MaxPeriod {
		b.fail("%s updates its credits every %v: at most %v is possible", name, c.Period, units.Time(credit.MaxPeriod))
	}
	if c.Latency > MaxDelay {
		b.fail("%s has credit updates that take %v: at most %v is possible", name, c.Latency, units.Time(MaxDelay))
	}
	if most := slices.Max(c.Blocks[:]); most > credit.MaxGrant {
		b.fail("%s has %d blocks of credit: fewer than %d are possible", name, most, credit.MaxGrant+1)
	}
}

// NamePorts gives the ports of a node names for messages, the first port first. Further ports are numbers.
func (b *Builder) NamePorts(node int32, names []string) {
	if b.n.portNames == nil {
		b.n.portNames = map[int32][]string{}
	}
	b.n.portNames[node] = names
}

// EthernetSwitch adds a switch whose forwarding is row of the tables.
func (b *Builder) EthernetSwitch(name string, ports, row int, routing Routing, s *EthernetSwitch) int32 {
	id := b.addNode(name, kindEthernet, ports+b.sinks(), len(b.n.ethernet), s.Pipeline, !s.CutThrough)
	if s.Ports != nil && len(s.Ports) != ports {
		b.fail("%s has %d ports, and limits for %d", name, ports, len(s.Ports))
	}
	b.n.ethernet = append(b.n.ethernet, ethernetState{spec: s})
	nd := &b.n.nodes[id]
	nd.row, nd.routing = int32(row), routing
	nd.hashed &^= s.HashIgnores
	if s.HashFunction != 0 {
		nd.salt = SharedSalt(b.Seed, s.HashFunction)
	}
	return id
}

// InfiniBandSwitch adds a switch whose forwarding is row of the tables.
func (b *Builder) InfiniBandSwitch(name string, ports, row int, routing Routing, s *InfiniBandSwitch) int32 {
	return b.creditSwitch(name, ports+b.sinks()+b.aggregators(), row, routing, s)
}

func (b *Builder) creditSwitch(name string, ports, row int, routing Routing, s *InfiniBandSwitch) int32 {
	id := b.addNode(name, kindInfiniBand, ports, len(b.n.infiniband), s.Pipeline, false)
	b.checkCredits(name, &s.Credits)
	if s.ReadPorts < 0 || s.ReadPorts > maxReadPorts {
		b.fail("%s has a speed-up of %d: 0 (no limit) to %d are possible", name, s.ReadPorts, maxReadPorts)
	}
	if s.FIFO && s.FECN.Threshold > 0 {
		b.fail("%s has FIFO inputs and marks congestion: it has no queues at its outputs", name)
	}
	b.n.credited = true
	b.n.infiniband = append(b.n.infiniband, infinibandState{spec: s})
	nd := &b.n.nodes[id]
	nd.row, nd.routing = int32(row), routing
	return id
}

// sinks is the number of ports of a switch in addition to its ports for cables.
func (b *Builder) sinks() int {
	if b.Faults == nil {
		return 0
	}
	return 1
}

// GPU adds a GPU on the scale-up network: one port.
func (b *Builder) GPU(name string, s *GPU) int32 {
	id := b.addNode(name, kindGPU, 1, len(b.n.gpus), s.Pipeline, true)
	b.checkCredits(name, &s.Credits)
	b.n.gpus = append(b.n.gpus, gpuState{spec: s})
	b.n.credited = true
	return id
}

// ScaleUpSwitch adds a switch whose port k leads to the GPU with the number
// first+k.
func (b *Builder) ScaleUpSwitch(name string, ports int, first int32, s *InfiniBandSwitch) int32 {
	id := b.creditSwitch(name, ports, 0, Static, s)
	nd := &b.n.nodes[id]
	nd.local, nd.first = byPort, first
	return id
}

// ScaleUpCable connects two ports of the scale-up network; its packet-hops do not count.
func (b *Builder) ScaleUpCable(a, aPort, z, zPort int32, rate units.PerByte, propagation units.Time) {
	b.Cable(a, aPort, z, zPort, rate, propagation)
	if n := len(b.cable); n > 0 {
		b.cable[n-1].uncounted = true
	}
}

// Cable connects two ports. Ports count from 0. propagation is the time of the signal, including
// forward error correction.
func (b *Builder) Cable(a, aPort, z, zPort int32, rate units.PerByte, propagation units.Time) {
	if rate.Num <= 0 || rate.Num > 1<<31-1 || rate.Den <= 0 || rate.Den > 1<<15-1 {
		b.fail("cable from %s to %s: %v is beyond the rates of a link", b.n.names[a], b.n.names[z], rate)
	}
	if propagation < 0 {
		b.fail("cable from %s to %s takes %v", b.n.names[a], b.n.names[z], propagation)
	}
	if d := propagation + max(b.delay[a], b.delay[z]); d > MaxDelay {
		b.fail("cable from %s to %s takes %v: at most %v is possible", b.n.names[a], b.n.names[z], d, units.Time(MaxDelay))
	}
	b.cable = append(b.cable, cable{a: a, b: z, aPort: aPort, bPort: zPort, rate: rate, propagation: propagation})
}

// Build makes the network. part gives the simulation partition of each node, from 0; nil puts all
// nodes into one.
func (b *Builder) Build(part []int32) (*Network, error) {
	if err := errors.Join(b.err...); err != nil {
		return nil, err
	}
	n := &b.n
	n.local, _ = b.App.(LocalApp)
	n.foreign, _ = b.App.(ForeignApp)
	n.hosts, _ = b.App.(HostApp)
	n.app, n.trace, n.classes, n.seed, n.flowletGap = b.App, b.Trace, b.Classes, b.Seed, b.FlowletGap
	n.hash, n.laneRule = b.Hash, b.Lanes
	n.maxEvents = b.MaxEvents
	n.pkeys, n.segments = b.PKeys, b.Segments
	n.patience = patience
	for i := range n.infiniband {
		s := n.infiniband[i].spec
		n.patience = max(n.patience, 2*s.Lifetime, 2*s.LeafLifetime)
	}
	n.threshold = b.AdaptiveThreshold
	if b.Tables != nil {
		n.tables = *b.Tables
	}
	if n.classes < 1 || n.classes > MaxClasses {
		return nil, fmt.Errorf("a network has 1 to %d classes, not %d", MaxClasses, n.classes)
	}
	parts := 1
	for i := range part {
		n.nodes[i].part = uint8(part[i])
		parts = max(parts, int(part[i])+1)
	}
	b.allocate()
	if b.PKeys != nil {
		if len(b.PKeys.Tables) < len(n.nics) {
			return nil, fmt.Errorf("there are P_Key tables for %d NICs of %d", len(b.PKeys.Tables), len(n.nics))
		}
	}
	if b.Segments != nil && len(b.Segments.Of) < len(n.nics) {
		return nil, fmt.Errorf("there are segments for %d NICs of %d", len(b.Segments.Of), len(n.nics))
	}
	if b.PKeys != nil || b.Segments != nil || b.QKeys {
		n.offences = make([]isolation.Log, len(n.ports))
	}
	for i := range b.cable {
		b.connectCable(&b.cable[i])
	}
	b.grantCredits()
	b.makeJitter()
	b.markSlower()
	b.aggregate()
	n.rings = makeHuge[credit.Update](b.places, b.places)
	b.makeErrors()
	for i := range n.nodes {
		switch nd := &n.nodes[i]; nd.kind {
		case kindEthernet:
			n.makeIngress(nd)
			nd.ethernet.prepare()
		case kindInfiniBand:
			n.setReadPorts(nd)
			nd.infiniband.prepare()
		}
	}
	n.lookahead = b.findLookahead(func(link int) bool { return n.ports[link].flags&flagRemote != 0 })
	b.partitions(parts)
	if n.foreign != nil {
		n.join() // its steps end within slots
		n.builder = b
	}
	n.makeWatchdogs()
	n.receivers()
	if b.Faults != nil {
		b.makeFaults()
	}
	n.flowlets = make([][]flowletEntry, len(n.tables.SetStart))
	b.assignRows()
	n.nameAlone()
	return n, errors.Join(b.err...)
}

// partitions makes the simulation partitions, with their queues.
func (b *Builder) partitions(parts int) {
	n := &b.n
	cells, slot := b.cut()
	if cells > 0 {
		n.slot = 1 << slot
	}
	for i := range parts {
		p := &Partition{net: n, id: uint8(i), pool: newPool(), queue: engine.NewQueue(b.wheel(parts)), partitionSearch: partitionSearch{halt: units.Forever}}
		p.wide = len(n.ports)/parts >= manyLinks
		for j := range p.mail {
			p.mail[j].to = make([]outbox, parts)
			p.mail[j].earliest = units.Forever
		}
		if cells > 0 {
			p.cells = engine.NewCells(cells, slot, cellReach-slot)
		}
		n.parts = append(n.parts, p)
	}
}

// assignRows assigns the rows of the tables to the switches.
func (b *Builder) assignRows() {
	t := &b.n.tables
	b.n.choices = make([]choice, max(0, len(t.SetStart)-1))
	for i := range b.n.choices {
		set := t.SetPorts[t.SetStart[i]:t.SetStart[i+1]]
		b.n.choices[i] = choice{start: t.SetStart[i], ports: uint16(len(set))}
		if len(set) > 0 {
			b.n.choices[i].first = set[0]
		}
	}
	for i := range b.n.nodes {
		nd := &b.n.nodes[i]
		if nd.local != byTables || nd.kind != kindEthernet && nd.kind != kindInfiniBand {
			continue
		}
		first := int(nd.row) * t.Endpoints
		if nd.routing == Static {
			nd.ways = t.Port[first:][:t.Endpoints]
		} else {
			nd.ways, nd.sets = t.Group[first:][:t.Endpoints], t.SetBase[nd.row]
		}
		nd.plain = b.n.segments == nil && b.n.pkeys == nil && b.n.laneRule == nil && (nd.routing == Static || nd.routing == ECMP && b.n.hash == nil)
	}
}

// wheel sizes the event queue: about a dozen events per bucket if all links are busy, and a reach
// that covers a packet's time on any link, so that the heap behind the wheel holds only timers.
func (b *Builder) wheel(parts int) (widthLog2, slotsLog2 uint) {
	const minWidth, maxWidth, minReach, maxReach = 6, 12, 20, 23 // log2 of picoseconds
	widthLog2 = minWidth
	for ports := b.endPorts() / parts; widthLog2 < min(maxWidth, b.widest()) && ports<<widthLog2 < 600_000; widthLog2++ {
	}
	longest := units.Time(0)
	for i := range b.n.ports {
		o := &b.n.ports[i]
		longest = max(longest, units.Time(o.delay)+4096*units.Time(o.num)/units.Time(o.den))
	}
	reach := uint(minReach)
	for reach < maxReach && longest>>reach > 0 {
		reach++
	}
	return widthLog2, reach - widthLog2
}

// endPorts is the number of ports whose events belong to the ends: the ports of the ends, and the
// ports that send to the ends.
func (b *Builder) endPorts() (count int) {
	n := &b.n
	for link := range n.ports {
		if n.cell(int32(link)) == 0 || n.ports[link].to == 0 {
			count++
		}
	}
	return count
}

// beginTurnsAtOwnPort makes the outputs of a scale-up switch begin their turns with the input after their
// own. Bursts that arrive at the same instant then leave in the same order relative to each GPU, and
// GPUs that do the same finish at the same times.
func (n *Network) beginTurnsAtOwnPort(nd *node) {
	for port := range nd.ports {
		for class := range n.classes {
			n.turns[int(nd.base+port)*n.classes+class] = uint16(port)
		}
	}
}

func (b *Builder) allocate() {
	n := &b.n
	last := n.nodes[len(n.nodes)-1]
	ports := int(last.base + last.ports)
	n.ports = makeHuge[port](ports, ports)
	n.inboxes = makeHuge[inbox](ports, ports)
	n.back = make([]int32, ports)
	n.propagation = make([]units.Time, ports)
	n.reaction = make([]units.Time, ports)
	n.turns = make([]uint16, ports*n.classes)
	n.cnpAt = make([]units.Time, ports)
	n.nicQueues = make([]nicQueue, ports*n.classes)
	for i := range n.ports {
		n.ports[i] = port{wakeAt: units.Forever, serveIn: -1, single: -1, num: 1, den: 1}
		n.inboxes[i] = inbox{back: -1}
		n.back[i] = -1
	}
	for i := range n.nicQueues {
		n.nicQueues[i] = nicQueue{replies: emptyList, held: -1}
	}
	for i := range n.nodes {
		for link := n.nodes[i].base; link < n.nodes[i].base+n.nodes[i].ports; link++ {
			n.ports[link].node = int32(i)
		}
	}
	for i := range n.nodes {
		switch nd := &n.nodes[i]; nd.kind {
		case kindEthernet:
			nd.ethernet = &n.ethernet[nd.state]
			*nd.ethernet = newEthernetState(nd.ethernet.spec)
		case kindInfiniBand:
			nd.infiniband = &n.infiniband[nd.state]
			if nd.local == byPort {
				n.beginTurnsAtOwnPort(nd)
			}
		}
	}
	if len(n.ethernet) > 0 {
		b.allocateEthernet(ports)
	}
	if len(n.ethernet) > 0 || slices.ContainsFunc(n.nics, func(s nicState) bool { return s.spec.Schedule != nil }) {
		n.rounds = make([]arbitration.RoundRobin, ports)
	}
	if n.credited {
		b.allocateInfiniBand(ports)
	}
}

func (b *Builder) allocateEthernet(ports int) {
	n := &b.n
	n.egress = makeHuge[egress](ports*n.classes, ports*n.classes)
	for i := range n.egress {
		n.egress[i].packets = emptyList
	}
	n.ingress = makeHuge[buffer.Ingress](ports*n.classes, ports*n.classes)
	n.frames = make([][]pause, ports)
	n.pauseUntil = make([]units.Time, ports*n.classes)
	n.renewAt = make([]units.Time, ports*n.classes)
	for i := range ports {
		n.random = append(n.random, engine.Stream(n.seed, 1, uint32(i)))
	}
}

func (b *Builder) allocateInfiniBand(ports int) {
	n := &b.n
	n.lanes = makeHuge[credit.Lane](ports*n.classes, ports*n.classes)
	n.accounts = makeHuge[credit.Account](ports*n.classes, ports*n.classes)
	n.creditLinks = make([]credit.Link, ports)
	n.fifos = makeHuge[list](ports*n.classes, ports*n.classes)
	n.deferred = make([]uint16, ports)
	n.arbiters = make([]arbitration.Lanes, ports)
	n.starved = make([]units.Time, ports*n.classes)
	n.expiring = make([]bool, ports*n.classes)
	n.stalls = make([]stall, ports*n.classes)
	for i := range n.fifos {
		n.fifos[i] = emptyList
		n.starved[i] = units.Forever
	}
	voqs, words := 0, 0
	for i := range n.nodes {
		nd := &n.nodes[i]
		if nd.kind != kindInfiniBand {
			continue
		}
		s := &n.infiniband[nd.state]
		if s.spec.FECN.Threshold > 0 && n.fecn == nil {
			n.fecn = make([]marking.Lane, ports*n.classes)
		}
		radix := int(nd.ports)
		s.voq, s.want, s.words = int32(voqs), int32(words), int32((radix+63)/64)
		voqs += radix * radix * n.classes
		words += radix * n.classes * int(s.words)
	}
	n.voqs = makeHuge[list](voqs, voqs)
	for i := range n.voqs {
		n.voqs[i] = emptyList
	}
	n.requests = make([]uint64, words)
}

// connectCable connects the two directions of a cable.
func (b *Builder) connectCable(c *cable) {
	n := &b.n
	pa, pz := n.nodes[c.a].base+c.aPort, n.nodes[c.b].base+c.bPort
	n.setUpLink(pa, pz, c, b)
	n.setUpLink(pz, pa, c, b)
}

// setUpLink sets up the link from port from to port to.
func (n *Network) setUpLink(from, to int32, c *cable, b *Builder) {
	o, in := &n.ports[from], &n.inboxes[from]
	receiver := n.ports[to].node
	r := &n.nodes[receiver]
	o.num, o.den = int32(c.rate.Num), int16(c.rate.Den)
	o.delay = uint32(c.propagation + b.delay[receiver])
	if b.tail[receiver] {
		o.flags |= flagTail
	}
	if r.part != n.nodes[o.node].part {
		o.flags |= flagRemote
	}
	if c.uncounted {
		o.flags |= flagUncounted
	}
	in.node, in.back, in.kind, in.part = receiver, to, r.kind, r.part
	n.back[to] = from
	n.propagation[from] = c.propagation
	switch r.kind {
	case kindEthernet:
		n.reaction[from] = n.ethernet[r.state].spec.PFC.Reaction
	case kindNIC:
		n.reaction[from] = n.nics[r.state].spec.PFC.Reaction
	}
}

// receiverCredits are the credits for the input buffer at the end of a link.
func (n *Network) receiverCredits(link int32) *credit.Grant {
	r := &n.nodes[n.inboxes[link].node]
	switch r.kind {
	case kindInfiniBand:
		return &n.infiniband[r.state].spec.Credits
	case kindGPU:
		return &n.gpus[r.state].spec.Credits
	case kindNIC:
		return &n.nics[r.state].spec.Credits
	}
	return &credit.Grant{}
}

// grantCredits grants every sender the buffer at the end of its link.
func (b *Builder) grantCredits() {
	n := &b.n
	if !n.credited {
		return
	}
	b.longest = b.largestPacket()
	for link := range n.ports {
		if n.inboxes[link].back < 0 {
			continue
		}
		c := n.receiverCredits(int32(link))
		if c.Period == 0 {
			continue
		}
		if n.ports[link].flags&flagRemote != 0 && n.mirrors == nil {
			n.mirrors = makeHuge[credit.Updates](len(n.lanes), len(n.lanes))
		}
		b.grantLink(int32(link), c)
	}
}

// grantLink grants the sender of a link the buffer at its end.
func (b *Builder) grantLink(link int32, c *credit.Grant) {
	n := &b.n
	cl := &n.creditLinks[link]
	*cl = credit.Link{Period: c.Period, Latency: c.Latency + n.propagation[link]}
	most := b.mostInFlight(link)
	for class := range n.classes {
		index, granted := int(link)*n.classes+class, c.Blocks[class]
		n.lanes[index] = credit.Lane{Available: granted, Granted: granted}
		a, kept := &n.accounts[index], min(most, int64(granted)) // an update returns a block at least
		*a = credit.Account{Updates: credit.NewUpdates(kept, &b.places), Granted: granted, Period: int32(c.Period), Frame: c.FrameBytes}
		if n.ports[link].flags&flagRemote != 0 {
			a.Odd = credit.Remote
			n.mirrors[index] = credit.NewUpdates(kept, &b.places)
		}
	}
}

// mostInFlight bounds the updates of a lane of a link that have not taken effect. They are a period
// apart, between the departure of a packet's tail, which is known before the tail has arrived and
// left, and before the port has sent its flow-control packets, and the effect of the update. The
// clocks of the two ends may also differ, by less than the time of an update. A GPU's update is known when
// the packet is sent.
func (b *Builder) mostInFlight(link int32) int64 {
	n := &b.n
	c, node := &n.creditLinks[link], n.inboxes[link].node
	bytes, early := b.longest, units.Time(0)
	nd := &n.nodes[node]
	if nd.kind == kindGPU || nd.local == byPort {
		bytes = MaxPacketBytes
	}
	if nd.kind == kindGPU {
		early = units.Time(n.ports[link].delay)
	}
	return int64((2*c.Latency+early+3*n.slowest(bytes, node))/c.Period) + 2
}

// largestPacket is the length of a NIC's largest packet on the wire.
func (b *Builder) largestPacket() units.Time {
	largest := units.Time(0)
	for i := range b.n.nics {
		t := b.n.nics[i].spec.Transport
		if t == nil {
			return MaxPacketBytes
		}
		// No header is longer than the payload of the smallest MTU.
		largest = max(largest, units.Time(t.PathMTU)+256)
	}
	return largest
}

// markSlower finds the links on which cut-through could outrun the tail of a packet.
func (b *Builder) markSlower() {
	n := &b.n
	for i := range n.nodes {
		nd := &n.nodes[i]
		for in := nd.base; in < nd.base+nd.ports; in++ {
			for out := nd.base; out < nd.base+nd.ports; out++ {
				if link := n.back[in]; link >= 0 && n.faster(out, link) {
					n.inboxes[link].slower = true
					switch nd.kind {
					case kindEthernet:
						nd.ethernet.outrun = nd.ethernet.spec.CutThrough
					case kindInfiniBand:
						nd.infiniband.outrun = true
					}
				}
			}
		}
	}
}

// sendsPFC reports whether a node can pause its senders: an Ethernet switch, or a NIC that is a
// slow receiver.
func (n *Network) sendsPFC(node int32) bool {
	nd := &n.nodes[node]
	return nd.kind == kindEthernet || nd.kind == kindNIC && n.nics[nd.state].receiver != nil
}

// findLookahead is the lookahead: the shortest time in which one end of a link can affect the
// other, over the links between two parts of the network.
func (b *Builder) findLookahead(crosses func(link int) bool) units.Time {
	n := &b.n
	least := units.Forever
	for link := range n.ports {
		if n.inboxes[link].back < 0 || !crosses(link) {
			continue
		}
		least = min(least, units.Time(n.ports[link].delay))
		if n.sendsPFC(n.ports[link].node) {
			least = min(least, n.propagation[link]+n.reaction[link])
		}
		if n.credited && n.creditLinks[link].Period > 0 {
			least = min(least, n.creditLinks[link].Latency)
		}
	}
	return least
}
