package results

import (
	"slices"

	"weft/internal/base/jsontext"
	"weft/units"
)

// TrainingVersion is the version of the layout of a training job's results.
const TrainingVersion = 2

// Training is the result of a training step, fabric by fabric.
type Training struct {
	Version  int              `json:"version"`
	Scenario string           `json:"scenario"`
	Seed     uint64           `json:"seed"`
	Job      TrainingJob      `json:"job"`
	Fabrics  []TrainingFabric `json:"fabrics"`
	Partial  bool             `json:"partial,omitempty"`
}

// Stopped is the failure of a fabric whose step was not complete at an interruption.
const Stopped = "stopped before its step was complete"

// Begun reports whether any fabric has a step.
func (t *Training) Begun() bool {
	return slices.ContainsFunc(t.Fabrics, func(f TrainingFabric) bool { return f.StepPs > 0 })
}

// TrainingJob is the simulated job, with derived figures.
type TrainingJob struct {
	Model      string `json:"model"`
	Parameters int64  `json:"parameters"`
	GPU        string `json:"gpu"`
	GPUs       int    `json:"gpus"`
	Nodes      int    `json:"nodes"`
	Precision  string `json:"precision"`
	// Stack is training.stack; empty: the scenario names none. HeldOut is its error, as of StackStep. Framework is the share of
	// the kernels' rate at which the step computes.
	Stack      string  `json:"stack,omitempty"`
	HeldOut    string  `json:"stack_held_out,omitempty"`
	Framework  float64 `json:"framework"`
	Tensor     int     `json:"tensor"`
	Context    int     `json:"context"`
	Pipeline   int     `json:"pipeline"`
	Interleave int     `json:"interleave"`
	Schedule   string  `json:"schedule"`
	Data       int     `json:"data"`
	Expert     int     `json:"expert"`
	// ExpertsHidden says that exchanges with experts run beside computing (overlap.experts, DualPipe).
	ExpertsHidden bool `json:"experts_hidden,omitempty"`
	// Kernels are the kernels that carry tokens to their experts and back, as throughput kernels of deepep; empty: NCCL's
	// all-to-all. Busiest is the tokens of the GPU with the busiest experts, over the mean.
	Kernels   string        `json:"expert_kernels,omitempty"`
	Busiest   float64       `json:"busiest_expert_gpu,omitempty"`
	ZeRO      int           `json:"zero"`
	Sequences int           `json:"sequences"` // of a step
	Micros    int           `json:"micro_batches"`
	Tokens    int64         `json:"tokens"` // of a step
	FLOPs     float64       `json:"model_flops"`
	Peak      units.FLOPS   `json:"peak_flops"`   // of a GPU in the precision
	Memory    units.Bytes   `json:"memory_bytes"` // of a GPU
	Stages    []StageMemory `json:"stages"`
	// PublishedMFU is the MFU that the scenario's source states; 0: none.
	PublishedMFU    float64 `json:"published_mfu,omitempty"`
	PublishedSource string  `json:"published_source,omitempty"`
}

// StageMemory is the memory that a GPU of a pipeline stage needs.
type StageMemory struct {
	Weights     int64 `json:"weights_bytes"`
	Gradients   int64 `json:"gradients_bytes"`
	Optimizer   int64 `json:"optimizer_bytes"`
	Activations int64 `json:"activations_bytes"`
	Logits      int64 `json:"logits_bytes"`
}

// Total is the sum.
func (m StageMemory) Total() int64 {
	return m.Weights + m.Gradients + m.Optimizer + m.Activations + m.Logits
}

