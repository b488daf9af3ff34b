package route_test

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/ib/subnet"
	"weft/units"
)

// drawn is a random fabric, with names for its parts.
type drawn struct {
	name  string
	s     *subnet.Subnet
	roots []units.GUID // switches of the top level; nil without levels
	// compute are the first ports of the hosts on the level where most hosts are.
	compute []units.GUID
}

// draw makes a random fabric: a tree, a torus, a mesh or an irregular one; whole or with
// parts missing; with GUIDs that do not depend on the position, and the manager on any
// host.
func draw(seed uint64) drawn {
	b := newBuilder(seed, 3)
	var d drawn
	switch seed % 5 {
	case 0:
		d.name = b.tree(2 + b.r.IntN(2))
	case 1:
		d.name = b.tree(2+b.r.IntN(2)) + " damaged"
		b.damage()
	case 2:
		d.name = b.grid()
	case 3:
		d.name = b.tree(2+b.r.IntN(2)) + " with extras"
		b.extras()
	default:
		d.name = b.irregular()
	}
	b.finish(&d, seed)
	return d
}

// finish puts the manager somewhere, keeps what it can reach, and names its parts.
func (b *builder) finish(d *drawn, seed uint64) {
	b.chooseManager()
	d.name = fmt.Sprintf("%d %s", seed, d.name)
	d.s = b.connected()
	for i := range d.s.Nodes {
		if n := &d.s.Nodes[i]; n.Kind == subnet.Adapter && !b.elsewhere[n.GUID] {
			d.compute = append(d.compute, n.Ports[1].GUID)
		}
	}
	for _, sw := range b.top {
		d.roots = append(d.roots, b.s.Nodes[sw].GUID)
	}
}

type builder struct {
	r      *rand.Rand
	s      *subnet.Subnet
	guids  map[units.GUID]bool
	top    []int32        // switches of the top level
	leaves map[int32]bool // of a tree
	// elsewhere are the hosts that extras adds, on switches of any level.
	elsewhere map[units.GUID]bool
	down      int // hosts on each leaf of a tree, 0: any number
}

func newBuilder(seed, kind uint64) *builder {
	return &builder{
		r: rand.New(rand.NewPCG(seed, kind)), s: &subnet.Subnet{Origin: subnet.None},
		guids: map[units.GUID]bool{}, leaves: map[int32]bool{}, elsewhere: map[units.GUID]bool{},
	}
}

func (b *builder) guid() units.GUID {
	for {
		g := units.GUID(b.r.Uint64() &^ (0xf << 60))
		if b.r.IntN(3) == 0 {
			g = 0x0002_c903_0000_0000 | g&0xffff
		}
		if g != 0 && !b.guids[g] && !b.guids[g+1] && !b.guids[g+2] {
			b.guids[g], b.guids[g+1], b.guids[g+2] = true, true, true
			return g
		}
	}
}

func (b *builder) sw(ports int) int32 {
	g := b.guid()
	i := b.s.Add(subnet.Node{Kind: subnet.Switch, GUID: g, SystemGUID: g, Name: fmt.Sprintf("sw%d", len(b.s.Nodes))}, ports)
	b.s.Nodes[i].Ports[0].GUID = g
	return i
}

func (b *builder) host(sw int32) units.GUID {
	g := b.guid()
	i := b.s.Add(subnet.Node{Kind: subnet.Adapter, GUID: g, SystemGUID: g, Name: fmt.Sprintf("host%d", len(b.s.Nodes))}, 1)
	b.s.Nodes[i].Ports[1].GUID = g + 1
	b.join(i, sw)
	return g
}

// join cables the first free ports of two nodes, if both have one.
func (b *builder) join(x, y int32) {
	px, py := b.free(x), b.free(y)
	if px != 0 && py != 0 && x != y {
		b.s.Connect(subnet.End{Node: x, Port: uint16(px)}, subnet.End{Node: y, Port: uint16(py)}, subnet.Link{Width: 4, Speed: subnet.HDR})
	}
}

