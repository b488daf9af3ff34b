package executor

import (
	"fmt"
	"math"
	"testing"

	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Any size is worth an estimate.
func init() { leastWork = 0 }

// bounded is the point of a scenario's first size with a bound of the error, and the whole of it.
func bounded(t testing.TB, text string, bound scenario.ErrorBound) (estimated, whole results.Point) {
	t.Helper()
	for point, bound := range map[*results.Point]scenario.ErrorBound{&estimated: bound, &whole: scenario.NoEstimate} {
		r := simtest.Resolve(t, text)
		r.Run.Error = bound
		p, err := control.NewPlan(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		job := network.Task{Plan: p, Scenario: r, Bytes: r.Workload.Sizes[0], Cores: 1, Parts: 1, Exact: true, Started: func(*network.Network) {}}
		if err := RunCollective(&job, point); err != nil {
			t.Fatal(err)
		}
	}
	return estimated, whole
}

// has fails unless an estimate's interval has the time of the whole.
func has(t *testing.T, name string, e, whole *results.Point) {
	t.Helper()
	if e.Estimate == nil {
		t.Errorf("%s: no estimate", name)
		return
	}
	if w := int64(whole.Time); w < e.Estimate.LowPs || w > e.Estimate.HighPs {
		t.Errorf("%s: %v to %v, simulated as a whole %v", name, units.Time(e.Estimate.LowPs), units.Time(e.Estimate.HighPs), whole.Time)
	}
	if a, b := float64(e.Counts.Packets), float64(whole.Counts.Packets); math.Abs(a/b-1) > 0.01 {
		t.Errorf("%s: %.0f packets, simulated as a whole %.0f", name, a, b)
	}
}

// Of rails that are alike one is simulated, and takes the time of all to the picosecond.
func TestOneRailTellsTheTimeOfAll(t *testing.T) {
	t.Parallel()
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		for _, c := range []struct {
			nodes    int
			workload string
		}{
			{4, "collective: all-reduce, sizes: [128MiB], algorithm: nvls-tree"},
			{8, "collective: all-reduce, sizes: [128MiB], algorithm: nvls-tree"},
			{5, "collective: all-to-all, sizes: [20MiB]"},
			{8, "collective: all-to-all, sizes: [1MiB], protocol: simple"},
			{8, "collective: all-to-all, sizes: [64MiB]"},
		} {
			oneRailTellsTheTimeOfAll(t, fabric, c.nodes, c.workload)
		}
	}
}

func oneRailTellsTheTimeOfAll(t *testing.T, fabric string, nodes int, workload string) {
	t.Helper()
	name := fmt.Sprintf("%s, %d nodes, %s", fabric, nodes, workload)
	e, whole := bounded(t, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [%s]
workload: {%s}
`, nodes, fabric, workload), 0.1)
	has(t, name, &e, &whole)
	if e.Estimate == nil || e.Estimate.Rails != 8 || e.Estimate.Pieces != e.Estimate.Of {
		t.Errorf("%s: the estimate is %+v, want one of eight rails and all pieces", name, e.Estimate)
		return
	}
	if e.Counts.Packets != whole.Counts.Packets || e.Flows.N != whole.Flows.N || e.Counts.Events >= whole.Counts.Events/2 {
		t.Errorf("%s: %d packets, %d messages, %d events; all rails have %d, %d and %d", name,
			e.Counts.Packets, e.Flows.N, e.Counts.Events, whole.Counts.Packets, whole.Flows.N, whole.Counts.Events)
	}
	if e.Time != whole.Time || e.Estimate.LowPs != e.Estimate.HighPs {
		t.Errorf("%s: one rail takes %d ps, in an interval of %d to %d, all %d ps", name, e.Time, e.Estimate.LowPs, e.Estimate.HighPs, whole.Time)
	}
	if e.AlgBW <= 0 || math.Abs(e.BusBW/whole.BusBW-1) > 0.05 {
		t.Errorf("%s: %.1f GB/s, all rails %.1f", name, e.BusBW, whole.BusBW)
	}
}

// Parts of an all-to-all that differ by an element make its rails differ by picoseconds, and sometimes in
// which of two bursts is first. The estimate has an interval.
func TestUnequalPartsOfAnAllToAllHaveAnError(t *testing.T) {
	t.Parallel()
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		e, whole := bounded(t, `
cluster: {nodes: 7, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [`+fabric+`]
workload: {collective: all-to-all, sizes: [64MiB]}
`, 0.1)
		has(t, fabric, &e, &whole)
		if e.Estimate != nil && (e.Estimate.Rails != 8 || e.Estimate.LowPs == e.Estimate.HighPs) {
			t.Errorf("%s: the estimate is %+v, want one of eight rails with an error", fabric, e.Estimate)
		}
	}
}

// Where packets of a rail may take several paths, one rail tells nothing of an all-to-all: its ranks wait for
// the slowest of all rails.
func TestAnAllToAllThroughSpinesIsNotEstimated(t *testing.T) {
	t.Parallel()
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		e, whole := bounded(t, `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: rail-optimised, nodes-per-unit: 4}
fabrics: [`+fabric+`]
workload: {collective: all-to-all, sizes: [16MiB]}
`, 0.5)
		if e.Estimate != nil || e.Time != whole.Time {
			t.Errorf("%s: %v with the estimate %+v, want %v and none", fabric, e.Time, e.Estimate, whole.Time)
		}
	}
}

// A part of the loops tells the time of all.
func TestAPartTellsTheTimeOfTheWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ workload, what string }{
		{"collective: all-reduce, sizes: [256MiB], algorithm: nvls-tree, chunk: 4KiB", "loops"},
		{"collective: all-reduce, sizes: [256MiB], algorithm: tree, chunk: 16KiB", "loops"},
	} {
		e, whole := bounded(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {`+c.workload+`}
`, 0.2)
		has(t, c.workload, &e, &whole)
		if e.Estimate != nil && (e.Estimate.What != c.what || e.Estimate.Pieces*largestShare > e.Estimate.Of || e.Estimate.Rails != 0) {
			t.Errorf("%s: the estimate is %+v", c.workload, e.Estimate)
		}
	}
}

