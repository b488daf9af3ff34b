package inspect

import (
	"cmp"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/ib/subnet"
)

// Cabling is a subnet as devices and cables, in the order of its nodes. The group of an adapter is its host, the group
// of a switch chip its housing, if several chips share one.
func Cabling(s *subnet.Subnet) *cabling.Fabric {
	f := &cabling.Fabric{Devices: make([]cabling.Device, len(s.Nodes))}
	g := newGraph(s, namesOf(s), nil, make([]int32, len(s.Nodes)))
	hosts, of := hostsOf(g)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		d := cabling.Device{Name: n.Name, GUID: n.GUID, Ports: n.NumPorts()}
		switch {
		case n.Kind == subnet.Switch:
			d.Role = cabling.Switch
			d.Group, d.Model = housing(n.Name)
		case n.Kind == subnet.Router:
			d.Role = cabling.Router
		case isAggregation(n):
			d.Role = cabling.Aggregator
		default:
			d.Role = cabling.Host
			d.Group = groupOf(n, hosts[of[int32(i)]].name)
		}
		f.Devices[i] = d
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			near := subnet.End{Node: int32(i), Port: uint16(p)}
			far := s.Peer(near)
			if !far.Exists() || far.Node < near.Node || far.Node == near.Node && far.Port < near.Port {
				continue
			}
			link := slower(s, near)
			f.Cables = append(f.Cables, cabling.Cable{
				A: cableEnd(s, near), B: cableEnd(s, far), Rate: link.Rate(), Could: cmp.Or(s.Port(near).Could.Rate(), s.Port(far).Could.Rate()), Link: linkText(link),
			})
		}
	}
	return f
}

// CablingEnds are ports of a subnet as those of its [Cabling].
func CablingEnds(s *subnet.Subnet, ends []subnet.End) (all []cabling.End) {
	for _, e := range ends {
		all = append(all, cableEnd(s, e))
	}
	return all
}

// groupOf is the host of an adapter: its name, or, for an adapter with its vendor's default name, the system that it
// is in. Empty if neither is known.
func groupOf(n *subnet.Node, host string) string {
	switch {
	case !isUnnamed(n):
		return host
	case n.SystemGUID != 0:
		return "system " + n.SystemGUID.String()
	}
	return ""
}

// housing is the director that a switch chip is in, empty for a switch of one chip, and the model. Mellanox's managed
// switches describe themselves as MF0;NAME:MODEL/U1, the chips of directors as MF0;NAME:MODEL/L16/U2.
func housing(description string) (name, model string) {
	_, rest, ok := strings.Cut(description, ";")
	if !ok {
		return "", ""
	}
	name, place, _ := strings.Cut(rest, ":")
	model, chip, _ := strings.Cut(place, "/")
	if !strings.Contains(chip, "/") {
		return "", model
	}
	return name, model
}

func cableEnd(s *subnet.Subnet, e subnet.End) cabling.End {
	if name := s.Nodes[e.Node].PortName(e.Port); name != "" {
		return cabling.End{Device: int(e.Node), Port: name}
	}
	return cabling.End{Device: int(e.Node), Port: strconv.Itoa(int(e.Port))}
}

// linkText is a link as InfiniBand's tools write it, empty if nothing is known of it.
func linkText(l subnet.Link) string {
	if l == (subnet.Link{}) || l.Megabits > 0 {
		return ""
	}
	return l.String()
}
