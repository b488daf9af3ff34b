package route

import (
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Group is a multicast group: its LID and its members, ports of adapters and routers.
type Group struct {
	MLID    units.LID
	Members []subnet.End
}

// Multicast fills the multicast tables of t. Each group has a tree of shortest paths from its root,
// with only the branches to members. The root is the switch with the least distance to its farthest
// member; ties go to the least mean distance, then to the least GUID read backwards. Groups share
// cables evenly: of several shortest paths to the root, the path with the fewest trees on its
// cables so far is taken.
//
// It fails if no cables join the members of a group, if an MLID is out of range or used
// twice, and if a member is not a port with a cable to a switch.
func Multicast(s *subnet.Subnet, t *subnet.Tables, all []Group) error {
	f, err := newFabric(s)
	if err != nil {
		return err
	}
	f.tab = t
	m := &multicast{f: f, s: newSpanner(f), end: map[subnet.End]int32{}}
	for i := range f.ends {
		m.end[f.ends[i].at] = int32(i)
	}
	m.dist = (&job{fabric: f, cores: 1}).shortestPaths()
	t.MFT = make([]map[units.LID]subnet.PortMask, len(f.sw))
	for i := range t.MFT {
		t.MFT[i] = map[units.LID]subnet.PortMask{}
	}
	seen := map[units.LID]bool{}
	for i := range all {
		g := &all[i]
		if g.MLID < units.FirstMulticastLID || g.MLID == units.PermissiveLID || seen[g.MLID] {
			return fmt.Errorf("multicast LID 0x%04x: expected each of 0x%04x to 0x%04x at most once", g.MLID, units.FirstMulticastLID, units.PermissiveLID-1)
		}
		seen[g.MLID] = true
		if err := m.buildTree(g); err != nil {
			return err
		}
	}
	return nil
}

type multicast struct {
	f    *fabric
	s    *spanner
	end  map[subnet.End]int32
	dist *shortest
}

// buildTree makes the tree of one group.
func (m *multicast) buildTree(g *Group) error {
	leaves := make([]int64, len(m.f.sw)) // members on each switch
	for _, e := range g.Members {
		i, ok := m.end[e]
		if !ok || m.f.ends[i].sw < 0 {
			return fmt.Errorf("multicast LID 0x%04x: %s is no port of an adapter with a LID and a cable to a switch", g.MLID, m.f.sub.EndName(e))
		}
		end := &m.f.ends[i]
		if leaves[end.sw] == 0 || !m.has(end.sw, g.MLID, end.port) {
			leaves[end.sw]++
		}
		m.add(end.sw, g.MLID, end.port)
	}
	if len(g.Members) == 0 {
		return nil
	}
	root := m.root(leaves)
	if root < 0 {
		return fmt.Errorf("multicast LID 0x%04x: no cables join all of its %d members", g.MLID, len(g.Members))
	}
	m.s.aim(root)
	m.s.grow()
	for i := len(m.s.order) - 1; i > 0; i-- {
		u := m.s.order[i]
		if leaves[u] == 0 {
			continue
		}
		c := m.s.via[u]
		leaves[m.s.to[c]] += leaves[u]
		m.s.weight[c]++
		m.add(u, g.MLID, uint8(int(c)-m.f.base[u]))
		m.add(m.s.to[c], g.MLID, m.s.in[c])
	}
	return nil
}

// root is the switch nearest to all members, -1 if no switch reaches all.
func (m *multicast) root(leaves []int64) int32 {
	best, bestFar, bestSum := int32(-1), uint8(noPath), int64(0)
	for _, r := range m.f.order {
		far, sum := uint8(0), int64(0)
		for u, n := range leaves {
			if n > 0 {
				far = max(far, m.dist.hops[r][u])
				sum += n * int64(m.dist.hops[r][u])
			}
		}
		if far < bestFar || far == bestFar && best >= 0 && sum < bestSum {
			best, bestFar, bestSum = r, far, sum
		}
	}
	return best
}

func (m *multicast) has(sw int32, mlid units.LID, port uint8) bool {
	mask := m.f.tab.MFT[sw][mlid]
	return mask.Has(port)
}

func (m *multicast) add(sw int32, mlid units.LID, port uint8) {
	mask := m.f.tab.MFT[sw][mlid]
	mask.Add(port)
	m.f.tab.MFT[sw][mlid] = mask
}
