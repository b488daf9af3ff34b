package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// Subnet describes a subnet and its faults. contradictions is the reader's messages about
// cables that contradict each other and were left out. The report does not depend on the order of the nodes.
func Subnet(s *subnet.Subnet, contradictions ...string) *Report {
	return inspect(s.Reordered(s.ByName()), contradictions, nil, false).report
}

// Ethernet describes a fabric without GUIDs and LIDs, whose ports have names and whose links have bare rates. disputed
// are the nodes with a port of a contradiction: that they have no cable is no finding.
func Ethernet(s *subnet.Subnet, contradictions []string, disputed map[int32]bool) *Report {
	return inspect(s, contradictions, disputed, true).report
}

func inspect(s *subnet.Subnet, contradictions []string, disputed map[int32]bool, ethernet bool) *inspection {
	in := &inspection{ethernet: ethernet, s: s, names: namesOf(s), report: &Report{Ethernet: ethernet}, disputed: disputed}
	for _, text := range contradictions {
		in.find(Error, "contradiction", nil, "%s", text)
	}
	in.faults()
	in.islands()
	in.count()
	in.judgeHosts()
	in.apart()
	in.selfCables()
	in.links()
	in.naming()
	in.housings()
	in.finish()
	return in
}

// inspection is the state of one inspection.
type inspection struct {
	s        *subnet.Subnet
	ethernet bool // without GUIDs and LIDs
	names    names
	disputed map[int32]bool // nodes of which the file contradicts itself about a cable
	report   *Report
	all      *graph    // every switch
	parts    []*island // the largest first
	part     []int     // by switch in all: index into parts; -1 for a stub
	hosts    []host
	hostOf   map[int32]int32 // by node: index into hosts
	found    []Finding
	more     map[string]int
}

// island is one part of the fabric, with the result of its analysis.
type island struct {
	g     *graph
	level []int
	about Island

	dragonfly *dragonfly // nil for other families
	grid      *grid      // nil for families other than torus and mesh
}

func (in *inspection) find(sev Severity, kind string, ends []subnet.End, format string, args ...any) {
	if in.more == nil {
		in.more = map[string]int{}
	}
	if in.more[kind]++; in.more[kind] > maxOfKind {
		return
	}
	f := Finding{Severity: sev, Kind: kind, Text: fmt.Sprintf(format, args...)}
	for _, e := range ends {
		f.Ports = append(f.Ports, in.endName(e))
	}
	in.found = append(in.found, f)
}

// notJudged notes what was left out. Of many parts alike the first few are named.
func (in *inspection) notJudged(format string, args ...any) {
	switch r := in.report; {
	case len(r.NotJudged) < maxNotJudged:
		r.NotJudged = append(r.NotJudged, fmt.Sprintf(format, args...))
	case len(r.NotJudged) == maxNotJudged:
		r.NotJudged = append(r.NotJudged, "and more of these")
	}
}

// faults reports the faults that a working subnet cannot have.
func (in *inspection) faults() {
	for _, f := range in.s.Check() {
		sev := Error
		if f.Kind == subnet.LinkMismatch {
			sev = Warning
		}
		in.find(sev, string(f.Kind), f.Ends, "%s", f.Text)
	}
}

// islands groups the switches into connected parts, and recognises each part.
func (in *inspection) islands() {
	var switches []int32
	for i := range in.s.Nodes {
		if in.s.Nodes[i].Kind == subnet.Switch {
			switches = append(switches, int32(i))
		}
	}
	in.all = newGraph(in.s, in.names, switches, make([]int32, len(in.s.Nodes)))
	in.hosts, in.hostOf = hostsOf(in.all)
	of, count := in.all.components(func(_, _ int32) bool { return true })
	members := make([][]int32, count)
	for sw, part := range of {
		members[part] = append(members[part], switches[sw])
	}
	shared := make([]int32, len(in.s.Nodes))
	for _, list := range members {
		in.parts = append(in.parts, &island{g: in.withoutStubs(list, shared)})
	}
	sorting.StableFunc(in.parts, func(a, b *island) int {
		return cmp.Or(b.g.adapters()-a.g.adapters(), len(b.g.node)-len(a.g.node))
	})
	in.part = make([]int, len(switches))
	for sw := range in.part {
		in.part[sw] = -1
	}
	for i, p := range in.parts {
		for _, node := range p.g.node {
			in.part[in.all.number(node)] = i
		}
		in.recognise(p)
		in.report.Islands = append(in.report.Islands, p.about)
	}
}

