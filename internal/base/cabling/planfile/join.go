package planfile

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
)

// joiner makes one fabric of the views of several switches.
type joiner struct {
	b     *builder
	views []*view
	own   map[string]*view // by key of the name
	mgmt  int              // sights on management ports
	one   int              // cables between switches with a view that one of them alone sees
}

// half is one switch's sight of a cable, with the other end as the joiner understands it.
type half struct {
	v    *view
	s    *sight
	peer *view  // nil if the neighbour has no view
	port string // of the neighbour, by its own name for it if that is known; may be what LLDP says, or empty
}

// join joins the views of switches. Views of one switch, as of its config_db.json and of its LLDP table, become one.
func join(file, format string, views []*view) (*cabling.Fabric, error) {
	j := &joiner{b: newBuilder(file, format), own: map[string]*view{}}
	for _, v := range views {
		j.add(v)
	}
	for _, v := range j.views {
		at := j.b.device(v.name)
		d := &j.b.f.Devices[at]
		d.Role, d.Model = v.role, v.model
		j.b.f.Notes = append(j.b.f.Notes, v.notes...)
	}
	halves := map[*view]*halfs{}
	for _, v := range j.views {
		halves[v] = j.halvesOf(v)
	}
	for _, v := range j.views {
		for _, port := range halves[v].order {
			if err := j.cable(halves[v].at[port], halves); err != nil {
				return nil, err
			}
		}
	}
	named := 0
	for _, v := range j.views {
		if v.byFile {
			named++
		}
	}
	if named > 0 {
		j.b.f.Note("%s: the name of %s is from a file or folder, as in %q", file, wording.Counted(named, "switch", "switches"), j.views[len(j.views)-1].name)
	}
	if j.mgmt > 0 {
		j.b.f.Note("%s: %s on management ports left out", file, wording.Counted(j.mgmt, "neighbour", "neighbours"))
	}
	if j.one > 0 {
		j.b.f.Note("%s: %s by one of the two switches alone, and taken", file, wording.Counted(j.one, "cable is told", "cables are told"))
	}
	return j.b.finish()
}

// halfs are the sights of a switch by its ports, in the order of the file.
type halfs struct {
	at    map[string]*half
	order []string
}

// nameKey is a name as names are compared: without case, and without the domain.
func nameKey(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if short, rest, ok := strings.Cut(name, "."); ok && short != "" && strings.ContainsFunc(short, func(r rune) bool { return r >= 'a' && r <= 'z' }) && rest != "" {
		return short
	}
	return name
}

// add takes a view, or adds it to the view of the same switch. What a switch sees comes before what is configured.
func (j *joiner) add(v *view) {
	for i := range v.sights {
		v.sights[i].configured = v.configured()
	}
	key := nameKey(v.name)
	old := j.own[key]
	if old != nil && j.clash(old, v) {
		key = nameKey(v.name)
		old = j.own[key]
	}
	if old == nil {
		j.own[key] = v
		j.views = append(j.views, v)
		return
	}
	old.sights = append(old.sights, v.sights...)
	sorting.StableFunc(old.sights, func(a, b sight) int {
		switch {
		case b.configured && !a.configured:
			return -1
		case a.configured && !b.configured:
			return 1
		}
		return 0
	})
	for name, p := range v.ports {
		mine := old.port(name)
		mine.alias, mine.rate, mine.length = cmp.Or(mine.alias, p.alias), cmp.Or(mine.rate, p.rate), cmp.Or(mine.length, p.length)
	}
	if old.about == nil {
		old.about = v.about
	}
	old.model = cmp.Or(old.model, v.model)
	old.notes = append(old.notes, v.notes...)
}

// clash reports whether two configurations in folders of different switches have one host name, and gives the second the name of
// its file or folder then.
func (j *joiner) clash(old, v *view) bool {
	own := OwnerOf(v.file)
	if old.format != v.format || !v.configured() || path.Dir(old.file) == path.Dir(v.file) || own == "" || nameKey(own) == nameKey(v.name) {
		return false
	}
	j.b.dispute(nil, cabling.Place{File: v.file, Line: 1}, "its host name is %s, as that of %s: the switch is called %s, as its file or folder", quote(v.name), old.file, quote(own))
	v.name = own
	return true
}