func (b *builder) free(n int32) uint8 {
	for p := 1; p < len(b.s.Nodes[n].Ports); p++ {
		if !b.s.Nodes[n].Ports[p].Peer.Exists() {
			return uint8(p)
		}
	}
	return 0
}

// tree is a fat tree of two or three levels: pods of leaves and spines, and
// cores above, in planes.
func (b *builder) tree(levels int) string {
	down, up, leaves := 1+b.r.IntN(4), 1+b.r.IntN(4), 2+b.r.IntN(4)
	parallel := 1 + b.r.IntN(4)/3
	if b.down > 0 {
		down = b.down
	}
	pods, cores := 1, 0
	if levels == 3 {
		pods, cores = 2+b.r.IntN(3), 1+b.r.IntN(3)
	}
	planes := make([][]int32, up)
	if levels == 3 {
		for p := range planes {
			for range cores {
				planes[p] = append(planes[p], b.sw(pods*parallel))
			}
			b.top = append(b.top, planes[p]...)
		}
	}
	for range pods {
		spines := make([]int32, up)
		for p := range spines {
			spines[p] = b.sw(leaves*parallel + cores*parallel)
			if levels == 2 {
				b.top = append(b.top, spines[p])
			}
		}
		for range leaves {
			leaf := b.sw(down + up*parallel)
			b.leaves[leaf] = true
			for range down {
				b.host(leaf)
			}
			for _, s := range spines {
				for range parallel {
					b.join(leaf, s)
				}
			}
		}
		for p, s := range spines {
			for _, c := range planes[p] {
				for range parallel {
					b.join(s, c)
				}
			}
		}
	}
	return fmt.Sprintf("tree of %d levels, %d hosts a leaf, %d up, %d leaves, %d pods, %d cores, x%d", levels, down, up, leaves, pods, cores, parallel)
}

// grid is a torus or a mesh of two or three dimensions.
func (b *builder) grid() string {
	size := [3]int{2 + b.r.IntN(4), 2 + b.r.IntN(3), 1 + b.r.IntN(3)}
	wrap, hosts, parallel := b.r.IntN(2) == 0, 1+b.r.IntN(2), 1+b.r.IntN(3)/2
	at := map[[3]int]int32{}
	for x := range size[0] {
		for y := range size[1] {
			for z := range size[2] {
				at[[3]int{x, y, z}] = b.sw(6*parallel + hosts)
			}
		}
	}
	// Ports are by dimension: all cables of one before those of the next.
	for dim := range 3 {
		for x := range size[0] {
			for y := range size[1] {
				for z := range size[2] {
					from := [3]int{x, y, z}
					to := from
					to[dim]++
					if to[dim] == size[dim] {
						if !wrap || size[dim] < 3 {
							continue
						}
						to[dim] = 0
					}
					for range parallel {
						b.join(at[from], at[to])
					}
				}
			}
		}
	}
	for x := range size[0] {
		for y := range size[1] {
			for z := range size[2] {
				for range hosts {
					b.host(at[[3]int{x, y, z}])
				}
			}
		}
	}
	return fmt.Sprintf("grid of %v, torus %v, %d hosts, x%d", size, wrap, hosts, parallel)
}

// irregular cables switches at random, some of them in one chassis.
func (b *builder) irregular() string {
	n := 3 + b.r.IntN(14)
	var all []int32
	for range n {
		all = append(all, b.sw(4+b.r.IntN(30)))
	}
	for i := 1; i < n; i++ {
		b.join(all[i], all[b.r.IntN(i)])
	}
	for range b.r.IntN(3 * n) {
		b.join(all[b.r.IntN(n)], all[b.r.IntN(n)])
	}
	for range 2 + b.r.IntN(4*n) {
		if sw := all[b.r.IntN(n)]; b.free(sw) != 0 {
			b.host(sw)
		}
	}
	for range b.r.IntN(n) {
		b.s.Nodes[all[b.r.IntN(n)]].SystemGUID = b.s.Nodes[all[b.r.IntN(n)]].GUID
	}
	b.top = []int32{all[b.r.IntN(n)], all[b.r.IntN(n)]}
	return fmt.Sprintf("%d switches at random", n)
}

