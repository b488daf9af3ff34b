package simai

import (
	"fmt"

	"weft/internal/formats/source"
	"weft/units"
)

// describe states the meaning of the numbers and the assumptions.
func (r *reader) describe(w *source.Workload) {
	h := &r.head
	w.Units = []string{"computing: nanoseconds", "collectives: bytes, of the whole vector as nccl-tests counts; of an all-to-all what a rank sends to all"}
	if h.open {
		w.Assume(fmt.Sprintf("the file does not say how many ranks there are (all_gpus): all %d GPUs of the cluster take part", h.gpus))
	}
	w.Assume("rank i is the i-th GPU of the cluster, node by node; all ranks do the same list")
	if h.micro {
		w.Assume("MICRO: the weight-gradient collectives of the list are of all ranks, one after another in its order; SimAI itself repeats the first one")
		w.Assume("algorithms and protocols are NCCL's choice for the scenario's cluster, not SimAI's")
		r.extras(w)
		return
	}
	w.Assume(fmt.Sprintf("groups as SimAI forms them: tensor %d (neighbours), data %d, expert %d, data of experts %d", h.tensor, h.data(), h.expert, h.data()/h.expert))
	w.Assume("collectives of a kind of group take turns; those of weight gradients overlap with computing, the others hold the rank up")
	w.Assume("algorithms and protocols are NCCL's choice for the scenario's cluster, not SimAI's")
	if h.pipeline > 1 {
		text := "pp %d: the list has one rank's layers and no transfer between stages, so no bubble either; all ranks do the list, and data-parallel groups span the stages"
		if h.pipelineBytes > 0 {
			text += fmt.Sprintf("; pp_comm, %s, does not move", units.Bytes(h.pipelineBytes))
		}
		w.Assume(fmt.Sprintf(text, h.pipeline))
	}
	r.extras(w)
}

// extras states what the list has besides.
func (r *reader) extras(w *source.Workload) {
	if r.broadcasts {
		w.Assume("a BROADCAST is from the first rank of its group; SimAI leaves it out")
	}
	if r.head.known["mode"] {
		w.Assume("mode is not looked at: all passes of the list are simulated")
	}
	if r.depends {
		w.Assume("the dependencies of layers are not looked at, as in SimAI: the layers come in the order of the list")
	}
	if r.ignored > 0 {
		w.Assume(fmt.Sprintf("%d lines after the announced layers are ignored", r.ignored))
	}
}
