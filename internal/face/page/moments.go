package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// mostMoments bounds the moments of a simulation of each kind: more cannot be told apart on an axis.
const mostMoments = 64

// moment is something that happened at a time of a simulation.
type moment struct {
	TimePs int64  `json:"time_ps"`
	Kind   string `json:"kind"` // pause, watchdog, drop, mark, fault, repair, receiver, step
	Text   string `json:"text"`
	Link   int64  `json:"link"` // -1: none
}

// moments are what happened when: first pauses, storms that the watchdog found, first drops and marks, faults and repairs, NICs that begin to receive
// slowly, and the beginnings of steps.
func (f *Folder) moments(simulation int) ([]byte, error) {
	s, err := f.simulation(simulation)
	if err != nil {
		return nil, err
	}
	nodes, err := seriesfile.Select(f.series(), seriesfile.Nodes, seriesfile.Query{Where: map[string][]string{"fabric": {s.Fabric}}, Columns: []string{"node", "name"}})
	if err != nil {
		return nil, err
	}
	all := f.planned(s, named(nodes.Column("node"), nodes.Column("name")))
	if s.IntervalPs > 0 {
		links, err := seriesfile.Select(f.series(), seriesfile.Links, seriesfile.Query{Where: map[string][]string{"fabric": {s.Fabric}}, Columns: []string{"link", "name"}})
		if err != nil {
			return nil, err
		}
		names := named(links.Column("link"), links.Column("name"))
		for _, add := range []func(*results.SeriesSimulation, map[int64]string) ([]moment, error){f.firstPauses, f.firstLosses, f.firstSteps} {
			more, err := add(s, names)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	sorting.StableFunc(all, func(a, b moment) int { return cmp.Compare(a.TimePs, b.TimePs) })
	return json.Marshal(map[string]any{"moments": append([]moment{}, all...)})
}

// planned are the moments that the scenario has; NICs are the first nodes.
func (f *Folder) planned(s *results.SeriesSimulation, nodes map[int64]string) (out []moment) {
	if f.resolved == nil {
		return nil
	}
	add := func(at units.Time, kind, text string) {
		if at >= 0 && int64(at) <= s.DurationPs && len(out) < mostMoments {
			out = append(out, moment{int64(at), kind, text, -1})
		}
	}
	for i := range f.resolved.Faults {
		x := &f.resolved.Faults[i]
		what := cmp.Or(x.Link, x.Switch, "the Subnet Manager")
		for n := range max(1, x.Times) {
			begins := units.Time(n) * x.Period
			add(x.At+begins, "fault", what+" fails")
			if x.Until > 0 {
				add(x.Until+begins, "repair", what+" is back")
			}
		}
	}
	at := slices.IndexFunc(f.resolved.Fabrics, func(x scenario.Fabric) bool { return x.Name == s.Fabric })
	if at < 0 {
		return out
	}
	for _, x := range f.resolved.Fabrics[at].Ethernet.PFC.Receivers {
		for _, nic := range x.Members(&f.resolved.Cluster) {
			name := cmp.Or(nodes[int64(nic)], fmt.Sprintf("NIC %d", nic))
			add(x.Start, "receiver", name+" begins to receive slowly")
			if x.Duration > 0 && x.Duration < units.Forever {
				add(x.Start+x.Duration, "receiver", name+" receives as before")
			}
		}
	}
	return out
}

// firstPauses are the beginnings of the first pause of links and what the watchdog did, the earliest.
func (f *Folder) firstPauses(s *results.SeriesSimulation, names map[int64]string) (out []moment, err error) {
	c, err := seriesfile.Select(f.series(), seriesfile.Pauses, seriesfile.Query{Where: where(s), Columns: []string{"link", "lane", "first_ps", "pauses", "storm_ps", "restored_ps"}})
	if err != nil {
		return nil, err
	}
	lanes, first, pauses := list[int64](c.Column("lane")), list[int64](c.Column("first_ps")), list[int64](c.Column("pauses"))
	storms, restored := list[int64](c.Column("storm_ps")), list[int64](c.Column("restored_ps"))
	for i, link := range list[int64](c.Column("link")) {
		if storms[i] >= 0 {
			out = append(out, moment{storms[i], "watchdog", fmt.Sprintf("the watchdog finds a storm at %s, in priority %d", names[link], lanes[i]), link})
		}
		if restored[i] >= 0 {
			out = append(out, moment{restored[i], "watchdog", fmt.Sprintf("the watchdog restores %s, in priority %d", names[link], lanes[i]), link})
		}
		out = append(out, moment{first[i], "pause", fmt.Sprintf("%s is paused for the first time, of %d, in priority %d", names[link], pauses[i], lanes[i]), link})
	}
	sorting.StableFunc(out, func(a, b moment) int { return cmp.Compare(a.TimePs, b.TimePs) })
	return out[:min(len(out), mostMoments)], nil
}

// firstLosses are the first interval with drops and the first with marks at each link that has some, the earliest: of
// the details, which have the first ones, or of the samples.
func (f *Folder) firstLosses(s *results.SeriesSimulation, names map[int64]string) (out []moment, err error) {
	dropped, marked, err := f.firstIn(seriesfile.LinkSamples, s)
	if err != nil {
		return nil, err
	}
	if s.DetailPs > 0 {
		finelyDropped, finelyMarked, err := f.firstIn(seriesfile.LinkDetails, s)
		if err != nil {
			return nil, err
		}
		maps.Copy(dropped, finelyDropped)
		maps.Copy(marked, finelyMarked)
	}
	for _, one := range []struct {
		first      map[int64]int64
		kind, text string
	}{{dropped, "drop", "first drops at "}, {marked, "mark", "first marks at "}} {
		var own []moment
		for link, at := range one.first {
			own = append(own, moment{at, one.kind, one.text + names[link], link})
		}
		sorting.Func(own, func(a, b moment) int { return cmp.Or(cmp.Compare(a.TimePs, b.TimePs), cmp.Compare(a.Link, b.Link)) })
		out = append(out, own[:min(len(own), 8)]...)
	}
	return out, nil
}

// firstIn is the beginning of the first interval with drops in a file, and of the first with marks, by link.
func (f *Folder) firstIn(file string, s *results.SeriesSimulation) (dropped, marked map[int64]int64, err error) {
	c, err := seriesfile.Select(f.series(), file, seriesfile.Query{Where: where(s), Columns: []string{"link", "time_ps", "drops", "receive_drops", "marks"}})
	if err != nil {
		return nil, nil, err
	}
	times, drops, refused, marks := list[int64](c.Column("time_ps")), list[int64](c.Column("drops")), list[int64](c.Column("receive_drops")), list[int64](c.Column("marks"))
	dropped, marked = map[int64]int64{}, map[int64]int64{}
	note := func(first map[int64]int64, link, at int64) {
		if before, known := first[link]; !known || at < before {
			first[link] = at
		}
	}
	for i, link := range list[int64](c.Column("link")) {
		if drops[i]+refused[i] > 0 {
			note(dropped, link, times[i])
		}
		if marks[i] > 0 {
			note(marked, link, times[i])
		}
	}
	return dropped, marked, nil
}

// firstSteps are the beginnings of iterations, or of the steps if there is one iteration.
func (f *Folder) firstSteps(s *results.SeriesSimulation, _ map[int64]string) (out []moment, err error) {
	c, err := seriesfile.Select(f.series(), seriesfile.Steps, seriesfile.Query{Where: where(s), Columns: []string{"iteration", "step", "start_ps"}})
	if err != nil || c.Rows == 0 {
		return nil, err
	}
	iterations, steps, start := list[int64](c.Column("iteration")), list[int64](c.Column("step")), list[int64](c.Column("start_ps"))
	what, of := "iteration", iterations
	if slices.Max(iterations) == slices.Min(iterations) {
		what, of = "step", steps
	}
	first := map[int64]int64{}
	for i, n := range of {
		if before, known := first[n]; !known || start[i] < before {
			first[n] = start[i]
		}
	}
	for n, at := range first {
		out = append(out, moment{at, "step", fmt.Sprintf("%s %d begins", what, n), -1})
	}
	sorting.Func(out, func(a, b moment) int { return cmp.Or(cmp.Compare(a.TimePs, b.TimePs), cmp.Compare(a.Text, b.Text)) })
	if every := (len(out) + mostMoments - 1) / mostMoments; every > 1 {
		kept := out[:0]
		for i := 0; i < len(out); i += every {
			kept = append(kept, out[i])
		}
		out = kept
	}
	return out, nil
}
