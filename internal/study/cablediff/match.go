package cablediff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/units"
)

// matcher finds the devices and the ports of one fabric in the other.
type matcher struct {
	plan, real *side
	ports      []*port
	loose      int // planned ends whose port is found by its neighbour alone
}

// match finds everything that can be found.
func (m *matcher) match() {
	m.byGUID()
	m.byName(func(t *site) string { return t.key })
	m.byName(func(t *site) string { short, _, _ := strings.Cut(t.key, "."); return short })
	for _, t := range m.plan.sites {
		m.meet(t)
	}
	for range 8 { // devices whose neighbours were found so
		if !m.byNeighbours() {
			break
		}
	}
	for _, s := range [2]*side{m.plan, m.real} {
		for _, t := range s.sites {
			if t.mate == nil {
				for _, e := range t.ends {
					m.give(e, nil)
				}
			}
		}
	}
	m.looseByNeighbour()
	m.looseTogether()
	m.looseInOrder()
}

func pair(p, r *site, by mateBy) { p.mate, r.mate, p.by, r.by = r, p, by, by }

func (m *matcher) byGUID() {
	at := map[units.GUID]*site{}
	for _, t := range m.real.sites {
		for _, g := range m.real.guids(t) {
			at[g] = t
		}
	}
	for _, t := range m.plan.sites {
		votes := map[*site]int{}
		for _, g := range m.plan.guids(t) {
			if r := at[g]; r != nil && r.mate == nil {
				votes[r]++
			}
		}
		var best *site
		for _, r := range inOrder(votes) {
			if best == nil || votes[r] > votes[best] || votes[r] == votes[best] && r.key == t.key {
				best = r
			}
		}
		if best != nil {
			pair(t, best, byGUID)
		}
	}
}

// byName matches what is left by a key that one device alone has on each side.
func (m *matcher) byName(keyOf func(*site) string) {
	index := func(s *side) map[string][]*site {
		at := map[string][]*site{}
		for _, t := range s.sites {
			if key := keyOf(t); key != "" && t.mate == nil {
				at[key] = append(at[key], t)
			}
		}
		return at
	}
	others := index(m.real)
	for key, p := range index(m.plan) {
		if r := others[key]; len(p) == 1 && len(r) == 1 {
			pair(p[0], r[0], byName)
		}
	}
}

// give puts an end into a port, a new one if it is nil.
func (m *matcher) give(e *end, p *port) {
	if p == nil {
		p = &port{}
		m.ports = append(m.ports, p)
	}
	e.port = p
	if e.side == m.plan {
		p.plan = e
	} else {
		p.real = e
	}
}

// meet matches the ports of a planned site with those of its mate by their names. Ends with names of a form that the
// other side has nowhere at the device get none yet.
func (m *matcher) meet(t *site) {
	if t.mate == nil {
		return
	}
	at := map[string]*end{}
	forms := [2]map[string]bool{{}, {}}
	for _, e := range t.mate.ends {
		for _, key := range e.keys {
			if at[key] == nil {
				at[key] = e
			}
			forms[1][family(key)] = true
		}
	}
	for _, e := range t.ends {
		for _, key := range e.keys {
			forms[0][family(key)] = true
			if r := at[key]; r != nil && r.port == nil {
				m.give(r, nil)
				m.give(e, r.port)
				break
			}
		}
	}
	for i, ends := range [2][]*end{t.ends, t.mate.ends} {
		for _, e := range ends {
			if e.port == nil && slices.ContainsFunc(e.keys, func(key string) bool { return forms[1-i][family(key)] }) {
				m.give(e, nil)
			}
		}
	}
}

// byNeighbours matches devices that are on neither side's list by more than half of their planned neighbours. It is
// false if there are none.
func (m *matcher) byNeighbours() (found bool) {
	votes := map[*site]map[*site]int{}
	for _, p := range m.plan.sites {
		if p.mate != nil {
			continue
		}
		for _, e := range p.ends {
			far := e.far().port
			if far == nil || far.real == nil {
				continue
			}
			if r := far.real.far().site; r.mate == nil {
				if votes[p] == nil {
					votes[p] = map[*site]int{}
				}
				votes[p][r]++
			}
		}
	}
	most := map[*site]int{} // of a real site
	for _, of := range votes {
		for r, n := range of {
			most[r] = max(most[r], n)
		}
	}
	for _, p := range m.plan.sites {
		for _, r := range inOrder(votes[p]) {
			if n := votes[p][r]; p.mate == nil && r.mate == nil && 2*n > len(p.ends) && n == most[r] {
				pair(p, r, byNeighbours)
				m.meet(p)
				found = true
			}
		}
	}
	return found
}

// inOrder are sites in the order of their side.
func inOrder(of map[*site]int) []*site {
	return slices.SortedFunc(maps.Keys(of), func(a, b *site) int { return cmp.Compare(a.number, b.number) })
}

// looseByNeighbour matches ends without a common name for their ports by the port at the other end.
func (m *matcher) looseByNeighbour() {
	for _, t := range m.plan.sites {
		if t.mate == nil {
			continue
		}
		at := map[*port]*end{}
		for _, r := range t.mate.ends {
			if far := r.far().port; r.port == nil && far != nil {
				at[far] = r
			}
		}
		for _, e := range t.ends {
			if e.port != nil || e.far().port == nil {
				continue
			}
			if r := at[e.far().port]; r != nil && r.port == nil {
				m.same(e, r)
			}
		}
	}
}

// same makes two loose ends one port.
func (m *matcher) same(e, r *end) {
	m.give(r, nil)
	m.give(e, r.port)
	m.loose++
}

// looseTogether matches cables of which both ends are loose by the devices at their ends.
func (m *matcher) looseTogether() {
	type devices [2]*site
	at := map[devices][]*cable{}
	for _, c := range m.real.cables {
		if c.ends[0].port == nil && c.ends[1].port == nil {
			at[devices{c.ends[0].site, c.ends[1].site}] = append(at[devices{c.ends[0].site, c.ends[1].site}], c)
		}
	}
	for _, c := range m.plan.cables {
		a, b := c.ends[0], c.ends[1]
		if a.port != nil || b.port != nil {
			continue
		}
		for turn, key := range [2]devices{{a.site.mate, b.site.mate}, {b.site.mate, a.site.mate}} {
			if list := at[key]; len(list) > 0 && a.port == nil {
				at[key] = list[1:]
				m.same(a, list[0].ends[turn])
				m.same(b, list[0].ends[1-turn])
			}
		}
	}
}

// looseInOrder matches the loose ends that are left by the order of their names.
func (m *matcher) looseInOrder() {
	for _, t := range m.plan.sites {
		if t.mate == nil {
			continue
		}
		loose := func(ends []*end) (list []*end) {
			for _, e := range ends {
				if e.port == nil {
					list = append(list, e)
				}
			}
			sorting.StableFunc(list, func(a, b *end) int { return cmp.Compare(a.at.Port, b.at.Port) })
			return list
		}
		p, r := loose(t.ends), loose(t.mate.ends)
		for i := range min(len(p), len(r)) {
			m.same(p[i], r[i])
		}
	}
	for _, s := range [2]*side{m.plan, m.real} {
		for _, c := range s.cables {
			for _, e := range c.ends {
				if e.port == nil {
					m.give(e, nil)
				}
			}
		}
	}
}
