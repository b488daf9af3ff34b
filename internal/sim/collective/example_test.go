package collective_test

import (
	"fmt"

	"weft/internal/sim/collective"
)

// The steps of rank 0 of two nodes in the first lane of a tree.
func ExampleNew() {
	p, err := collective.New(collective.Spec{
		Op: collective.AllReduce, Algo: collective.Tree,
		Layout: collective.Layout{Nodes: 2, PerNode: 2}, Bytes: 1 << 20, Channels: 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var s collective.Step
	for k := 0; p.Step(0, 0, k, &s); k++ {
		fmt.Printf("step %d: waits for %d messages", k, s.Recvs)
		for _, t := range s.Sends {
			fmt.Printf(", sends %d bytes to rank %d", t.Bytes, t.Peer)
		}
		fmt.Println()
	}
	// Output:
	// step 0: waits for 2 messages
	// step 1: waits for 0 messages
	// step 2: waits for 0 messages, sends 262144 bytes to rank 2, sends 262144 bytes to rank 1
}
