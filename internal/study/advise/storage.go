package advise

import (
	"strconv"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
)

// Ports of storage on the fabric, if a profile does not give their number: one for every
// eight nodes, and at least four, so that servers and gateways are redundant. With ports
// of 400 Gb/s that is 6 GB/s for each node; NVIDIA's guidance for a SuperPOD with DGX H100
// asks for 4 GB/s of reads in its highest class (recalled: 125 GB/s for 32 nodes). An
// assumption; the profile can change it.
const (
	nodesPerStoragePort = 8
	leastStoragePorts   = 4
)

// storagePorts is the number of ports that a design keeps free for storage, at its final size.
func storagePorts(r *plan.Request) int {
	per := 1
	if e, err := catalog.Lookup(catalog.Node, r.Node); err == nil {
		if f, ok := e.Known("gpus"); ok {
			per, _ = strconv.Atoi(f.Value) // the scenario's reader has checked that it is a number
		}
	}
	nodes := (max(r.GPUs, r.Later) + per - 1) / max(1, per)
	return max(leastStoragePorts, (nodes+nodesPerStoragePort-1)/nodesPerStoragePort)
}
