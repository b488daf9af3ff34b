package format

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Options is further input of a reader.
type Options struct {
	// Open opens a file that an ibsim net includes. nil refuses to include.
	Open func(name string) (io.ReadCloser, error)
	// Contradictions accepts lines that contradict each other about a cable: such cables are left
	// out, and the report names them. Otherwise a contradiction is an error.
	Contradictions bool
}

// ReadTopo reads a topology in the form of ibnetdiscover (-g and -f too) and of
// ibsim's nets, which have extensions: names instead of GUIDs, include, module, aliases, and
// enabled widths and speeds. name is for messages.
//
// As with ibsim, a node without a GUID line has the next GUID of its kind, from 0x100000 (adapters)
// or 0x200000 (switches) on, and the ports of an adapter have the GUIDs after it. Unlike with
// ibsim, a node with a GUID in its identifier (S-0002c9…) has that GUID. A link without width and
// speed has the best ones that both ports have enabled, 4x SDR by default. Both ends must name the
// cable, unless one has an alias.
//
// With an error the subnet is nil: contradictions are not resolved. subnet.Check reports whether
// GUIDs and LIDs are unique.
func ReadTopo(name string, r io.Reader, opt Options) (*subnet.Subnet, *Report, error) {
	t := &topoReader{
		opt:     opt,
		log:     log{lenient: opt.Contradictions},
		s:       &subnet.Subnet{Origin: subnet.None},
		ids:     map[string]int32{},
		aliases: map[string]*saidCable{},
		base:    firstGUIDs,
		auto:    firstGUIDs,
		enabled: masks{width: 2, speed: 1},
	}
	t.file(name, r)
	t.connect()
	t.findOrigin()
	if len(t.s.Nodes) == 0 && len(t.log.errs.List) == 0 {
		t.log.fail(name, 0, `no node is in it: expected lines such as Switch 36 "S-0002c90200400020"`)
	}
	t.log.byLine()
	if err := t.log.err(); err != nil {
		return nil, &t.log.report, err
	}
	return t.s, &t.log.report, nil
}

// firstGUIDs is the first GUIDs that ibsim gives to nodes without a GUID.
var firstGUIDs = [4]units.GUID{subnet.Adapter: 0x100000, subnet.Switch: 0x200000, subnet.Router: 0x300000}

// Values in place of a node, for port lines that belong to no node.
const (
	outside int32 = -1 // before the first node, or after an empty line
	broken  int32 = -2 // below an invalid head
)

// place is a line of a file.
type place struct {
	file string
	line int
}

type topoReader struct {
	log      log
	opt      Options
	s        *subnet.Subnet
	includes int // number of included files
	ports    int // of all nodes

	ids     map[string]int32      // node by identifier; broken if its head is
	heads   []place               // by node
	aliases map[string]*saidCable // the named ports, without their peers
	said    []saidCable

	module     string         // prefix of the identifiers, with #
	base, auto [4]units.GUID  // by kind: the base of +N, and the next GUID
	enabled    masks          // of ports that do not set theirs
	next       nodeAttributes // attributes of the node, from the lines before its head
	origin     struct {
		node, port units.GUID
		at         place
	}
}

// nodeAttributes is the attributes from the lines above a node's head.
type nodeAttributes struct {
	portGUID units.GUID
	hasGUID  bool
	system   units.GUID
	vendor   uint32
	device   uint16 // holds until another line changes it
}

// file reads one file into the reader.
func (t *topoReader) file(name string, r io.Reader) {
	in := newLines(name, r, &t.log)
	node := outside
	for raw := range in.rest() {
		line := string(raw)
		switch {
		case strings.TrimSpace(line) == "":
			node = outside
		case line[0] == '#':
			t.comment(in, line)
		case isPrompt(line):
			in.skip(line)
		case line[0] == '[', strings.HasPrefix(line, "@["):
			t.port(in, node, line)
		default:
			node = t.statement(in, line, node)
		}
	}
}

