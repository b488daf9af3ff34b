package cablehealth

import (
	"fmt"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/units"
)

// port is a port with everything that the files say of it.
type port struct {
	id       int
	names    portstate.Port
	far      *port // the other end of its cable; nil if it is not known
	readings []*portstate.Reading
	samples  map[string][]sample
	facts    portstate.Reading // the values that are no counters: the last known of each
	downs    []portstate.Event // changes to DOWN in a log
	last     portstate.Event   // last change in the log
	pauses   *portstate.Pauses
}

// sample is a counter at one time.
type sample struct {
	portstate.Counter
	reader string
	time   int64
}

// joined is all ports.
type joined struct {
	set   *portstate.Set
	ports []*port
	keys  map[key]*port // nil: two ports have the key
	names map[units.GUID]string
	roles map[units.GUID]cabling.Role
	lids  map[uint32]units.GUID // of switches: their LID is that of all their ports
}

// key identifies a port: by one of its GUIDs, its LID or its device's name, and its number, name or
// label.
type key struct {
	guid units.GUID
	lid  uint32
	name string
	port string
}

// join finds which readings are about the same port. Readings that identify a port best come
// first, so that a name or a LID leads to a port that is known by its GUID.
func join(set *portstate.Set) *joined {
	j := &joined{set: set, keys: map[key]*port{}, names: map[units.GUID]string{}, roles: map[units.GUID]cabling.Role{}, lids: map[uint32]units.GUID{}}
	for _, r := range set.Readings {
		j.learn(r.Port)
		if r.HasPeer {
			j.learn(r.Peer)
		}
	}
	j.inferRoles()
	for rank := range 4 {
		for _, r := range set.Readings {
			if rankOf(r.Port) == rank {
				j.add(r)
			}
		}
	}
	for _, e := range set.Events {
		p := j.find(e.Port)
		p.last = e
		if e.To == "DOWN" {
			p.downs = append(p.downs, e)
		}
	}
	for i := range set.Pauses {
		j.find(set.Pauses[i].Port).pauses = &set.Pauses[i]
	}
	j.rename()
	return j
}

// learn keeps what a reading says of a node as a whole.
func (j *joined) learn(p portstate.Port) {
	for _, guid := range []units.GUID{p.Node, p.GUID} {
		if guid == 0 {
			continue
		}
		if p.Device != "" && j.names[guid] == "" {
			j.names[guid] = p.Device
		}
		if p.Role != cabling.Unknown && j.roles[guid] == cabling.Unknown {
			j.roles[guid] = p.Role
		}
	}
	if p.Role == cabling.Switch && p.LID != 0 && p.Node != 0 {
		j.lids[p.LID] = p.Node
	}
}

// inferRoles finds switches and adapters in files that do not say what a node is, as iblinkinfo -l: all
// ports of a switch have one GUID, and each port of an adapter has its own. A node with a single port can
// be either, and its name can tell.
func (j *joined) inferRoles() {
	numbers := map[units.GUID]map[int]bool{}
	see := func(p portstate.Port) {
		if p.GUID != 0 && p.Number > 0 && j.roles[p.GUID] == cabling.Unknown {
			if numbers[p.GUID] == nil {
				numbers[p.GUID] = map[int]bool{}
			}
			numbers[p.GUID][p.Number] = true
		}
	}
	for _, r := range j.set.Readings {
		see(r.Port)
		if r.HasPeer {
			see(r.Peer)
		}
	}
	for guid, ports := range numbers {
		name := j.names[guid]
		switch {
		case len(ports) > 1:
			j.roles[guid] = cabling.Switch
		case strings.Contains(name, " mlx") || strings.Contains(name, " HCA-") || strings.Contains(name, " ibp"):
			j.roles[guid] = cabling.Host
		}
	}
}

// rankOf orders readings by what identifies their port.
func rankOf(p portstate.Port) int {
	switch {
	case p.Node != 0:
		return 0
	case p.GUID != 0:
		return 1
	case p.LID != 0:
		return 2
	}
	return 3
}

// keysOf is every key of a port.
func (j *joined) keysOf(p portstate.Port) (keys []key) {
	var ports []string
	if p.Number >= 0 {
		ports = append(ports, fmt.Sprint(p.Number))
	}
	for _, text := range []string{p.Name, p.Label} {
		if text != "" {
			ports = append(ports, "="+text)
		}
	}
	if len(ports) == 0 {
		ports = []string{""}
	}
	for _, name := range ports {
		if p.Node != 0 {
			keys = append(keys, key{guid: p.Node, port: name})
		}
		if p.GUID != 0 && p.GUID != p.Node {
			keys = append(keys, key{guid: p.GUID, port: name})
		}
	}
	for _, name := range ports {
		if p.LID != 0 {
			keys = append(keys, key{lid: p.LID, port: name})
		}
	}
	for _, name := range ports {
		keys = append(keys, key{name: strings.ToLower(p.Device), port: name})
	}
	return keys
}

