package cabled

import (
	"cmp"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/units"
)

// numbering gives the devices of a fabric their numbers.
type numbering struct {
	s        *Source
	p        *Placed
	layout   *inspect.Layout
	endpoint map[cabling.End]int // by port of a host: its number
	of       map[int]int         // by switch: its number
	ports    []map[string]int    // by device of Ethernet and name of a port: its number
	names    map[string]int      // of switches: how many have it
	peer     map[cabling.End]int // by port: the device at the other end
}

// number fills in the devices and links of a placed fabric: the NICs of the chosen hosts, the ports of the others, the
// switches that a chosen host reaches.
func (s *Source) number(p *Placed, chosen, hosts []host) {
	n := newNumbering(s, p)
	rates := map[units.Rate]int{}
	for i := range chosen {
		p.Hosts = append(p.Hosts, chosen[i].name)
		for _, nic := range chosen[i].nics {
			n.endpointOf(chosen[i].name, nic)
			if rates[nic.rate]++; rates[nic.rate] > rates[p.Rate] || p.Rate == 0 {
				p.Rate = nic.rate
			}
		}
	}
	p.Adapters = sameLabels(chosen)
	reached := n.reached()
	before := len(p.Devices)
	for i := range hosts {
		for _, nic := range hosts[i].nics {
			if _, placed := n.endpoint[plain(nic.end)]; !placed && reached[n.peer[plain(nic.end)]] {
				n.endpointOf(hosts[i].name, nic)
			}
		}
	}
	p.Others = len(p.Devices) - before
	apart := 0
	for i := range s.Devices {
		switch {
		case s.Devices[i].Role != cabling.Switch:
		case reached[i]:
			n.switchOf(i)
		default:
			apart++
		}
	}
	if apart > 0 {
		p.note("%s that no node of the cluster reaches: left out", wording.Counted(apart, "switch", "switches"))
	}
	n.links()
}

// sameLabels are the names of a host's NICs, nil if hosts differ.
func sameLabels(hosts []host) (labels []string) {
	for _, n := range hosts[0].nics {
		labels = append(labels, n.label)
	}
	for i := range hosts {
		for k, n := range hosts[i].nics {
			if n.label != labels[k] {
				return nil
			}
		}
	}
	return labels
}

func newNumbering(s *Source, p *Placed) *numbering {
	n := &numbering{
		s: s, p: p, layout: inspect.Lay(s.Subnet), endpoint: map[cabling.End]int{}, of: map[int]int{},
		names: map[string]int{}, peer: map[cabling.End]int{},
	}
	for i := range s.Devices {
		if s.Devices[i].Role == cabling.Switch {
			n.names[s.Devices[i].Name]++
		}
	}
	for i := range s.Cables {
		a, b := s.Cables[i].A, s.Cables[i].B
		n.peer[plain(a)], n.peer[plain(b)] = b.Device, a.Device
	}
	return n
}

// plain is an end without its label, as a key.
func plain(e cabling.End) cabling.End { return cabling.End{Device: e.Device, Port: e.Port} }

// endpointOf adds the port of a host.
func (n *numbering) endpointOf(host string, nic nic) {
	d := Device{Name: host + "/" + nic.label, Ports: 1, Group: -1}
	if n.s.InfiniBand {
		node := &n.s.Subnet.Nodes[nic.end.Device]
		number, _ := strconv.Atoi(nic.end.Port)
		port := &node.Ports[number]
		n.p.ends = append(n.p.ends, subnet.End{Node: int32(nic.end.Device), Port: uint16(number)})
		d.GUID, d.Port, d.LID = node.GUID, port.GUID, port.LID
		if n.s.severalPorts(nic.end.Device) {
			d.GUID = cmp.Or(port.GUID, node.GUID) // its ports are endpoints of their own
		}
	}
	n.endpoint[plain(nic.end)] = len(n.p.Devices)
	n.p.Devices = append(n.p.Devices, d)
}

