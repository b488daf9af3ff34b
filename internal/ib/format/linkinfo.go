package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// readLinkInfo reads the output of iblinkinfo, with and without -l and -p.
//
// Without -l, adapters have no NodeGUID and the other end of a link no GUID: it is found by its
// LID, so the subnet must have LIDs. With -l, nodes have no kind: a node with one port becomes an
// adapter, any other a switch. Neither form has NodeGUIDs; they are derived as in readPortList.
func readLinkInfo(name string, r io.Reader, opt Options) (*subnet.Subnet, *Report, error) {
	l := log{lenient: opt.Contradictions}
	k := &linkInfoReader{b: newBuilder(&l)}
	in := newLines(name, r, &l)
	for raw := range in.rest() {
		line := string(raw)
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case strings.HasPrefix(line, "Switch: "):
			k.head(in, subnet.Switch, line[len("Switch: "):])
		case strings.HasPrefix(line, "CA: "):
			k.head(in, subnet.Adapter, line[len("CA: "):])
		case strings.HasPrefix(line, "Router: "):
			k.head(in, subnet.Router, line[len("Router: "):])
		case strings.Contains(line, "=="):
			k.line(in, line)
		default:
			in.skip(line)
		}
	}
	s := k.b.finish(name)
	if len(s.Nodes) == 0 && len(l.errs.List) == 0 {
		l.fail(name, 0, "no link is in it: expected lines such as «11 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 19 1[  ] \"h013 HCA-1\" ( )»")
	}
	l.byLine()
	if err := l.err(); err != nil {
		return nil, &l.report, err
	}
	return s, &l.report, nil
}

type linkInfoReader struct {
	b    *builder
	kind subnet.Kind // of the last head; 0 before the first
	guid units.GUID  // of the switch
	name string
}

// head reads Switch: 0x0002c90200400020 leaf4: or CA: h016 HCA-1:.
func (k *linkInfoReader) head(in *lines, kind subnet.Kind, rest string) {
	k.kind, k.guid, k.name = kind, 0, ""
	c := cursor{rest}
	if kind == subnet.Switch {
		guid, ok := c.guid()
		if !ok || !c.lit(" ") {
			in.fail("expected the GUID of a switch and its name, not %s", found(rest))
			k.kind = 0
			return
		}
		k.guid = guid
	}
	k.name = strings.TrimSuffix(c.rest, ":")
}

// line reads one port:
//
//	      0x0002c90300100041  24 1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==>  11 4[  ] "leaf4" (Could be 12X )
//	          11    8[  ] ==(              Down/ Polling)==>             [  ] "" ( )
//	0x0002c90300100041 "   h016 HCA-1" 24 1[  ] ==( … )==>  0x0002c90200400020 11 4[  ] "leaf4" ( )
func (k *linkInfoReader) line(in *lines, line string) {
	c := cursor{strings.TrimLeft(line, " \t")}
	from := sighting{}
	from.node.Kind, from.node.Name, from.guid = k.kind, k.name, k.guid
	if strings.HasPrefix(c.rest, "0x") {
		guid, ok := c.guid()
		if !ok {
			in.fail("expected a GUID, not %s", found(c.rest))
			return
		}
		from.guid = guid
		c.space()
	}
	if c.lit(`"`) { // line mode: every line has the name, and no kind
		end := strings.LastIndex(before(c.rest, "=="), `"`)
		if end < 0 {
			in.fail("expected the name of the node in quotes, not %s", found(c.rest))
			return
		}
		from.node.Kind, from.node.Name = 0, strings.TrimLeft(c.rest[:end], " ")
		c.rest = c.rest[end+1:]
	}
	if from.guid == 0 || from.node.Name == "" && from.node.Kind == 0 && k.kind == 0 && !strings.Contains(line, `"`) {
		in.fail("expected a line such as «Switch: 0x0002c90200400020 leaf4:» before the lines of its ports")
		return
	}
	lid, number, ok := lidAndPort(&c)
	if !ok {
		in.fail("expected a LID and a port as in 11 4[  ], not %s", found(c.rest))
		return
	}
	from.lid, from.hasLID, from.number = lid, true, number
	c.space()
	_, okOpen := c.until("==(")
	state, okClose := c.until("==>")
	if !okOpen || !okClose {
		in.fail("expected ==( 4X 25.78125 Gbps Active/LinkUp)==> behind the port, not %s", found(c.rest))
		return
	}
	link := linkInfoLink(state)
	from.state = linkInfoState(state)
	to, up, ok := linkInfoFar(in, &c)
	if !ok {
		return
	}
	from.could = linkInfoCould(c.rest, link)
	if !up {
		k.b.line(in, from, nil, link)
		return
	}
	k.b.line(in, from, &to, link)
}

// before is the text up to mark, or the whole text if there is no mark.
func before(text, mark string) string {
	head, _, _ := strings.Cut(text, mark)
	return head
}

// lidAndPort reads 11 4[  ].
func lidAndPort(c *cursor) (units.LID, uint8, bool) {
	c.space()
	lid, okLID := c.number(1<<16 - 1)
	c.space()
	number, okNumber := c.number(subnet.MaxPorts)
	if !okLID || !okNumber || number == 0 || !c.lit("[") {
		return 0, 0, false
	}
	_, ok := c.until("]")
	return units.LID(lid), uint8(number), ok
}

