package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/base/wording"
	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// Line is one position of a bill of materials.
type Line struct {
	Kind     string       `json:"kind"`  // switch, nic, cable, transceiver, fibre
	Item     string       `json:"item"`  // its name in price files
	Title    string       `json:"title"` // display name
	Where    string       `json:"where"` // leaf, spine, core; node-leaf, …
	Length   units.Length `json:"-"`
	Quantity int          `json:"quantity"`
	Power    Part         `json:"-"` // of one piece
}

// wiring holds the properties of a design's cables.
type wiring struct {
	graph       *topology.Graph
	rate        units.Rate
	planes      int // planes on which a NIC has a port
	protocol    string
	cageLinks   int // links of a switch's cage
	moduleLinks int // links of a node's cage
	lengths     map[topology.CableKind]units.Length
	connector   string // of the NICs, as in the catalog: qsfp112
	switchMaker string
	nicMaker    string
	lines       []Line
}

// bill is the bill of materials of a built fabric.
func (c choice) bill(r *Request, g *topology.Graph, f *scenario.Fabric) []Line {
	count, s, n := topology.Tally(g), c.sw, c.nic
	var lines []Line
	for level, k := range count.Switches {
		if k > 0 {
			lines = append(lines, Line{"switch", s.entry.Name, s.entry.Title, levelName(c.shape, count, level), 0, k, s.power()})
		}
	}
	title, power, moduleLinks, connector := n.entry.Title, "about.power", c.machine.moduleLinks, "about.connector"
	if !c.own { // a card has a cage of its own
		moduleLinks = 1
	}
	switch {
	case c.ownPlanes():
		moduleLinks *= c.planes() // the ports of a NIC share its cage
		title = fmt.Sprintf("%s, %d ports of %s", title, c.planes(), c.preset.rate)
	case c.shape == scenario.DualPlane:
		power, connector = "about.two-ports-power", "about.two-ports-connector"
		title = fmt.Sprintf("%s, a card of %d ports of %s", title, c.planes(), c.preset.rate)
	}
	lines = append(lines, Line{"nic", n.entry.Name, title, "node", 0, count.Endpoints, n.power(power)})
	rate := f.Link.Rate()
	w := wiring{
		switchMaker: s.vendor, nicMaker: n.vendor,
		graph: g, rate: rate, planes: c.planes(), protocol: s.protocol, moduleLinks: moduleLinks, connector: strings.ToLower(module(n.entry, connector)),
		cageLinks: max(1, s.ports.PortsAt(rate)/max(1, s.cages)),
		lengths: map[topology.CableKind]units.Length{
			topology.NodeLeaf: f.Topology.Cables.NodeLeaf, topology.LeafSpine: f.Topology.Cables.LeafSpine, topology.SpineCore: f.Topology.Cables.SpineCore,
			topology.Local: f.Topology.Cables.Local, topology.Global: f.Topology.Cables.Global,
		},
	}
	for _, kind := range []topology.CableKind{topology.NodeLeaf, topology.LeafSpine, topology.SpineCore, topology.Local, topology.Global} {
		if count.Cables[kind] > 0 {
			w.kind(kind, count.Cables[kind])
		}
	}
	w.others(c, r, w.lengths[topology.NodeLeaf])
	return append(lines, w.lines...)
}

// difference is what a bill has more than another, and what it has less.
func difference(before, after []Line) (added, freed []Line) {
	type key struct{ kind, item string }
	count := map[key]int{}
	for _, l := range before {
		count[key{l.Kind, l.Item}] += l.Quantity
	}
	for _, l := range after { // what moves to another place is not bought
		k := key{l.Kind, l.Item}
		have := min(count[k], l.Quantity)
		count[k] -= have
		if l.Quantity -= have; l.Quantity > 0 {
			added = append(added, l)
		}
	}
	for _, l := range slices.Backward(before) {
		k := key{l.Kind, l.Item}
		if l.Quantity = min(l.Quantity, count[k]); l.Quantity > 0 {
			count[k] -= l.Quantity
			freed = append(freed, l)
		}
	}
	return added, freed
}

