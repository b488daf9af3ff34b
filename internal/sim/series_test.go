package sim_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
)

// recordedSeries are the results of a scenario and its series, on a number of cores.
func recordedSeries(t *testing.T, text string, workers int) (*results.Results, []*results.Series) {
	t.Helper()
	file, err := scenario.Decode("series.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	var all []*results.Series
	out, err := sim.Run(context.Background(), r, sim.Options{Workers: workers, Seeds: 2, Series: func(s *results.Series) { all = append(all, s) }})
	if err != nil {
		t.Fatal(err)
	}
	return out, all
}

const slowNIC = `
cluster: {nodes: 4, node: {gpu: h100, gpus: 4, nics: 4, nic: connectx-7}}
workload: {pattern: incast, fan-in: 6, sizes: [256KiB, 1MiB]}
fabrics: [{preset: roce-v2-400g, routing: {mode: ecmp}, cc: {algorithm: none}}, {preset: infiniband-ndr, routing: {mode: deterministic}}]
run: {pauses: true}
`

// The series of a run say what its results say.
func TestSeriesAgreeWithTheResults(t *testing.T) {
	out, all := recordedSeries(t, slowNIC, 2)
	if len(all) != 4 {
		t.Fatalf("%d series, want one of each size and fabric, of the first seed alone", len(all))
	}
	for i, s := range all {
		at := &s.Simulation
		f := &out.Fabrics[i%2]
		p := &f.Points[i/2]
		if int(at.Simulation) != i || at.Fabric != f.Name || at.Bytes != p.Bytes || !at.Complete {
			t.Errorf("series %d is of %s and %d bytes (number %d, complete: %v), want %s, %d", i, at.Fabric, at.Bytes, at.Simulation, at.Complete, f.Name, p.Bytes)
		}
		bytes, marks, drops := map[int32]int64{}, int64(0), int64(0)
		for row := range s.Samples {
			bytes[row.Link] += row.Bytes
			marks += int64(row.Marks)
			drops += int64(row.Drops + row.ReceiveDrops)
			if row.TimePs%at.IntervalPs != 0 || row.TimePs > at.DurationPs+at.IntervalPs {
				t.Errorf("%s: a sample at %d ps, of %d with intervals of %d", at.Fabric, row.TimePs, at.DurationPs, at.IntervalPs)
			}
			if credited := f.Protocol == "infiniband"; credited && row.PausedPs > 0 || !credited && row.CreditWaitPs > 0 {
				t.Errorf("%s: a link is paused for %d ps and waits %d ps for credits", at.Fabric, row.PausedPs, row.CreditWaitPs)
			}
		}
		if marks != p.Counts.Marks || drops != p.Counts.Drops() {
			t.Errorf("%s: %d marks and %d drops in the samples, %d and %d in the results", at.Fabric, marks, drops, p.Counts.Marks, p.Counts.Drops())
		}
		names := map[string]int32{}
		for _, l := range s.Links {
			names[l.Name] = l.Link
		}
		for _, h := range p.Hottest {
			if got := bytes[names[h.Name]]; got > h.Bytes || got < h.Bytes*99/100 { // without PFC frames
				t.Errorf("%s, %s: %d bytes in the samples, %d in the results", at.Fabric, h.Name, got, h.Bytes)
			}
		}
		if at.Flows != p.Flows.N || at.FlowsKept != at.Flows || len(s.Flows) != int(at.Flows) {
			t.Errorf("%s: %d messages, %d kept, %d rows; the results have %d", at.Fabric, at.Flows, at.FlowsKept, len(s.Flows), p.Flows.N)
		}
		sum := int64(0)
		for _, x := range s.Flows {
			if sum += x.Bytes; x.EndPs <= x.StartPs || x.RateGbps <= 0 || x.RateGbps > 400 {
				t.Errorf("%s: a message of %d bytes from %d to %d ps at %v Gbit/s", at.Fabric, x.Bytes, x.StartPs, x.EndPs, x.RateGbps)
			}
		}
		if want := 6 * p.Bytes; sum != want {
			t.Errorf("%s: messages of %d bytes, want %d", at.Fabric, sum, want)
		}
		checkWhy(t, s, p)
	}
}

// checkWhy holds the hops of messages and the pauses of a series against the results.
func checkWhy(t *testing.T, s *results.Series, p *results.Point) {
	t.Helper()
	took := map[[2]int64]int64{}
	for _, f := range s.Flows {
		took[[2]int64{int64(f.From), f.Connection}] = f.EndPs - f.StartPs
	}
	waits := int64(0)
	for _, h := range s.Hops {
		all := took[[2]int64{int64(h.From), h.Connection}]
		if h.QueueWaitPs < 0 || h.QueueWaitPs > all || h.StoppedPs < 0 || h.StoppedPs > all {
			t.Errorf("%s: a hop of a message of %d ps takes %d in the queue and is stopped for %d", s.Simulation.Fabric, all, h.QueueWaitPs, h.StoppedPs)
		}
		waits += h.QueueWaitPs
	}
	if len(s.Hops) < 3*len(s.Flows) || waits == 0 {
		t.Errorf("%s: %d hops of %d messages, which wait %d ps in an incast", s.Simulation.Fabric, len(s.Hops), len(s.Flows), waits)
	}
	if p.Pauses == nil {
		if len(s.Pauses) > 0 {
			t.Errorf("%s: pauses %+v, and none in the results", s.Simulation.Fabric, s.Pauses)
		}
		return
	}
	names := map[int32]string{-1: ""}
	for _, l := range s.Links {
		names[l.Link] = l.Name
	}
	for i, l := range p.Pauses.Links {
		got := s.Pauses[i]
		after := ""
		if l.After >= 0 {
			after = p.Pauses.Links[l.After].Name
		}
		if names[got.Link] != l.Name || got.Pauses != l.Pauses || names[got.Cause] != l.Cause || names[got.After] != after {
			t.Errorf("pause %d is %+v, want %+v", i, got, l)
		}
	}
}

// A series does not change the results, and does not depend on the number of cores.
func TestSeriesAndCores(t *testing.T) {
	const text = `
cluster: {nodes: 4, node: dgx-h100}
workload: {collective: all-reduce, sizes: [256KiB]}
fabrics: [roce-v2-400g]
`
	file, err := scenario.Decode("series.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := sim.Run(context.Background(), r, sim.Options{Workers: 1, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	var first *results.Series
	for _, workers := range []int{1, 2, 3} {
		out, all := recordedSeries(t, text, workers)
		if !reflect.DeepEqual(out, plain) {
			t.Errorf("with series on %d cores the results are others", workers)
		}
		if first == nil {
			first = all[0]
		}
		if a, b := rowsOf(first), rowsOf(all[0]); !reflect.DeepEqual(a, b) {
			t.Errorf("the series of %d cores is another than of one", workers)
		}
	}
	ranks := map[int32]bool{}
	for _, s := range first.Steps {
		ranks[s.Rank] = true
		if s.EndPs < s.StartPs || s.EndPs > first.Simulation.DurationPs {
			t.Errorf("a step from %d to %d ps, in a collective of %d", s.StartPs, s.EndPs, first.Simulation.DurationPs)
		}
	}
	if len(ranks) != 32 {
		t.Errorf("%d ranks have steps, want 32", len(ranks))
	}
	kinds := map[string]int{}
	for _, n := range first.Nodes {
		kinds[n.Kind]++
	}
	if kinds["nic"] != 32 || kinds["gpu"] != 32 || kinds["scale-up-switch"] != 4 || kinds["switch"] == 0 {
		t.Errorf("nodes by kind: %v", kinds)
	}
	links := map[int32]results.SeriesLink{}
	for _, l := range first.Links {
		links[l.Link] = l
	}
	for _, l := range first.Links {
		if back := links[l.Back]; back.From != l.To || back.FromPort != l.ToPort || back.Back != l.Link {
			t.Errorf("the back of %+v is %+v", l, back)
		}
	}
}

// A NIC takes nothing for some milliseconds, on a network whose intervals have become longer. The details show at a
// microsecond when pauses begin and end. They do not depend on the number of cores.
func TestDetailsAndCores(t *testing.T) {
	const text = `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: fat-tree, levels: 2, radix: 8}
fabrics:
  - preset: roce-v2-400g
    cc: none
    ethernet: {ecn: {enabled: false}, pfc: {receivers: [{nics: node1/nic0, start: 100us, duration: 40ms}]}}
    transport: {timeout: 67ms}
workload: {pattern: flows, flows: [{from: node0/nic0, to: node1/nic0, bytes: 8MiB}, {from: node2/nic0, to: node1/nic0, bytes: 8MiB}, {from: node2/nic1, to: node3/nic0, bytes: 8MiB}]}
`
	var first *results.Series
	for _, workers := range []int{1, 2, 3} {
		_, all := recordedSeries(t, text, workers)
		if first == nil {
			first = all[0]
		}
		if a, b := rowsOf(first), rowsOf(all[0]); !reflect.DeepEqual(a, b) {
			t.Errorf("the series of %d cores is another than of one", workers)
		}
	}
	if s := &first.Simulation; s.DetailPs != 1<<20 || s.IntervalPs < 2*s.DetailPs {
		t.Fatalf("details of %d ps beside intervals of %d", s.DetailPs, s.IntervalPs)
	}
	longest, ends := int64(0), map[int64]bool{}
	for _, p := range first.Pauses {
		longest = max(longest, p.PausedPs)
	}
	for row := range first.Details {
		if row.PausedPs > 0 && row.PausedPs < 1<<20 && row.TimePs > 39e9 { // a pause ends, or begins
			ends[row.TimePs] = true
		}
	}
	if longest < 39e9 || len(ends) == 0 {
		t.Errorf("the longest pauses take %d ps, and the details have %d ends of them", longest, len(ends))
	}
}

// rowsOf is a series with its samples as rows.
func rowsOf(s *results.Series) any {
	own := *s
	own.Samples, own.Details = nil, nil
	var details []results.SeriesSample
	if s.Details != nil {
		details = slices.Collect(s.Details)
	}
	return []any{own, slices.Collect(s.Samples), details}
}
