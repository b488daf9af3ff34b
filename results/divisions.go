package results

import (
	"weft/internal/base/jsontext"
	"weft/units"
)

// TrainingDivisions is a search for the division of a training job's work: what weft train --parallel auto prints as JSON.
// Its version is TrainingVersion.
type TrainingDivisions struct {
	Version  int    `json:"version"`
	Scenario string `json:"scenario"`
	Model    string `json:"model"`
	GPU      string `json:"gpu"`
	GPUs     int    `json:"gpus"`
	// Judged are the divisions that were looked at. Undividable of them divide heads, layers, tokens or experts unevenly,
	// TooLarge do not fit the memory, Slower compute longer, without any communication, than the best take by estimate, and the
	// others were Estimated by rates. The first Simulated of those were simulated.
	Judged      int `json:"judged"`
	Undividable int `json:"undividable"`
	TooLarge    int `json:"too_large"`
	Slower      int `json:"slower"`
	Estimated   int `json:"estimated"`
	Simulated   int `json:"simulated"`
	// Stack is the scenario's training.stack; empty: none. Framework is the share of the kernels' rate at which steps compute.
	Stack     string  `json:"stack,omitempty"`
	Framework float64 `json:"framework"`
	// GivenFails is why the job does not run with the scenario's own division; empty if it does.
	GivenFails string `json:"given_fails,omitempty"`
	// Divisions are the simulated ones, the fastest first. If none was simulated, or the search is Partial, the first by estimate
	// follow, without fabrics.
	Divisions []TrainingDivision `json:"divisions"`
	Partial   bool               `json:"partial,omitempty"`
}

// TrainingDivision is a division of a job's work.
type TrainingDivision struct {
	// Fields are the division in the form of a scenario: parallel, batch and recompute of training.
	Fields    string   `json:"fields"`
	Given     bool     `json:"given,omitempty"` // the scenario's
	Tensor    int      `json:"tensor"`
	Context   int      `json:"context"`
	Pipeline  int      `json:"pipeline"`
	Chunks    int      `json:"interleave"`
	Schedule  string   `json:"schedule"`
	Data      int      `json:"data"`
	Expert    int      `json:"expert"`
	ZeRO      int      `json:"zero"`
	Micro     int      `json:"micro_batch"`
	Recompute []string `json:"recompute"`
	// EstimatePs is the step by rates alone, without collisions.
	EstimatePs int64 `json:"estimate_ps"`
	// Memory is that of the fullest stage, of Of.
	Memory units.Bytes `json:"memory_bytes"`
	Of     units.Bytes `json:"memory_of_bytes"`
	// Crossing is the bytes that a GPU sends to other nodes in a step, in the mean.
	Crossing units.Bytes        `json:"network_bytes"`
	Fabrics  []DivisionOnFabric `json:"fabrics,omitempty"`
}

// DivisionOnFabric is a simulated step.
type DivisionOnFabric struct {
	Name      string  `json:"name"`
	StepPs    int64   `json:"step_ps"`
	MFU       float64 `json:"mfu"`
	ExposedPs int64   `json:"exposed_ps"` // communication
	BubblePs  int64   `json:"bubble_ps"`
}

// Encode is the search as JSON.
func (t *TrainingDivisions) Encode() ([]byte, error) { return jsontext.Encode(t) }

// Fastest is the shortest step of a division over the fabrics; its estimate if it was not simulated.
func (d *TrainingDivision) Fastest() int64 {
	if len(d.Fabrics) == 0 {
		return d.EstimatePs
	}
	least := d.Fabrics[0].StepPs
	for _, f := range d.Fabrics[1:] {
		least = min(least, f.StepPs)
	}
	return least
}