// damage unplugs some cables, of hosts too, and takes whole nodes away.
func (b *builder) damage() {
	unplug := func(e subnet.End) {
		if peer := b.s.Peer(e); peer.Exists() {
			b.s.Port(e).Peer, b.s.Port(peer).Peer = subnet.None, subnet.None
		}
	}
	for range 1 + b.r.IntN(3) {
		n := int32(b.r.IntN(len(b.s.Nodes)))
		if b.r.IntN(4) == 0 {
			for p := 1; p < len(b.s.Nodes[n].Ports); p++ {
				unplug(subnet.End{Node: n, Port: uint16(p)})
			}
			continue
		}
		unplug(subnet.End{Node: n, Port: uint16(1 + b.r.IntN(b.s.Nodes[n].NumPorts()))})
	}
}

// extras adds to a tree what trees should not have: cables between switches of
// any level, hosts anywhere, hosts with two ports.
func (b *builder) extras() {
	var switches []int32
	for i := range b.s.Nodes {
		if b.s.Nodes[i].Kind == subnet.Switch {
			switches = append(switches, int32(i))
		}
	}
	some := func() int32 { return switches[b.r.IntN(len(switches))] }
	more := b.more
	for range b.r.IntN(3) {
		if x, y := some(), some(); x != y {
			b.join(more(x), more(y))
		}
	}
	for range b.r.IntN(4) {
		b.elsewhere[b.host(more(some()))] = true
	}
	for range b.r.IntN(3) {
		g := b.guid()
		i := b.s.Add(subnet.Node{Kind: subnet.Adapter, GUID: g, SystemGUID: g, Name: fmt.Sprintf("host%d", len(b.s.Nodes))}, 2)
		b.s.Nodes[i].Ports[1].GUID, b.s.Nodes[i].Ports[2].GUID = g+1, g+2
		b.elsewhere[g] = true
		b.join(i, more(some()))
		b.join(i, more(some()))
	}
}

// more gives a switch another port.
func (b *builder) more(sw int32) int32 {
	b.s.Nodes[sw].Ports = append(b.s.Nodes[sw].Ports, subnet.Port{Peer: subnet.None})
	return sw
}

// drawCrossed makes a tree whose leaves are cabled to each other. Every second tree has
// one host on each leaf; some trees are damaged.
func drawCrossed(seed uint64) drawn {
	b := newBuilder(seed, 9)
	b.down = int(seed % 2)
	d := drawn{name: b.tree(2 + b.r.IntN(2))}
	var leaves []int32
	for i := range b.s.Nodes {
		if b.leaves[int32(i)] {
			leaves = append(leaves, int32(i))
		}
	}
	for range 1 + b.r.IntN(3) {
		if x, y := leaves[b.r.IntN(len(leaves))], leaves[b.r.IntN(len(leaves))]; x != y {
			b.join(b.more(x), b.more(y))
		}
	}
	if b.r.IntN(2) == 0 {
		b.damage()
		d.name += " damaged"
	}
	b.finish(&d, seed)
	return d
}

// chooseManager puts the manager on a host with a cable, sometimes on a switch.
func (b *builder) chooseManager() {
	for range 1000 {
		n := int32(b.r.IntN(len(b.s.Nodes)))
		if b.s.Nodes[n].Kind == subnet.Switch && b.r.IntN(8) == 0 {
			b.s.Origin = subnet.End{Node: n}
			return
		}
		if b.s.Nodes[n].Kind == subnet.Adapter && b.s.Nodes[n].Ports[1].Peer.Exists() {
			b.s.Origin = subnet.End{Node: n, Port: 1}
			return
		}
	}
}

// connected keeps what the manager can reach.
func (b *builder) connected() *subnet.Subnet {
	if !b.s.Origin.Exists() {
		return b.s
	}
	return b.s.Reachable()
}
