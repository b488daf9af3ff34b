package format

import (
	"strings"

	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
)

// connect connects the ports that the lines name. It works on lines, not on the subnet, so that
// each contradiction is reported with its line.
func (t *topoReader) connect() {
	byEnd := make(map[subnet.End]int, len(t.said))
	far := make([]subnet.End, len(t.said))
	for i := range t.said {
		far[i] = subnet.None
		said := &t.said[i]
		if first, twice := byEnd[said.at]; twice && t.log.lenient {
			far[i] = t.resolve(said)
			continue
		} else if twice {
			t.fail(said.where, "%s is cabled twice (first at line %d): expected one cable to a port", t.end(said.at), t.said[first].where.line)
			continue
		}
		byEnd[said.at] = i
		far[i] = t.resolve(said)
	}
	bad := t.contradicted(far)
	for i := range t.said {
		said := &t.said[i]
		if byEnd[said.at] != i || !far[i].Exists() || t.s.Peer(said.at).Exists() || bad[said.at] || bad[far[i]] {
			continue
		}
		if said.at == far[i] && t.log.lenient {
			t.log.contradict(said.where, "%s is joined to itself: is it a loopback plug? It is not used", t.end(said.at))
			continue
		}
		if said.at == far[i] {
			t.fail(said.where, "%s is joined to itself: expected another port", t.end(said.at))
			continue
		}
		j, mutual := byEnd[far[i]]
		switch {
		case !mutual && strings.Contains(said.remote, "@"):
			if t.s.Peer(far[i]).Exists() {
				t.fail(said.where, "the port behind the alias %q has a cable already", said.remote)
				continue
			}
			t.join(said, t.aliases[said.remote])
		case !mutual && t.log.lenient:
			t.log.report.Disputed = append(t.log.report.Disputed, said.at, far[i])
			t.log.contradict(said.where, "a cable with one end: %s is joined to %s, and no line describes that port: it is not used", t.end(said.at), t.end(far[i]))
		case !mutual:
			t.fail(said.where, "a cable with one end: %s is joined to %s, and no line describes that port: expected [%d] %q[%d] there",
				t.end(said.at), t.end(far[i]), far[i].Port, t.id(said.at), said.at.Port)
		case far[j] != said.at:
			t.disagree(said, &t.said[j], far[i])
		default:
			t.join(said, &t.said[j])
		}
	}
}

// contradicted is the ports with contradicting lines, if that is not an error.
func (t *topoReader) contradicted(far []subnet.End) map[subnet.End]bool {
	if !t.log.lenient {
		return nil
	}
	var claims []claim
	for i := range t.said {
		if far[i].Exists() && far[i] != t.said[i].at {
			claims = append(claims, claim{t.said[i].at, far[i], t.said[i].where})
		}
	}
	return t.log.contradicted(claims, t.end)
}

// disagree reports a port whose peer names another port.
func (t *topoReader) disagree(said, other *saidCable, far subnet.End) {
	t.fail(said.where, "the ends of a cable disagree: %s is joined to %s, which line %d joins to %q[%d]",
		t.end(said.at), t.end(far), other.where.line, wording.Abridged(other.remote, 40), other.port)
}

// resolve finds the port that a line names as the other end.
func (t *topoReader) resolve(said *saidCable) subnet.End {
	if strings.Contains(said.remote, "@") {
		port, known := t.aliases[said.remote]
		if !known {
			t.fail(said.where, "%q is the alias of no port", wording.Abridged(said.remote, 40))
			return subnet.None
		}
		return port.at
	}
	node, known := t.ids[said.remote]
	switch {
	case !known:
		t.fail(said.where, "%s is joined to %q, which is not described in the file: expected a section of its own; is the file cut off?",
			t.end(said.at), wording.Abridged(said.remote, 40))
		return subnet.None
	case node == broken:
		return subnet.None // the error at its head is enough
	case int(said.port) > t.s.Nodes[node].NumPorts():
		t.fail(said.where, "%s is joined to port %d of %s, which has %d ports", t.end(said.at), said.port, t.name(node), t.s.Nodes[node].NumPorts())
		return subnet.None
	}
	return subnet.End{Node: node, Port: uint16(said.port)}
}