// isPrompt recognises the prompt of a shell that a terminal saved: [root@ufm01 ~]# ibnetdiscover. A port has a number in
// its brackets.
func isPrompt(line string) bool {
	user, host, ok := strings.Cut(line, "@")
	if !ok || !strings.HasPrefix(user, "[") || strings.ContainsAny(user, `]" `) {
		return false
	}
	_, command, ok := strings.Cut(host, "]")
	return ok && len(command) > 0 && strings.IndexByte("#$>", command[0]) >= 0
}

// comment reads the port at which ibnetdiscover started.
func (t *topoReader) comment(in *lines, line string) {
	c := cursor{line}
	if !c.lit("# Initiated from node ") {
		return
	}
	node, ok := c.guid()
	if !ok || !c.lit(" port ") {
		in.fail("expected «# Initiated from node GUID port GUID», not %s", found(c.rest))
		return
	}
	port, ok := c.guid()
	if !ok {
		in.fail("expected the GUID of a port, not %s", found(c.rest))
		return
	}
	t.origin.node, t.origin.port, t.origin.at = node, port, place{in.name, in.n}
}

// statement reads any line except comments and ports, and returns the node of the port lines after
// it.
func (t *topoReader) statement(in *lines, line string, node int32) int32 {
	word := line
	if i := strings.IndexAny(line, " \t=+"); i >= 0 {
		word = line[:i]
	}
	if kind := strings.TrimRight(word, "0123456789"); kind != word { // a terminal lost the tab: Switch41 "S-…"
		word = kind
	}
	switch word {
	case "Switch":
		return t.head(in, subnet.Switch, line[len(word):])
	case "Ca", "Hca":
		return t.head(in, subnet.Adapter, line[len(word):])
	case "Rt", "Router":
		return t.head(in, subnet.Router, line[len(word):])
	case "Chassis", "Non-Chassis", "Hostname:": // headings of ibnetdiscover -g
		return outside
	case "include":
		t.include(in, line)
		return outside
	case "do", "pdebug": // commands of ibsim's console that act on its clients
		in.skip(line)
		return outside
	}
	if set, known := attributes[word]; known {
		if text, ok := set(t, line[len(word):]); !ok {
			in.fail("expected %s, not %s", text, found(line))
		}
		return outside
	}
	in.skip(line)
	return node
}

// head reads the line that begins a node: its kind is known, and the rest is
// 8 "S-0002c90200400020" # "leaf4" base port 0 lid 11 lmc 0.
func (t *topoReader) head(in *lines, kind subnet.Kind, rest string) int32 {
	c := cursor{rest}
	c.space()
	ports, ok := c.number(subnet.MaxPorts)
	if !ok || ports == 0 {
		in.fail("expected a number of ports from 1 to %d, not %s", subnet.MaxPorts, found(c.rest))
		if _, ok := c.until(`"`); ok { // lines that name this node are not reported too
			if id, ok := c.until(`"`); ok {
				t.ids[t.module+id] = broken
			}
		}
		return broken
	}
	c.space()
	id, ok := "", c.lit(`"`)
	if ok {
		id, ok = c.until(`"`)
	}
	if !ok || id == "" {
		in.fail("expected the node's identifier in quotes, not %s", found(c.rest))
		return broken
	}
	id = t.module + id
	if before, twice := t.ids[id]; twice {
		where := ""
		if before >= 0 {
			where = " (first at " + t.heads[before].file + ":" + strconv.Itoa(t.heads[before].line) + ")"
		}
		if before >= 0 && t.log.lenient {
			t.log.contradict(place{in.name, in.n}, "node %q%s is described twice%s as %q: two devices with one GUID, or one listed twice: the first description is used",
				id, calledIn(c.rest), where, t.s.Nodes[before].Name)
			return broken
		}
		in.fail("node %q is described twice%s: expected each node once", id, where)
		return broken
	}
	if len(t.s.Nodes) == maxNodes {
		in.fail("more than %d nodes: a subnet has 49,151 unicast LIDs", maxNodes)
		t.ids[id] = broken
		return broken
	}
	if t.ports += ports; t.ports > maxPorts {
		in.fail("the nodes have more than %d ports together: no subnet is that large", maxPorts)
		t.ids[id] = broken
		return broken
	}
	return t.addNode(in, kind, ports, id, c.rest)
}