// linkInfoFar reads the far end, after the arrow; up is false if there is none.
func linkInfoFar(in *lines, c *cursor) (to sighting, up, ok bool) {
	c.space()
	if strings.HasPrefix(c.rest, "[") || c.rest == "" || strings.HasPrefix(c.rest, `"Port not available"`) {
		return to, false, true
	}
	if strings.HasPrefix(c.rest, "0x") {
		guid, okGUID := c.guid()
		if !okGUID {
			in.fail("expected the GUID of the other end, not %s", found(c.rest))
			return to, false, false
		}
		to.guid = guid
	}
	lid, number, okPort := lidAndPort(c)
	if !okPort {
		in.fail("expected the LID and the port of the other end as in 11 4[  ], not %s", found(c.rest))
		return to, false, false
	}
	to.lid, to.hasLID, to.number = lid, true, number
	c.space()
	if c.lit(`"`) {
		if end := strings.LastIndex(c.rest, `" (`); end >= 0 {
			to.node.Name, c.rest = c.rest[:end], c.rest[end+len(`" (`):]
		}
	}
	return to, true, true
}

// linkSpeeds is the speeds in iblinkinfo's form: the signalling rate of a lane, with coding. FDR10
// comes before QDR because its text begins with QDR's.
var linkSpeeds = []struct {
	text  string
	speed subnet.Speed
}{
	{"10.0 Gbps (FDR10)", subnet.FDR10},
	{"2.5 Gbps", subnet.SDR},
	{"5.0 Gbps", subnet.DDR},
	{"10.0 Gbps", subnet.QDR},
	{"14.0625 Gbps", subnet.FDR},
	{"25.78125 Gbps", subnet.EDR},
	{"53.125 Gbps", subnet.HDR},
	{"106.25 Gbps", subnet.NDR},
	{"212.5 Gbps", subnet.XDR},
}

// linkInfoLink reads width and speed from « 4X 53.125 Gbps Active/  LinkUp)».
// Other texts are an unknown width or speed.
func linkInfoLink(state string) subnet.Link {
	var link subnet.Link
	c := cursor{state}
	c.space()
	if c.lit("undefined (") {
		c.until(")")
	} else {
		link.Width, _ = subnet.ParseWidth(c.word())
	}
	c.space()
	for _, s := range linkSpeeds {
		if c.lit(s.text) {
			link.Speed = s.speed
			break
		}
	}
	return link
}

// linkInfoState reads the states from « 4X 53.125 Gbps   Init/  LinkUp)».
func linkInfoState(text string) subnet.State {
	logical, physical, _ := strings.Cut(text, "/")
	if strings.TrimSpace(strings.TrimSuffix(physical, ")")) == "Disabled" {
		return subnet.Disabled
	}
	for _, state := range []subnet.State{subnet.Init, subnet.Armed} {
		if strings.HasSuffix(logical, state.String()) {
			return state
		}
	}
	return subnet.StateUsual
}

// linkInfoCould reads what both ends support beyond the link, width and then speed, from
// « Could be 4X Could be 106.25 Gbps)»; what is not named is as in the link. FDR10 has a text of its
// own: «Could be FDR10 (Found link at QDR but expected speed is FDR10)» (rdma-core,
// infiniband-diags/iblinkinfo.c).
func linkInfoCould(text string, link subnet.Link) subnet.Link {
	could := link
	for {
		_, rest, found := strings.Cut(text, "Could be ")
		if !found {
			break
		}
		c := cursor{rest}
		text = rest
		if strings.HasPrefix(rest, "FDR10") {
			could.Speed = subnet.FDR10
			continue
		}
		if w, ok := subnet.ParseWidth(strings.TrimSuffix(c.word(), ")")); ok {
			could.Width = w
			continue
		}
		for _, s := range linkSpeeds {
			if strings.HasPrefix(rest, s.text) {
				could.Speed = s.speed
				break
			}
		}
	}
	if could == link {
		return subnet.Link{}
	}
	return could
}

// LinkRow is a line of iblinkinfo about a port.
type LinkRow struct {
	GUID       units.GUID // of the port; of a switch, of its port 0; 0 without
	Name       string     // of the node, in line mode
	Named      bool       // the line has the name of its node: -l
	LID        units.LID
	Number     int
	Up         bool // it has another end
	Link       subnet.Link
	Could      subnet.Link // the best that both ends support; zero if nothing better is named
	State      subnet.State
	Physical   string     // the physical state in the tool's word: "Polling"
	PeerGUID   units.GUID // 0 without -l
	PeerLID    units.LID
	PeerNumber int
	PeerName   string
}

// ParseLinkRow reads one line, of either form. ok is false if it is none.
func ParseLinkRow(line string) (row LinkRow, ok bool) {
	c := cursor{strings.TrimLeft(line, " \t")}
	if strings.HasPrefix(c.rest, "0x") {
		if row.GUID, ok = c.guid(); !ok {
			return row, false
		}
		c.space()
	}
	if c.lit(`"`) {
		end := strings.LastIndex(before(c.rest, "=="), `"`)
		if end < 0 {
			return row, false
		}
		row.Named, row.Name, c.rest = true, strings.TrimLeft(c.rest[:end], " "), c.rest[end+1:]
	}
	lid, number, ok := lidAndPort(&c)
	if !ok {
		return row, false
	}
	row.LID, row.Number = lid, int(number)
	c.space()
	_, okOpen := c.until("==(")
	state, okClose := c.until("==>")
	if !okOpen || !okClose {
		return row, false
	}
	row.Link, row.State = linkInfoLink(state), linkInfoState(state)
	if _, physical, has := strings.Cut(state, "/"); has {
		physical = before(physical, "(") // -p puts (HOQ:n VL_Stall:n) behind the state
		row.Physical = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(physical), ")"))
	}
	var l log
	to, up, ok := linkInfoFar(newLines("", strings.NewReader(""), &l), &c)
	row.Up = up
	row.PeerGUID, row.PeerLID, row.PeerNumber, row.PeerName = to.guid, to.lid, int(to.number), to.node.Name
	row.Could = linkInfoCould(c.rest, row.Link)
	return row, ok
}
