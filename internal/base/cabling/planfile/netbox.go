package planfile

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// panelEnd is an end of a cable in NetBox: an interface, or a port of a patch panel.
type panelEnd struct {
	device, name string
	kind         string // interface, rearport, frontport
}

// netbox joins cables through patch panels. Sources: NetBox' tests of the import of cables, versions 2 to 4.
type netbox struct {
	t     *tableReader
	rows  []cabling.Cable // what each row says of its cable; its ends are not filled in
	ends  [][2]panelEnd
	at    map[panelEnd]int      // row at a port
	ports map[string][]panelEnd // of patch panels, by device
	other map[string]int        // rows of ports that carry no data, by kind
}

// readNetBox reads a list of cables of NetBox, by its import's headings or its export's. A cable between patch panels
// is part of a path: rows that meet at a panel are joined where the front port and the rear port have one number.
func readNetBox(t *tableReader, rows []row) (*cabling.Fabric, error) {
	n := &netbox{t: t, at: map[panelEnd]int{}, ports: map[string][]panelEnd{}, other: map[string]int{}}
	for i := range rows {
		n.row(&rows[i])
	}
	used := make([]bool, len(n.ends))
	broken, firstBroken := 0, 0
	for i, ends := range n.ends {
		if used[i] || ends[0].panel() && ends[1].panel() {
			continue
		}
		a, b := ends[0], ends[1]
		if a.panel() {
			a, b = b, a
		}
		used[i] = true
		c, whole := n.follow(i, &b, used)
		if !whole {
			if broken++; broken == 1 {
				firstBroken = c.Place.Line
			}
			continue
		}
		c.A = cabling.End{Device: t.b.device(a.device), Port: a.name}
		c.B = cabling.End{Device: t.b.device(b.device), Port: b.name}
		t.b.connect(c)
	}
	n.tell(used, broken, firstBroken)
	return t.b.finish()
}

func (e *panelEnd) panel() bool { return e.kind == "rearport" || e.kind == "frontport" }

// row keeps a row whose ends carry data.
func (n *netbox) row(r *row) {
	c := n.t.c
	if blank(r) {
		return
	}
	if len(r.cells) < n.t.least {
		n.t.b.note(n.t.b.place(r.line), "%s is left out: it has %d cells, expected at least %d", quote(strings.Join(r.cells, ",")), len(r.cells), n.t.least)
		return
	}
	var ends [2]panelEnd
	for i := range ends {
		kind := strings.TrimPrefix(strings.ToLower(r.cell(c.kind[i])), "dcim.")
		ends[i] = panelEnd{r.cell(c.device[i]), r.cell(c.port[i]), notName.ReplaceAllString(kind, "")}
		switch ends[i].kind {
		case "", "interface", "rearport", "frontport":
		default:
			n.other[ends[i].kind]++
			return
		}
		if ends[i].device == "" || ends[i].name == "" {
			n.t.b.note(n.t.b.place(r.line), "a cable is left out: an end has no device or no name")
			return
		}
	}
	for _, e := range ends {
		if _, twice := n.at[e]; !twice && e.panel() {
			n.ports[e.device] = append(n.ports[e.device], e)
		}
		n.at[e] = len(n.ends)
	}
	n.ends = append(n.ends, ends)
	n.rows = append(n.rows, cabling.Cable{
		Rate: rateOf(r.cell(c.speed)), Length: lengthOf(r.cell(c.length), r.cell(c.unit)), Part: r.cell(c.part), Serial: r.cell(c.serial), Place: n.t.b.place(r.line),
	})
}

// follow goes from a row through patch panels to the other end of the path. at is the end of the row to go on from, and
// becomes the last end. The path is whole if that is an interface.
func (n *netbox) follow(from int, at *panelEnd, used []bool) (c cabling.Cable, whole bool) {
	c = n.rows[from]
	for at.panel() {
		next, ok := n.at[n.behind(*at)]
		if !ok || used[next] {
			return c, false
		}
		used[next] = true
		ends := n.ends[next]
		inner := n.behind(*at)
		if *at = ends[0]; *at == inner {
			*at = ends[1]
		}
		if r := &n.rows[next]; c.Length > 0 && r.Length > 0 {
			c.Length += r.Length
		} else {
			c.Length = 0
		}
	}
	return c, true
}

var digits = regexp.MustCompile(`\d+`)

// behind is the port on the other side of a patch panel: the one with the same number that has a cable.
func (n *netbox) behind(e panelEnd) panelEnd {
	kind := map[string]string{"rearport": "frontport", "frontport": "rearport"}[e.kind]
	for _, name := range []string{e.name, strings.ReplaceAll(strings.ToLower(e.name), "rear", "front"), strings.ReplaceAll(strings.ToLower(e.name), "front", "rear")} {
		if _, ok := n.at[panelEnd{e.device, name, kind}]; ok {
			return panelEnd{e.device, name, kind}
		}
	}
	number := strings.Join(digits.FindAllString(e.name, -1), "/")
	found := panelEnd{}
	for _, other := range n.ports[e.device] {
		if other.kind == kind && number != "" && strings.Join(digits.FindAllString(other.name, -1), "/") == number {
			if found.device != "" {
				return panelEnd{} // two have the number: which is behind the other is not known
			}
			found = other
		}
	}
	return found
}

// tell says what is left out.
func (n *netbox) tell(used []bool, broken, firstBroken int) {
	f, file := n.t.b.f, n.t.b.file
	if broken > 0 {
		f.Note("%s:%d: %s at a patch panel and left out: the other half is not in the file, or no port behind has the same number", file, firstBroken, wording.Counted(broken, "cable ends", "cables end"))
	}
	alone, first := 0, 0
	for i := range used {
		if !used[i] {
			if alone++; alone == 1 {
				first = n.rows[i].Place.Line
			}
		}
	}
	if alone > 0 {
		f.Note("%s:%d: %s between patch panels %s no cable to a device at both ends and left out", file, first, wording.Counted(alone, "cable", "cables"), map[bool]string{true: "has", false: "have"}[alone == 1])
	}
	for _, kind := range slices.Sorted(maps.Keys(n.other)) {
		f.Note("%s: %s of a %s left out: it carries no data", file, wording.Counted(n.other[kind], "cable", "cables"), kind)
	}
}