// configured reports whether a view is a configuration, and not what the switch sees.
func (v *view) configured() bool {
	return strings.HasPrefix(v.format, "SONiC ") && !strings.HasPrefix(v.format, "SONiC show ")
}

// halvesOf are the sights of a switch, one for each port. Two neighbours on a port that are not the same are no
// cable, unless the other switch's view decides for one of them.
func (j *joiner) halvesOf(v *view) *halfs {
	at := map[string][]*half{}
	var order []string
	for i := range v.sights {
		s := &v.sights[i]
		switch {
		case isManagement(s.port):
			j.mgmt++
			continue
		case s.peer == "" || s.port == "":
			j.b.note(s.place, "a neighbour without a name on port %s is left out", quote(s.port))
			continue
		}
		port := v.portNamed(s.port)
		h := &half{v: v, s: s, peer: j.own[nameKey(s.peer)]}
		if h.peer != nil {
			h.port = h.peer.portNamed(s.peerPort, s.descr)
		} else {
			h.port = s.peerPort
		}
		if len(at[port]) == 0 {
			order = append(order, port)
		}
		at[port] = append(at[port], h)
	}
	out := &halfs{at: map[string]*half{}}
	for _, port := range order {
		if h := j.oneOf(port, at[port]); h != nil {
			out.at[port] = h
			out.order = append(out.order, port)
		}
	}
	return out
}

// oneOf is the one neighbour of a port.
func (j *joiner) oneOf(port string, all []*half) *half {
	first := all[0]
	for _, h := range all[1:] {
		if nameKey(h.s.peer) == nameKey(first.s.peer) && (h.port == first.port || h.s.place.File != first.s.place.File && samePort(h.port, first.port)) {
			continue // told twice, as by LLDP and by the configuration
		}
		if h.s.place.File != first.s.place.File {
			j.b.note(h.s.place, "%s port %s leads to %s here, and to %s at %s; the latter is taken", first.v.name, port, peerText(h), peerText(first), first.s.place)
			continue
		}
		j.b.dispute(j.disputed(first.v, port), h.s.place, "%s port %s has two neighbours: %s here, and %s at %s; both are left out", first.v.name, port, peerText(h), peerText(first), first.s.place)
		return nil
	}
	return first
}

func peerText(h *half) string {
	if h.s.peerPort == "" {
		return h.s.peer
	}
	return h.s.peer + " " + h.s.peerPort
}

// portNamed is a port of a switch by one of the names that others have for it: its own name, its alias, its
// description. It is the first name if none is known.
func (v *view) portNamed(names ...string) string {
	if v.index == nil {
		v.index = map[string]string{}
		take := func(name, own string) {
			if _, known := v.index[cabling.PortKey(name)]; !known && name != "" {
				v.index[cabling.PortKey(name)] = own
			}
		}
		own := slices.Sorted(maps.Keys(v.ports))
		for _, name := range own {
			take(name, name)
		}
		for _, name := range own {
			take(v.ports[name].alias, name)
		}
		for i := range v.sights {
			take(v.sights[i].port, v.sights[i].port)
		}
	}
	for _, name := range names {
		if own, ok := v.index[cabling.PortKey(name)]; ok {
			return own
		}
	}
	return names[0]
}

// samePort is whether two texts name one port: Et3/1 is Ethernet3/1.
func samePort(a, b string) bool { return cabling.PortKey(a) == cabling.PortKey(b) }

// disputed is the port of a switch as an end.
func (j *joiner) disputed(v *view, port string) []cabling.End {
	return []cabling.End{{Device: j.b.device(v.name), Port: v.portNamed(port)}}
}