// kind adds the parts of the cables of a kind.
func (w *wiring) kind(kind topology.CableKind, links int) {
	length := w.lengths[kind]
	ends := "switch-switch"
	if kind == topology.NodeLeaf && w.moduleLinks == 1 {
		ends = "switch-nic"
	}
	optical := kind == topology.NodeLeaf && w.moduleLinks > 1 // the links of a node's cage go to different switches
	e, ok := cableFor(w.rate, w.cageLinks, w.protocol, ends, length, optical)
	if !ok {
		what := fmt.Sprintf("%s cables: the catalog has none for %s at %s a cage over %s", kind, w.rate, wording.Counted(w.cageLinks, "link", "links"), length)
		w.lines = append(w.lines, Line{"cable", catalog.Unknown, what, kind.String(), length, links, Part{What: "the power of " + what, Most: 2 * mostModule(w.rate, 1)}})
		return
	}
	medium, _ := e.Get("medium")
	if onePiece(medium.Value) {
		item := w.part(e, "switch-module", kind)
		w.lines = append(w.lines, Line{"cable", item, titleOf(e, item) + withdrawn(e, item), kind.String(), length, w.pieces(kind), w.bothEnds(e)})
		return
	}
	nodeModules := 0
	if kind == topology.NodeLeaf {
		nodeModules = w.nodeModules()
	}
	w.optics(kind, e, w.switchModules(kind), nodeModules)
	w.lines = append(w.lines, Line{"fibre", "fibre-" + medium.Value, medium.Value + " fibre cable", kind.String(), length, links, Part{Known: true, Tag: catalog.Verified}})
}

// optics adds the transceivers of both ends.
func (w *wiring) optics(kind topology.CableKind, e catalog.Entry, sides, nodeModules int) {
	item := w.part(e, "switch-module", kind)
	own := modulePower(e, "switch-power", "transceiver "+item, w.rate, w.cageLinks)
	services := 0
	if kind == topology.NodeLeaf {
		services = w.graph.Services // hosts of other kinds, with a NIC in each cage
	}
	if item != "none" { // co-packaged optics are a part of the switch
		w.lines = append(w.lines, Line{"transceiver", item, titleOf(e, item), kind.String(), 0, sides, own})
	}
	end, power, title := "nic-module", "nic-power", "the NIC's end of "
	if w.moduleLinks > 1 { // a cage with its own heat sink: no fins on the module
		end, power, title = "node-module", "node-power", "the node's end, with a flat top, of "
	} else {
		nodeModules, services = nodeModules+services, 0
	}
	add := func(item, power, title string, n int) {
		if n > 0 {
			w.lines = append(w.lines, Line{"transceiver", item, title + titleOf(e, item), kind.String(), 0, n, modulePower(e, power, "transceiver "+item, w.rate, w.moduleLinks)})
		}
	}
	add(w.part(e, end, kind), power, title, nodeModules)
	add(w.part(e, "nic-module", kind), "nic-power", "the NIC's end of ", services)
}

// switchModules is the number of switch cages that the cables of a kind fill: each switch has its
// own, the last perhaps in part.
func (w *wiring) switchModules(kind topology.CableKind) int {
	links := make([]int, len(w.graph.Nodes))
	for _, c := range w.graph.Cables {
		if w.graph.KindOf(c) == kind {
			links[c.A.Node]++
			links[c.B.Node]++
		}
	}
	n := 0
	for _, k := range links[w.graph.Endpoints:] {
		n += ceilDiv(k, w.cageLinks)
	}
	return n
}

// nodeModules is the number of node cages in use.
func (w *wiring) nodeModules() int {
	nodes := w.graph.Compute() / max(1, w.graph.NodeNICs)
	return nodes * ceilDiv(w.graph.NodeNICs*w.planes, w.moduleLinks)
}

