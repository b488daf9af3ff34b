package cabled

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Choice says which hosts and ports of a fabric are the cluster's. Its zero value takes the file's own.
type Choice struct {
	Hosts    []string // names of the nodes, in their order; empty: all hosts with the usual number of NICs
	Adapters []string // names of a host's NICs, in the order of the GPUs; empty: all ports of the host
	Nodes    int      // take the first of the hosts alone; 0: all of them
	NICs     int      // NICs of a node that the cluster must have; 0: as many as a host has
}

// Placed is a fabric with numbers for its devices, as a listed topology has them.
type Placed struct {
	Nodes, NICs int
	Hosts       []string   // names of the nodes
	Adapters    []string   // names of the NICs of a node, if they are the same in all
	Rate        units.Rate // of most NICs' links; 0 if it is not known
	// Devices are the NICs of the nodes, node by node, then Others ports of other hosts, then the switches.
	Devices []Device
	Others  int
	Links   []Link
	Notes   []string
	// PortNames are on Ethernet, by the name of a switch, the numbers of its ports by their names.
	PortNames map[string]map[string]int

	portNames [][]string   // by device on Ethernet, for switches: the names of their ports, by number
	ends      []subnet.End // by device on InfiniBand: the port with its LID
}

// PortNamesOf are the names of the ports of a device by their numbers, from 1; nil if ports are numbers alone.
func (p *Placed) PortNamesOf(device int) []string {
	if p.portNames == nil {
		return nil
	}
	return p.portNames[device]
}

// Device is an endpoint or a switch.
type Device struct {
	Name  string
	GUID  units.GUID // of the node on InfiniBand; 0: it has none
	Port  units.GUID // of an endpoint's port; 0: it has none
	LID   units.LID  // 0: it has none
	Ports int        // of a switch; 1 of an endpoint
	// Level is 0 of an endpoint; of a switch 1 at the leaves and more above them, 0 if no host reaches it.
	Level int
	Group int // pod or group of a dragonfly; -1: none
}

// Link is a cable. The ports are counted from 1; an endpoint has one.
type Link struct {
	A, B, PortA, PortB int
	Rate               units.Rate   // 0: not known
	Length             units.Length // 0: not known
}

// nic is a port of a host with a cable.
type nic struct {
	end   cabling.End
	label string
	rate  units.Rate
}

// host is a host with its ports, in the order of their names.
type host struct {
	name string
	nics []nic
}

// Place chooses the nodes of a cluster among the hosts of a fabric.
func (s *Source) Place(c Choice) (*Placed, error) {
	if s.lacking != nil {
		return nil, s.lacking
	}
	hosts, loose := s.hosts()
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s: none of its %s is known to be a host: an adapter is known by the name of its host, such as \"gpu7 mlx5_0\"", s.Name, wording.Counted(len(s.Devices), "device", "devices"))
	}
	p := &Placed{}
	if hosts = s.withoutManagement(p, hosts, c.Adapters); len(hosts) == 0 {
		return nil, fmt.Errorf("%s: its hosts have ports for management alone (such as iLO, iDRAC, BMC, mgmt): write cluster.adapters with their names if they are the NICs", s.Name)
	}
	if loose > 0 {
		p.note("%s: which host they are in is not known, so they carry no load", wording.Counted(loose, "adapter has no name of a host", "adapters have no name of a host"))
	}
	chosen, err := s.choose(p, hosts, c)
	if err != nil {
		return nil, err
	}
	p.Nodes, p.NICs = len(chosen), len(chosen[0].nics)
	if c.NICs > 0 && c.NICs != p.NICs {
		choose := ""
		if p.NICs > c.NICs {
			choose = fmt.Sprintf("cluster.adapters with the names of %d of them, or ", c.NICs)
		}
		return nil, fmt.Errorf("%s: host %s has %s with a cable (%s), and a node of the cluster has %s: write %scluster.node.nics: %d (weft fabric convert %s --to scenario writes the lines of the hosts and NICs)",
			s.Name, chosen[0].name, wording.Counted(p.NICs, "port", "ports"), chosen[0].labels(), wording.Counted(c.NICs, "NIC", "NICs"), choose, p.NICs, s.Name)
	}
	s.number(p, chosen, hosts)
	return p, nil
}

func (p *Placed) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// HasHost reports whether the fabric has a host of a name, with a cable to a switch.
func (s *Source) HasHost(name string) bool {
	if s.hostNames == nil {
		s.hostNames = map[string]bool{}
		hosts, _ := s.hosts()
		for i := range hosts { // also those with ports for management alone: cluster.adapters can name them
			s.hostNames[hosts[i].name] = true
		}
	}
	return s.hostNames[name]
}