// withoutStubs is the graph of connected switches without its stubs, which it reports. A part without
// hosts is a plan, or an island: it has none.
func (in *inspection) withoutStubs(switches, dense []int32) *graph {
	g := newGraph(in.s, in.names, switches, dense)
	if !slices.ContainsFunc(g.hosts, func(on []subnet.End) bool { return len(on) > 0 }) {
		return g
	}
	stub := stubs(g)
	var kept []int32
	for sw, node := range switches {
		if !stub[sw] {
			kept = append(kept, node)
			continue
		}
		var to []string
		var at []subnet.End
		for _, n := range g.near[sw] {
			to = append(to, fmt.Sprintf("%s to %s", plural(len(n.ports), "cable"), g.name(n.to)))
			at = append(at, ends(g, int32(sw), n.to)...)
		}
		in.find(Warning, "stub-switch", at, "%s has no hosts and only %s: no path between hosts crosses it", g.name(int32(sw)), list(to, 4))
	}
	if len(kept) == len(switches) {
		return g
	}
	return newGraph(in.s, in.names, kept, dense)
}

// apart reports parts that cannot reach each other, unless they are the planes of the adapters.
func (in *inspection) apart() {
	if len(in.parts) < 2 {
		return
	}
	for i, p := range in.parts[1:] {
		if slices.ContainsFunc(p.g.node, func(n int32) bool { return in.disputed[n] }) {
			continue // a cable that is left out may lead to the rest
		}
		if p.g.adapters() == 0 || 10*p.g.adapters() < in.parts[0].g.adapters() {
			in.find(Warning, "island", nil, "%s (%s) %s without a cable to the rest",
				list(p.switchNames(), 3), plural(p.g.adapters(), "adapter"), isAre(len(p.g.node)))
		} else if i == 0 && len(in.parts) != in.report.Planes {
			in.find(Note, "islands", nil, "the fabric has %d parts without a cable between them: separate planes or rails, or a cable is missing", len(in.parts))
		}
	}
}

func (p *island) switchNames() []string {
	var names []string
	for sw := range p.g.node {
		names = append(names, p.g.name(int32(sw)))
	}
	return names
}

// recognise finds the family of a part, and looks for deviations from its symmetry.
func (in *inspection) recognise(p *island) {
	g := p.g
	p.level = levelsOf(g, fewHosts(g))
	p.about = Island{Switches: len(g.node), Adapters: p.g.adapters(), Diameter: diameter(g)}
	before := maps.Clone(in.more)
	defer func() { p.about.But = exceptions(before, in.more) }()
	defer in.cuts(p)
	switch {
	case len(g.node) == 1:
		p.about.Family, p.about.What = SingleSwitch, "a single switch"
		in.levels(p)
		return
	case in.tree(p):
		return
	}
	if d, ok := gridOf(g); ok {
		in.grid(p, &d)
		in.report.PairsJudged += links(g)
		return
	}
	if d, ok := dragonflyOf(g, p.level); ok {
		in.dragonfly(p, &d)
		in.report.PairsJudged += links(g)
		return
	}
	if in.extendedTree(p) || in.mixedTree(p) {
		return
	}
	in.notJudged("the cables between the %d switches of an irregular network", len(g.node))
	p.about.Family, p.about.What = Irregular, "an irregular network"
	p.about.Members = members(p.g)
}

// exceptions says where a part differs from its family, by the findings that were added.
func exceptions(before, after map[string]int) (but []string) {
	for _, kind := range []struct{ of, one, many string }{
		{"stray-host", "host above the leaves", "hosts above the leaves"},
		{"flat-link", "link within a level", "links within a level"},
		{"skipping-link", "link that skips a level", "links that skip a level"},
		{"missing-cable", "place that lacks cables", "places that lack cables"},
		{"crossed-cables", "pair of crossed cables", "pairs of crossed cables"},
		{"moved-cable", "cable to the wrong switch", "cables to the wrong switch"},
	} {
		switch n := after[kind.of] - before[kind.of]; n {
		case 0:
		case 1:
			but = append(but, "1 "+kind.one)
		default:
			but = append(but, fmt.Sprintf("%d %s", n, kind.many))
		}
	}
	return but
}

