package inspect

import "weft/internal/ib/subnet"

// leafRail is the hosts on a leaf, and one of their rails.
type leafRail struct {
	sw   int32
	rail string
}

// wrongUnits reports adapters on a leaf of their rail, but in another unit than the host's other
// adapters. A unit is the leaves that share their hosts: of the hosts on a leaf, three quarters have
// their adapters of another rail on one leaf. More than a tenth of such adapters are no faults: the
// rails have no units. A host with two rails is told once.
func (in *inspection) wrongUnits(family []*host, railOf func(*adapter) (own, rail string)) {
	home := unitsOf(family, railOf)
	type fault struct {
		h      *host
		a      *adapter
		should int32
	}
	var faults []fault
	all := 0
	for _, h := range family {
		before := len(faults)
		for i := range h.adapters {
			a := &h.adapters[i]
			own, rail := railOf(a)
			if rail == "" {
				continue
			}
			all++
			if should, ok := homeOf(h, a, own, home); rail == own && ok && should != a.sw {
				faults = append(faults, fault{h, a, should})
			}
		}
		if len(h.adapters) == 2 && len(faults) == before+2 {
			faults = faults[:before+1]
		}
	}
	if 10*len(faults) > all {
		return
	}
	for _, f := range faults {
		in.find(Warning, "wrong-unit", []subnet.End{f.a.end, in.s.Peer(f.a.end)}, "%s of %q is on %s, the hosts on the leaves of its other adapters have theirs on %s: are two cables swapped?",
			f.a.label, f.h.name, in.endName(in.s.Peer(f.a.end)), in.all.name(f.should))
	}
}

// unitsOf is, by leaf and rail, the leaf on which three quarters of the hosts on the leaf have their
// adapter of the rail.
func unitsOf(family []*host, railOf func(*adapter) (own, rail string)) map[leafRail]int32 {
	count := map[leafRail]map[int32]int{}
	for _, h := range family {
		for i := range h.adapters {
			for j := range h.adapters {
				a, b := &h.adapters[i], &h.adapters[j]
				own, rail := railOf(b)
				if i == j || a.sw < 0 || rail == "" {
					continue
				}
				k := leafRail{a.sw, own}
				if count[k] == nil {
					count[k] = map[int32]int{}
				}
				count[k][b.sw]++
			}
		}
	}
	home := map[leafRail]int32{}
	for k, leaves := range count {
		hosts := 0
		for _, n := range leaves {
			hosts += n
		}
		for sw, n := range leaves {
			if n > 1 && 4*n >= 3*hosts {
				home[k] = sw
			}
		}
	}
	return home
}

// homeOf is the leaf on which an adapter should be by more than half of the host's other adapters.
func homeOf(h *host, a *adapter, own string, home map[leafRail]int32) (sw int32, ok bool) {
	votes := map[int32]int{}
	for i := range h.adapters {
		if b := &h.adapters[i]; b != a {
			if sw, known := home[leafRail{b.sw, own}]; known {
				votes[sw]++
			}
		}
	}
	for sw, n := range votes {
		if 2*n > len(h.adapters)-1 {
			return sw, true
		}
	}
	return 0, false
}
