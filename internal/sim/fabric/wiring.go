package fabric

import (
	"fmt"

	"weft/units"
)

// nodeKind is the model of a node.
type nodeKind uint8

const (
	kindNIC nodeKind = iota
	kindEthernet
	kindInfiniBand
	kindGPU
)

// localRouting is the port choice of a node without forwarding tables.
type localRouting uint8

const (
	byTables localRouting = iota // it has tables
	byPort                       // destination first+k is at port k
	inline                       // a middlebox: port 0 to its NIC, port 1 to all other destinations
)

// node is the constant description of a node, and where its state is.
type node struct {
	ethernet    *ethernetState   `state:"-"` // Ethernet switches
	infiniband  *infinibandState `state:"-"` // switches with credits
	ways        []uint16         `state:"-"` // its row of the tables: with static routing the port to each destination; else the set of ports
	sets        int32            `state:"-"` // the first of its sets of ports
	base, ports int32            `state:"-"` // its ports
	state       int32            `state:"-"` // index into the states of its kind
	row         int32            `state:"-"` // switches: row of the forwarding tables
	first       int32            `state:"-"` // local routing: the node at port 0
	salt        uint32           `state:"-"` // of its hash
	hashed      uint32           `state:"-"` // the bits of the entropy that it hashes
	turn        uint64           `state:"-"` // turn of spraying and adaptive routing
	cell        uint16           `state:"-"` // 0 is the cell of NICs, GPUs and scale-up switches whose hosts have none
	kind        nodeKind         `state:"-"`
	part        uint8            `state:"-"`
	routing     Routing          `state:"-"`
	local       localRouting     `state:"-"`
	plain       bool             `state:"-"` // a packet's port is settled by the tables, and by weft's hash, alone; packets keep their lanes, and no key or segment is checked
}

// wiring is the nodes of a network, their ports, and the links between them.
type wiring struct {
	nodes       []node
	names       []string           `state:"-"` // of nodes
	portNames   map[int32][]string `state:"-"` // by node whose ports have names, as in messages
	ports       []port             `state:"-"` // visited before all else
	inboxes     []inbox            // by link
	back        []int32            `state:"-"` // by port: the incoming link
	propagation []units.Time       `state:"-"` // by link
	classes     int                `state:"-"` // of a link: virtual lanes, priorities
}

// The kinds of nodes.
const (
	KindNIC           = "nic"
	KindSwitch        = "switch"
	KindMiddlebox     = "middlebox"
	KindGPU           = "gpu"
	KindScaleUpSwitch = "scale-up-switch"
)

// LinkName is the display name of a link.
func (w *wiring) LinkName(link int32) string {
	if link < 0 || int(link) >= len(w.ports) {
		return "the network"
	}
	from, to := &w.nodes[w.ports[link].node], w.inboxes[link].node
	return fmt.Sprintf("%s to %s", w.portText(w.ports[link].node, link-from.base), w.names[to])
}

// NodeName is the display name of a node.
func (w *wiring) NodeName(node int32) string { return w.names[node] }

// LinkEnds are the sending and the receiving node of a link.
func (w *wiring) LinkEnds(link int32) (from, to int32) {
	return w.ports[link].node, w.inboxes[link].node
}

// LinkAt is the link of a node's port, from 0.
func (w *wiring) LinkAt(node, port int32) int32 { return w.nodes[node].base + port }

// LinkPort is the sending port of a link at its node, from 0.
func (w *wiring) LinkPort(link int32) int32 { return link - w.nodes[w.ports[link].node].base }

// Back is the link in the other direction on the same cable, below 0 if there is none.
func (w *wiring) Back(link int32) int32 { return w.inboxes[link].back }

// Links is the number of directed links.
func (w *wiring) Links() int { return len(w.ports) }

// Nodes is the number of nodes.
func (w *wiring) Nodes() int { return len(w.nodes) }

// NodeKind is the kind of a node.
func (w *wiring) NodeKind(node int32) string {
	switch nd := &w.nodes[node]; {
	case nd.kind == kindNIC:
		return KindNIC
	case nd.kind == kindGPU:
		return KindGPU
	case nd.local == byPort:
		return KindScaleUpSwitch
	case nd.local == inline:
		return KindMiddlebox
	}
	return KindSwitch
}

// LinkPerByte is the time of a byte on a link.
func (w *wiring) LinkPerByte(link int32) units.PerByte {
	return units.PerByte{Num: int64(w.ports[link].num), Den: int64(w.ports[link].den)}
}

// LinkRate is the rate of a link, rounded down.
func (w *wiring) LinkRate(link int32) units.Rate { return w.ports[link].rate() }

// Propagation is the delay of a link's signal.
func (w *wiring) Propagation(link int32) units.Time { return w.propagation[link] }

// PortName is the display name of a port.
func (w *wiring) PortName(port int32) string {
	return w.portText(w.ports[port].node, w.LinkPort(port))
}

// portText is a port of a node, from 0: leaf0 port 5, leaf0 Ethernet16.
func (w *wiring) portText(node, port int32) string {
	if names := w.portNames[node]; int(port) < len(names) {
		return w.names[node] + " " + names[port]
	}
	return fmt.Sprintf("%s port %d", w.names[node], port+1)
}

// ScaleOut reports whether a link is part of the scale-out fabric: it connects NICs and switches,
// not GPUs.
func (w *wiring) ScaleOut(link int32) bool {
	return w.inboxes[link].back >= 0 && w.ports[link].flags&flagUncounted == 0
}

// cell is the cell of the node that sends on a link.
func (w *wiring) cell(link int32) uint16 { return w.nodes[w.ports[link].node].cell }

// nicBehind is the NIC at a node: the node itself, or the NIC of a middlebox; -1 if the node is
// neither.
func (w *wiring) nicBehind(id int32) int32 {
	switch nd := &w.nodes[id]; {
	case nd.kind == kindNIC:
		return id
	case nd.local == inline:
		return nd.first
	}
	return -1
}

// Classes is the number of lanes of a link.
func (w *wiring) Classes() int { return w.classes }

func (w *wiring) faster(out, link int32) bool {
	o, from := &w.ports[out], &w.ports[link]
	return int64(o.num)*int64(from.den) < int64(from.num)*int64(o.den) && w.inboxes[out].back >= 0
}

// input is the port of a switch, from 0, at which a link ends.
func (w *wiring) input(nd *node, link int32) int32 { return w.inboxes[link].back - nd.base }

// slowest is the time of a number of bytes on a node's slowest link.
func (w *wiring) slowest(bytes units.Time, node int32) (t units.Time) {
	nd := &w.nodes[node]
	for link := nd.base; link < nd.base+nd.ports; link++ {
		for _, l := range []int32{link, w.back[link]} {
			if l >= 0 {
				t = max(t, bytes*units.Time(w.ports[l].num)/units.Time(w.ports[l].den))
			}
		}
	}
	return t
}
