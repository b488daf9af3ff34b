package fabric

import "weft/internal/sim/engine"

// Routing is a switch's method of choosing among the minimal ports to a destination.
type Routing uint8

// The methods.
const (
	// Static has one port per destination, like an InfiniBand forwarding table without adaptive
	// routing.
	Static Routing = iota
	// ECMP hashes the flow's entropy with a seed of the switch.
	ECMP
	// Spray takes the ports in turn, packet by packet.
	Spray
	// Adaptive keeps to the static port until it has more waiting bytes than the least loaded port,
	// by more than the threshold; then it uses the least loaded port, among equals the next in
	// turn. It considers only the switch's own ports. Packets that keep their order stay on the static
	// port; on Ethernet they take ECMP's, with Spray, too.
	Adaptive
	// Flowlet is ECMP until a flow pauses for longer than the gap; it may then
	// take the port with the least bytes waiting.
	Flowlet
)

// settled reports whether a packet's port depends on the packet alone.
func (r Routing) settled() bool { return r <= ECMP }

// choice is a set of ports of a switch: in forwarding.tables.SetPorts from start on.
type choice struct {
	start        int32
	ports, first uint16 // their number, and the first of them
}

// onlyPort is route at a switch that is plain if there is a single port; else it is -1.
func (nd *node) onlyPort(n *Network, k *pkt) int32 {
	way := nd.ways[k.dst]
	if nd.routing == Static {
		return nd.base + int32(way)
	}
	if c := &n.choices[int(nd.sets)+int(way)]; c.ports == 1 {
		return nd.base + int32(c.first)
	}
	return -1
}

// hashedPort is route at a switch that is plain if it has several ports to the destination.
func (nd *node) hashedPort(n *Network, k *pkt) int32 {
	c := &n.choices[int(nd.sets)+int(nd.ways[k.dst])]
	return nd.base + int32(n.tables.SetPorts[int(c.start)+Hash(k.entropy&nd.hashed, nd.salt, int(c.ports))])
}

// hashes reports whether a hash has a part in a packet's route at a switch: there are several ports.
func (nd *node) hashes(n *Network, k *pkt) bool {
	return (nd.routing == ECMP || nd.routing == Flowlet) && nd.local == byTables && n.choices[int(nd.sets)+int(nd.ways[k.dst])].ports > 1
}

// route is the output port of a packet at a switch.
func (nd *node) route(p *Partition, k *pkt) int32 {
	switch nd.local {
	case byPort:
		return nd.base + k.dst - nd.first
	case inline:
		return nd.inlinePort(k.dst)
	case byTables:
	}
	way := nd.ways[k.dst]
	if nd.routing == Static {
		return nd.base + int32(way)
	}
	t := &p.net.tables
	first := int(nd.sets) + int(way)
	start, end := int(t.SetStart[first]), int(t.SetStart[first+1])
	if end-start == 1 {
		return nd.base + int32(t.SetPorts[start])
	}
	set := t.SetPorts[start:end]
	routing := nd.routing
	if k.ordered && nd.infiniband == nil {
		routing = ECMP
	}
	switch routing {
	case ECMP:
		if n := p.net; n.hash != nil {
			return nd.base + int32(set[n.hash(nd.row, k.entropy&nd.hashed, len(set))])
		}
		return nd.base + int32(set[Hash(k.entropy&nd.hashed, nd.salt, len(set))])
	case Spray:
		nd.turn++
		return nd.base + int32(set[int(nd.turn%uint64(len(set)))])
	case Flowlet:
		return nd.flowlet(p, k, first, set)
	}
	static := nd.base + int32(t.Port[int(nd.row)*t.Endpoints+int(k.dst)])
	if k.ordered {
		return static
	}
	least, load := nd.leastLoaded(p, set)
	if p.load(static) <= load+p.net.threshold {
		return static
	}
	return least
}

// Salt makes each node hash differently, by its number in a network with a seed.
func Salt(seed uint64, node int) uint32 { return uint32(engine.Mix(seed ^ uint64(node)<<20)) }

// SharedSalt is the salt of switches that hash by the same function, and so choose alike.
func SharedSalt(seed, function uint64) uint32 {
	return uint32(engine.Mix(engine.Mix(seed^0x5a17) ^ function))
}

// Hash is ECMP's choice among n ports, by the flow's entropy and the switch's salt.
func Hash(entropy, salt uint32, n int) int {
	return int(engine.Mix(uint64(salt)<<32|uint64(entropy)) >> 32 * uint64(n) >> 32)
}

// load is the bytes that wait at a port or are on its wire.
func (p *Partition) load(port int32) int64 {
	o := &p.net.ports[port]
	load := int64(o.queued)
	if wait := int64(o.freeAt - p.now); wait > 0 {
		load += wait * int64(o.den) / int64(o.num)
	}
	return load
}

// leastLoaded is the port with the least load; among equals the next in turn.
func (nd *node) leastLoaded(p *Partition, set []uint16) (best int32, least int64) {
	nd.turn++
	best = -1
	for j := range set {
		port := nd.base + int32(set[(int(nd.turn%uint64(len(set)))+j)%len(set)])
		if load := p.load(port); best < 0 || load < least {
			best, least = port, load
		}
	}
	return best, least
}

// flowletSlots is the size of a flowlet table: flows with the same slot use the same entry, as in
// hardware. Each set of ports has its own table, as each ECMP group has at Juniper, whose switches divide
// 32,768 entries among their groups ("Configure Flowset Table Size in DLB Flowlet Mode"). The size is an
// assumption.
const flowletSlots = 1024

type flowletEntry struct {
	last int64 // picoseconds
	port int32
}

// flowlet keeps a flow on its port as long as the gaps between its packets are shorter than the
// flowlet gap.
func (nd *node) flowlet(p *Partition, k *pkt, first int, set []uint16) int32 {
	table := p.net.flowlets[first]
	if table == nil {
		table = make([]flowletEntry, flowletSlots)
		p.net.flowlets[first] = table
	}
	e := &table[Hash(k.entropy&nd.hashed^uint32(k.dst)*0x9e3779b9, nd.salt, flowletSlots)]
	if int64(p.now)-e.last <= int64(p.net.flowletGap) {
		// the set may have lost the port: by a fault
		for _, port := range set {
			if nd.base+int32(port) == e.port {
				e.last = int64(p.now)
				return e.port
			}
		}
	}
	e.port, _ = nd.leastLoaded(p, set)
	e.last = int64(p.now)
	return e.port
}