// hosts are the hosts with a cable to a switch, in the order of their names, and the number of adapters that belong to
// no known host.
func (s *Source) hosts() (hosts []host, loose int) {
	at := map[string]int{}
	for i := range s.Cables {
		c := &s.Cables[i]
		for _, e := range [2][2]cabling.End{{c.A, c.B}, {c.B, c.A}} {
			d := &s.Devices[e[0].Device]
			if d.Role != cabling.Host || s.Devices[e[1].Device].Role != cabling.Switch {
				continue
			}
			name, label := s.hostOf(e[0])
			if name == "" {
				loose++
				continue
			}
			h, known := at[name]
			if !known {
				h = len(hosts)
				at[name] = h
				hosts = append(hosts, host{name: name})
			}
			hosts[h].nics = append(hosts[h].nics, nic{e[0], label, c.Rate})
		}
	}
	for i := range hosts {
		s.tellApart(hosts[i].nics)
		sorting.StableFunc(hosts[i].nics, func(a, b nic) int { return wording.Natural(a.label, b.label) })
	}
	sorting.Func(hosts, func(a, b host) int { return wording.Natural(a.name, b.name) })
	return hosts, loose
}

// tellApart adds the GUID to names that several adapters of a host have, as in machines with one cloned image.
func (s *Source) tellApart(nics []nic) {
	count := map[string]int{}
	for i := range nics {
		count[nics[i].label]++
	}
	for i := range nics {
		if n := &nics[i]; count[n.label] > 1 {
			n.label += "-" + s.Devices[n.end.Device].GUID.Digits()
		}
	}
}

// hostOf is the host of a port and the name of the port in it. Without a host the name is empty.
func (s *Source) hostOf(e cabling.End) (name, label string) {
	d := &s.Devices[e.Device]
	if !s.InfiniBand {
		if d.Group != "" {
			return d.Group, e.Port
		}
		return d.Name, e.Port
	}
	if d.Group == "" {
		return "", ""
	}
	label = strings.Trim(strings.TrimPrefix(d.Name, d.Group), " \t/")
	if label == "" || strings.HasPrefix(d.Group, "system ") {
		label = d.GUID.String()
	}
	if s.severalPorts(e.Device) {
		label += "/" + e.Port
	}
	return d.Group, label
}

// severalPorts reports whether an adapter has more than one port.
func (s *Source) severalPorts(device int) bool { return s.Devices[device].Ports > 1 }

// labels are the names of the ports, in a list.
func (h *host) labels() string {
	var all []string
	for _, n := range h.nics {
		all = append(all, n.label)
	}
	return strings.Join(all, ", ")
}

// onOnePlane leaves the hosts, of adapters with ports on several planes, those on the first: no path joins the planes, and a
// NIC of a node is one port.
func (s *Source) onOnePlane(p *Placed, hosts []host) {
	planes := subnet.PlanesOf(s.Subnet)
	if planes == nil {
		return
	}
	first := map[units.GUID]*subnet.Node{}
	for i := range planes.Each[0].Nodes {
		first[planes.Each[0].Nodes[i].GUID] = &planes.Each[0].Nodes[i]
	}
	onFirst := func(n nic) bool {
		node := first[s.Subnet.Nodes[n.end.Device].GUID]
		port, err := strconv.Atoi(n.end.Port)
		return err == nil && node != nil && port < len(node.Ports) && node.Ports[port].Peer.Exists()
	}
	left := 0
	for i := range hosts {
		var nics []nic
		for _, n := range hosts[i].nics {
			if onFirst(n) || !slices.ContainsFunc(hosts[i].nics, func(o nic) bool { return o.end.Device == n.end.Device && onFirst(o) }) {
				nics = append(nics, n)
			}
		}
		left += len(hosts[i].nics) - len(nics)
		hosts[i].nics = nics
	}
	if left > 0 {
		p.note("the adapters have ports on %d planes, which no path joins: those on the first carry the load, and %s none (cluster.adapters names others)",
			len(planes.Each), wording.Counted(left, "port on the others carries", "ports on the others carry"))
	}
}

