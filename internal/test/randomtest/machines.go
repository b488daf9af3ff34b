package randomtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
)

// mostNICs bounds the NICs and the GPUs of a cluster. A steady scenario has at most steadyNICs: the state of a small
// cluster comes back within fewer events.
const (
	mostNICs   = 32
	steadyNICs = 8
)

// frequency is how often a protocol is drawn for each time that another one is.
var frequency = map[string]int{"infiniband": 3, "roce-v2": 3}

// presetsOf are the fabrics of the catalog, a list for each time that a protocol is drawn.
func presetsOf(protocols []*protocol.Protocol) (all [][]string) {
	for _, p := range protocols {
		for range max(1, frequency[p.Name]) {
			all = append(all, namesWith(catalog.Fabric, "kind", p.Name))
		}
	}
	return all
}

// namesWith are the entries of the catalog with a value of a field.
func namesWith(kind catalog.Kind, field, value string) (names []string) {
	for _, e := range catalog.Entries(kind) {
		if f, _ := e.Get(field); f.Value == value {
			names = append(names, e.Name)
		}
	}
	return names
}

// machines draws the cluster and the protocol of its fabric.
func (d *draw) machines() bool {
	most, gpus, protocols := mostNICs, d.between(1, 8), protocol.All
	if d.steady {
		most, gpus = steadyNICs, d.between(1, 4)
		protocols = slices.DeleteFunc(slices.Clone(protocols), (*protocol.Protocol).OnTCP)
	}
	fabrics := presetsOf(protocols)
	if d.odds(2) {
		gpus = 1
	}
	nics := gpus
	if d.odds(3) {
		nics = d.between(1, min(8, most))
	}
	least := 2
	if gpus > 1 && d.odds(8) {
		least = 1
	}
	nodes := d.between(least, max(least, most/max(gpus, nics)))
	if least == 1 {
		nodes = 1
	}
	pairs := []string{
		"cluster.nodes", strconv.Itoa(nodes), "cluster.node.preset", "dgx-b300", "cluster.node.nic.rate", "800Gbps",
		"cluster.node.gpus", strconv.Itoa(gpus), "cluster.node.nics", strconv.Itoa(nics),
		"topology.shape", "single-switch", "fabric.preset", d.one(fabrics[d.IntN(len(fabrics))]...),
	}
	if !d.try(pairs...) {
		return false
	}
	link := d.protocol().Link()
	d.tryAll(join(
		d.perhaps(3, "fabric.link.generation", links(link)),
		d.perhaps(3, "fabric.switch.model", strings.Join(namesWith(catalog.Switch, "about.protocol", link), "|")),
		d.perhaps(2, "fabric.mtu", mtus[link]),
		d.perhaps(3, "cluster.node.rails", fmt.Sprintf("1 | %d", nics)),
	))
	d.tryAll(d.perhaps(2, "cluster.node.preset", strings.Join(catalog.Names(catalog.Node), "|")))
	d.tryAll(d.perhaps(3, "fabric.nic.model", strings.Join(catalog.Names(catalog.NIC), "|")))
	return true
}

