package cabling_test

import (
	"slices"
	"testing"

	"weft/internal/base/cabling"
)

// TestAPortIsFoundHoweverItIsWritten: as what-if takes it, as faults do, and by the names of Ethernet.
func TestAPortIsFoundHoweverItIsWritten(t *testing.T) {
	nodes := map[string]bool{"leaf7": true, "MF0;rack7:MQM9700/U1": true, "gpu7 mlx5_0": true}
	for text, want := range map[string][2]string{
		"leaf7:12":                    {"leaf7", "12"},
		"leaf7 port 12":               {"leaf7", "12"},
		"leaf7:Ethernet48":            {"leaf7", "Ethernet48"},
		"leaf7 Ethernet1/1":           {"leaf7", "Ethernet1/1"},
		"leaf7:swp1s0":                {"leaf7", "swp1s0"},
		"MF0;rack7:MQM9700/U1:9":      {"MF0;rack7:MQM9700/U1", "9"},
		"MF0;rack7:MQM9700/U1 port 9": {"MF0;rack7:MQM9700/U1", "9"},
		"gpu7 mlx5_0:1":               {"gpu7 mlx5_0", "1"},
		"leaf8:12":                    {},
		"leaf7":                       {},
		"leaf7:":                      {"leaf7", ""},
	} {
		node, port, ok := cabling.SplitEnd(text, func(n string) bool { return nodes[n] })
		if node != want[0] || port != want[1] || ok != (port != "") {
			t.Errorf("%q: node %q, port %q, %v, want %q", text, node, port, ok, want)
		}
	}
}

func TestAPortIsNamedInAnySpelling(t *testing.T) {
	names := []string{"Ethernet0", "Ethernet1/1", "12"}
	for text, want := range map[string]int{"ethernet0": 1, "Et1/1": 2, "Port 12": 3, "12": 3, "2": 2, "swp9": 0, "0": 0, "-1": 0} {
		if got := cabling.PortNumber(text, names); got != want {
			t.Errorf("%q is port %d, want %d", text, got, want)
		}
	}
}

func TestANodeIsMeantByItsShortName(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"leaf7", "leaf7", true},
		{"LEAF7", "leaf7", true},
		{"rack7", "MF0;rack7:MQM9700/U1", true},
		{"gpu7/mlx5_0", "gpu7 mlx5_0", true},
		{"gpu7", "gpu7 mlx5_0", false},
		{"rack", "MF0;rack7:MQM9700/U1", false},
		{"dir-4:MCS8500/L01/U1", "MF0;dir-4:MCS8500/L01/U1", true},
	} {
		if got := cabling.MeansNode(c.text, c.name); got != c.want {
			t.Errorf("%q means %q: %v, want %v", c.text, c.name, got, c.want)
		}
	}
}

func TestAnExactNameComesBeforeShortOnes(t *testing.T) {
	names := []string{"MF0;dir:MCS8500/L01/U1", "MF0;dir:MCS8500/L02/U1", "leaf", "MF0;leaf:MQM8700/U1"}
	for text, want := range map[string][]int{"dir": {0, 1}, "dir:MCS8500/L02/U1": {1}, "leaf": {2}, "LEAF": {2, 3}, "spine": nil} {
		if got := cabling.Meant(text, len(names), func(i int) string { return names[i] }); !slices.Equal(got, want) {
			t.Errorf("%q means %v, want %v", text, got, want)
		}
	}
}
