package pattern

import (
	"maps"
	"slices"

	"weft/internal/sim/protocol"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// level is the service level of the messages of a pair, or on Ethernet their priority. If lanes
// follow paths, it is the fabric's level for all.
func level(n *network.Network, k nicPair) units.SL {
	if f := n.Plan.Fabric; !protocol.Of(f.Kind).ServiceLevels && k.sl == 0 {
		return units.SL(f.Ethernet.DataPriority)
	}
	key, _ := n.Plan.Keys.Pair(k.from, k.to)
	return units.SL(n.Plan.Level(k.from, k.to, key, k.sl))
}

// levelTimes are the completion times of messages by service level; a nil value collects nothing.
type levelTimes map[units.SL]*measure.FlowTimes

// levels are the completion times of a run whose messages have several levels.
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
		l[sl] = measure.NewFlowTimes()
	}
	l[sl].Add(t)
}

func (l levelTimes) join(other levelTimes) {
	for sl, times := range other {
		if l[sl] == nil {
			l[sl] = measure.NewFlowTimes()
		}
		l[sl].Join(times)
	}
}

func (l levelTimes) distributions() (out []results.Level) {
	for _, sl := range slices.Sorted(maps.Keys(l)) {
		out = append(out, results.Level{SL: sl, Flows: l[sl].Distribution()})
	}
	return out
}