// pieces is the number of one-piece cables at the switches: between two switches one for each pair
// of cages, from a switch to NICs one for each of its cages.
func (w *wiring) pieces(kind topology.CableKind) int {
	if kind == topology.NodeLeaf {
		return w.switchModules(kind)
	}
	links := map[[2]topology.NodeID]int{}
	for _, c := range w.graph.Cables {
		if w.graph.KindOf(c) == kind {
			links[[2]topology.NodeID{min(c.A.Node, c.B.Node), max(c.A.Node, c.B.Node)}]++
		}
	}
	n := 0
	for _, k := range links {
		n += ceilDiv(k, w.cageLinks)
	}
	return n
}

// onePiece reports whether a cable has fixed ends.
func onePiece(medium string) bool {
	return medium == "copper" || medium == "active-copper" || medium == "active-optical"
}

// part is a part of a cable that fits the connector of the NICs: OSFP unless the cable has another for
// it. Between switches all cages are the same. A device of another maker than the part's has the part's form.
func (w *wiring) part(e catalog.Entry, field string, kind topology.CableKind) string {
	maker, connector := w.switchMaker, ""
	if field != "switch-module" {
		maker = w.nicMaker
	}
	if kind == topology.NodeLeaf {
		connector = w.connector
	}
	if form, ok := formOf(e, field, connector, maker); ok {
		return form
	}
	if kind == topology.NodeLeaf {
		if f, ok := e.On(w.connector, field); ok {
			return f.Value
		}
	}
	return module(e, field)
}

// withdrawn says that a part is no longer for sale, and since when; usually empty.
func withdrawn(e catalog.Entry, item string) string {
	if f, ok := e.Known("about.withdrawn"); ok {
		if part, since, _ := strings.Cut(f.Value, " "); part == item {
			return "; no longer for sale since " + since
		}
	}
	return ""
}

func module(e catalog.Entry, field string) string {
	f, _ := e.Get(field)
	return f.Value
}

// bothEnds is the power of a one-piece cable.
func (w *wiring) bothEnds(e catalog.Entry) Part {
	a, b := powerOf(e, "switch-power", "cable "+module(e, "switch-module")), powerOf(e, "nic-power", "cable "+module(e, "switch-module"))
	if !a.Known || !b.Known {
		return Part{What: a.What, Most: 2 * mostModule(w.rate, w.cageLinks)}
	}
	return Part{Value: a.Value + b.Value, Known: true, Tag: catalog.Softer(a.Tag, b.Tag), What: a.What}
}

// cableFor is the shortest cable that reaches; optical asks for a cable with pluggable
// transceivers.
func cableFor(rate units.Rate, cageLinks int, protocol, ends string, length units.Length, optical bool) (catalog.Entry, bool) {
	type option struct {
		entry catalog.Entry
		reach units.Length
	}
	var fits []option
	for _, e := range catalog.Entries(catalog.Cable) {
		reachFact, _ := e.Get("reach")
		reach, err := units.ParseLength(reachFact.Value)
		protocols, _ := e.Get("protocols")
		of, _ := e.Get("ends")
		medium, _ := e.Get("medium")
		if err != nil || reach < length || number(e, "cage-links") != cageLinks || rateOf(catalog.Cable, e.Name, "rate") != rate || optical && (onePiece(medium.Value) || module(e, "node-module") == "none") {
			continue
		}
		if (of.Value == "any" || of.Value == ends) && slices.Contains(strings.Fields(protocols.Value), protocol) {
			fits = append(fits, option{e, reach})
		}
	}
	if len(fits) == 0 {
		return catalog.Entry{}, false
	}
	best := slices.MinFunc(fits, func(a, b option) int { return cmp.Compare(a.reach, b.reach) })
	return best.entry, true
}

func ceilDiv(a, b int) int { return (a + b - 1) / max(1, b) }
