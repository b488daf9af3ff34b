package cablediff

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/units"
)

// site is a device as it is compared: a switch, a director with all its chips, a host with all its adapters.
type site struct {
	number   int    // its place in the side
	key      string // its name as names are compared; empty if the name identifies no device
	name     string // for messages
	devices  []int
	ends     []*end
	mate     *site // in the other fabric
	by       mateBy
	real     bool // of the real fabric
	role     cabling.Role
	partial  bool // the source need not have all cables
	repeated bool // several devices have the name
}

// mateBy is how a site was found in the other fabric.
type mateBy uint8

const (
	byNothing mateBy = iota
	byGUID
	byName
	byNeighbours
)

// end is a plug of a cable.
type end struct {
	side  *side
	cable *cable
	site  *site
	at    cabling.End
	keys  []string // names of the port, the first the most its own; empty if it has none
	port  *port
}

// cable is a cable of one side.
type cable struct {
	*cabling.Cable
	ends  [2]*end
	class class
	done  bool
}

func (e *end) far() *end {
	if e.cable.ends[0] == e {
		return e.cable.ends[1]
	}
	return e.cable.ends[0]
}

// port is a port of a device, with its planned and its real cable. One of them may be absent.
type port struct {
	plan, real *end
}

// side is one fabric.
type side struct {
	name   string
	real   bool
	f      *cabling.Fabric
	sites  []*site
	of     []*site // by device; nil if it is not compared
	cables []*cable
	// disputed are the ports, by their keys, of which lines of the file contradict each other.
	disputed map[*site]map[string]bool
}

// identity is what a device is part of, and how its ports are named there.
type identity struct {
	key, name string
	prefix    string // before the ports of a chip: "l16/u2/"
	adapter   string // of the adapter of a host, in its place
	part      bool   // chips or adapters: several make one site
}

func identify(d *cabling.Device) identity {
	if housing, place, ok := cabling.Chip(d.Name); ok && d.Role != cabling.Host {
		id := identity{key: strings.ToLower(housing), name: housing, part: true}
		if place = strings.ToLower(place); place != "u1" {
			id.prefix = place + "/"
		}
		return id
	}
	if d.Role == cabling.Host && d.Group != "" {
		id := identity{key: strings.ToLower(d.Group), name: d.Group, part: true}
		id.adapter = strings.ToLower(strings.TrimSpace(d.Name))
		if strings.HasPrefix(d.Group, "system ") { // adapters with the maker's name
			id.adapter = d.GUID.String()
		}
		if rest, ok := strings.CutPrefix(id.adapter, id.key); ok {
			id.adapter = strings.Trim(rest, " _-/:")
		}
		return id
	}
	return identity{key: strings.ToLower(strings.TrimSpace(d.Name)), name: d.Name}
}

var (
	macAddress = regexp.MustCompile(`^([0-9a-f]{2}([:-][0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2})$`)
	cageLabel  = regexp.MustCompile(`^(?:1/)?(\d+)/([12])$`)
	numbers    = regexp.MustCompile(`\d+`)
)

// keysOf are the names of a port of a device. A cage of an NDR switch has two ports: 1/26/2 is port 52.
func keysOf(id identity, e cabling.End) (keys []string) {
	add := func(key string) {
		if key != "" && !macAddress.MatchString(key) {
			keys = append(keys, key)
		}
	}
	port, label := cabling.PortKey(e.Port), cabling.PortKey(e.Label)
	switch {
	case id.adapter != "" && (port == "1" || port == ""):
		add(cabling.PortKey(id.adapter))
		if port != "" { // so that a plug in port 2 of it has a name of the same form
			add(strings.TrimSuffix(id.adapter, "/1") + "/1")
		}
	case id.adapter != "":
		add(cabling.PortKey(id.adapter + "/" + port))
	case port != "":
		add(id.prefix + port)
	}
	add(label)
	for _, text := range [2]string{port, label} {
		if m := cageLabel.FindStringSubmatch(text); m != nil && id.prefix == "" && id.adapter == "" {
			cage, _ := strconv.Atoi(m[1])
			split, _ := strconv.Atoi(m[2])
			add(strconv.Itoa(2*cage - 2 + split))
		}
	}
	return keys
}

