package checks

import (
	"errors"
	"io"

	"weft/internal/face/cli/process"
	"weft/internal/ib/partition"
	"weft/scenario"
)

// writePartitions writes the partitions of a scenario's first InfiniBand fabric in OpenSM's format.
func writePartitions(e *process.Env, r *scenario.Resolved, path string) error {
	var config *partition.Config
	for i := range r.Fabrics {
		if config = scenario.PartitionsConf(r, &r.Fabrics[i]); config != nil {
			break
		}
	}
	if config == nil {
		return errors.New("no fabric of the scenario has partitions (ib.partitions), so there is no partitions.conf")
	}
	if path == "-" {
		return partition.Write(e.Stdout, config)
	}
	return e.WriteFile(path, func(w io.Writer) error { return partition.Write(w, config) })
}
