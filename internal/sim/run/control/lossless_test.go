package control_test

import (
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/run/control"
	"weft/scenario"
)

func TestCirclesOfBuffersAreFoundBeforeARun(t *testing.T) {
	for _, c := range []struct {
		name, fabric string
		ports        int
	}{
		{"a ring, the short way round", "topology: {shape: torus, dims: [6], hosts-per-leaf: 4}, routing: {mode: deterministic}", 6},
		{"a ring, any minimal port", "topology: {shape: torus, dims: [6], hosts-per-leaf: 4}, routing: {mode: ecmp}", 6},
		{"a ring, up and down", "topology: {shape: torus, dims: [6], hosts-per-leaf: 4}, routing: {mode: up-down}", 0},
		{"a torus of two dimensions, up and down", "topology: {shape: torus, dims: [3, 4], hosts-per-leaf: 2}, routing: {mode: up-down}", 0},
		{"a leaf-spine, any minimal port", "topology: {shape: fat-tree, levels: 2, radix: 16}, routing: {mode: spray}", 0},
		{"a leaf-spine, up and down", "topology: {shape: fat-tree, levels: 2, radix: 16}, routing: {mode: up-down}", 0},
	} {
		text := "cluster: {nodes: 3, node: dgx-h100}\nfabrics: [{preset: roce-v2-400g, " + c.fabric + "}]\nworkload: {pattern: permutation, sizes: [64KiB]}\n"
		file, err := scenario.Decode(c.name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := file.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		all, err := control.LosslessOf(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(all[0].Circle); got != c.ports {
			t.Errorf("%s: a circle of %d ports, want %d: %q", c.name, got, c.ports, all[0].Circle)
		}
		if _, err := sim.Run(t.Context(), r, sim.Options{Workers: 1}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
