package runs

import (
	"fmt"

	"weft/internal/face/cli/flags"
	"weft/scenario"
)

// The values of --as.
const (
	asNCCLTests = "nccl-tests"
	asTorch     = "torch"
)

// harness is the scenario's harness by --as, -t, -g and -G; none of them leaves the scenario's.
func (b *bench) harness(over []scenario.Override) ([]scenario.Override, error) {
	set := func(h scenario.Harness, asked string) {
		over = append(over, scenario.Set("nccl.harness", h, asked))
	}
	given := b.Given
	graphs, err := given.GetInt("cudagraph")
	switch {
	case err != nil:
		return nil, err
	case b.as != "" && b.as != asNCCLTests && b.as != asTorch:
		return nil, fmt.Errorf("--as %s: no harness of that name; valid are %s and %s", flags.Abridged(b.as), asNCCLTests, asTorch)
	case b.as == asTorch && graphs > 0:
		return nil, fmt.Errorf("-G %d is for --as %s: PyTorch's times are without CUDA graphs", graphs, asNCCLTests)
	case b.as == asTorch:
		set(scenario.Torch, b.asked("as"))
	case graphs > 0: // no launch for each operation
		set(scenario.Process, b.asked("cudagraph"))
	case b.gpus > 1:
		set(scenario.ForAll, b.asked("ngpus"))
		over = append(over, scenario.Set("nccl.per-thread", b.gpus, b.asked("ngpus")))
	case given.Changed("nthreads"):
		set(scenario.Thread, b.asked("nthreads"))
	case b.as == asNCCLTests || given.Changed("ngpus"):
		set(scenario.Process, b.asked("as", "ngpus"))
	}
	return over, nil
}
