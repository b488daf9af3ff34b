package format

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/units"
)

// sighting is one line's description of a port and its node. Missing fields are zero.
type sighting struct {
	node   subnet.Node // Kind, GUID, SystemGUID, VendorID, DeviceID, Revision, Name; no ports
	ports  int         // number of the node's ports
	guid   units.GUID  // of the port; of a switch, of its port 0
	number uint8       // of the port
	lid    units.LID   // of the port; of a switch, of its port 0
	hasLID bool
	could  subnet.Link // both ends support it, and the link is less; zero if it is not said
	state  subnet.State
}

// builder makes a subnet from lines that each describe one directed link with both ends. All
// formats without a section per node have such lines.
type builder struct {
	log   *log
	seen  []seenPort          // a switch, or one port of another node
	by    map[units.GUID]int  // into seen, by port GUID; of a switch, by NodeGUID too
	said  []saidLink          // by line
	nodes map[units.GUID]bool // NodeGUIDs that the file names apart from ports
	first map[units.LID][]int // into seen
	ends  map[endKey]int      // into said, by the port that the line describes
}

// seenPort is a switch with all its ports, or one port of an adapter.
type seenPort struct {
	sighting
	where place
	top   int  // highest number of a port
	own   bool // a line describes it; else it is only the far end of lines
}

type endKey struct {
	seen   int
	number uint8
}

// saidLink is one line: a port, its peer if it has one, and the link.
type saidLink struct {
	from  endKey
	to    sighting
	link  subnet.Link
	could subnet.Link
	state subnet.State
	where place
	down  bool
}

func newBuilder(l *log) *builder {
	return &builder{
		log: l, by: map[units.GUID]int{}, nodes: map[units.GUID]bool{},
		first: map[units.LID][]int{}, ends: map[endKey]int{},
	}
}

// key is the GUID that identifies the node or port of a line.
func (s *sighting) key() units.GUID {
	if s.guid == 0 && s.node.Kind == subnet.Switch {
		return s.node.GUID
	}
	return s.guid
}

// see finds or adds the port of a line; own says that the line describes the port itself, not a
// peer.
func (b *builder) see(in *lines, s sighting, own bool) (int, bool) {
	key := s.key()
	i, known := b.by[key]
	if !known {
		if len(b.seen) == maxNodes {
			in.fail("more than %d ports and switches: a subnet has 49,151 unicast LIDs", maxNodes)
			return 0, false
		}
		i = len(b.seen)
		b.by[key] = i
		b.seen = append(b.seen, seenPort{sighting: s, where: place{in.name, in.n}, top: max(int(s.number), s.ports), own: own})
		if s.lid != 0 {
			b.first[s.lid] = append(b.first[s.lid], i)
		}
		return i, true
	}
	p := &b.seen[i]
	p.own = p.own || own
	p.top = max(p.top, int(s.number), s.ports)
	if p.node.Kind == 0 {
		p.node.Kind = s.node.Kind
	}
	if p.node.Kind != subnet.Switch && p.number != s.number && s.node.Kind != 0 {
		in.fail("port GUID %v is port %d of %v here and port %d in line %d", s.guid, s.number, s.node.Kind, p.number, p.where.line)
		return i, false
	}
	if s.node.Kind != 0 && p.node.Kind != s.node.Kind {
		in.fail("%v is a %v here and a %v in line %d", key, s.node.Kind, p.node.Kind, p.where.line)
		return i, false
	}
	b.compare(in, p, &s)
	return i, true
}

// compare notes differences between two lines about one port, and fills in the fields that the
// first lacks.
func (b *builder) compare(in *lines, p *seenPort, s *sighting) {
	if s.hasLID && p.hasLID && s.lid != p.lid {
		in.note("%s has LID %d here and LID %d in line %d: the latter is used", p.describe(), s.lid, p.lid, p.where.line)
	}
	if s.node.Name != "" && p.node.Name != "" && s.node.Name != p.node.Name {
		b.log.misnamed(place{in.name, in.n}, s.key(), s.node.Name, p.node.Name, p.where.line)
	}
	if p.node.Name == "" {
		p.node.Name = s.node.Name
	}
}

func (p *seenPort) describe() string {
	if p.node.Name != "" {
		return "\"" + wording.Abridged(p.node.Name, 64) + "\""
	}
	return p.key().String()
}