// find is the port with some of the names; it is added if there is none. A key that two ports have
// identifies neither.
func (j *joined) find(p portstate.Port) *port {
	if p.Node == 0 && p.GUID == 0 && p.LID != 0 {
		p.Node = j.lids[p.LID]
	}
	keys := j.keysOf(p)
	var found *port
	strong := p.Node != 0 || p.GUID != 0
	for _, k := range keys {
		if strong && k.guid == 0 && k.lid == 0 && len(j.keys) > 0 && rankOf(p) < 2 {
			if at := j.keys[k]; at != nil && (at.names.Node != 0 || at.names.GUID != 0) {
				continue // another device of the same name, or another form of GUID: the GUIDs differ
			}
		}
		if at := j.keys[k]; at != nil && !conflict(at.names, p) {
			found = at
			break
		}
	}
	if found == nil {
		found = &port{id: len(j.ports), names: p, samples: map[string][]sample{}}
		j.ports = append(j.ports, found)
	}
	for _, k := range keys {
		if at, has := j.keys[k]; !has {
			j.keys[k] = found
		} else if at != found {
			j.keys[k] = nil
		}
	}
	merge(&found.names, p)
	return found
}

// conflict reports whether two descriptions cannot be of one port.
func conflict(a, b portstate.Port) bool {
	return a.Node != 0 && b.Node != 0 && a.Node != b.Node ||
		a.Chip != "" && b.Chip != "" && a.Chip != b.Chip ||
		a.Number >= 0 && b.Number >= 0 && a.Number != b.Number ||
		a.GUID != 0 && b.GUID != 0 && a.GUID != b.GUID && (a.Node == 0 || b.Node == 0) && a.GUID != b.Node && a.Node != b.GUID
}

// merge fills in the names that a description lacks.
func merge(to *portstate.Port, p portstate.Port) {
	if to.Node == 0 {
		to.Node = p.Node
	}
	if to.GUID == 0 {
		to.GUID = p.GUID
	}
	if to.LID == 0 {
		to.LID = p.LID
	}
	if to.Device == "" {
		to.Device = p.Device
	}
	if to.Chip == "" {
		to.Chip = p.Chip
	}
	if to.Number < 0 {
		to.Number = p.Number
	}
	if to.Name == "" {
		to.Name = p.Name
	}
	if to.Label == "" {
		to.Label = p.Label
	}
	if to.Role == cabling.Unknown {
		to.Role = p.Role
	}
}

// add adds a reading to its port.
func (j *joined) add(r *portstate.Reading) {
	p := j.find(r.Port)
	p.readings = append(p.readings, r)
	for _, c := range r.Counters {
		p.samples[c.Name] = append(p.samples[c.Name], sample{c, r.Reader, r.Time})
	}
	if r.HasPeer {
		far := j.find(r.Peer)
		if far != p {
			if p.far == nil {
				p.far = far
			}
			if far.far == nil {
				far.far = p
			}
		}
	}
	p.facts.Measured = append(p.facts.Measured, r.Measured...)
	p.facts.Verdicts = append(p.facts.Verdicts, r.Verdicts...)
	if r.Physical != "" {
		p.facts.Physical = r.Physical
	}
	take(&p.facts.State, r.State)
	take(&p.facts.Link, r.Link)
	take(&p.facts.Could, r.Could)
	take(&p.facts.Supports, r.Supports)
	take(&p.facts.Chip, r.Chip)
	take(&p.facts.Raw, r.Raw)
	take(&p.facts.Effective, r.Effective)
	take(&p.facts.Symbol, r.Symbol)
	take(&p.facts.FrameLoss, r.FrameLoss)
	take(&p.facts.Cable, r.Cable)
	take(&p.facts.Cabled, r.Cabled)
}

// take replaces a value by a later one.
func take[T any](to *portstate.Said[T], v portstate.Said[T]) {
	if v.Known() {
		*to = v
	}
}

// rename gives devices the names of a node-name-map, and fills in names that other files have.
func (j *joined) rename() {
	for _, p := range j.ports {
		n := &p.names
		if n.Device == "" {
			if n.Device = j.names[n.Node]; n.Device == "" {
				n.Device = j.names[n.GUID]
			}
		}
		if n.Role == cabling.Unknown {
			if n.Role = j.roles[n.Node]; n.Role == cabling.Unknown {
				n.Role = j.roles[n.GUID]
			}
		}
		for _, guid := range []units.GUID{n.Node, n.GUID} {
			if name, ok := j.set.Names[guid]; ok && guid != 0 {
				n.Device = name
				break
			}
		}
	}
}

// isLink reports whether a port has a cable: port 0 of a switch is the switch itself.
func (p *port) isLink() bool { return p.names.Number != 0 }
