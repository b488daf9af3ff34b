package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// readPortList reads the port list of ibnetdiscover -p, also with the lines of the discovery before
// it, as in files of hwloc's netloc.
//
// The list names ports, not nodes. A NodeGUID comes from the lines of the discovery, if there are
// any. Otherwise it is the GUID of the port or, for an adapter with several ports, the GUID before
// its first port's. A switch has as many ports as the list names. In a filtered list a cable may
// have one end only; this is noted.
func readPortList(name string, r io.Reader, opt Options) (*subnet.Subnet, *Report, error) {
	l := log{lenient: opt.Contradictions}
	p := &portListReader{b: newBuilder(&l)}
	in := newLines(name, r, &l)
	for raw := range in.rest() {
		line := string(raw)
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "", trimmed[0] == '#':
		case kindOf(trimmed) != 0:
			p.line(in, trimmed)
		case strings.HasPrefix(line, "DR path "):
			p.discovery(in, line)
		default:
			in.skip(line)
		}
	}
	p.names()
	s := p.b.finish(name)
	if len(s.Nodes) == 0 && len(l.errs.List) == 0 {
		l.fail(name, 0, "no port is in it: expected lines such as «CA 134 1 0x7cfe9003003b4bde 4x EDR - SW 1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'leaf1' )»")
	}
	l.byLine()
	if err := l.err(); err != nil {
		return nil, &l.report, err
	}
	return s, &l.report, nil
}

type portListReader struct {
	b *builder
	// unclear is the lines with an ambiguous split into two names, by their index in the builder.
	unclear map[int]string
}

// kindOf is the node kind at the beginning of a line, 0 if there is none.
func kindOf(line string) subnet.Kind {
	switch {
	case strings.HasPrefix(line, "CA "):
		return subnet.Adapter
	case strings.HasPrefix(line, "SW "):
		return subnet.Switch
	case strings.HasPrefix(line, "RT "):
		return subnet.Router
	}
	return 0
}

// discovery takes the NodeGUID from a line of ibnetdiscover -s:
//
//	DR path slid 0; dlid 0; 0,1 -> new Switch {000b8cffff004939} portnum 0 lid 0-0 ""
func (p *portListReader) discovery(in *lines, line string) {
	c := cursor{line}
	if _, ok := c.until(" -> "); !ok {
		in.skip(line)
		return
	}
	_, ok := c.until("{")
	guid, isGUID := c.guid()
	if !ok || !isGUID || !c.lit("}") {
		in.fail("expected the GUID of a node in braces behind ->, not %s", found(line))
		return
	}
	p.b.nodes[guid] = true
}

// line reads one port:
//
//	CA 134 1 0x7cfe9003003b4bde 4x EDR - SW 1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'leaf1' )
//	SW 2052 37 0x506b4b03005c2740 4x ???                               'leaf4'
func (p *portListReader) line(in *lines, line string) {
	c := cursor{line}
	from, ok := portListEnd(in, &c)
	if !ok {
		return
	}
	c.space()
	width := c.word()
	c.space()
	link, ok := parseLink(width + c.word())
	if !ok {
		in.fail("expected a width and a speed such as 4x EDR, not %s", found(line))
		return
	}
	c.space()
	if !c.lit("- ") {
		from.node.Name = unquote(strings.TrimSpace(c.rest))
		p.b.line(in, from, nil, link)
		return
	}
	to, ok := portListEnd(in, &c)
	if !ok {
		return
	}
	c.space()
	names := strings.TrimSpace(c.rest)
	if !strings.HasPrefix(names, "(") || !strings.HasSuffix(names, ")") {
		in.fail("expected the names of both ends as in ( 'h1 HCA-1' - 'leaf1' ), not %s", found(names))
		return
	}
	names = strings.TrimSuffix(strings.TrimPrefix(names[:len(names)-1], "("), " ")
	names = strings.TrimPrefix(names, " ")
	switch strings.Count(names, "' - '") {
	case 0:
		in.fail("expected the names of both ends as in ( 'h1 HCA-1' - 'leaf1' ), not %s", found(names))
		return
	case 1:
		a, b, _ := strings.Cut(names, "' - '")
		from.node.Name, to.node.Name = strings.TrimPrefix(a, "'"), strings.TrimSuffix(b, "'")
	default:
		if p.unclear == nil {
			p.unclear = map[int]string{}
		}
		p.unclear[len(p.b.said)] = names
	}
	p.b.line(in, from, &to, link)
}

// portListEnd reads one end: SW 1719 10 0x7cfe9003009ce5b0.
func portListEnd(in *lines, c *cursor) (sighting, bool) {
	var s sighting
	c.space()
	text := c.rest
	s.node.Kind = kindOf(text)
	c.word()
	c.space()
	lid, okLID := c.number(1<<16 - 1)
	c.space()
	number, okNumber := c.number(subnet.MaxPorts)
	c.space()
	guid, okGUID := c.guid()
	if s.node.Kind == 0 || !okLID || !okNumber || !okGUID || number == 0 || guid == 0 {
		in.fail("expected a kind, a LID, a port from 1 to %d and a GUID as in SW 1719 10 0x7cfe9003009ce5b0, not %s", subnet.MaxPorts, found(text))
		return s, false
	}
	s.lid, s.hasLID, s.number, s.guid = units.LID(lid), true, uint8(number), guid
	return s, true
}

func unquote(text string) string {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return text[1 : len(text)-1]
	}
	return text
}

// names splits lines with the separator inside a name, with the help of lines that have only one of
// the two names.
func (p *portListReader) names() {
	known := map[string]bool{}
	for i := range p.b.seen {
		known[p.b.seen[i].node.Name] = p.b.seen[i].node.Name != ""
	}
	const mark = "' - '"
	for i := range p.b.said {
		text, unclear := p.unclear[i]
		if !unclear {
			continue
		}
		best, score := strings.Index(text, mark), -1
		for at := best; at >= 0; {
			a, b := strings.TrimPrefix(text[:at], "'"), strings.TrimSuffix(text[at+len(mark):], "'")
			points := 0
			if known[a] {
				points++
			}
			if known[b] {
				points++
			}
			if points > score {
				best, score = at, points
			}
			next := strings.Index(text[at+1:], mark)
			if next < 0 {
				break
			}
			at += 1 + next
		}
		said := &p.b.said[i]
		if from := &p.b.seen[said.from.seen]; from.node.Name == "" {
			from.node.Name = strings.TrimPrefix(text[:best], "'")
		}
		said.to.node.Name = strings.TrimSuffix(text[best+len(mark):], "'")
	}
}