// calledIn is the name in the rest of a head, for a message; empty if it has none.
func calledIn(rest string) string {
	if _, name, ok := strings.Cut(rest, `# "`); ok {
		name, _, _ = strings.Cut(name, `"`)
		return fmt.Sprintf(", called %q,", wording.Abridged(name, 64))
	}
	return ""
}

// addNode adds the node of a head with the attributes from the lines above it.
func (t *topoReader) addNode(in *lines, kind subnet.Kind, ports int, id, rest string) int32 {
	n := subnet.Node{
		Kind: kind, GUID: t.auto[kind], SystemGUID: t.next.system,
		VendorID: t.next.vendor, DeviceID: t.next.device, Name: id,
	}
	named, isGUID := guidOfID(kind, id)
	switch {
	case isGUID && t.next.portGUID == named: // also of a director's chips, which share the GUID before the brackets
		n.GUID = named
	case t.next.hasGUID && isGUID && named != n.GUID:
		in.note("the node is called %q, and the line above says that its GUID is %v: the latter is used", id, n.GUID)
		n.ID = id
	case isGUID:
		n.GUID = named
	default:
		n.ID = id
	}
	width := units.GUID(ports + 1)
	if kind == subnet.Switch {
		width = 1
	}
	t.auto[kind] += width

	c := cursor{rest}
	var lid units.LID
	var lmc uint8
	if _, ok := c.until("#"); ok {
		lid, lmc = headComment(c.rest, &n)
	}
	at := t.s.Add(n, ports)
	t.ids[id] = at
	t.heads = append(t.heads, place{in.name, in.n})
	if kind == subnet.Switch {
		zero := &t.s.Nodes[at].Ports[0]
		zero.GUID, zero.LID, zero.LMC = n.GUID, lid, lmc
		if t.next.portGUID != 0 {
			zero.GUID = t.next.portGUID
		}
	}
	t.next = nodeAttributes{device: t.next.device}
	return at
}

// guidOfID is the GUID in an identifier that ibnetdiscover made: the letter of
// the kind, a hyphen, and 16 digits.
func guidOfID(kind subnet.Kind, id string) (units.GUID, bool) {
	c := cursor{id}
	if len(id) != 18 || !c.lit(idLetter(kind)+"-") || c.rest[1] == 'x' || c.rest[1] == 'X' {
		return 0, false
	}
	guid, ok := c.guid()
	return guid, ok && c.rest == ""
}

// idLetter is the first letter in the identifiers of a kind of node.
func idLetter(kind subnet.Kind) string {
	switch kind {
	case subnet.Switch:
		return "S"
	case subnet.Router:
		return "R"
	}
	return "H"
}

// findOrigin looks up the port at which the discovery started.
func (t *topoReader) findOrigin() {
	if t.origin.at.line == 0 {
		return
	}
	for i := range t.s.Nodes {
		n := &t.s.Nodes[i]
		if n.GUID != t.origin.node {
			continue
		}
		for p := range n.Ports {
			if n.Ports[p].GUID == t.origin.port && t.origin.port != 0 {
				t.s.Origin = subnet.End{Node: int32(i), Port: uint16(p)}
				return
			}
		}
	}
	t.log.note(t.origin.at.file, t.origin.at.line,
		"node %v with port %v, from which the subnet was discovered, is not in it", t.origin.node, t.origin.port)
}
