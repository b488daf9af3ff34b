package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/results"
)

// reductionSentences state the number of groups of ranks for which a fabric's switches can reduce,
// and the reason for the others; none for a fabric whose switches do not reduce or that was not
// asked to.
func reductionSentences(fabric string, r *results.Reduction) (out []string) {
	if r == nil {
		return nil
	}
	if r.Groups > 0 {
		out = append(out, fmt.Sprintf("On %s %s trees in the switches (ib.sharp), %s in all: NCCL uses them with nvls and collnet, if its cost model finds them faster.",
			quoted(fabric), exactly(r.Groups, "group of ranks has", "groups of ranks have"), doc.Integer(int64(r.Trees))))
	}
	if r.Without > 0 {
		out = append(out, fmt.Sprintf("%s on %s could not have their collectives reduced in the switches, and NCCL falls back to sending from GPU to GPU. Of the first, %s.",
			exactly(r.Without, "group of ranks", "groups of ranks"), quoted(fabric), r.Why))
	}
	return out
}
