package simai

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/formats/source"
)

// The kinds of parallelism that weft reads: they differ only in checkpoints.
var policies = []string{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER"}

// header is the first line.
type header struct {
	tensor, expert, pipeline, gpus int
	known                          map[string]bool // the keys that were given
	pipelineBytes                  float64
}

// Recognise reports whether a text begins as a workload file does.
func Recognise(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(line, []byte("model_parallel_NPU_group:"))
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
	if words[0] != policies[0] && words[0] != policies[1] {
		return r.lines.Problem(words[0], "one of the ways of parallelism that weft reads: "+strings.Join(policies, ", "))
	}
	h := &r.head
	h.tensor, h.expert, h.pipeline, h.known = 1, 1, 1, make(map[string]bool)
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
	return r.divides()
}

// set takes a key with its value.
func (h *header) set(l *source.Lines, key, value string) *source.Problem {
	to := new(int)
	least := 1
	switch key {
	case "model_parallel_NPU_group":
		to = &h.tensor
	case "ep":
		to = &h.expert
	case "pp":
		to = &h.pipeline
	case "all_gpus":
		to = &h.gpus
	case "vpp", "ga":
	case "checkpoints", "checkpoint_initiates":
		least = 0
	case "pp_comm":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v >= 0 && v <= maxNumber) {
			return l.Problem(value, "a number of bytes after pp_comm")
		}
		h.pipelineBytes = v
		return nil
	default:
		return l.Problem(key, "model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, checkpoints, checkpoint_initiates or pp_comm")
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > maxRanks {
		return l.Problem(value, fmt.Sprintf("a number from %d to %d after %s", least, maxRanks, key))
	}
	*to = n
	if least == 0 && n > 0 {
		return l.Problem(value, "no "+key+" (0): weft does not recompute layers from checkpoints")
	}
	return nil
}

// divides checks that the groups divide the ranks.
func (r *reader) divides() *source.Problem {
	h := &r.head
	switch {
	case h.gpus == 0:
		return r.lines.Problem("", "all_gpus: with the number of ranks")
	case h.gpus%h.tensor != 0:
		return r.lines.Problem(strconv.Itoa(h.tensor), fmt.Sprintf("a model_parallel_NPU_group that divides all_gpus, %d", h.gpus))
	case h.data()%h.expert != 0:
		return r.lines.Problem(strconv.Itoa(h.expert), fmt.Sprintf("an ep that divides all_gpus / model_parallel_NPU_group, %d", h.data()))
	}
	return nil
}

// data is the size of a data-parallel group.
func (h *header) data() int { return h.gpus / h.tensor }
