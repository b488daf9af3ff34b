package topology_test

import (
	"fmt"

	"weft/internal/base/topology"
)

func ExampleRail() {
	c, err := topology.Rail{Nodes: 127, UFM: true}.Count()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d nodes, %d GPUs: %d leaves, %d spines\n", c.Nodes, c.Endpoints, c.Switches[0], c.Switches[1])
	for kind, n := range c.Cables {
		if n > 0 {
			fmt.Printf("%d %s cables\n", n, topology.CableKind(kind))
		}
	}
	// Output:
	// 127 nodes, 1016 GPUs: 32 leaves, 16 spines
	// 1020 node-leaf cables
	// 1024 leaf-spine cables
}
