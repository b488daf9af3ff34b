package validate

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/sim"
	"weft/internal/sim/scenario"
	"weft/units"
)

// models are the scenarios of the measured systems: presets of the catalog, and
// where the system differs from them what its source says. Nothing in them was
// taken from the tables that they are held against.
var models = map[string]string{
	"A1": `
cluster: {nodes: 2, node: {preset: dgx-a100, nics: 4}}
fabrics: [roce-v2-100g]`,
	"A2": `
cluster: {nodes: 2, node: {preset: dgx-h100, nics: 32}}
fabrics: [roce-v2-100g]`,
	"A4": `
cluster: {nodes: 1, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]`,
	"A5": `
cluster: {nodes: 2, node: oci-h100}
fabrics: [roce-v2-200g]`,
	"A8": `
cluster: {nodes: 1, node: gb200-nvl72}
topology: {shape: fat-tree}
fabrics: [infiniband-ndr]`,
	"A11": `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [roce-v2-400g]`,
	"H200": `
cluster: {nodes: 2, node: dgx-h200}
fabrics: [roce-v2-400g]`,
	"A12": `
cluster: {nodes: %d, node: hgx-a100-100g}
fabrics: [roce-v2-100g]`,
}

// operations are the names of nccl-tests' operations in a scenario.
var operations = map[string]string{
	"all-reduce": "all-reduce", "all-gather": "all-gather", "reduce-scatter": "reduce-scatter",
	"alltoall": "all-to-all", "sendrecv": "send-recv",
}

// simulated runs one line of a measured table on the model of its system.
func simulated(ctx context.Context, s *System, p *Point) (units.Time, error) {
	text, ok := models[s.ID]
	if !ok {
		return 0, errors.New("the catalog has no such node")
	}
	if p.Ranks%s.GPUs != 0 {
		return 0, fmt.Errorf("%d ranks are no whole number of nodes: not modelled", p.Ranks)
	}
	if s.ID == "A12" {
		text = fmt.Sprintf(text, p.Ranks/s.GPUs)
	}
	text += fmt.Sprintf("\nworkload: {collective: %s, sizes: [%dB]}\n", operations[p.Op], p.Bytes)
	return firstPoint(ctx, s.ID, text)
}

// firstPoint runs a scenario of one size on one fabric and gives its time.
func firstPoint(ctx context.Context, name, text string) (units.Time, error) {
	f, err := scenario.Decode(name, []byte(text))
	if err != nil {
		return 0, err
	}
	r, err := f.Resolve()
	if err != nil {
		return 0, err
	}
	out, err := sim.Run(ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return 0, err
	}
	return out.Fabrics[0].Points[0].Time, nil
}