// members lists a part, switches with many hosts first.
func members(g *graph) []Member {
	if len(g.node) > maxMembers {
		return nil
	}
	out := make([]Member, 0, len(g.node))
	for sw := range g.node {
		m := Member{Switch: g.name(int32(sw)), Hosts: len(g.hosts[sw]), Free: len(g.freePorts(int32(sw)))}
		for _, n := range g.near[sw] {
			m.To = append(m.To, Bundle{g.name(n.to), len(n.ports)})
		}
		out = append(out, m)
	}
	sorting.StableFunc(out, func(a, b Member) int { return b.Hosts - a.Hosts })
	return out
}

// diameterLimit is the largest number of switches for which the diameter is computed: the search
// tries all pairs.
const diameterLimit = 2000

func diameter(g *graph) int {
	if len(g.node) > diameterLimit {
		return -1
	}
	far := 0
	distance := make([]int, len(g.node))
	queue := make([]int32, 0, len(g.node))
	for root := range g.node {
		for i := range distance {
			distance[i] = -1
		}
		distance[root] = 0
		queue = append(queue[:0], int32(root))
		for head := 0; head < len(queue); head++ {
			for _, n := range g.near[queue[head]] {
				if distance[n.to] < 0 {
					distance[n.to] = distance[queue[head]] + 1
					far = max(far, distance[n.to])
					queue = append(queue, n.to)
				}
			}
		}
	}
	return far
}

// count counts nodes, ports and cables.
func (in *inspection) count() {
	r := in.report
	free := false
	for i := range in.s.Nodes {
		n := &in.s.Nodes[i]
		cabled := 0
		for p := range n.Ports {
			if n.Ports[p].Peer.Exists() {
				cabled++
			}
		}
		r.Cables += cabled
		free = free || n.Kind == subnet.Switch && cabled < n.NumPorts()
		switch {
		case in.ethernet && n.Kind == subnet.Router && cabled == 0:
			continue // management, whose cables are not the fabric's
		case n.Kind == subnet.Switch:
			r.Switches++
		case n.Kind == subnet.Router:
			r.Routers++
		case isAggregation(n):
			r.Aggregation++
		default:
			r.Adapters += cabled
		}
		if cabled == 0 && !in.disputed[int32(i)] {
			in.find(Warning, "no-cable", nil, "%s has no cable", in.names.of(int32(i)))
		}
	}
	r.Cables /= 2
	if in.ethernet && !free && r.Switches > 0 {
		in.notJudged("free ports: the file lists ports with cables alone")
	}
}

// selfCables reports cables with both ends at one node.
func (in *inspection) selfCables() {
	for i := range in.s.Nodes {
		for p := range in.s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			if far := in.s.Peer(e); far.Node == e.Node && far.Port > e.Port {
				in.find(Warning, "self-cable", []subnet.End{e, far}, "a cable joins ports %d and %d of %s: it carries nothing to another node", e.Port, far.Port, in.names.of(e.Node))
			}
		}
	}
}

// finish sorts the findings and adds the number of findings left out.
func (in *inspection) finish() {
	for _, kind := range slices.Sorted(maps.Keys(in.more)) {
		if left := in.more[kind] - maxOfKind; left > 0 {
			in.found = append(in.found, Finding{Severity: Note, Kind: kind, Text: fmt.Sprintf("and %d more of the kind %s", left, kind)})
		}
	}
	rank := map[Severity]int{Error: 0, Warning: 1, Note: 2}
	sorting.StableFunc(in.found, func(a, b Finding) int { return rank[a.Severity] - rank[b.Severity] })
	in.report.Findings = in.found
	if in.report.Findings == nil {
		in.report.Findings = []Finding{}
	}
}

// list joins names, the first few of them.
func list(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) > 1 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if strings.HasSuffix(word, "ch") {
		word += "e"
	}
	if w, ok := strings.CutSuffix(word, "leaf"); ok {
		return fmt.Sprintf("%d %sleaves", n, w)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