// switchOf adds a switch. Its ports have the numbers of the file on InfiniBand; on Ethernet they are counted in the
// order of their names.
func (n *numbering) switchOf(device int) {
	from := &n.s.Devices[device]
	d := Device{Name: from.Name, Level: n.layout.Level[device] + 1, Group: int(n.layout.Group[device]), Ports: from.Ports}
	d.Ports = max(d.Ports, n.s.Subnet.Nodes[device].NumPorts())
	if n.s.InfiniBand {
		node := &n.s.Subnet.Nodes[device]
		d.GUID, d.LID = node.GUID, node.Ports[0].LID
		n.p.ends = append(n.p.ends, subnet.End{Node: int32(device)})
	}
	if d.Name == "" || n.names[from.Name] > 1 {
		d.Name = strings.TrimSpace(from.Name + " (" + from.GUID.String() + ")")
	}
	n.of[device] = len(n.p.Devices)
	n.p.Devices = append(n.p.Devices, d)
}

// reached are the switches that the chosen hosts reach.
func (n *numbering) reached() map[int]bool {
	next := map[int][]int{}
	var queue []int
	seen := map[int]bool{}
	add := func(device int) {
		if n.s.Devices[device].Role == cabling.Switch && !seen[device] {
			seen[device] = true
			queue = append(queue, device)
		}
	}
	for i := range n.s.Cables {
		a, b := n.s.Cables[i].A, n.s.Cables[i].B
		next[a.Device], next[b.Device] = append(next[a.Device], b.Device), append(next[b.Device], a.Device)
		if _, placed := n.endpoint[plain(a)]; placed {
			add(b.Device)
		}
		if _, placed := n.endpoint[plain(b)]; placed {
			add(a.Device)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range next[at] {
			add(to)
		}
	}
	return seen
}

// links adds the cables between devices with a number.
func (n *numbering) links() {
	if !n.s.InfiniBand {
		n.ports = portNumbers(n.s.Fabric)
		n.p.PortNames = map[string]map[string]int{}
		n.p.portNames = make([][]string, len(n.p.Devices))
		for device, number := range n.of {
			n.p.PortNames[n.p.Devices[number].Name] = n.ports[device]
			n.p.portNames[number] = namesByNumber(n.ports[device])
		}
	}
	unknown, left := 0, map[cabling.Role]int{}
	own, firstOwn := 0, ""
	for i := range n.s.Cables {
		c := &n.s.Cables[i]
		a, okA := n.end(c.A)
		b, okB := n.end(c.B)
		if !okA || !okB {
			left[max(n.s.Devices[c.A.Device].Role, n.s.Devices[c.B.Device].Role)]++
			continue
		}
		if a.device == b.device {
			if own++; own == 1 {
				firstOwn = n.s.EndName(c.A)
			}
			continue
		}
		l := Link{A: a.device, B: b.device, PortA: a.port, PortB: b.port, Rate: c.Rate, Length: c.Length}
		if l.Rate == 0 {
			unknown++
		}
		n.p.Links = append(n.p.Links, l)
	}
	if own > 0 {
		n.p.note("left out: %s a switch to itself, the first at %s", wording.Counted(own, "cable from", "cables from"), firstOwn)
	}
	if unknown > 0 {
		n.p.note("the file does not say the rate of %s: they have the rate of the fabric's link", wording.Counted(unknown, "cable", "cables"))
	}
	for _, x := range []struct {
		role cabling.Role
		to   string
	}{{cabling.Router, "routers"}, {cabling.Aggregator, "aggregation nodes (SHARP)"}, {cabling.Management, "management"}, {cabling.Unknown, "devices of unknown kind"}} {
		if left[x.role] > 0 {
			n.p.note("left out: %s to %s", wording.Counted(left[x.role], "cable", "cables"), x.to)
		}
	}
}

// namesByNumber are the names of ports in the order of their numbers; nil if each name is its number.
func namesByNumber(numbers map[string]int) []string {
	names, plain := make([]string, len(numbers)), true
	for name, number := range numbers {
		names[number-1] = name
		plain = plain && name == strconv.Itoa(number)
	}
	if plain {
		return nil
	}
	return names
}

// numbered is an end by the numbers of a listed topology.
type numbered struct{ device, port int }

func (n *numbering) end(e cabling.End) (numbered, bool) {
	if at, ok := n.endpoint[plain(e)]; ok {
		return numbered{at, 1}, true
	}
	at, ok := n.of[e.Device]
	if !ok {
		return numbered{}, false
	}
	port, err := strconv.Atoi(e.Port)
	if !n.s.InfiniBand {
		port, err = n.ports[e.Device][e.Port], nil
	}
	return numbered{at, port}, err == nil
}
