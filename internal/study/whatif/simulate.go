package whatif

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Job is the collective of a scenario on a fabric that lacks a part.
type Job struct {
	Without string     `json:"without,omitempty"` // the part that failed
	Time    units.Time `json:"time_ps,omitempty"`
	// Change is the time's change against the whole fabric, 0.1 for a tenth longer.
	Change float64 `json:"change,omitempty"`
	Error  string  `json:"error,omitempty"` // why it has no time
}

// Simulate simulates the largest size of a scenario's workload on one of its fabrics: whole, and without each of the
// parts of some costs. The nodes of the subnet that the parts were found in are those of the fabric's graph.
func Simulate(ctx context.Context, r *scenario.Resolved, fabric int, costs []Cost, o many.Options) (whole Job, jobs []Job, err error) {
	g, err := graphOf(r, fabric)
	if err != nil {
		return Job{}, nil, err
	}
	base := *r
	base.Fabrics = []scenario.Fabric{r.Fabrics[fabric]}
	if sizes := r.Workload.Sizes; len(sizes) > 1 {
		base.Workload.Sizes = []units.Bytes{slices.Max(sizes)}
	}
	base.Fabrics[0].Routing.Forwarding = nil // the whole is routed as the rest is, so that only the part differs
	variants := []*scenario.Resolved{&base}
	jobs = make([]Job, len(costs))
	var at []int // by variant after the first: index into jobs
	for i, c := range costs {
		v, err := withoutPart(&base, g, c.Part)
		if err != nil {
			jobs[i] = Job{Without: c.Failed, Error: err.Error()}
			continue
		}
		variants, at = append(variants, v), append(at, i)
	}
	rows := many.Rows(ctx, variants, o, func(out *results.Results, err error) Job {
		p, err := many.PointOf(out, err)
		if err != nil {
			return Job{Error: first(err)}
		}
		return Job{Time: p.Time}
	})
	if ctx.Err() != nil {
		return Job{}, nil, ctx.Err()
	}
	whole = rows[0]
	for k, i := range at {
		jobs[i] = rows[k+1]
		jobs[i].Without = costs[i].Failed
		if jobs[i].Time > 0 && whole.Time > 0 {
			jobs[i].Change = float64(jobs[i].Time)/float64(whole.Time) - 1
		}
	}
	return whole, jobs, nil
}

// first is the first line of an error, which may be about many pairs of hosts.
func first(err error) string {
	line, rest, more := strings.Cut(err.Error(), "\n")
	if !more {
		return line
	}
	return fmt.Sprintf("%s, and %d more", line, strings.Count(rest, "\n")+1)
}

func graphOf(r *scenario.Resolved, fabric int) (*topology.Graph, error) {
	spec, err := network.Shape(&r.Fabrics[fabric].Topology, &r.Cluster)
	if err != nil {
		return nil, err
	}
	return spec.Build()
}

// withoutPart is the scenario on its fabric without a part, cable by cable. An error says why the job cannot run there.
func withoutPart(r *scenario.Resolved, g *topology.Graph, p Part) (*scenario.Resolved, error) {
	keep := func(c *topology.Cable) bool {
		if p.Node >= 0 {
			return c.A.Node != topology.NodeID(p.Node) && c.B.Node != topology.NodeID(p.Node)
		}
		failed := topology.End{Node: topology.NodeID(p.Cable.Node), Port: int32(p.Cable.Port) - 1}
		return c.A != failed && c.B != failed
	}
	t := scenario.Topology{Shape: scenario.Listed, Radix: 2, Cables: r.Fabrics[0].Topology.Cables}
	number := make([]int, len(g.Nodes)) // in the new topology, -1: left out
	cables := make([]int, len(g.Nodes))
	for i := range g.Cables {
		if c := &g.Cables[i]; keep(c) {
			cables[c.A.Node]++
			cables[c.B.Node]++
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		number[i] = -1
		switch {
		case cables[i] > 0:
			number[i] = len(t.Devices)
			t.Devices = append(t.Devices, deviceOf(n))
			t.Radix = max(t.Radix, len(n.Cables))
			if n.Kind == topology.Endpoint && i >= g.Compute() {
				t.Others++
			}
		case i < g.Compute():
			return nil, fmt.Errorf("the job cannot run: %s has no cable", n.Name)
		}
	}
	for i := range g.Cables {
		if c := &g.Cables[i]; keep(c) {
			t.Links = append(t.Links, scenario.TopologyLink{
				Ends: []int{number[c.A.Node], number[c.B.Node]}, Ports: []int{int(c.A.Port) + 1, int(c.B.Port) + 1},
				Rate: c.Rate, Length: c.Length,
			})
		}
	}
	v := *r
	v.Fabrics = slices.Clone(r.Fabrics)
	v.Fabrics[0].Topology = t
	v.Fabrics[0].Switches = settingsOf(r.Fabrics[0].Switches, t.Devices)
	return &v, nil
}

// settingsOf are the settings of the switches that are left.
func settingsOf(all []scenario.SwitchSettings, left []scenario.TopologyDevice) (kept []scenario.SwitchSettings) {
	names := map[string]bool{}
	for i := range left {
		names[left[i].Name] = true
	}
	for _, s := range all {
		s.Names = slices.DeleteFunc(scenario.Expand(s.Names), func(name string) bool { return !names[name] })
		if len(s.Names) > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

func deviceOf(n *topology.Node) scenario.TopologyDevice {
	return scenario.TopologyDevice{
		Name: n.Name, GUID: n.ID.GUID, Port: n.ID.Port, LID: int(n.ID.LID),
		Ports: len(n.Cables), PortNames: n.PortNames, Level: int(n.Level), Group: int(n.Group) + 1,
	}
}