// family is the form of a port's name, without its numbers.
func family(key string) string { return numbers.ReplaceAllString(key, "#") }

// newSide prepares a fabric.
func newSide(name string, f *cabling.Fabric, cabled bool) *side {
	s := &side{name: name, f: f, real: cabled, of: make([]*site, len(f.Devices))}
	ids := make([]identity, len(f.Devices))
	groups := map[string][]int{}
	for i := range f.Devices {
		if f.Devices[i].Role == cabling.Aggregator {
			continue // inside of a switch, without a cable
		}
		ids[i] = identify(&f.Devices[i])
		groups[ids[i].key] = append(groups[ids[i].key], i)
	}
	for i := range f.Devices {
		group := groups[ids[i].key]
		switch {
		case f.Devices[i].Role == cabling.Aggregator || s.of[i] != nil:
		case ids[i].key == "" || several(group, ids):
			s.add(ids[i], []int{i}, ids[i].key != "")
		default:
			s.add(ids[i], group, false)
		}
	}
	s.plug(ids)
	return s
}

// several is whether devices of one name are different ones, not parts of one.
func several(group []int, ids []identity) bool {
	if len(group) == 1 {
		return false
	}
	seen := map[string]bool{}
	for _, d := range group {
		place := ids[d].prefix
		if !ids[d].part || ids[d].adapter == "" && seen["chip "+place] {
			return true
		}
		if ids[d].adapter == "" {
			seen["chip "+place] = true
		}
	}
	return false
}

// add makes a site of devices.
func (s *side) add(id identity, devices []int, repeated bool) {
	t := &site{number: len(s.sites), real: s.real, key: id.key, name: id.name, devices: devices, repeated: repeated}
	if repeated {
		t.key = ""
	}
	for _, d := range devices {
		s.of[d] = t
		t.role = max(t.role, s.f.Devices[d].Role)
		t.partial = t.partial || s.f.Devices[d].Partial
	}
	if t.name == "" {
		t.name = s.f.NameOf(devices[0])
	} else if g := s.f.Devices[devices[0]].GUID; repeated && g != 0 {
		t.name += " (" + g.String() + ")"
	}
	s.sites = append(s.sites, t)
}

// plug makes the ends of the cables. Ports of one site with the same name have none: it does not identify them.
func (s *side) plug(ids []identity) {
	for i := range s.f.Cables {
		c := &s.f.Cables[i]
		if s.of[c.A.Device] == nil || s.of[c.B.Device] == nil {
			continue
		}
		k := &cable{Cable: c}
		for j, at := range [2]cabling.End{c.A, c.B} {
			e := &end{side: s, cable: k, site: s.of[at.Device], at: at, keys: keysOf(ids[at.Device], at)}
			e.site.ends = append(e.site.ends, e)
			k.ends[j] = e
		}
		s.cables = append(s.cables, k)
	}
	s.disputed = map[*site]map[string]bool{}
	for _, at := range s.f.Disputed {
		t := s.of[at.Device]
		if t == nil {
			continue
		}
		if s.disputed[t] == nil {
			s.disputed[t] = map[string]bool{}
		}
		for _, key := range keysOf(ids[at.Device], at) {
			s.disputed[t][key] = true
		}
	}
	for _, t := range s.sites {
		count := map[string]int{}
		for _, e := range t.ends {
			if len(e.keys) > 0 {
				count[e.keys[0]]++
			}
		}
		for _, e := range t.ends {
			if len(e.keys) > 0 && count[e.keys[0]] > 1 {
				e.keys = nil
			}
		}
	}
}

// unsure is whether lines of the other fabric contradict each other about the port at one of a cable's ends.
func (s *side) unsure(c *cable) bool {
	return slices.ContainsFunc(c.ends[:], func(e *end) bool {
		ports := s.disputed[e.site.mate]
		return e.site.mate != nil && slices.ContainsFunc(e.keys, func(key string) bool { return ports[key] })
	})
}

// guids are the GUIDs of a site's devices.
func (s *side) guids(t *site) (all []units.GUID) {
	for _, d := range t.devices {
		if g := s.f.Devices[d].GUID; g != 0 {
			all = append(all, g)
		}
	}
	return all
}
