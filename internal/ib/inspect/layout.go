package inspect

import "weft/internal/ib/subnet"

// Layout is the positions of the nodes of a subnet, for drawings and for files that
// list levels.
type Layout struct {
	Report *Report
	Level  []int   // by node: 0 for leaves and up; -1 for adapters, and for switches that no host reaches
	Island []int   // by node: index into Report.Islands; -1 for adapters and routers
	Group  []int32 // by node: pod or dragonfly group, counted over all islands; -1 if there are none
	// Size, Ring and At describe a torus or mesh that is the only island: switches along
	// each dimension, whether the dimension is closed, and the coordinate by dimension
	// and node.
	Size  []int
	Ring  []bool
	At    [][]int32
	Hosts []Host
}

// Host is a host and its cabled ports.
type Host struct {
	Name  string
	Ports []subnet.End
}

// Lay recognises the family of a subnet and returns the position of each node.
func Lay(s *subnet.Subnet) *Layout {
	in := inspect(s, nil, nil, false)
	l := &Layout{Report: in.report, Level: make([]int, len(s.Nodes)), Island: make([]int, len(s.Nodes)), Group: make([]int32, len(s.Nodes))}
	for i := range s.Nodes {
		l.Level[i], l.Island[i], l.Group[i] = -1, -1, -1
	}
	groups := int32(0)
	for i, p := range in.parts {
		group, count := p.groups()
		for sw, node := range p.g.node {
			l.Level[node], l.Island[node] = p.level[sw], i
			if len(group) > 0 && group[sw] >= 0 {
				l.Group[node] = groups + group[sw]
			}
		}
		groups += int32(count)
	}
	if len(in.parts) == 1 && in.parts[0].grid != nil {
		p := in.parts[0]
		l.Size, l.Ring = p.grid.size, p.grid.ring
		for _, at := range p.grid.at {
			by := make([]int32, len(s.Nodes))
			for sw, node := range p.g.node {
				by[node] = at[sw]
			}
			l.At = append(l.At, by)
		}
	}
	for _, h := range in.hosts {
		host := Host{Name: h.name}
		for _, a := range h.adapters {
			host.Ports = append(host.Ports, a.end)
		}
		if len(host.Ports) > 0 {
			l.Hosts = append(l.Hosts, host)
		}
	}
	return l
}

// groups returns, by switch, the dragonfly group of an island, or the pod of a tree of at least
// three levels; nil if there are none. Switches above the pods have -1.
func (p *island) groups() (group []int32, count int) {
	switch {
	case p.dragonfly != nil:
		return p.dragonfly.group, p.dragonfly.groups
	case p.about.Family != FatTree || top(p.level) < 2:
		return nil, 0
	}
	of, count := podsOf(p.g, p.level, 1)
	for sw := range of {
		if p.level[sw] > 1 {
			of[sw] = -1
		}
	}
	return of, count
}
