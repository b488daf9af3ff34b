package format

import (
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// masks is the widths and speeds that a port may use, in PortInfo's encoding (IBA vol. 1,
// 14.2.5.6).
type masks struct {
	width, speed, extended uint8
}

// saidCable is a port line's description of a cable.
type saidCable struct {
	at     subnet.End
	where  place
	remote string // identifier of the other node, or alias of a port
	port   uint8
	guid   units.GUID // of the other port; 0 if the line has none
	lid    units.LID  // of the other port; 0 if the line has none
	hasLID bool
	name   string // of the other node; empty if the line has none

	link    subnet.Link // from the line
	hasLink bool
	own     masks // widths and speeds that the port has enabled
}

// port reads the line of a port:
//
//	[5] "S-0002c90200400028"[4] # "spine1" lid 14 4xEDR                    of a switch
//	[1](2c90300100041) "S-…20"[4] # lid 24 lmc 0 "leaf4" lid 11 4xEDR      of an adapter
//	[3] "Switch2"[3] w=8 s=2                                              of ibsim
//	@[3] "uplink"                                                         an alias of a port
func (t *topoReader) port(in *lines, node int32, line string) {
	switch node {
	case outside:
		in.fail(`a port outside of a node: expected a line such as Switch 36 "S-0002c90200400020" before it`)
		return
	case broken:
		return
	}
	n := &t.s.Nodes[node]
	c := cursor{line}
	alias := c.lit("@")
	c.lit("[")
	number, ok := c.number(n.NumPorts())
	if !ok || !c.lit("]") || number == 0 {
		in.fail("expected a port from [1] to [%d], not %s", n.NumPorts(), found(line))
		return
	}
	at := subnet.End{Node: node, Port: uint16(number)}
	externalPort(&c, n.Kind != subnet.Switch)
	own, ok := bracketed(&c)
	if !ok {
		in.fail("expected the GUID of the port in brackets, not %s", found(c.rest))
		return
	}
	c.space()
	name, ok := "", c.lit(`"`)
	if ok {
		name, ok = c.until(`"`)
	}
	if !ok || name == "" {
		in.fail("expected the peer of the port, in quotes, not %s", found(c.rest))
		return
	}
	if n.Kind != subnet.Switch {
		if own == 0 {
			own = n.GUID + units.GUID(number)
		}
		n.Ports[number].GUID = own
	}
	if alias {
		said := saidCable{at: at, where: place{in.name, in.n}, own: t.enabled}
		if options, _, _ := strings.Cut(c.rest, "#"); enabledOptions(in, options, &said) {
			t.alias(in, name, &said)
		}
		return
	}
	switch { // a name without a module belongs to the current module
	case strings.HasPrefix(name, "@"):
		name = strings.TrimSuffix(t.module, "#") + name
	case !strings.ContainsAny(name, "#@"):
		name = t.module + name
	}
	said := saidCable{at: at, where: place{in.name, in.n}, remote: name, port: 1, own: t.enabled}
	if t.otherEnd(in, &c, &said) {
		t.said = append(t.said, said)
	}
}

// externalPort skips the port number on the housing: [ext 3] of ibnetdiscover -g, (3) of ibdiagnet. hasGUID says that the port's
// GUID follows in brackets, as an adapter's does: a short number that no other brackets follow is that GUID.
func externalPort(c *cursor, hasGUID bool) {
	if c.lit("[ext ") {
		c.until("]")
		return
	}
	label := *c
	if label.lit("(") {
		if _, ok := label.number(subnet.MaxPorts); ok && label.lit(")") && (!hasGUID || strings.HasPrefix(strings.TrimLeft(label.rest, " \t"), "(")) {
			*c = label
		}
	}
}

// bracketed takes a GUID in brackets; without brackets it is 0.
func bracketed(c *cursor) (units.GUID, bool) {
	if !c.lit("(") {
		return 0, true
	}
	guid, ok := c.guid()
	return guid, ok && c.lit(")")
}

// otherEnd reads the text behind the name of the other end.
func (t *topoReader) otherEnd(in *lines, c *cursor, said *saidCable) bool {
	c.space()
	if c.lit("[") {
		number, ok := c.number(subnet.MaxPorts)
		if !ok || !c.lit("]") || number == 0 {
			in.fail("expected a port from [1] to [%d] behind %q, not %s", subnet.MaxPorts, said.remote, found(c.rest))
			return false
		}
		said.port = uint8(number)
	}
	externalPort(c, strings.HasPrefix(said.remote, idLetter(subnet.Adapter)+"-"))
	c.space()
	guid, ok := bracketed(c)
	if !ok {
		in.fail("expected the GUID of the port at the other end in brackets, not %s", found(c.rest))
		return false
	}
	said.guid = guid
	options, comment, _ := strings.Cut(c.rest, "#")
	if !enabledOptions(in, options, said) {
		return false
	}
	t.portComment(in, strings.TrimSpace(comment), said)
	return true
}

// enabledOptions reads w=, s= and e=, the masks of enabled widths and speeds of
// an ibsim port.
func enabledOptions(in *lines, text string, said *saidCable) bool {
	for option := range strings.FieldsSeq(text) {
		c := cursor{option}
		key, ok := c.until("=")
		limit := map[string]int{"w": 31, "s": 7, "e": 15, "v": 15}[key]
		v, number := c.number(limit)
		if !ok || limit == 0 || !number || c.rest != "" || key == "w" && v == 0 {
			in.fail("expected w=1 to w=31, s=0 to s=7, e=0 to e=15, or # and a comment, not %s", found(option))
			return false
		}
		switch key {
		case "w":
			said.own.width = uint8(v)
		case "s":
			if v == 0 {
				v = 4 // in ibsim 0 stands for QDR
			}
			said.own.speed = uint8(v)
		case "e":
			said.own.extended = uint8(v)
		}
	}
	return true
}

// portComment reads ibnetdiscover's text behind #; any other text is ignored.
func (t *topoReader) portComment(in *lines, text string, said *saidCable) {
	c := cursor{text}
	p := t.s.Port(said.at)
	if c.lit("lid ") {
		lid, ok := c.number(1<<16 - 1)
		if !ok || !c.lit(" lmc ") {
			in.fail("expected lid N lmc N of the port behind #, not %s", found(text))
			return
		}
		lmc, ok := c.number(7)
		if !ok {
			in.fail("expected an LMC from 0 to 7, not %s", found(c.rest))
			return
		}
		if t.s.Nodes[said.at.Node].Kind != subnet.Switch {
			p.LID, p.LMC = units.LID(lid), uint8(lmc)
		}
		c.space()
	}
	if !c.lit(`"`) {
		return
	}
	end := strings.LastIndex(c.rest, `" lid `) // the name may hold quotes
	if end < 0 {
		return
	}
	said.name = c.rest[:end]
	c.rest = c.rest[end+len(`" lid `):]
	if lid, ok := c.number(1<<16 - 1); ok {
		said.lid, said.hasLID = units.LID(lid), true
	} else {
		in.note("the LID of the other end is taken as unknown: expected a number up to 65535, not %s", found(c.rest))
		if strings.HasPrefix(c.rest, "-") {
			c.word()
		}
	}
	c.space()
	word := c.word()
	link, ok := parseLink(word)
	if !ok && word != "" {
		in.note("the link is of no known width or speed: expected such as 4xEDR, not %s", found(word))
	}
	said.link, said.hasLink = link, ok
}

// parseLink reads a width and a speed in one word, 4xEDR. A width of ?? and a speed of ??? are
// unknown to the port and valid; ok is false for any other word.
func parseLink(word string) (subnet.Link, bool) {
	var link subnet.Link
	end := strings.IndexByte(word, 'x') + 1
	if strings.HasPrefix(word, "??") {
		end = 2
	}
	width, speed := word[:end], word[end:]
	w, okWidth := subnet.ParseWidth(width)
	s, okSpeed := subnet.ParseSpeed(speed)
	link.Width, link.Speed = w, s
	return link, (okWidth || width == "??") && (okSpeed || speed == "???" || speed == "??")
}

// alias gives a port a name for other modules.
func (t *topoReader) alias(in *lines, name string, said *saidCable) {
	if strings.ContainsAny(name, "#@") {
		in.fail("the alias %q has a # or an @: these stand between a module and a name", name)
		return
	}
	full := strings.TrimSuffix(t.module, "#") + "@" + name
	if _, twice := t.aliases[full]; twice {
		in.fail("the alias %q was given before: expected each once", name)
		return
	}
	t.aliases[full] = said
}