// Nothing is estimated where periods repeat, with a bound of none, or of a size with few pieces.
func TestWhatIsNotEstimated(t *testing.T) {
	t.Parallel()
	for _, workload := range []string{
		"collective: all-reduce, sizes: [64MiB], algorithm: ring",
		"collective: all-reduce, sizes: [1MiB], algorithm: nvls-tree",
	} {
		e, whole := bounded(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
workload: {`+workload+`}
`, scenario.DefaultError)
		if e.Estimate != nil || e.Time != whole.Time || e.Counts.Packets != whole.Counts.Packets {
			t.Errorf("%s: %v with the estimate %+v, want %v and none", workload, e.Time, e.Estimate, whole.Time)
		}
	}
}

// Rails whose paths collide differently are not equal. The slowest one is simulated, and the estimate has
// an interval with the time of all.
func TestRailsWithOtherPathsAreNotExact(t *testing.T) {
	t.Parallel()
	e, whole := bounded(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: rail-optimised, nodes-per-unit: 2}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [256MiB], algorithm: nvls-tree}
`, 0.2)
	has(t, "hashed paths", &e, &whole)
	if e.Estimate != nil && e.Estimate.LowPs == e.Estimate.HighPs {
		t.Errorf("the estimate is said to be exact: %v, all rails %v", e.Time, whole.Time)
	}
}

func TestCompareSums(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sums    []units.Time // of two nodes with three rails, with two steps each
		slowest int
		apart   float64
		equal   bool
	}{
		{[]units.Time{5, 5, 5, 7, 7, 7}, 0, 0, true},
		{[]units.Time{5, 5, 5, 7, 9, 7}, 1, 0.5, false},
		{[]units.Time{5, 6, 5, 8, 5, 9}, 2, 0.75, false},
	} {
		times := &pieceTimes{sums: c.sums, steps: []int{2, 2, 2, 2, 2, 2}}
		if slowest, apart, equal := compareSums(times, 3); slowest != c.slowest || apart != c.apart || equal != c.equal {
			t.Errorf("rails with %v: %d, %v, equal: %v; want %d, %v, %v", c.sums, slowest, apart, equal, c.slowest, c.apart, c.equal)
		}
	}
}

// The estimate is the same in any number of simulation partitions.
func TestOneRailInPartitions(t *testing.T) {
	t.Parallel()
	var points [3]results.Point
	for i := range points {
		r := simtest.Resolve(t, `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [128MiB], algorithm: nvls-tree}
`)
		p, err := control.NewPlan(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		parts, most := i+1, 0
		job := network.Task{Plan: p, Scenario: r, Bytes: r.Workload.Sizes[0], Cores: parts, Parts: parts, Exact: true, Started: func(n *network.Network) { most = max(most, n.Partitions()) }}
		if err := RunCollective(&job, &points[i]); err != nil {
			t.Fatal(err)
		}
		if most != parts {
			t.Errorf("%d partitions, want %d", most, parts)
		}
		if p, q := &points[i], &points[0]; p.Estimate == nil || p.Time != q.Time || p.Counts != q.Counts || *p.Estimate != *q.Estimate {
			t.Errorf("in %d partitions %v, %+v, in one %v, %+v", parts, p.Time, p.Estimate, q.Time, q.Estimate)
		}
	}
}

// Nothing is estimated where a link may lose packets or a NIC becomes slow later: the compared part need not
// show it.
func TestSurprisesAreSimulatedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, fabrics := range []string{
		"{preset: infiniband-ndr, link: {error-rate: 1e-9}}",
		"{preset: roce-v2-400g, ethernet: {pfc: {receivers: [{nic: 3, drain: 100Gbps, start: 500us}]}}}",
	} {
		e, whole := bounded(t, `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [`+fabrics+`]
workload: {collective: all-reduce, sizes: [128MiB], algorithm: nvls-tree}
`, 0.2)
		if e.Estimate != nil || e.Time != whole.Time {
			t.Errorf("%s: %v with the estimate %+v, simulated as a whole %v", fabrics, e.Time, e.Estimate, whole.Time)
		}
	}
}
