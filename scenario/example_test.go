package scenario_test

import (
	"fmt"
	"log"

	"weft/scenario"
	"weft/units"
)

// A zero field takes the value of its preset. The value false needs an override.
func ExampleNew() {
	file, err := scenario.New("marks", &scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 4},
		Fabrics:  []scenario.Fabric{{Preset: "roce-v2-400g", Ethernet: scenario.Ethernet{ECN: scenario.ECN{Kmin: units.MiB}}}},
		Workload: scenario.Workload{Collective: "all-to-all", Sizes: []units.Bytes{units.MiB}},
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve(scenario.Set("fabrics[0].ethernet.pfc.enabled", false, "without PFC"))
	if err != nil {
		log.Fatal(err)
	}
	e := &r.Fabrics[0].Ethernet
	fmt.Println("marks from", e.ECN.Kmin, "to", e.ECN.Kmax, "- PFC:", e.PFC.Enabled)
	// Output:
	// marks from 1 MiB to 6.104 MiB - PFC: false
}

// Each error of a scenario has its line and column.
func ExampleDecode() {
	_, err := scenario.Decode("mine.yaml", []byte("cluster: {nodes: 2, node: dgx-h10}\nworkload: {colective: all-reduce}\n"))
	fmt.Println(err)
	// Output:
	// mine.yaml:1:27: cluster.node: node "dgx-h10" is not known: did you mean "dgx-h100"?
	// mine.yaml:2:12: workload.colective: there is no such field: did you mean "collective"?
}
