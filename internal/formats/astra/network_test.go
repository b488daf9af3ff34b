package astra

import (
	"strings"
	"testing"
)

func TestANetworkOfTwoDimensionsIsNodesAndASwitch(t *testing.T) {
	text := "# Analytical Network Input File\ntopology: [ FullyConnected, Switch ]  # Ring, Switch, FullyConnected\n\nnpus_count: [ 8, 4 ]\nbandwidth: [ 400, 50.0 ]  # GB/s\nlatency: [ 936.25, 500 ]\n"
	if !Recognise([]byte(text)) || Recognise([]byte("topology: {shape: fat-tree}\n")) {
		t.Error("a configuration is not recognised")
	}
	c, p := Read("net.yml", strings.NewReader(text))
	if p != nil {
		t.Fatal(p)
	}
	yaml := c.YAML()
	for _, want := range []string{
		"nodes: 4\n", "gpus: 8, nics: 8, nic: {rate: 400Gbps}", "kind: mesh, links: 7, link-rate: 3.2Tbps", "latency: 1.8725us", "shape: single-switch", "radix: 32", "node-leaf: 50m",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("there is no %q in\n%s", want, yaml)
		}
	}
	if c.Nodes != 4 {
		t.Errorf("%d nodes, want 4", c.Nodes)
	}
}

func TestNetworksThatAScenarioCannotHaveAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]", "this is Ring of 8"},
		{"topology: [FullyConnected]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]", "this is FullyConnected of 8"},
		{"topology: [Switch, Switch, Switch]\nnpus_count: [2, 2, 2]\nbandwidth: [1, 1, 1]\nlatency: [1, 1, 1]", "at most 2 dimensions"},
		{"topology: [Switch]\nnpus_count: [8, 2]\nbandwidth: [50]\nlatency: [500]", "npus_count with an element for each"},
		{"topology: [Switch]\nnpus_count: [1e9]\nbandwidth: [50]\nlatency: [500]", "npus_count of 2 to"},
		{"topology: [Switch]\nnpus_count: [8]\nbandwidth: [nan]\nlatency: [500]", "bandwidth of"},
		{"topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [-1]", "latency of"},
		{"topology: [Switch]\nnpus_count:\n  - 8\n", "net.yml:2"},
	} {
		if _, p := Read("net.yml", strings.NewReader(c.text)); p == nil || !strings.Contains(p.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, p, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("topology: [ Switch, Ring ]\nnpus_count: [ 8, 2 ]\nbandwidth: [400, 50]\nlatency: [1, 2]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		if c, p := Read("net.yml", strings.NewReader(text)); p == nil && c == nil {
			t.Error("neither a cluster nor a problem")
		}
	})
}
