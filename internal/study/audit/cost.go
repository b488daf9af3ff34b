package audit

import (
	"context"
	"errors"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/control"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// Cost is the time of one thing with inspection in the path of every NIC, and
// with planes that are physically apart and no box in the path.
type Cost struct {
	Fabric string     `json:"fabric"`
	What   string     `json:"what"` // the workload, or one message
	Bytes  int64      `json:"bytes"`
	Apart  units.Time `json:"-"`
	Inline units.Time `json:"-"`

	ApartPs  int64 `json:"apart_ps"`
	InlinePs int64 `json:"inline_ps"`
}

// Ratio is the time with inspection over the time without.
func (c *Cost) Ratio() float64 {
	if c.Apart == 0 {
		return 0
	}
	return float64(c.Inline) / float64(c.Apart)
}

// Simulator runs a scenario, as sim.Run does.
type Simulator func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*runstore.Results, error)

// pingBytes is the message whose latency is told.
const pingBytes = 8

// Measure simulates the scenario's workload, and one small message over the
// longest path that its first NIC has, with and without the box that the
// isolation declares. Partitions and VRFs are left out: whom a key keeps away does not
// change what a box costs. It does nothing where no box is declared.
func Measure(ctx context.Context, r *scenario.Resolved, simulate Simulator, o sim.Options) ([]Cost, error) {
	switch {
	case !r.Isolation.Inspection.On():
		return nil, nil
	case r.Cluster.Endpoints() < 2:
		return nil, &FieldError{Path: "isolation.inspection", Err: errors.New("a cluster of one NIC has no path to inspect")}
	}
	var all []Cost
	for _, job := range []*scenario.Resolved{oneMessage(r), withoutPartitions(r)} {
		apart, err := simulate(ctx, job, o)
		if err != nil {
			return all, err
		}
		inspected := withBoxes(job, r.Isolation.Inspection)
		inline, err := simulate(ctx, inspected, o)
		if err != nil {
			return all, err
		}
		for i := range apart.Fabrics {
			for j := range apart.Fabrics[i].Points {
				a, b := &apart.Fabrics[i].Points[j], &inline.Fabrics[i].Points[j]
				c := Cost{
					Fabric: apart.Fabrics[i].Name, What: apart.Workload, Bytes: a.Bytes,
					Apart: a.Time, Inline: b.Time, ApartPs: int64(a.Time), InlinePs: int64(b.Time),
				}
				if job.Workload.Pattern == scenario.Flows && len(job.Workload.Flows) == 1 {
					c.What, c.Bytes = "one message", int64(job.Workload.Flows[0].Bytes)
				}
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// withoutPartitions is the scenario with one partition, and one VRF, for all.
func withoutPartitions(r *scenario.Resolved) *scenario.Resolved {
	out := *r
	out.Isolation.Segments, out.Isolation.Leaks = nil, nil
	out.Fabrics = slices.Clone(r.Fabrics)
	for i := range out.Fabrics {
		ib := &out.Fabrics[i].IB
		ib.Partitions, ib.PartitionEnforcement = nil, ""
		out.Fabrics[i].Inspection = scenario.Inspection{}
	}
	return &out
}

// withBoxes is the scenario with a box in front of every NIC, which inspects at
// most what the link carries.
func withBoxes(r *scenario.Resolved, box scenario.Inspection) *scenario.Resolved {
	out := *r
	out.Fabrics = slices.Clone(r.Fabrics)
	for i := range out.Fabrics {
		f := &out.Fabrics[i]
		f.Inspection = box
		f.Inspection.Rate = min(box.Rate, f.Link.Rate())
	}
	return &out
}

// oneMessage is the scenario with one message in place of its workload, over the
// longest path that the first NIC has on the first fabric.
func oneMessage(r *scenario.Resolved) *scenario.Resolved {
	out := withoutPartitions(r)
	out.Workload = scenario.Workload{
		Pattern: scenario.Flows, Transport: scenario.RC, Operation: scenario.Write,
		Flows: []scenario.Flow{{Src: 0, Dst: farthest(r), Bytes: pingBytes}},
	}
	return out
}

// farthest is the NIC that is most switches away from the first: the first such
// one.
func farthest(r *scenario.Resolved) int {
	best, most := 1, -1
	layout, err := control.LayoutOf(r, &r.Fabrics[0])
	if err != nil {
		return best // the run says why
	}
	for to := 1; to < layout.Graph.Compute(); to++ {
		if hops := routing.Hops(layout.Graph, layout.Tables, 0, to); hops > most {
			best, most = to, hops
		}
	}
	return best
}
