package report

import (
	"fmt"

	"weft/internal/runstore"
)

// reductionSentences say which groups of ranks a fabric's switches reduce for, and why
// not for others; nothing of a fabric whose switches do not reduce or that nobody asked to.
func reductionSentences(fabric string, r *runstore.Reduction) (out []string) {
	if r == nil {
		return nil
	}
	if r.Groups > 0 {
		out = append(out, fmt.Sprintf("The switches of %s reduce (ib.sharp) for %s of ranks, along %s.",
			fabric, exactly(int64(r.Groups), "group", "groups"), exactly(int64(r.Trees), "tree", "trees")))
	}
	if r.Without > 0 {
		out = append(out, fmt.Sprintf("%s on %s could not have their collectives reduced in the switches, and NCCL falls back to sending from GPU to GPU. Of the first, %s.",
			exactly(int64(r.Without), "group of ranks", "groups of ranks"), fabric, r.Why))
	}
	return out
}