// cable makes the cable of a half, if the other half does not contradict it.
func (j *joiner) cable(h *half, halves map[*view]*halfs) error {
	own := h.v.portNamed(h.s.port)
	c := cabling.Cable{A: cabling.End{Device: j.b.device(h.v.name), Port: own}, Rate: h.s.rate, Place: h.s.place}
	if p := h.v.ports[own]; p != nil {
		c.Rate, c.Length = cmp.Or(c.Rate, p.rate), p.length
		if p.alias != own {
			c.A.Label = p.alias
		}
	}
	if h.peer == nil {
		c.B = cabling.End{Device: j.stranger(h), Port: h.port}
		if macAddress.MatchString(h.port) && h.s.descr != "" && !macAddress.MatchString(h.s.descr) {
			c.B.Label = h.s.descr
		}
		j.b.connect(c)
		return j.b.full(h.s.place.Line)
	}
	back := halves[h.peer].at[h.port]
	if back == nil || back.peer != h.v {
		back = j.answer(h, own, halves)
	}
	against := j.against(h, back, own, halves)
	switch {
	case against == nil && back == nil:
		j.one++
	case against == nil:
		h.port = back.v.portNamed(back.s.port)
	case against.s.configured && !h.s.configured: // what is seen holds
	case h.s.configured && !against.s.configured:
		j.b.note(h.s.place, "%s port %s leads to %s here, but %s port %s sees %s (%s); the latter is taken",
			h.v.name, own, peerText(h), h.peer.name, against.s.port, peerText(against), against.s.place)
		return nil
	default:
		j.b.dispute(append(j.disputed(h.v, own), j.disputed(h.peer, h.port)...), h.s.place, "%s port %s leads to %s here, but %s port %s leads to %s (%s); both are left out",
			h.v.name, own, peerText(h), h.peer.name, against.s.port, peerText(against), against.s.place)
		return nil
	}
	c.B = cabling.End{Device: j.b.device(h.peer.name), Port: h.port}
	if p := h.peer.ports[h.port]; p != nil && p.alias != h.port {
		c.B.Label = p.alias
	}
	j.b.connect(c)
	return j.b.full(h.s.place.Line)
}

// against is the sight of the other switch that contradicts a half: at the far port, or of the own port at another; nil if none
// does. back is the other half, if there is one.
func (j *joiner) against(h, back *half, own string, halves map[*view]*halfs) *half {
	if back != nil {
		if j.agrees(back, own) {
			return nil
		}
		return back
	}
	if other := halves[h.peer].at[h.port]; other != nil {
		return other
	}
	return leadingTo(h.v, own, halves[h.peer])
}

// agrees is whether the other half leads back to a port.
func (j *joiner) agrees(back *half, own string) bool {
	return back.port == own || back.port == "" || macAddress.MatchString(back.s.peerPort)
}

// answer finds the other half of a cable whose far port has a name of another form than the neighbour's own, as when
// LLDP says a MAC address: the half of the neighbour that leads back to this port.
func (j *joiner) answer(h *half, own string, halves map[*view]*halfs) *half {
	if _, known := halves[h.peer].at[h.port]; known {
		return nil
	}
	back := leadingTo(h.v, own, halves[h.peer])
	if back != nil && form(back.s.port) == form(h.port) {
		return nil
	}
	return back
}

// leadingTo is the sight of a switch that leads to a port of another.
func leadingTo(v *view, port string, of *halfs) *half {
	for _, own := range of.order {
		if h := of.at[own]; h.peer == v && h.port == port {
			return h
		}
	}
	return nil
}

var digitRun = regexp.MustCompile(`\d+`)

// form is the form of a port's name, without its numbers.
func form(port string) string { return digitRun.ReplaceAllString(cabling.PortKey(port), "#") }

// stranger is the device of a neighbour without a view.
func (j *joiner) stranger(h *half) int {
	at := j.b.keyed(nameKey(h.s.peer), h.s.peer)
	d := &j.b.f.Devices[at]
	d.Partial = true
	if n, ok := h.v.about[h.s.peer]; ok {
		j.b.role(at, n.role)
		d.Model = cmp.Or(d.Model, n.model)
	}
	if h.s.station {
		j.b.suggest(at, cabling.Host, "what LLDP says they can")
	}
	if macAddress.MatchString(h.s.peerPort) {
		j.b.suggest(at, cabling.Host, "a MAC address in place of their ports' names")
	}
	return at
}