// choose are the hosts that are nodes, with their NICs in the order of the GPUs.
func (s *Source) choose(p *Placed, hosts []host, c Choice) ([]host, error) {
	chosen := slices.Clone(hosts)
	if len(c.Hosts) > 0 {
		named, err := s.named(hosts, c.Hosts)
		if err != nil {
			return nil, err
		}
		chosen = named
	}
	if len(c.Adapters) == 0 {
		s.onOnePlane(p, chosen)
	}
	switch {
	case len(c.Adapters) > 0:
		var err error
		if chosen, err = s.adapters(p, chosen, c); err != nil {
			return nil, err
		}
	case len(c.Hosts) > 0:
		if err := s.alike(chosen); err != nil {
			return nil, err
		}
	default:
		chosen = usual(p, chosen)
	}
	if c.Nodes > len(chosen) {
		return nil, fmt.Errorf("%s: a cluster of %s, and the fabric has %d of a kind", s.Name, wording.Counted(c.Nodes, "node", "nodes"), len(chosen))
	}
	if c.Nodes > 0 {
		chosen = chosen[:c.Nodes]
	}
	return chosen, nil
}

// alike reports hosts with different numbers of ports.
func (s *Source) alike(hosts []host) error {
	for i := range hosts {
		if a, b := &hosts[0], &hosts[i]; len(a.nics) != len(b.nics) {
			return fmt.Errorf("%s: host %s has %s with a cable (%s), and host %s %d (%s): write cluster.adapters with the names that all nodes have, or leave the one that is no node out of cluster.hosts",
				s.Name, a.name, wording.Counted(len(a.nics), "port", "ports"), a.labels(), b.name, len(b.nics), b.labels())
		}
	}
	return nil
}

// named are the hosts with the given names, in their order.
func (s *Source) named(hosts []host, names []string) ([]host, error) {
	at := map[string]int{}
	for i := range hosts {
		at[hosts[i].name] = i
	}
	var out []host
	seen := map[string]bool{}
	for _, name := range names {
		i, ok := at[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: there is no host %q with a cable to a switch: the first are %s", s.Name, name, firstNames(hosts))
		case seen[name]:
			return nil, fmt.Errorf("%s: host %q is named twice", s.Name, name)
		}
		seen[name] = true
		out = append(out, hosts[i])
	}
	return out, nil
}

func firstNames(hosts []host) string {
	var all []string
	for _, h := range hosts[:min(len(hosts), 4)] {
		all = append(all, h.name)
	}
	return strings.Join(all, ", ")
}

// adapters are the hosts with the named ports alone. A host that was named and lacks one is an error; another is no node.
func (s *Source) adapters(p *Placed, hosts []host, c Choice) (out []host, err error) {
	for i, label := range c.Adapters {
		if slices.Index(c.Adapters, label) < i {
			return nil, fmt.Errorf("%s: adapter %s is named twice", s.Name, label)
		}
	}
	without := 0
	for _, h := range hosts {
		own := host{name: h.name}
		for _, label := range c.Adapters {
			i := slices.IndexFunc(h.nics, func(n nic) bool { return n.label == label })
			if i < 0 {
				break
			}
			own.nics = append(own.nics, h.nics[i])
		}
		switch {
		case len(own.nics) == len(c.Adapters):
			out = append(out, own)
		case len(c.Hosts) > 0:
			return nil, fmt.Errorf("%s: host %s has no port %s with a cable: it has %s", s.Name, h.name, c.Adapters[len(own.nics)], h.labels())
		default:
			without++
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no host has the ports %s: host %s has %s", s.Name, strings.Join(c.Adapters, ", "), hosts[0].name, hosts[0].labels())
	}
	if without > 0 {
		p.note("%s not all of %s: they are no nodes", wording.Counted(without, "host has", "hosts have"), strings.Join(c.Adapters, ", "))
	}
	return out, nil
}

// usual are the hosts with the number of ports that most ports are in: storage and management hosts have another.
func usual(p *Placed, hosts []host) []host {
	ports := map[int]int{}
	for _, h := range hosts {
		ports[len(h.nics)] += len(h.nics)
	}
	most := 0
	for n, all := range ports {
		if all > ports[most] || all == ports[most] && n > most {
			most = n
		}
	}
	other := map[int]int{}
	var counts []int
	out := slices.DeleteFunc(slices.Clone(hosts), func(h host) bool {
		if n := len(h.nics); n != most {
			if other[n]++; other[n] == 1 {
				counts = append(counts, n)
			}
			return true
		}
		return false
	})
	slices.Sort(counts)
	for _, n := range counts {
		p.note("%s %s with a cable, and a node has %d: they are no nodes, and carry no load (cluster.hosts names the nodes)",
			wording.Counted(other[n], "host has", "hosts have"), wording.Counted(n, "port", "ports"), most)
	}
	return out
}
