package control

import (
	"strings"
	"testing"

	"weft/internal/base/topology"
)

// TestACableIsFoundByAnyNameOfItsPort: a fault names a port as scenarios do, as what-if does, and as the fabric's file does.
func TestACableIsFoundByAnyNameOfItsPort(t *testing.T) {
	g, err := topology.Listed{
		Endpoints: 2,
		Devices: []topology.ListedDevice{
			{Name: "gpu1/eth0"}, {Name: "gpu2/eth0"}, {Name: "leaf1", Level: 1, PortNames: []string{"Ethernet0", "Ethernet8"}}, {Name: "leaf2", Level: 1, Ports: 4},
		},
		Links: []topology.ListedLink{{A: 0, B: 2, PortA: 1, PortB: 1}, {A: 1, B: 3, PortA: 1, PortB: 3}, {A: 2, B: 3, PortA: 2, PortB: 4}},
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]int32{
		"leaf1 port 2": 2, "leaf1:2": 2, "leaf1:Ethernet8": 2, "leaf1 Ethernet8": 2, "LEAF1:ethernet8": 2, "leaf2:4": 2,
		"leaf1:Ethernet0": 0, "gpu1/eth0 port 1": 0, "gpu2 eth0:1": 1, "leaf2 port 3": 1,
	} {
		if got, err := cableAt(g, link); err != nil || got != want {
			t.Errorf("%s: cable %d (%v), want %d", link, got, err, want)
		}
	}
	for link, want := range map[string]string{"leaf1:Ethernet4": "no cable at port Ethernet4", "leaf2:1": "no cable at port 1", "leaf2:99": "no cable", "leaf3 port 1": `no node "leaf3"`, "leaf1": "want a node and a port"} {
		if _, err := cableAt(g, link); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", link, err, want)
		}
	}
}
