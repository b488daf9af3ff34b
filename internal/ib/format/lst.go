package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// readSubnetList reads opensm-subnet.lst, which is also the form of ibdm's and ibdiagnet's .lst: a
// line for each port with a cable. The port of the marked SM becomes the Origin of the subnet.
func readSubnetList(name string, r io.Reader, opt Options) (*subnet.Subnet, *Report, error) {
	l := log{lenient: opt.Contradictions}
	b := newBuilder(&l)
	in := newLines(name, r, &l)
	manager := -1
	for line := range in.content() {
		if line[0] != '{' {
			in.skip(line)
			continue
		}
		c := cursor{line}
		from, isManager, ok := lstEnd(in, &c)
		if !ok {
			continue
		}
		to, _, ok := lstEnd(in, &c)
		if !ok {
			continue
		}
		link, state, ok := lstLink(in, &c)
		if !ok {
			continue
		}
		from.state = state
		b.line(in, from, &to, link)
		if i, known := b.by[from.key()]; known && isManager {
			manager = i
		}
	}
	s := b.finish(name)
	if len(s.Nodes) == 0 && len(l.errs.List) == 0 {
		l.fail(name, 0, "no port is in it: expected lines such as «{ CA Ports:01 SystemGUID:… } { SW Ports:24 … } PHY=4x LOG=ACT SPD=10»")
	}
	l.byLine()
	if err := l.err(); err != nil {
		return nil, &l.report, err
	}
	if manager >= 0 {
		p := &b.seen[manager]
		s.Origin = newIndex(s).port[p.guid]
		if p.node.Kind == subnet.Switch {
			s.Origin.Port = 0
		}
	}
	return s, &l.report, nil
}

// lstKinds is the kinds by their words. OpenSM writes Rt, ibdm writes RT.
var lstKinds = map[string]subnet.Kind{"SW": subnet.Switch, "CA": subnet.Adapter, "RT": subnet.Router, "Rt": subnet.Router}

// lstEnd reads one end of a line:
//
//	{ CA Ports:01 SystemGUID:… NodeGUID:… PortGUID:… VenID:0002C9 DevID:1017 Rev:000000A1 {h001 HCA-1} LID:0002 PN:01 }
func lstEnd(in *lines, c *cursor) (s sighting, manager, ok bool) {
	c.space()
	text := c.rest
	if !c.lit("{ ") {
		in.fail("expected { CA, SW or RT, and the attributes of the port }, not %s", found(text))
		return s, false, false
	}
	word, manager := strings.CutSuffix(c.word(), "-SM")
	s.node.Kind = lstKinds[word]
	if s.node.Kind == 0 {
		in.fail("expected CA, SW or RT, not %s", found(word))
		return s, false, false
	}
	var v [7]uint64
	for i, key := range []string{"Ports", "SystemGUID", "NodeGUID", "PortGUID", "VenID", "DevID", "Rev"} {
		if v[i], ok = lstField(c, key); !ok {
			in.fail("expected %s: and a number in hexadecimal, not %s", key, found(c.rest))
			return s, false, false
		}
	}
	c.space()
	name, okName := "", c.lit("{")
	if okName {
		name, okName = c.until("} LID:")
	}
	lid, okLID := c.hex()
	number, okNumber := lstField(c, "PN")
	c.space()
	if !okName || !okLID || !okNumber || !c.lit("}") || lid > 0xffff || number == 0 || number > subnet.MaxPorts || v[0] > subnet.MaxPorts || v[2] == 0 {
		in.fail("expected {name} LID:hhhh PN:hh } with a port from 01 to FE, not %s", found(c.rest))
		return s, false, false
	}
	if v[5] > 0xffff { // OpenSM swaps only half of the device ID in the second end
		v[5] >>= 16
	}
	n := &s.node
	n.SystemGUID, n.GUID, n.VendorID, n.DeviceID, n.Revision, n.Name = units.GUID(v[1]), units.GUID(v[2]), uint32(v[4]&0xffffff), uint16(v[5]), uint32(v[6]), name
	s.ports, s.guid, s.number, s.lid, s.hasLID = int(v[0]), units.GUID(v[3]), uint8(number), units.LID(lid), true
	if n.Kind == subnet.Switch && s.guid == 0 {
		s.guid = n.GUID
	}
	return s, manager, true
}

// lstField reads KEY:hex.
func lstField(c *cursor, key string) (uint64, bool) {
	c.space()
	if !c.lit(key + ":") {
		return 0, false
	}
	return c.hex()
}

// lstSpeeds is the speeds by their words, in Gb/s of a lane.
var lstSpeeds = map[string]subnet.Speed{
	"2.5": subnet.SDR, "5": subnet.DDR, "10": subnet.QDR, "FDR10": subnet.FDR10, "14": subnet.FDR,
	"25": subnet.EDR, "50": subnet.HDR, "100": subnet.NDR, "200": subnet.XDR, "??": subnet.SpeedUnknown,
}

// lstStates is the states by their words.
var lstStates = map[string]subnet.State{"INI": subnet.Init, "ARM": subnet.Armed, "ACT": subnet.StateUsual}

// lstLink reads PHY=4x LOG=ACT SPD=10; old files have no SPD.
func lstLink(in *lines, c *cursor) (link subnet.Link, state subnet.State, ok bool) {
	for field := range strings.FieldsSeq(c.rest) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "PHY":
			w, known := subnet.ParseWidth(value)
			if !known && value != "??" {
				in.fail("expected PHY= a width such as 4x, not %s", found(field))
				return link, state, false
			}
			link.Width = w
		case "SPD":
			speed, known := lstSpeeds[value]
			if !known {
				in.fail("expected SPD= a speed such as 10 or 25, not %s", found(field))
				return link, state, false
			}
			link.Speed = speed
		case "LOG":
			state = lstStates[value]
		default:
			in.fail("expected PHY=, LOG= and SPD=, not %s", found(field))
			return link, state, false
		}
	}
	return link, state, true
}
