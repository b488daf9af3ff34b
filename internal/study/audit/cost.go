package audit

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/internal/sim/routing"
	"weft/internal/sim/run/control"
	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// Cost compares the time of one workload or message with inspection in the path of every NIC, and
// with physically separate planes without a box in the path.
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

// pingBytes is the size of the message whose latency is reported.
const pingBytes = 8

// Measure simulates the scenario's workload, and one small message over the longest path of its
// first NIC, with and without the declared inspection box. Partitions and VRFs are left out: they
// do not change the cost of a box. It does nothing if no box is declared.
func Measure(ctx context.Context, r *scenario.Resolved, o many.Options) ([]Cost, error) {
	switch {
	case !r.Isolation.Inspection.On():
		return nil, nil
	case r.Cluster.Endpoints() < 2:
		return nil, &FieldError{Path: "isolation.inspection", Err: errors.New("a cluster of one NIC has no path to inspect")}
	}
	jobs := []*scenario.Resolved{oneMessage(r), withoutPartitions(r)}
	var variants []*scenario.Resolved
	for _, job := range jobs {
		variants = append(variants, job, withBoxes(job, r.Isolation.Inspection))
	}
	rows := many.Rows(ctx, variants, o, many.OutcomeOf)
	var all []Cost
	for k, job := range jobs {
		apart, inline := rows[2*k].Results, rows[2*k+1].Results
		if err := cmp.Or(rows[2*k].Err, rows[2*k+1].Err); err != nil {
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

// withoutPartitions is the scenario with one common partition and VRF.
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

// withBoxes is the scenario with a box in front of every NIC, which inspects at most the link's
// rate.
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

// oneMessage is the scenario with one message as its workload, over the longest path of the first
// NIC on the first fabric.
func oneMessage(r *scenario.Resolved) *scenario.Resolved {
	out := withoutPartitions(r)
	out.Workload = scenario.Workload{
		Pattern: scenario.Flows, Transport: scenario.RC, Operation: scenario.Write,
		Flows: []scenario.Flow{{Src: 0, Dst: farthest(r), Bytes: pingBytes}},
	}
	return out
}

// farthest is the first NIC with the largest number of switches to NIC 0.
func farthest(r *scenario.Resolved) int {
	best, most := 1, -1
	layout, err := control.LayoutOf(r, &r.Fabrics[0])
	if err != nil {
		return best // the run reports the reason
	}
	for to := 1; to < layout.Graph.Compute(); to++ {
		if hops := routing.Hops(layout.Graph, layout.Tables, 0, to); hops > most {
			best, most = to, hops
		}
	}
	return best
}