// links are the generations of links of a kind of cables: Ethernet's state their time to pause.
func links(kind string) string {
	var names []string
	for _, e := range catalog.Entries(catalog.Link) {
		if _, pauses := e.Get("about.pause-quanta"); pauses == (kind == "ethernet") {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, "|")
}

// mtus are the sizes of packets that are drawn on each kind of cables.
var mtus = map[string]string{
	"infiniband": "256B | 512B | 1KiB | 2KiB | 4KiB",
	"ethernet":   "700B | 1KiB | 1500B | 2KiB | 4KiB | 4KiB | 8KiB | 9000B",
}

// scaleUp draws the network inside a node.
func (d *draw) scaleUp() {
	if d.resolved.Cluster.Node.GPUs == 1 || d.odds(2) {
		return
	}
	at := "cluster.node.scale-up."
	d.try(at+"generation", d.one(catalog.Names(catalog.ScaleUp)...))
	switch d.between(0, 9) {
	case 0:
		d.try(at+"kind", "none", at+"multicast", "false", at+"switches", "0")
	case 1:
		d.try(at+"kind", "mesh", at+"links", strconv.Itoa(d.between(1, 12)), at+"switches", "0", at+"multicast", "false")
		d.try(at+"pair-links", strconv.Itoa(d.between(1, 3)))
	case 2:
		d.try(at+"kind", "memory-pool", at+"links", "1", at+"link-rate", "100GB/s", at+"packet", d.one("64B", "256B"), at+"overhead", "0B",
			at+"switches", "0", at+"multicast", "false", at+"devices", strconv.Itoa(d.between(1, 4)))
	case 3, 4:
		d.try(at+"kind", "switch", at+"links", strconv.Itoa(d.between(1, 8)), at+"switches", strconv.Itoa(d.between(1, 4)), at+"link-rate", d.one("25GB/s", "50GB/s"))
	}
}

// cabling draws the topology.
func (d *draw) cabling() {
	if d.protocol().OneSegment {
		return
	}
	at := d.one("topology.", "fabric.topology.")
	if d.steady && d.odds(2) {
		d.try(d.rails(at)...)
		return
	}
	shapes := []func(string) []string{d.fatTree, d.fatTree, d.rails, d.planes, d.dragonfly, d.dragonflyPlus, d.torus, d.listed}
	if onInfiniBand(d) {
		shapes = append(shapes, d.torus, d.dragonfly) // which have routing engines of their own
	}
	for range 6 { // some draws have too few ports
		if d.odds(6) || d.try(shapes[d.IntN(len(shapes))](at)...) {
			break
		}
	}
}

func (d *draw) oversubscribed(at string) []string {
	return []string{at, d.one("1", "2", `"3:2"`, "3")}
}

func (d *draw) fatTree(at string) []string {
	if d.odds(2) {
		return join([]string{at + "shape", "fat-tree", at + "levels", "3"}, d.number(at+"radix", 4, 12), d.some(d.oversubscribed(at+"oversubscription")),
			d.some(d.oversubscribed(at+"spine-oversubscription")), d.some(d.number(at+"cores", 1, 4)))
	}
	down := d.oversubscribed(at + "oversubscription")
	if d.odds(2) {
		down = d.number(at+"hosts-per-leaf", 1, 8)
	}
	return join([]string{at + "shape", "fat-tree", at + "levels", "2"}, d.number(at+"radix", 4, 24), down, d.some(d.number(at+"spines", 1, 4)), d.some(d.number(at+"spare-ports", 0, 3)))
}

func (d *draw) rails(at string) []string {
	return join([]string{at + "shape", "rail-optimised"}, d.some(d.number(at+"radix", 4, 24)), d.some(d.oversubscribed(at+"oversubscription")),
		d.some(d.number(at+"rails", 1, 4)), d.some(d.number(at+"nodes-per-unit", 1, 4)), d.some(d.number(at+"spines", 1, 3)), d.some([]string{at + "ufm", d.one("true", "false")}))
}

func (d *draw) planes(at string) []string {
	n := strconv.Itoa(d.between(2, 3))
	plane := d.one("single-switch", "fat-tree", "rail-optimised")
	return join([]string{at + "shape", "dual-plane", at + "planes", n, "fabric.nic.ports", n, at + "plane-shape", plane}, d.some(d.number(at+"radix", 8, 40)))
}

func (d *draw) dragonfly(at string) []string {
	return join([]string{at + "shape", "dragonfly"}, d.number(at+"hosts-per-leaf", 1, 4), d.number(at+"switches-per-group", 2, 4), d.number(at+"global-links", 1, 3), d.some(d.number(at+"groups", 2, 6)))
}

func (d *draw) dragonflyPlus(at string) []string {
	return join([]string{at + "shape", "dragonfly-plus"}, d.number(at+"hosts-per-leaf", 1, 4), d.number(at+"switches-per-group", 1, 4), d.number(at+"spines", 1, 3), d.number(at+"global-links", 1, 3))
}

func (d *draw) torus(at string) []string {
	dims := d.one("[3]", "[2, 2]", "[3, 3]", "[4, 2]", "[2, 2, 2]", "[5, 3]")
	return join([]string{at + "shape", "torus", at + "dims", dims}, d.some(d.number(at+"hosts-per-leaf", 1, 8)), d.some(d.number(at+"links-per-dim", 1, 2)))
}

// listed draws a tree of switches with some more cables, and NICs at any of them.
func (d *draw) listed(at string) []string {
	nics := d.resolved.Cluster.Endpoints()
	switches := d.between(1, 5)
	var links []string
	link := func(a, b int) {
		l := fmt.Sprintf("ends: [%d, %d], length: %s", a, b, d.one("1m", "5m", "30m"))
		if b >= nics && a >= nics && d.odds(3) {
			l += fmt.Sprintf(", count: %d", d.between(2, 3))
		}
		if d.odds(5) && !onUltra(d) { // a queue behind a slow link outlasts every timeout, unless nscc is drawn
			l += ", rate: " + d.one("10Gbps", "25Gbps")
		}
		links = append(links, "{"+l+"}")
	}
	for nic := range nics {
		link(nic, nics+d.IntN(switches))
	}
	for s := 1; s < switches; s++ {
		link(nics+s, nics+d.IntN(s))
	}
	if switches > 2 && d.odds(2) {
		link(nics, nics+switches-1)
	}
	return []string{at + "shape", "listed", at + "links", "[" + strings.Join(links, ", ") + "]"}
}
