package sim

import (
	"maps"
	"slices"

	"weft/internal/runstore"
	"weft/scenario"
	"weft/units"
)

// level is the service level of the messages of a pair, or on Ethernet their priority.
// Where lanes go by paths it is the fabric's, which stands for all.
func (n *network) level(k nicPair) units.SL {
	if f := n.plan.fabric; f.Kind != scenario.InfiniBandKind && k.sl == 0 {
		return units.SL(f.Ethernet.DataPriority)
	}
	key, _ := n.plan.keys.pair(k.from, k.to)
	return units.SL(n.plan.level(k.from, k.to, key, k.sl))
}

// levelTimes are the completion times of messages by service level; nil gathers
// nothing.
type levelTimes map[units.SL]*flowTimes

// levels are those of a run whose messages have different ones.
func (r *patternRun) levels() levelTimes {
	for i := range r.flows {
		if r.flows[i].level != r.flows[0].level {
			return levelTimes{}
		}
	}
	return nil
}

func (l levelTimes) add(sl units.SL, t units.Time) {
	if l == nil {
		return
	}
	if l[sl] == nil {
		l[sl] = newFlowTimes()
	}
	l[sl].add(t)
}

func (l levelTimes) join(other levelTimes) {
	for sl, times := range other {
		if l[sl] == nil {
			l[sl] = newFlowTimes()
		}
		l[sl].join(times)
	}
}

func (l levelTimes) distributions() (out []runstore.Level) {
	for _, sl := range slices.Sorted(maps.Keys(l)) {
		out = append(out, runstore.Level{SL: sl, Flows: l[sl].distribution()})
	}
	return out
}
