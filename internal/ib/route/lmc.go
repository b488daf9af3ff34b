package route

import (
	"slices"

	"weft/internal/ib/subnet"
)

// lmcBalancer is a balancer for targets with several LIDs. The paths to a target's LIDs should have
// little in common: a target prefers a port to a system (by SystemImageGUID) that none of its LIDs
// uses yet, then a port to another switch of a used system, and only then a used switch.
type lmcBalancer struct {
	balancer
	all  []swtch
	dor  bool             // the LIDs of a target differ by port, not by neighbour
	used [][]neighbourUse // by target: neighbours of its LIDs' paths
}

// neighbourUse is a neighbour on the paths to a target's LIDs.
type neighbourUse struct {
	sw   int32 // the neighbour, -1: the target itself
	port uint8 // the first port that was used
	lids int32 // LIDs of the target with paths by it
}

// route gives a port to each LID of each target.
func (m *lmcBalancer) route(targets []target, widest int) {
	for i := range m.used {
		m.used[i] = m.used[i][:0]
	}
	for offset := range widest {
		for i := range targets {
			t := &targets[i]
			if offset >= t.width || t.sw < 0 {
				continue
			}
			m.one(i, t, offset)
		}
	}
}

// one gives a port to one LID of a target.
func (m *lmcBalancer) one(i int, t *target, offset int) {
	port, ok := t.port, true
	switch {
	case t.sw == m.from:
	case m.dor && t.width > 1:
		port, ok = m.apartInDimension(m.ports[t.sw], m.used[i])
	case t.width > 1:
		after := uint8(0)
		if offset > 0 {
			after = m.lft[int(t.lid)+offset-1]
		}
		port, ok = m.apart(m.ports[t.sw], m.used[i], after)
	default:
		port, ok = m.leastUsed(m.ports[t.sw])
	}
	if !ok {
		return
	}
	m.lft[int(t.lid)+offset] = port
	if !t.counted {
		return
	}
	m.count(port)
	if t.width > 1 {
		m.note(i, m.all[m.from].ports[port].sw, port)
	}
}

// apart is the port that shares least with the used paths: it leads to a new system, else to a new
// switch, else to the switch that the fewest of the target's LIDs use. Of equal ports, the port
// with the fewest targets is taken. Of several such ports it is the next one, cyclically, after the
// port of the target's previous LID.
func (m *lmcBalancer) apart(allowed subnet.PortMask, used []neighbourUse, after uint8) (uint8, bool) {
	const never = 1<<31 - 1
	var system, node, least uint8
	systemPaths, nodePaths, anyPaths, fewest := int32(never), int32(never), int32(never), int32(never)
	var list [256]uint8
	ports := allowed.Ports(list[:0])
	start := 0
	for start < len(ports) && ports[start] <= after {
		start++
	}
	for k := range ports {
		p := ports[(start+k)%len(ports)]
		paths := m.after(p)
		sameSystem, same := m.find(used, m.all[m.from].ports[p].sw)
		switch {
		case !sameSystem:
			if paths < systemPaths {
				systemPaths, system = paths, p
				fewest = 0
			}
		case same == nil:
			if paths < nodePaths {
				nodePaths, node = paths, p
				fewest = 0
			}
		}
		if paths < anyPaths {
			anyPaths, least = paths, p
			if same != nil {
				fewest = min(fewest, same.lids)
			}
		} else if same != nil && paths == anyPaths && same.lids < fewest {
			least, fewest = p, same.lids
		}
	}
	switch {
	case system != 0:
		return system, true
	case node != 0:
		return node, true
	}
	return least, least != 0
}

// find reports whether a used path goes through the same system, and whether one goes through the
// same switch.
func (m *lmcBalancer) find(used []neighbourUse, sw int32) (sameSystem bool, same *neighbourUse) {
	for i := range used {
		if used[i].sw == sw {
			same = &used[i]
		}
		if used[i].sw >= 0 && m.all[used[i].sw].system == m.all[sw].system {
			sameSystem = true
		}
	}
	return sameSystem, same
}

// apartInDimension is the port of a dimension with the fewest targets. Ties go to the first
// port, unless a later one carries fewer of the target's LIDs than every port that was best
// before it, ports with more targets included.
func (m *lmcBalancer) apartInDimension(allowed subnet.PortMask, used []neighbourUse) (best uint8, ok bool) {
	fewest := int32(1<<31 - 1)
	var list [256]uint8
	for _, p := range allowed.Ports(list[:0]) {
		lids := int32(0)
		if i := slices.IndexFunc(used, func(w neighbourUse) bool { return w.port == p }); i >= 0 {
			lids = used[i].lids
		}
		if !ok || m.after(p) < m.after(best) || m.after(p) == m.after(best) && lids < fewest {
			best, ok = p, true
			fewest = min(fewest, lids)
		}
	}
	return best, ok
}

// note records the neighbour or, with dor, the port of a LID of a target.
func (m *lmcBalancer) note(i int, sw int32, port uint8) {
	for k := range m.used[i] {
		if u := &m.used[i][k]; u.sw == sw && (!m.dor || u.port == port) {
			u.lids++
			return
		}
	}
	m.used[i] = append(m.used[i], neighbourUse{sw: sw, port: port, lids: 1})
}
