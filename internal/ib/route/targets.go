package route

import (
	"cmp"
	"slices"

	"weft/units"
)

// target is a port with LIDs, as a destination of routes.
type target struct {
	guid    units.GUID // of the port
	lid     units.LID
	width   int   // LIDs, from lid on
	sw      int32 // the target itself if it is a switch, else the switch that it is cabled to; -1: none
	port    uint8 // that switch's port, 0: the switch itself
	counted bool  // its paths count as load; paths to switches do not
}

// targets lists all ports with LIDs in the order in which they get routes: the ports that
// the user puts first; then hosts, beginning with the switch with the most hosts, in the order of
// its ports; then the rest, in the order of GUIDs read backwards.
func (j *job) targets() []target {
	rest := j.byGUID()
	guidAt, lidAt := map[units.GUID]int{}, map[units.LID]int{}
	for i := range rest {
		guidAt[rest[i].guid], lidAt[rest[i].lid] = i, i
	}
	all := make([]target, 0, len(rest))
	done := make([]bool, len(rest))
	add := func(i int) {
		if !done[i] {
			done[i] = true
			all = append(all, rest[i])
		}
	}
	for _, guid := range j.opt.Order {
		if i, ok := guidAt[guid]; ok {
			add(i)
		}
	}
	byLoad := slices.Clone(j.order)
	slices.SortStableFunc(byLoad, func(a, b int32) int { return cmp.Compare(j.sw[b].hosts, j.sw[a].hosts) })
	for _, sw := range byLoad {
		for _, l := range j.sw[sw].ports {
			if l.end >= 0 {
				add(lidAt[j.ends[l.end].lid])
			}
		}
	}
	for i := range rest {
		add(i)
	}
	return all
}

// byGUID lists all ports with LIDs, ascending by port GUID read backwards.
func (f *fabric) byGUID() []target {
	var all []target
	for i := range f.sw {
		w := &f.sw[i]
		all = append(all, target{guid: w.portGUID, lid: w.lid, width: w.width, sw: int32(i)})
	}
	for i := range f.ends {
		e := &f.ends[i]
		all = append(all, target{guid: e.guid, lid: e.lid, width: e.width, sw: e.sw, port: e.port, counted: true})
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(backwards(a.guid), backwards(b.guid)) })
	return all
}
