package routetest

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Odd is a small random fabric with ends that are no plain hosts: adapters with two ports on one
// switch, on two, or with one cable; routers with one port or two; gateways; aggregation nodes;
// hosts on a spine; a cable from a switch to itself. Every eighth seed has no switch: two adapters
// back to back. Port GUIDs follow the node's GUID, as ibsim has them. The manager's port, Origin, is
// port 1 of an adapter, and reaches all nodes.
func Odd(seed uint64) *subnet.Subnet {
	b := oddBuilder{r: rand.New(rand.NewPCG(seed, 23)), s: &subnet.Subnet{Origin: subnet.None}}
	if seed%8 == 7 {
		b.backToBack()
		return b.s
	}
	b.tree()
	first := b.end(subnet.Adapter, "manager", 1, b.leaf())
	b.s.Origin = subnet.End{Node: first, Port: 1}
	for range 2 + b.r.IntN(8) {
		b.odd()
	}
	if b.r.IntN(3) == 0 {
		b.join(b.leaves[0], b.leaves[0])
	}
	return b.s
}

type oddBuilder struct {
	r              *rand.Rand
	s              *subnet.Subnet
	leaves, spines []int32
}

var oddLink = subnet.Link{Width: 4, Speed: subnet.EDR}

func (b *oddBuilder) add(kind subnet.Kind, name string, ports int) int32 {
	guid := 0x0002_c903_0000_0000 | units.GUID(b.r.IntN(1<<16))<<16 | units.GUID(len(b.s.Nodes))<<8
	i := b.s.Add(subnet.Node{Kind: kind, GUID: guid, SystemGUID: guid, VendorID: 0x2c9, DeviceID: 0x1017, Name: fmt.Sprintf("%s %d", name, len(b.s.Nodes))}, ports)
	for p := range b.s.Nodes[i].Ports {
		if kind != subnet.Switch && p > 0 {
			b.s.Nodes[i].Ports[p].GUID = guid + units.GUID(p)
		}
	}
	if kind == subnet.Switch {
		b.s.Nodes[i].Ports[0].GUID = guid
	}
	return i
}

// tree is up to four leaves, each cabled to each of up to three spines.
func (b *oddBuilder) tree() {
	leaves := 1 + b.r.IntN(4)
	for range leaves {
		b.leaves = append(b.leaves, b.add(subnet.Switch, "leaf", 36))
	}
	for range b.r.IntN(3) + min(leaves-1, 1) {
		spine := b.add(subnet.Switch, "spine", 36)
		b.spines = append(b.spines, spine)
		for _, leaf := range b.leaves {
			for range 1 + b.r.IntN(3)/2 {
				b.join(leaf, spine)
			}
		}
	}
}

func (b *oddBuilder) leaf() int32 { return b.leaves[b.r.IntN(len(b.leaves))] }

// high is a spine, if there is one.
func (b *oddBuilder) high() int32 {
	if len(b.spines) == 0 {
		return b.leaf()
	}
	return b.spines[b.r.IntN(len(b.spines))]
}

// join cables the first free ports of two nodes.
func (b *oddBuilder) join(x, y int32) {
	free := func(n int32, from uint8) uint8 {
		for p := int(from); p < len(b.s.Nodes[n].Ports); p++ {
			if !b.s.Nodes[n].Ports[p].Peer.Exists() {
				return uint8(p)
			}
		}
		return 0
	}
	here := free(x, 1)
	there := free(y, 1)
	if x == y {
		there = free(y, here+1)
	}
	if here != 0 && there != 0 {
		b.s.Connect(subnet.End{Node: x, Port: uint16(here)}, subnet.End{Node: y, Port: uint16(there)}, oddLink)
	}
}

// end adds a node with a number of ports, cabled to switches in order.
func (b *oddBuilder) end(kind subnet.Kind, name string, ports int, to ...int32) int32 {
	n := b.add(kind, name, ports)
	for _, sw := range to {
		b.join(n, sw)
	}
	return n
}

func (b *oddBuilder) odd() {
	switch leaf := b.leaf(); b.r.IntN(8) {
	case 0, 1:
		b.end(subnet.Adapter, "two ports, one leaf", 2, leaf, leaf)
	case 2:
		b.end(subnet.Adapter, "two ports", 2, leaf, b.leaf())
	case 3:
		n := b.add(subnet.Adapter, "second port alone", 2)
		for p := 1; p < len(b.s.Nodes[leaf].Ports); p++ {
			if !b.s.Nodes[leaf].Ports[p].Peer.Exists() {
				b.s.Connect(subnet.End{Node: n, Port: 2}, subnet.End{Node: leaf, Port: uint16(p)}, oddLink)
				return
			}
		}
	case 4:
		b.end(subnet.Router, "router", 1, b.high())
	case 5:
		b.end(subnet.Router, "router", 2, leaf, b.high())
	case 6:
		b.end(subnet.Adapter, "gateway", 2, b.high(), b.high())
	default:
		b.end(subnet.Adapter, "aggregation node", 1, b.high())
	}
}

// backToBack is two adapters of one port or of two, with one cable: a second would be another subnet,
// because adapters forward nothing.
func (b *oddBuilder) backToBack() {
	ports := 1 + b.r.IntN(2)
	x, y := b.add(subnet.Adapter, "host", ports), b.add(subnet.Adapter, "host", ports)
	b.join(x, y)
	b.s.Origin = subnet.End{Node: x, Port: 1}
}
