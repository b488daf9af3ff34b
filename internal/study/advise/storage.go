package advise

import (
	"strconv"

	"weft/internal/sim/catalog"
	"weft/internal/study/plan"
)

// Ports of storage on the fabric, if a profile does not say how many: one for every
// eight nodes, and four at least, so that no server or gateway stands alone. With ports
// of 400 Gb/s that is 6 GB/s for each node; NVIDIA's guidance for a SuperPOD with DGX H100
// asks for 4 GB/s of reads if it wants the most (recalled: 125 GB/s for 32 nodes). An
// assumption, and the profile's to change.
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