// line adds one line.
func (b *builder) line(in *lines, from sighting, to *sighting, link subnet.Link) {
	i, ok := b.see(in, from, true)
	if !ok {
		return
	}
	at := endKey{i, from.number}
	if first, twice := b.ends[at]; twice && !b.log.lenient {
		if b.said[first].down == (to == nil) && (to == nil || b.said[first].to.key() == to.key() && b.said[first].to.number == to.number) {
			in.note("the same line as %d once more", b.said[first].where.line)
			return
		}
		in.fail("port %d of %s is cabled twice (first at line %d): expected one line for a port", from.number, b.seen[i].describe(), b.said[first].where.line)
		return
	}
	if _, twice := b.ends[at]; !twice {
		b.ends[at] = len(b.said)
	}
	said := saidLink{from: at, link: link, could: from.could, state: from.state, where: place{in.name, in.n}, down: to == nil}
	if to != nil {
		said.to = *to
	}
	b.said = append(b.said, said)
}

// finish joins the lines into a subnet.
func (b *builder) finish(name string) *subnet.Subnet {
	far := b.resolve(name)
	b.settleKinds(far)
	s, where, ok := b.layNodes()
	if !ok {
		return s
	}
	oneEnded, example := 0, place{}
	bad := b.contradicted(s, far, where)
	for i := range b.said {
		said := &b.said[i]
		a := where(said.from)
		if said.down && said.state == subnet.Disabled {
			s.Port(a).State = said.state
		}
		if said.down || far[i].seen < 0 {
			continue
		}
		c := where(far[i])
		if bad[a] || bad[c] {
			continue
		}
		if s.Peer(a).Exists() && s.Peer(a) == c {
			continue // the line of the other end has connected it
		}
		if said.from == far[i] && b.log.lenient {
			b.log.contradict(said.where, "%s is joined to itself: is it a loopback plug? It is not used", s.EndName(a))
			continue
		}
		if said.from == far[i] {
			b.fail(said.where, "%s is joined to itself: expected another port", s.EndName(a))
			continue
		}
		back, mutual := b.ends[far[i]]
		if mutual && (b.said[back].down || far[back] != said.from) {
			b.fail(said.where, "the ends of a cable disagree: %s is joined to %s here, and line %d contradicts this", s.EndName(a), s.EndName(c), b.said[back].where.line)
			continue
		}
		if s.Peer(a).Exists() || s.Peer(c).Exists() {
			b.fail(said.where, "%s is cabled twice: expected one cable to a port", s.EndName(c))
			continue
		}
		s.Connect(a, c, said.link)
		s.Port(a).Could, s.Port(a).State = said.could, said.state
		s.Port(c).Could, s.Port(c).State = said.could, said.state
		if mutual {
			p := s.Port(c)
			p.Link, p.Could, p.State = b.said[back].link, b.said[back].could, b.said[back].state
			continue
		}
		if oneEnded == 0 {
			example = said.where
		}
		oneEnded++
	}
	if oneEnded > 0 {
		b.log.note(example.file, example.line, "%s described from one end only, the first of them here: expected a line for each of the two ports; was the list filtered?", wording.Counted(oneEnded, "cable is", "cables are"))
	}
	return s
}

// contradicted is the ports with contradicting lines, if that is not an error.
func (b *builder) contradicted(s *subnet.Subnet, far []endKey, where func(endKey) subnet.End) map[subnet.End]bool {
	if !b.log.lenient {
		return nil
	}
	var claims []claim
	for i := range b.said {
		c := claim{where(b.said[i].from), subnet.None, b.said[i].where}
		switch {
		case b.said[i].down:
		case far[i].seen >= 0:
			c.to = where(far[i])
		default:
			continue // another error reports it
		}
		claims = append(claims, c)
	}
	return b.log.contradicted(claims, s.EndName)
}

// resolve finds the peer of each line: by GUID, or else by LID.
func (b *builder) resolve(name string) []endKey {
	far := make([]endKey, len(b.said))
	strangers, example := 0, place{}
	for i := range b.said {
		said := &b.said[i]
		far[i].seen = -1
		if said.down {
			continue
		}
		to := &said.to
		if to.key() == 0 {
			far[i] = b.byLID(said)
			continue
		}
		if _, known := b.by[to.key()]; !known {
			if strangers == 0 {
				example = said.where
			}
			strangers++
		}
		in := &lines{name: name, n: said.where.line, log: b.log}
		j, ok := b.see(in, *to, false)
		if ok {
			far[i] = endKey{j, to.number}
		}
	}
	if strangers > 0 {
		b.log.note(example.file, example.line, "%s no line of their own, the first of them leads here: expected one for every port; was the list filtered?", wording.Counted(strangers, "port has", "ports have"))
	}
	return far
}

// settleKinds gives a kind to nodes whose lines have none, as in iblinkinfo -l: a node with one
// port becomes an adapter.
func (b *builder) settleKinds(far []endKey) {
	ports := map[int]map[uint8]bool{}
	count := func(e endKey) {
		if e.seen >= 0 && b.seen[e.seen].node.Kind == 0 {
			if ports[e.seen] == nil {
				ports[e.seen] = map[uint8]bool{}
			}
			ports[e.seen][e.number] = true
		}
	}
	for i := range b.said {
		count(b.said[i].from)
		count(far[i])
	}
	if len(ports) == 0 {
		return
	}
	for i, numbers := range ports {
		b.seen[i].node.Kind = subnet.Switch
		if len(numbers) == 1 {
			b.seen[i].node.Kind = subnet.Adapter
		}
	}
	b.log.note(b.seen[0].where.file, 0, "the file has no kind for %d nodes: nodes with one port count as adapters, all others as switches", len(ports))
}

