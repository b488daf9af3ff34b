package simai

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/formats/source"
)

// micro is a list of collectives of all ranks, one after another.
const micro = "MICRO"

// The kinds of parallelism that weft reads. The first two differ only in checkpoints.
var policies = []string{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER", micro}

// otherPolicies are the other kinds of Workload::decode_parallelsim.
var otherPolicies = []string{
	"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_CUSTOMIZED", "DISTRIBUTED_INFERENCE", //nolint:misspell // their names
}

// header is the first line.
type header struct {
	micro                          bool
	tensor, expert, pipeline, gpus int
	open                           bool            // it has no number of GPUs
	known                          map[string]bool // the keys that were given
	pipelineBytes                  float64
}

// Recognise reports whether a text begins as a workload file does: with the keys of a transformer, or with a
// kind of parallelism above the number of layers.
func Recognise(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	if bytes.Contains(line, []byte("model_parallel_NPU_group:")) {
		return true
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || !slices.Contains(policies, words[0]) && !slices.Contains(otherPolicies, words[0]) {
		return false
	}
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	_, err := strconv.Atoi(strings.TrimSpace(string(second)))
	return err == nil
}

// header reads the first line.
func (r *reader) header() *source.Problem {
	ok, p := r.lines.Next()
	if p != nil {
		return p
	}
	words := strings.Fields(r.lines.Text)
	if !ok || len(words) == 0 {
		return r.lines.Problem("", "a line with the way of parallelism and model_parallel_NPU_group:")
	}
	if !slices.Contains(policies, words[0]) {
		return r.lines.Problem(words[0], "one of the ways of parallelism that weft reads: "+strings.Join(policies, ", "))
	}
	h := &r.head
	h.micro, h.tensor, h.expert, h.pipeline, h.known = words[0] == micro, 1, 1, 1, make(map[string]bool)
	for i := 1; i < len(words); i += 2 {
		key := strings.TrimSuffix(words[i], ":")
		if h.known[key] {
			return r.lines.Problem(words[i], "each key once")
		}
		h.known[key] = true
		if i+1 == len(words) {
			return r.lines.Problem(words[i], "a number after it")
		}
		if p := h.set(r.lines, key, words[i+1]); p != nil {
			return p
		}
	}
	if h.micro && (h.tensor > 1 || h.expert > 1) {
		return r.lines.Problem("", "no groups in a file of "+micro+", whose collectives are of all ranks")
	}
	if h.open = h.gpus == 0; h.open {
		h.gpus = max(2, h.tensor*h.expert) // until the cluster says it
	}
	return r.divides()
}

// set takes a key with its value.
func (h *header) set(l *source.Lines, key, value string) *source.Problem {
	to := new(int)
	least := 1
	switch key {
	case "model_parallel_NPU_group":
		to = &h.tensor
	case "ep", "expert_parallel_npu_group": // the latter is AICB's name in lists of all-reduces
		to = &h.expert
	case "pp":
		to = &h.pipeline
	case "all_gpus":
		to = &h.gpus
	case "vpp", "ga":
	case "checkpoints", "checkpoint_initiates", "mode":
		least = 0
	case "pp_comm":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0 && v <= maxNumber) {
			return l.Problem(value, "a number of bytes after pp_comm")
		}
		h.pipelineBytes = v
		return nil
	default:
		return l.Problem(key, "model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, mode, checkpoints, checkpoint_initiates or pp_comm")
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > maxRanks {
		return l.Problem(value, fmt.Sprintf("a number from %d to %d after %s", least, maxRanks, key))
	}
	*to = n
	if least == 0 && n > 0 && key != "mode" {
		return l.Problem(value, "no "+key+" (0): weft does not recompute layers from checkpoints")
	}
	return nil
}

// divides checks that the groups divide the ranks.
func (r *reader) divides() *source.Problem {
	h := &r.head
	switch {
	case h.gpus%h.tensor != 0:
		return r.lines.Problem(strconv.Itoa(h.tensor), fmt.Sprintf("a model_parallel_NPU_group that divides all_gpus, %d", h.gpus))
	case h.data()%h.expert != 0:
		return r.lines.Problem(strconv.Itoa(h.expert), fmt.Sprintf("an ep that divides all_gpus / model_parallel_NPU_group, %d", h.data()))
	}
	return nil
}

// data is the size of a data-parallel group.
func (h *header) data() int { return h.gpus / h.tensor }