// TrainingFabric is a step on one fabric. Times are picoseconds, means over the ranks
// unless they say otherwise.
type TrainingFabric struct {
	Name     string     `json:"name"`
	Protocol string     `json:"protocol"`
	Rate     units.Rate `json:"rate"`
	StepPs   int64      `json:"step_ps"`
	TokensPS float64    `json:"tokens_per_s"`
	MFU      float64    `json:"mfu"`
	// ComputingPs, the exposed times, WaitingPs, BubblePs and StoragePs sum to the step.
	ComputingPs int64           `json:"computing_ps"`
	WaitingPs   int64           `json:"waiting_ps"`           // for members of a collective that arrive later
	BubblePs    int64           `json:"bubble_ps"`            // neither computing nor communicating
	StoragePs   int64           `json:"storage_ps,omitempty"` // stalls for checkpoints and input
	Purposes    []PurposeTime   `json:"communication"`
	Phases      []TrainingPhase `json:"phases"`
	Hottest     []HotLink       `json:"hottest_links"`
	HottestIn   string          `json:"hottest_links_in,omitempty"` // the phase
	Counts      Counts          `json:"counts"`                     // of all simulations
	Whole       bool            `json:"exact"`                      // everything was simulated in full, without reuse
	// Simulated is the number of communications of groups that were simulated packet by packet,
	// Communications the number in the step.
	Simulated      int64 `json:"simulated"`
	Communications int64 `json:"communications"`
	// Reduction is nil if switches do not reduce.
	Reduction *Reduction     `json:"reduction,omitempty"`
	Noise     *TrainingNoise `json:"noise,omitempty"`      // nil without
	Seeds     *TrainingSeeds `json:"over_seeds,omitempty"` // nil with one seed
	// Storage is nil if the scenario gives no rate of storage.
	Storage  *TrainingStorage `json:"storage,omitempty"`
	Failures TrainingFailures `json:"failures"`
	// Stacks are the steps with each stack, shortest first, if the scenario names none.
	Stacks []StackStep `json:"stacks,omitempty"`
	// ExpertsHiddenPs is the step with exchanges with experts beside computing (overlap.experts), if the job does not have
	// that and its division allows it; 0 otherwise.
	ExpertsHiddenPs int64 `json:"experts_hidden_ps,omitempty"`
	// UndisturbedPs is the step without the scenario's faults, slow cables and streams; 0 if it has
	// none.
	UndisturbedPs int64 `json:"undisturbed_ps,omitempty"`
	// FaultsUnmet is the faults that begin after the end of every simulation: they have no effect on the step.
	FaultsUnmet int `json:"faults_unmet,omitempty"`
	// Beside is the streams' results during the simulated step.
	Beside  []Stream `json:"beside,omitempty"`
	Failure string   `json:"failure,omitempty"`
}

// StackStep is the step with a stack (training.stack), with the times of communication of the step without.
type StackStep struct {
	Stack  string  `json:"stack"`
	StepPs int64   `json:"step_ps"`
	MFU    float64 `json:"mfu"`
	// HeldOut is the mean error, without its sign, of the stack's published steps that gave no figure, as a text.
	HeldOut string `json:"held_out_error,omitempty"`
	// LimitedPs is the step with GPUs of the Power that those of the stack's steps had, as training.stack has it; 0 if that is not known
	// to differ from the scenario's.
	LimitedPs int64  `json:"limited_ps,omitempty"`
	Power     string `json:"power,omitempty"`
	// Assumed says that no published step of the stack has a GPU of this architecture.
	Assumed bool `json:"assumed,omitempty"`
}

// TrainingStorage is the job's input and its checkpoints.
type TrainingStorage struct {
	InputPs         int64 `json:"input_ps"`                   // reading the input of a step
	Every           int   `json:"checkpoint_every,omitempty"` // steps; 0: no checkpoints
	CheckpointBytes int64 `json:"checkpoint_bytes,omitempty"` // of all GPUs together
	WritePs         int64 `json:"checkpoint_write_ps,omitempty"`
	StallPs         int64 `json:"checkpoint_stall_ps,omitempty"` // the GPUs wait, once a checkpoint
	AddedPs         int64 `json:"added_ps"`                      // to a step, on the average
}

// TrainingFailures are the interruptions of a job. The step does not contain them.
type TrainingFailures struct {
	PerDay      float64 `json:"per_day"`
	LostSeconds float64 `json:"lost_s"`    // by an interruption
	Effective   float64 `json:"effective"` // share of the time in which the job makes progress
}

// Spread is a time over draws: its mean with the 95 % interval, its minimum and its maximum.
type Spread struct {
	MeanPs  int64 `json:"mean_ps"`
	LowPs   int64 `json:"low_ps"` // of the mean's 95 % interval
	HighPs  int64 `json:"high_ps"`
	LeastPs int64 `json:"least_ps"` // of the draws
	MostPs  int64 `json:"most_ps"`
}

// LastingPs is the length of a step: with noise its mean over the draws.
func (f *TrainingFabric) LastingPs() int64 {
	if f.Noise != nil {
		return f.Noise.MeanPs
	}
	return f.StepPs
}

// LongestPs is the length of the longest simulation: the step, or a phase of it.
func (f *TrainingFabric) LongestPs() (longest int64) {
	if f.Whole {
		return f.StepPs
	}
	for i := range f.Phases {
		longest = max(longest, f.Phases[i].MostPs)
	}
	return longest
}

