package scenario

import (
	"slices"
	"strings"
	"testing"
)

// A field is idle only if the file gives it, and of several fabrics only on those that it is given for.
func TestFieldsThatAreGivenWithoutEffect(t *testing.T) {
	const cluster = "cluster: {nodes: 2, node: dgx-h100}\n"
	for _, c := range []struct{ text, want string }{
		{"fabrics: [roce-v2-400g]", ""},
		{"fabrics: [{preset: roce-v2-400g, routing: {flowlet-gap: 5us}}]", "fabrics[0].routing.flowlet-gap"},
		{"fabrics: [{preset: roce-v2-400g, routing: {mode: flowlet, flowlet-gap: 5us}}]", ""},
		{"fabrics: [infiniband-ndr, {preset: roce-v2-400g, transport: {split-data: true}}]", "fabrics[1].transport.split-data"},
		{"fabrics: [roce-v2-400g]\nnccl: {base: 2}\nworkload: {pattern: incast}", "nccl.base"},
		{"fabrics: [roce-v2-400g]\nnccl: {base: 2}", ""},
		{"fabrics: [infiniband-ndr, tcp-400g]\ncontrol: {bgp: {session: 2s}}", "control.bgp.session"},
		{"fabrics: [infiniband-ndr, roce-v2-400g]\ntopology: {shape: fat-tree, levels: 2, cables: {global: 9m}}", "topology.cables.global"},
		{"fabrics: [infiniband-ndr]\nworkload: {exchange: moe-dispatch, experts: {chunk: 4}}", "workload.experts.chunk"},
		{"fabrics: [roce-v2-400g]\ntraining: {model: llama3-8b}\nnccl: {base: 2}\nworkload: {pattern: incast}", ""},
	} {
		f, err := Decode("test", []byte(cluster+c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		r, err := f.Resolve()
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		var got []string
		for _, i := range f.Idle(r) {
			got = append(got, i.Paths...)
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s: without effect are %v, want %v", c.text, got, want)
		}
	}
}

// A NIC's second port has no cable but in a topology of planes.
func TestPortsWithoutCablesAreRefused(t *testing.T) {
	const cluster = "cluster: {nodes: 2, node: {preset: dgx-h100, nic: {model: connectx-7, ports: 2}}}\n"
	if _, err := Decode("test", []byte(cluster+"fabrics: [{preset: infiniband-ndr, topology: {shape: fat-tree}}]")); err == nil || !strings.Contains(err.Error(), "2 ports: each NIC has one cable in a fat-tree") {
		t.Errorf("a fat tree of NICs with two ports: %v", err)
	}
	if _, err := Decode("test", []byte(cluster+"fabrics: [{preset: infiniband-ndr, topology: {shape: dual-plane}}]")); err != nil {
		t.Errorf("two planes of NICs with two ports: %v", err)
	}
}
