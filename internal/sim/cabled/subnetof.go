package cabled

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
)

// ofCabling is a fabric that is no InfiniBand subnet.
func ofCabling(name string, f *cabling.Fabric) *Source {
	s := &Source{Name: name, Format: f.Format, Fabric: f}
	s.Subnet, s.lacking = subnetOf(name, f)
	return s
}

// subnetOf makes a subnet of a fabric: the shape of a fabric is seen from its cables, whatever runs on them. A director
// that a plan lists as one device has too many ports for a node of it.
func subnetOf(name string, f *cabling.Fabric) (*subnet.Subnet, error) {
	s := &subnet.Subnet{Origin: subnet.None}
	ports := portNumbers(f)
	for i := range f.Devices {
		d := &f.Devices[i]
		n := subnet.Node{Kind: subnet.Router, Name: d.Name, GUID: d.GUID}
		switch d.Role {
		case cabling.Switch:
			n.Kind = subnet.Switch
		case cabling.Host:
			n.Kind = subnet.Adapter
		}
		most := subnet.MaxEthernetPorts
		if isDirector(f, ports[i]) {
			most = subnet.MaxPorts
		}
		if len(ports[i]) > most {
			return nil, fmt.Errorf("%s: %s has %d ports with cables, and one chip at most %d: the cables inside of it are not in the file, take one that lists its chips, such as ibnetdiscover's", name, f.NameOf(i), len(ports[i]), most)
		}
		at := s.Add(n, min(most, max(1, len(ports[i]), d.Ports)))
		for name, number := range ports[i] {
			s.Nodes[at].NamePort(uint16(number), name)
		}
	}
	for i := range f.Cables {
		if toManagement(f, &f.Cables[i]) {
			continue
		}
		a, b := f.Cables[i].A, f.Cables[i].B
		x := subnet.End{Node: int32(a.Device), Port: uint16(ports[a.Device][a.Port])}
		y := subnet.End{Node: int32(b.Device), Port: uint16(ports[b.Device][b.Port])}
		if x == y || s.Peer(x).Exists() || s.Peer(y).Exists() {
			return nil, fmt.Errorf("%v: %s or %s has a cable already", f.Cables[i].Place, f.EndName(a), f.EndName(b))
		}
		s.Connect(x, y, subnet.Bare(f.Cables[i].Rate))
	}
	return s, nil
}

// toManagement reports whether a cable leads to a device for management: it is none of the fabric.
func toManagement(f *cabling.Fabric, c *cabling.Cable) bool {
	return f.Devices[c.A.Device].Role == cabling.Management || f.Devices[c.B.Device].Role == cabling.Management
}

// bladePort is a port of a chip of a director: L16/U2/20.
var bladePort = regexp.MustCompile(`^[LS]\d+/U\d+/\d+$`)

// isDirector reports whether a device is of InfiniBand, whose switches with many ports are made of chips: UFM, which manages
// InfiniBand, wrote the file, or the device's ports are named after chips.
func isDirector(f *cabling.Fabric, ports map[string]int) bool {
	if strings.HasPrefix(f.Format, "UFM") {
		return true
	}
	for name := range ports {
		if bladePort.MatchString(name) {
			return true
		}
	}
	return false
}

// WithoutAggregators is the subnet without the cables to aggregation nodes (SHARP), which are in switches and no hosts.
func (s *Source) WithoutAggregators() *subnet.Subnet {
	c := s.Subnet.Clone()
	for i := range s.Devices {
		if s.Devices[i].Role != cabling.Aggregator {
			continue
		}
		for p := range c.Nodes[i].Ports {
			if near := (subnet.End{Node: int32(i), Port: uint16(p)}); c.Peer(near).Exists() {
				c.Port(c.Peer(near)).Peer = subnet.None
				c.Port(near).Peer = subnet.None
			}
		}
	}
	return c
}

// portNumbers numbers the ports with cables of each device from 1, in the order of their names.
func portNumbers(f *cabling.Fabric) []map[string]int {
	names := make([][]string, len(f.Devices))
	for i := range f.Cables {
		if toManagement(f, &f.Cables[i]) {
			continue
		}
		for _, e := range [2]cabling.End{f.Cables[i].A, f.Cables[i].B} {
			names[e.Device] = append(names[e.Device], e.Port)
		}
	}
	numbers := make([]map[string]int, len(f.Devices))
	for i, list := range names {
		sorting.Func(list, wording.Natural)
		numbers[i] = map[string]int{}
		for _, name := range slices.Compact(list) {
			numbers[i][name] = len(numbers[i]) + 1
		}
	}
	return numbers
}