// TrainingNoise is the step with random stragglers and noise, over several draws.
type TrainingNoise struct {
	Draws int `json:"draws"`
	Spread
	WaitingPs int64 `json:"waiting_ps"` // mean over ranks and draws
}

// TrainingSeeds is the step over seeds for everything random in a fabric: the salts of hashing
// switches, and marking. Stragglers and noise are not included.
type TrainingSeeds struct {
	Seeds   int             `json:"seeds"` // the results' seed and the next ones
	Step    Spread          `json:"step"`
	StepsPs []int64         `json:"steps_ps"` // of each seed
	Exposed []PurposeSpread `json:"exposed"`  // communication without overlapping computation, means over the ranks
}

// PurposeSpread is the spread of a dimension of parallelism.
type PurposeSpread struct {
	Purpose string `json:"purpose"`
	Spread
}

// TrainingScale is a job at several cluster sizes, the smallest first.
type TrainingScale struct {
	Version int         `json:"version"`
	Strong  bool        `json:"strong"` // the same batch at all sizes; else it grows with them
	Points  []*Training `json:"points"`
	Partial bool        `json:"partial,omitempty"` // larger sizes are missing
}

// Events is the number of events of all simulations.
func (t *TrainingScale) Events() (n int64) {
	for _, p := range t.Points {
		for i := range p.Fabrics {
			n += p.Fabrics[i].Counts.Events
		}
	}
	return n
}

// Skipped is the part of the whole run that was not simulated.
func (t *TrainingScale) Skipped() (s Skipped) {
	for _, p := range t.Points {
		for i := range p.Fabrics {
			s.Add(p.Fabrics[i].Counts.Skipped)
		}
	}
	return s
}

// Encode is the results as JSON.
func (t *TrainingScale) Encode() ([]byte, error) {
	own := *t
	own.Points = nil
	for _, p := range t.Points {
		own.Points = append(own.Points, p.rounded())
	}
	return jsontext.Encode(&own)
}

// PurposeTime is the communication of a dimension of parallelism.
type PurposeTime struct {
	Purpose   string `json:"purpose"`
	MovingPs  int64  `json:"moving_ps"`  // in which data moved
	ExposedPs int64  `json:"exposed_ps"` // part of it in which the GPU computed nothing
}

// ExposedPs is the exposed communication of a dimension of parallelism, in picoseconds.
func (f *TrainingFabric) ExposedPs(purpose string) (sum int64) {
	for _, p := range f.Purposes {
		if p.Purpose == purpose {
			sum += p.ExposedPs
		}
	}
	return sum
}

// TrainingPhase is a communication of all groups of a kind at once, as simulated.
type TrainingPhase struct {
	Name      string `json:"name"`
	Purpose   string `json:"purpose"`
	Groups    int    `json:"groups"`
	Ranks     int    `json:"ranks"` // of a group
	Bytes     int64  `json:"bytes"` // of the largest
	Uses      int    `json:"uses"`  // times per step and group
	Algorithm string `json:"algorithm"`
	Wire      string `json:"wire"`
	LeastPs   int64  `json:"least_ps"` // of the fastest rank
	MeanPs    int64  `json:"mean_ps"`
	MostPs    int64  `json:"most_ps"` // of the slowest
	// Folded is the number of groups that were not simulated: each is provably equal to a simulated
	// group of this phase or an earlier one.
	Folded int `json:"folded_groups,omitempty"`
	// Parts is the number of simulations of its messages, if more than one: messages in different
	// parts share no rank, NIC or port of a switch.
	Parts int `json:"parts,omitempty"`
	// Beside is the streams' results meanwhile.
	Beside []Stream `json:"beside,omitempty"`
}

// Encode is the results as JSON.
func (t *Training) Encode() ([]byte, error) { return jsontext.Encode(t.rounded()) }

// rounded is a copy whose floats are rounded as in results.json.
func (t *Training) rounded() *Training {
	own := *t
	own.Fabrics = slices.Clone(t.Fabrics)
	for i := range own.Fabrics {
		f := &own.Fabrics[i]
		f.TokensPS, f.MFU = rounded(f.TokensPS, bandwidthDigits), rounded(f.MFU, shareDigits)
		f.Phases, f.Hottest = slices.Clone(f.Phases), slices.Clone(f.Hottest)
		for j := range f.Phases {
			f.Phases[j].Beside = roundedStreams(f.Phases[j].Beside)
		}
		f.Beside = roundedStreams(f.Beside)
		for j := range f.Hottest {
			f.Hottest[j].Busy = rounded(f.Hottest[j].Busy, shareDigits)
		}
	}
	return &own
}