// join makes a cable from the lines of its two ends.
func (t *topoReader) join(a, b *saidCable) {
	pa, pb := t.s.Port(a.at), t.s.Port(b.at)
	if t.s.Nodes[b.at.Node].Kind != subnet.Switch && pb.GUID == 0 {
		pb.GUID = a.guid
	}
	t.sameEnd(a, b)
	t.sameEnd(b, a)
	t.s.Connect(a.at, b.at, subnet.Link{})
	switch {
	case a.hasLink || b.hasLink:
		pa.Link, pb.Link = a.link, b.link
		if !a.hasLink {
			pa.Link = b.link
		}
		if !b.hasLink {
			pb.Link = a.link
		}
	case a.hasLID || b.hasLID: // a line of ibnetdiscover with unknown width and speed
	default:
		link, ok := negotiate(a.own, b.own)
		if !ok {
			t.log.note(a.where.file, a.where.line, "%s and %s have no width or no speed in common: the link has neither", t.end(a.at), t.end(b.at))
		}
		pa.Link, pb.Link = link, link
	}
}

// sameEnd compares one end's description of the other end with that end itself.
func (t *topoReader) sameEnd(a, b *saidCable) {
	p, n := t.s.Port(b.at), &t.s.Nodes[b.at.Node]
	if a.guid != 0 && n.Kind != subnet.Switch && a.guid != p.GUID {
		t.fail(a.where, "the ends of a cable disagree: the port at the other end is %v here and %v in its own line (%d)", a.guid, p.GUID, b.where.line)
	}
	if named := n.ID == "" && n.Name != t.id(b.at); named && a.name != "" && a.name != n.Name {
		t.log.misnamed(a.where, n.GUID, a.name, n.Name, t.heads[b.at.Node].line)
	}
	lid := p.LID
	if n.Kind == subnet.Switch {
		lid = n.Ports[0].LID
	}
	if a.hasLID && a.lid != lid {
		t.log.note(a.where.file, a.where.line, "%s has LID %d here and LID %d where it is described: the latter is used", t.name(b.at.Node), a.lid, lid)
	}
}

// negotiate is the best width and speed that both ports have enabled.
func negotiate(a, b masks) (subnet.Link, bool) {
	var link subnet.Link
	for _, w := range []struct {
		bit   uint8
		width subnet.Width
	}{{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}} {
		if a.width&b.width&w.bit != 0 {
			link.Width = w.width
			break
		}
	}
	for _, s := range []struct {
		mask, bit uint8
		speed     subnet.Speed
	}{
		{a.extended & b.extended, 8, subnet.NDR},
		{a.extended & b.extended, 4, subnet.HDR},
		{a.extended & b.extended, 2, subnet.EDR},
		{a.extended & b.extended, 1, subnet.FDR},
		{a.speed & b.speed, 4, subnet.QDR},
		{a.speed & b.speed, 2, subnet.DDR},
		{a.speed & b.speed, 1, subnet.SDR},
	} {
		if s.mask&s.bit != 0 {
			link.Speed = s.speed
			break
		}
	}
	return link, link.Width != 0 && link.Speed != subnet.SpeedUnknown
}

func (t *topoReader) fail(at place, format string, args ...any) {
	t.log.fail(at.file, at.line, format, args...)
}

// name is the name of a node in messages, end the name of a port.
func (t *topoReader) name(node int32) string  { return t.s.NodeName(node) }
func (t *topoReader) end(e subnet.End) string { return t.s.EndName(e) }
func (t *topoReader) id(e subnet.End) (id string) {
	n := &t.s.Nodes[e.Node]
	if n.ID != "" {
		return n.ID
	}
	return idLetter(n.Kind) + "-" + n.GUID.Digits()
}
