package advise

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"weft/internal/plan"
	"weft/internal/sim"
	"weft/internal/topology"
	"weft/scenario"
)

// Model is the reduced cluster that is simulated of a design: fewer nodes, on
// switches of as much fewer ports as keep the design's levels and oversubscription.
type Model struct {
	Nodes, Of int // simulated, and of the design
	Divisor   int // of a switch's ports
	Radix     int // that is left
}

// Text says what was simulated.
func (m Model) Text() string {
	switch {
	case m.Nodes == m.Of:
		return "all nodes"
	case m.Divisor == 1:
		return fmt.Sprintf("%d of %d nodes", m.Nodes, m.Of)
	}
	return fmt.Sprintf("%d of %d nodes, switches of %d ports", m.Nodes, m.Of, m.Radix)
}

// maxDivisor is the most that ports are divided by.
const maxDivisor = 64

// errNoModel is of a design whose levels no model of the allowed size has.
var errNoModel = errors.New("no model of that size has the levels of the design: allow more with simulate.nodes")

// modelsOf is the model of each design, in their order. All are divided alike where
// one division suits all; where none does, each by the most that suits it.
func modelsOf(nodes int, designs []*plan.Design) ([]Model, error) {
	models := make([]Model, len(designs))
	for divisor := maxDivisor; divisor >= 1; divisor /= 2 {
		if !slices.ContainsFunc(designs, func(d *plan.Design) bool { return !keepsLevels(d, nodes, divisor) }) {
			for i, d := range designs {
				models[i] = newModel(d, nodes, divisor)
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
			return nil, fmt.Errorf("%s with %d nodes: %w", d.Name, nodes, errNoModel)
		}
		models[i] = newModel(d, nodes, divisor)
	}
	return models, nil
}

func newModel(d *plan.Design, nodes, divisor int) Model {
	return Model{Nodes: min(nodes, d.Count.Nodes), Of: d.Count.Nodes, Divisor: divisor, Radix: d.Radix / divisor}
}

// keepsLevels reports whether a model has as many levels as its design. A design that
// is no larger than the model is its own.
func keepsLevels(d *plan.Design, nodes, divisor int) bool {
	if d.Count.Nodes <= nodes {
		return divisor == 1
	}
	r, err := resolved(d, newModel(d, nodes, divisor))
	if err != nil {
		return false
	}
	spec, err := sim.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		return false
	}
	count, err := spec.Count()
	return err == nil && levelsOf(count) == d.Levels
}

func levelsOf(c topology.Count) int {
	return len(slices.DeleteFunc(c.Switches[:], func(n int) bool { return n == 0 }))
}

// resolved is the scenario of a design's model, with changes.
func resolved(d *plan.Design, m Model, changes ...scenario.Override) (*scenario.Resolved, error) {
	file, err := scenario.Decode(d.Name, d.Scenario)
	if err != nil {
		return nil, err
	}
	set := []scenario.Override{
		{Path: "cluster.nodes", Value: strconv.Itoa(m.Nodes), Origin: "the model"},
		{Path: "fabrics[0].topology.radix", Value: strconv.Itoa(m.Radix), Origin: "the model"},
	}
	if d.Resolved.Fabrics[0].Topology.UFM {
		set = append(set, scenario.Override{Path: "fabrics[0].topology.ufm", Value: "false", Origin: "the model"})
	}
	return file.Resolve(append(set, changes...)...)
}
