package calibrate

import (
	"fmt"
	"strings"

	"weft/units"
)

// nearSize is the factor between two sizes up to which trials that took the same time at the
// smaller one take the same at the larger one.
const nearSize = 4

// twins has the largest size's times of trials, by the times that they took before. Trials that
// took the same at every smaller size, to the picosecond, with one of those sizes near, differ in
// nothing that matters, as the ways of a hash on one switch do not. So their largest size is
// simulated once.
type twins map[string]units.Time

// alike is what a trial shares with its twins at its next piece; empty if it has none. Losses are
// random.
func (t *trial) alike(d *Diagnosis) string {
	p := t.left[0]
	all := d.Tasks[p.task].simulated
	if t.random || p.size == 0 || p.size+1 < len(all) || all[p.size] > nearSize*all[p.size-1] {
		return ""
	}
	return alike(p, t.sizes[p.task])
}

// alike is a piece with the times of the sizes before.
func alike(p piece, sizes []units.Time) string {
	var b strings.Builder
	fmt.Fprint(&b, p.task, p.size)
	for _, took := range sizes[:p.size] {
		fmt.Fprint(&b, " ", int64(took))
	}
	return b.String()
}

// described has the times of the cluster as described.
func (d *Diagnosis) described() twins {
	out := make(twins)
	for i, sizes := range d.simulated {
		last := len(sizes) - 1
		out[alike(piece{task: i, size: last}, sizes)] = sizes[last]
	}
	return out
}

// split leaves one of each kind of trials to simulate, of those whose next piece no twin has
// simulated.
func (known twins) split(d *Diagnosis, next []*trial, whole bool) (first, others []*trial) {
	seen := make(map[string]bool)
	for _, t := range next {
		kind := t.alike(d)
		_, is := known[kind]
		if whole || kind == "" || !is && !seen[kind] {
			first = append(first, t)
		} else {
			others = append(others, t)
		}
		seen[kind] = true
	}
	return first, others
}

// learn keeps the times of trials that have just advanced.
func (known twins) learn(trials []*trial) {
	for _, t := range trials {
		if t.err != nil || t.random {
			continue
		}
		for i, sizes := range t.sizes {
			if last := len(sizes) - 1; last >= 0 && sizes[last] != unknown {
				known[alike(piece{task: i, size: last}, sizes)] = sizes[last]
			}
		}
	}
}