// byLID finds the far end of a line without its GUID.
func (b *builder) byLID(said *saidLink) endKey {
	lid := said.to.lid
	candidates := b.first[lid]
	switch {
	case lid == 0:
		b.fail(said.where, "the other end has LID 0 and no GUID: expected LIDs, which a Subnet Manager gives out, or iblinkinfo -l, which prints GUIDs")
	case len(candidates) == 0:
		b.fail(said.where, "the other end has LID %d, which no port in the file has: was the list filtered?", lid)
	case len(candidates) > 1:
		b.fail(said.where, "the other end has LID %d, which %s and %s both have", lid, b.seen[candidates[0]].describe(), b.seen[candidates[1]].describe())
	default:
		p := &b.seen[candidates[0]]
		if p.node.Kind != subnet.Switch && p.number != said.to.number {
			b.fail(said.where, "the other end is port %d with LID %d, which is port %d of %s in line %d", said.to.number, lid, p.number, p.describe(), p.where.line)
			break
		}
		p.top = max(p.top, int(said.to.number))
		return endKey{candidates[0], said.to.number}
	}
	return endKey{seen: -1}
}

// layNodes makes the nodes: one for each switch, and one for the ports of each adapter. where is
// the place of a port in the subnet.
func (b *builder) layNodes() (s *subnet.Subnet, where func(endKey) subnet.End, ok bool) {
	s = &subnet.Subnet{Origin: subnet.None}
	at := make([]int32, len(b.seen))
	ports := 0
	for _, group := range b.groups() {
		top := 0
		for _, i := range group {
			top = max(top, b.seen[i].top)
		}
		p := &b.seen[group[0]]
		if ports += top; ports > maxPorts {
			b.fail(p.where, "the nodes have more than %d ports together: no subnet is that large", maxPorts)
			return s, nil, false
		}
		n := p.node
		if n.GUID == 0 {
			n.GUID = b.nodeGUID(group)
		}
		node := s.Add(n, top)
		for _, i := range group {
			at[i] = node
			number := b.seen[i].number
			if n.Kind == subnet.Switch {
				number = 0
			}
			port := &s.Nodes[node].Ports[number]
			port.GUID, port.LID = b.seen[i].guid, b.seen[i].lid
			if port.GUID == 0 {
				port.GUID = n.GUID
			}
		}
	}
	return s, func(e endKey) subnet.End { return subnet.End{Node: at[e.seen], Port: uint16(e.number)} }, true
}

// groups lists the ports of each node, in the order of their first lines. If NodeGUIDs are
// not known, ports with one name whose GUIDs differ as their numbers do belong to one
// adapter: vendors number them so.
func (b *builder) groups() [][]int {
	type key struct {
		name string
		base units.GUID
	}
	var groups [][]int
	group := map[key]int{}
	joined := 0
	for i := range b.seen {
		p := &b.seen[i]
		k := key{p.node.Name, p.guid - units.GUID(p.number)}
		if p.node.GUID != 0 {
			k = key{base: p.node.GUID}
		}
		if g, known := group[k]; known && p.node.Kind == b.seen[groups[g][0]].node.Kind && p.node.Kind != subnet.Switch {
			groups[g] = append(groups[g], i)
			if p.node.GUID == 0 {
				joined++
			}
			continue
		}
		group[k] = len(groups)
		groups = append(groups, []int{i})
	}
	if joined > 0 {
		b.log.note(b.seen[0].where.file, 0, "the file does not say which ports belong to one adapter: %d ports of the same name and with consecutive GUIDs were taken together", joined)
	}
	for _, g := range groups {
		sorting.Func(g, func(x, y int) int { return cmp.Compare(b.seen[x].number, b.seen[y].number) })
	}
	return groups
}

// nodeGUID is the GUID of a node with known port GUIDs: the NodeGUID from elsewhere in the file;
// else, for an adapter with several ports, the GUID before port 1's; else the port's GUID.
func (b *builder) nodeGUID(group []int) units.GUID {
	p := &b.seen[group[0]]
	if p.node.Kind == subnet.Switch {
		return p.guid
	}
	before := p.guid - units.GUID(p.number)
	if b.nodes[before] || len(group) > 1 && !b.nodes[p.guid] {
		return before
	}
	return p.guid
}

func (b *builder) fail(at place, format string, args ...any) {
	b.log.fail(at.file, at.line, format, args...)
}
