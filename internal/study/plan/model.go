package plan

import (
	"errors"
	"fmt"
	"slices"

	"weft/internal/sim/run/network"
	"weft/scenario"
)

// Model is the reduced cluster that is simulated for a design: fewer nodes, on switches with fewer
// ports, so that the design's levels and oversubscription stay.
type Model struct {
	Nodes, Of int // simulated nodes, and nodes of the design
	Divisor   int // of a switch's ports
	Radix     int // remaining ports of a switch
}

// Text describes the model.
func (m Model) Text() string {
	switch {
	case m.Nodes == m.Of:
		return "all nodes"
	case m.Divisor == 1:
		return fmt.Sprintf("%d of %d nodes", m.Nodes, m.Of)
	}
	return fmt.Sprintf("%d of %d nodes, switches of %d ports", m.Nodes, m.Of, m.Radix)
}

// maxDivisor is the largest divisor of ports.
const maxDivisor = 64

// ErrNoModel is the error if no model of the allowed size has the levels of the design.
var ErrNoModel = errors.New("no model of that size has the levels of the design: allow more with simulate.nodes")

// ModelsOf is the model of each design, in their order. All have the same divisor if one fits all;
// otherwise each has the largest that fits it.
func ModelsOf(nodes int, designs []*Design) ([]Model, error) {
	models := make([]Model, len(designs))
	for divisor := maxDivisor; divisor >= 1; divisor /= 2 {
		if !slices.ContainsFunc(designs, func(d *Design) bool { return !keepsLevels(d, nodes, divisor) }) {
			for i, d := range designs {
				models[i] = NewModel(d, nodes, divisor)
			}
			return models, nil
		}
	}
	for i, d := range designs {
		divisor := maxDivisor
		for divisor >= 1 && !keepsLevels(d, nodes, divisor) {
			divisor /= 2
		}
		if divisor < 1 {
			return nil, fmt.Errorf("%s with %d nodes: %w", d.Name, nodes, ErrNoModel)
		}
		models[i] = NewModel(d, nodes, divisor)
	}
	return models, nil
}

// ModelNodes is the maximum number of nodes of a model: the allowed number, and for a training job
// whole replicas, at least two, so that replicas communicate.
func ModelNodes(most int, d *Design) (int, error) {
	if d.Count.Nodes > most && d.Resolved.Serving.Given() {
		return 0, fmt.Errorf("a serving job is simulated on all its nodes, and simulate.nodes allows %d: allow %d", most, d.Count.Nodes)
	}
	if d.Count.Nodes <= most || !d.Resolved.Training.Given() {
		return most, nil
	}
	p, each := &d.Resolved.Training.Parallel, d.Resolved.Cluster.Node.GPUs
	unit := 1 // nodes of the smallest number of replicas that fills whole nodes and whole groups of experts
	for unit*each%(p.Replica()*p.Expert) != 0 {
		unit++
	}
	least := unit
	for least*each < 2*p.Replica() {
		least += unit
	}
	if least > most {
		return 0, fmt.Errorf("a model of %d nodes does not hold two replicas of tensor %d × context %d × pipeline %d: allow %d with simulate.nodes",
			most, p.Tensor, p.Context, p.Pipeline, min(least, d.Count.Nodes))
	}
	return most / unit * unit, nil
}

// NewModel is the model of a design with so many nodes, at most all of them, and switches with so many times fewer ports.
func NewModel(d *Design, nodes, divisor int) Model {
	return Model{Nodes: min(nodes, d.Count.Nodes), Of: d.Count.Nodes, Divisor: divisor, Radix: d.Radix / divisor}
}

// keepsLevels reports whether a model has as many levels as its design. A design no larger than the
// model is its own model.
func keepsLevels(d *Design, nodes, divisor int) bool {
	if d.Count.Nodes <= nodes {
		return divisor == 1
	}
	r, err := Scaled(d, NewModel(d, nodes, divisor))
	if err != nil {
		return false
	}
	spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		return false
	}
	count, err := spec.Count()
	return err == nil && Levels(count) == d.Levels
}

// Scaled is the scenario of a design's model, with changes.
func Scaled(d *Design, m Model, changes ...scenario.Override) (*scenario.Resolved, error) {
	file, err := scenario.Decode(d.Name, d.Scenario)
	if err != nil {
		return nil, err
	}
	set := []scenario.Override{
		scenario.Set("cluster.nodes", m.Nodes, "the model"),
		scenario.Set("fabrics[0].topology.radix", m.Radix, "the model"),
	}
	if d.Resolved.Training.Given() {
		job, err := d.Resolved.Training.Grown(d.Resolved.Cluster.Ranks(), m.Nodes*d.Resolved.Cluster.Node.GPUs)
		if err != nil {
			return nil, err
		}
		set = append(set,
			scenario.Set("training.parallel.data", job.Parallel.Data, "the model"),
			scenario.Set("training.batch.global", job.Batch.Global, "the model"))
	}
	if spare := d.Resolved.Fabrics[0].Topology.SparePorts; spare > 0 {
		set = append(set, scenario.Set("fabrics[0].topology.spare-ports", spare*m.Nodes/max(1, m.Of), "the model"))
	}
	if d.Resolved.Fabrics[0].Topology.UFM {
		set = append(set, scenario.Set("fabrics[0].topology.ufm", false, "the model"))
	}
	return file.Resolve(append(set, changes...)...)
}
