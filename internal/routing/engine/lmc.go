package engine

import "weft/internal/subnet"

// lmcBalancer is a balancer whose targets have several LIDs each. The LIDs of
// one target are to take ways that have little in common: a target prefers a
// port to a system (by SystemImageGUID) that none of its LIDs goes by yet, then
// one to another switch of such a system, and only then shares.
type lmcBalancer struct {
	balancer
	all  []swtch
	used [][]way // ways that the LIDs of each target take
}

// way is a neighbour that a target's LIDs go by.
type way struct {
	sw   int32 // the neighbour, -1: the target itself
	lids int32 // LIDs of the target that go by it
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
	case t.width > 1:
		port, ok = m.apart(m.ports[t.sw], m.used[i])
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
	m.paths[port]++
	if t.width > 1 {
		m.note(i, m.all[m.from].ports[port].sw)
	}
}

// apart is the port that shares least with the ways in use: to a new system,
// else to a new switch, else to the switch that fewest of the target's LIDs go
// by; of several the one with the fewest targets, of several of those the first.
func (m *lmcBalancer) apart(allowed subnet.PortMask, used []way) (uint8, bool) {
	const never = 1<<31 - 1
	var system, node, any uint8
	systemPaths, nodePaths, anyPaths, fewest := int32(never), int32(never), int32(never), int32(never)
	var list [256]uint8
	for _, p := range allowed.Ports(list[:0]) {
		paths := m.paths[p]
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
			anyPaths, any = paths, p
			if same != nil {
				fewest = min(fewest, same.lids)
			}
		} else if same != nil && paths == anyPaths && same.lids < fewest {
			any, fewest = p, same.lids
		}
	}
	switch {
	case system != 0:
		return system, true
	case node != 0:
		return node, true
	}
	return any, any != 0
}

// find looks for ways in use through the same system and the same switch.
func (m *lmcBalancer) find(used []way, sw int32) (sameSystem bool, same *way) {
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

// note remembers that a LID of a target goes by a switch.
func (m *lmcBalancer) note(i int, sw int32) {
	for k := range m.used[i] {
		if m.used[i][k].sw == sw {
			m.used[i][k].lids++
			return
		}
	}
	m.used[i] = append(m.used[i], way{sw: sw, lids: 1})
}
