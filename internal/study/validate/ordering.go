package validate

import (
	"fmt"
	"strings"

	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// orderedTimes are measured rates or times of one operation by size: without NCCL's division, with it,
// and with NCCL_IB_OOO_RQ.
type orderedTimes struct {
	bytes                 int64
	off, divided, receive float64
	// others is the division in other runs, as times over those without it.
	others string
}

// orderedAllToAll are times in microseconds (log of page id 52498782341).
var orderedAllToAll = []orderedTimes{
	{64 * kib, 37.83, 35.90, 36.60, "an earlier run within 4 %"},
	{256 * kib, 47.47, 48.92, 42.01, "1.23 and 1.25; an earlier run within 4 %"},
	{512 * kib, 55.85, 58.88, 54.81, "1.18 and 1.29; an earlier run within 4 %"},
	{mib, 76.50, 84.45, 77.39, "1.25, 1.19 and 1.11; an earlier run within 4 %"},
	{4 * mib, 170.93, 191.55, 159.60, "1.15, 1.18 and 1.15; an earlier run within 4 %"},
	{8 * mib, 281.08, 286.00, 299.99, "1.14 and 1.09; an earlier run 1.00"},
	{16 * mib, 430.88, 489.60, 427.17, "1.07 and 1.09; an earlier run 1.00"},
	{32 * mib, 792.84, 834.23, 793.02, "1.05; an earlier run 1.00"},
	{64 * mib, 1556.3, 1597.0, 1552.6, "an earlier run 1.00"},
	{128 * mib, 3076, 3107, 3060, "an earlier run 1.00"},
}

// orderedRing are times as bytes over GB/s (log of page id 53047124765).
var orderedRing = []orderedTimes{
	{2 * mib, 2 * mib / 5.30, 2 * mib / 5.08, 2 * mib / 5.31, ""},
	{4 * mib, 4 * mib / 5.74, 4 * mib / 5.58, 4 * mib / 5.69, ""},
	{16 * mib, 16 * mib / 17.14, 16 * mib / 17.20, 16 * mib / 17.35, "1.10; an earlier run 1.00"},
	{128 * mib, 128 * mib / 25.35, 128 * mib / 25.41, 128 * mib / 25.32, "an earlier run 1.00"},
}

const (
	orderedSource = "Measured: nccl-tests 2.18.3, NCCL 2.30.3, two nodes of 8 PCIe GPUs (RTX 6000D) with 8 ConnectX-8, taken as RoCE at 400 Gb/s from the names of the interfaces, 4 queue pairs a connection, out of place, single runs of April 2026; the logs are in a public repository. " +
		"NCCL_IB_ADAPTIVE_ROUTING 0, the same 1 (NCCL divides messages above 8 KiB), and 1 with NCCL_IB_OOO_RQ 1 (it does not). Columns of the same logs scatter by up to 5 %, which is the tolerance. " +
		"The notes have the division on a second pair of nodes and with another plug-in, and an earlier run of the first pair in which all three are alike: the measurements contradict each other."
	orderedSetting = "Preset hgx-h100-pcie with 8 ConnectX-8 at 400 Gb/s, RoCE v2 at 400 Gb/s: ECMP without the division; routing.mode adaptive with transport.adaptive-routing, and with ooo-rq. " +
		"The cabling is not published: all NICs on one switch, and a leaf for each node, where an acknowledgement takes longer; there the routes without the division are static, so that no collision of ECMP takes part. Not as measured: the GPUs, whose kernels decide the absolute times, and NCCL_BUFFSIZE 16 MiB, which weft has not. Nothing is fitted."
)

// orderingCases compare the cost of ordering under adaptive routing with measurements.
func orderingCases() []*Case {
	return []*Case{
		{
			ID:        "nccl/ordering-all-to-all",
			Claim:     "Dividing messages for adaptive routing costs an all-to-all of 16 ranks what was measured, as a ratio of times.",
			Reference: orderedSource, Setting: orderedSetting, Slow: true,
			Run: func(e *Env) ([]Row, error) { return orderingRows(e, scenario.AllToAll, orderedAllToAll) },
		},
		{
			ID:        "nccl/ordering-ring",
			Claim:     "Dividing messages for adaptive routing costs a ring all-reduce nothing once its pipeline is full.",
			Reference: orderedSource, Setting: orderedSetting, Slow: true,
			Run: func(e *Env) ([]Row, error) { return orderingRows(e, scenario.AllReduce, orderedRing) },
		},
	}
}

// orderedCablings are the two that are simulated.
var orderedCablings = []struct {
	name     string
	topology scenario.Topology
	off      scenario.RoutingMode // without the division
}{
	{"one switch", scenario.Topology{Shape: scenario.SingleSwitch}, scenario.ECMP},
	{"two leaves", scenario.Topology{Shape: scenario.FatTree, Levels: 2, Radix: 16}, scenario.Deterministic},
}

func orderingRows(e *Env, op scenario.Collective, all []orderedTimes) (rows []Row, err error) {
	if e.Short {
		all = all[:2]
	}
	times := make([][][3]units.Time, len(orderedCablings))
	err = e.each(len(orderedCablings), func(i int) (err error) {
		times[i], err = orderedRuns(e, op, i, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	for s := range all {
		m := &all[s]
		for k, form := range []struct {
			name     string
			measured float64
			others   string
		}{{"divided", m.divided, m.others}, {"with OOO_RQ", m.receive, ""}} {
			for i, cabling := range orderedCablings {
				t := &times[i][s]
				var note []string
				if i == 0 && form.others != "" {
					note = append(note, "measured elsewhere: "+form.others+";")
				}
				note = append(note, fmt.Sprintf("%v for %v", t[k+1], t[0]))
				rows = append(rows, one(fmt.Sprintf("%v %s, %s", units.Bytes(m.bytes), form.name, cabling.name), Plain,
					form.measured/m.off, float64(t[k+1])/float64(t[0]), within(0.05), "%s", strings.Join(note, " ")))
			}
		}
	}
	return rows, nil
}

// orderedRuns are the times by size of the three ways.
func orderedRuns(e *Env, op scenario.Collective, cabling int, all []orderedTimes) ([][3]units.Time, error) {
	s := clusterOf(2, scenario.Node{Preset: "hgx-h100-pcie", NICs: 8, NIC: scenario.NIC{Model: "connectx-8", Rate: 400 * units.Gbps}}, "", "roce-v2-400g", "roce-v2-400g", "roce-v2-400g")
	s.Topology = orderedCablings[cabling].topology
	s.NCCL.Version = "2.30.3"
	s.Workload = scenario.Workload{Collective: op}
	if op == scenario.AllReduce {
		s.Workload.Algorithm = scenario.AlgoRing
	}
	for i := range all {
		s.Workload.Sizes = append(s.Workload.Sizes, units.Bytes(all[i].bytes))
	}
	for i := range s.Fabrics {
		f := &s.Fabrics[i]
		f.Name = []string{"off", "divided", "ooo-rq"}[i]
		f.Transport.QPsPerConnection, f.Routing.Mode = 4, orderedCablings[cabling].off
		if i > 0 {
			f.Routing.Mode, f.Transport.AdaptiveRouting, f.Transport.OOORQ = scenario.Adaptive, true, i > 1
		}
	}
	file, err := scenario.New("ordering", &s)
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	out, err := e.simulate(e.Ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	times := make([][3]units.Time, len(all))
	for f := range out.Fabrics {
		for i := range all {
			times[i][f] = out.Fabrics[f].Points[i].Time
		}
	}
	return times, nil
}
