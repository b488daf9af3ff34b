package validate

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/scenario"
	"weft/units"
)

// stepsCSV is published training steps: a job's configuration, and the seconds of a step. A model
// is a preset of the catalog, or a name and its layers, hidden width, feed-forward width, gating,
// heads, heads of keys and values, head dimension and words; with experts also their number, how
// many a token takes, how many are shared, and their width. Expert parallelism is "whole" if tensor
// parallelism does not divide an expert. The exchange is what carries tokens to experts, empty for NCCL's
// all-to-all; mtp is the layers that predict further words.
//
//go:embed steps.csv
var stepsCSV string

// publishedStep is a published training step.
type publishedStep struct {
	ID, Stack, Model, Precision, Note string
	Year, GPUs                        int
	Seconds                           float64
	Fitted                            bool // a factor of its stack was fitted on it, among others
	Scored                            bool // it gave no figure, and weft models what it does
	experts                           bool
	scenario                          scenario.Scenario
	// Power says that the stack's factor is gpu.sustained, as its GPUs have less power than usual.
	// Otherwise it is training.framework.
	Power bool
}

// publishedSystems are the node and the fabric of a GPU's steps. The sources name few fabrics.
var publishedSystems = map[string]struct {
	node   scenario.Node
	fabric string
}{
	"a100":     {scenario.Node{Preset: "dgx-a100"}, "infiniband-hdr"},
	"a100-opa": {scenario.Node{Preset: "dgx-a100", NICs: 4}, "infiniband-edr"},
	"h100":     {scenario.Node{Preset: "dgx-h100"}, "infiniband-ndr"},
	"h200":     {scenario.Node{Preset: "dgx-h200"}, "infiniband-ndr"},
	"b200":     {scenario.Node{Preset: "dgx-b200"}, "infiniband-ndr"},
	"gb200":    {scenario.Node{Preset: "gb200-nvl72", GPUs: 64, NICs: 64}, "infiniband-ndr"},
	"gb300":    {scenario.Node{Preset: "gb200-nvl72", GPUs: 64, NICs: 64, GPU: scenario.GPU{Model: "gb300"}}, "infiniband-ndr"},
}

// publishedKernels are the shares of the peak that attention kernels other than the catalog's reach
// on H100 for long sequences: Dao-AILab/flash-attention@0251105a, head dimension 128, attention to
// earlier tokens. FlashAttention-2, forward and backward together 330 TFLOP/s; cuDNN 9.1 forward 555.
var publishedKernels = map[string]scenario.Ratio{
	"FlashAttention-2": {Num: 372, Den: 989}, "cuDNN 9.1": {Num: 555, Den: 989},
}

// publishedStepList is the steps of stepsCSV.
func publishedStepList() ([]publishedStep, error) {
	rows, err := csv.NewReader(strings.NewReader(stepsCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	var list []publishedStep
	for _, row := range rows[1:] {
		f := make(map[string]string)
		for i, name := range rows[0] {
			f[name] = row[i]
		}
		s, err := stepOf(f)
		if err != nil {
			return nil, fmt.Errorf("steps.csv, %s: %w", f["id"], err)
		}
		list = append(list, s)
	}
	return list, nil
}

// stepOf is a row of stepsCSV.
func stepOf(f map[string]string) (publishedStep, error) {
	var bad error
	expert, whole := strings.CutSuffix(f["expert"], " whole")
	f["expert"] = expert
	number := func(name string) int {
		n, err := strconv.Atoi(f[name])
		if err != nil && bad == nil {
			bad = fmt.Errorf("%s: %w", name, err)
		}
		return n
	}
	s := publishedStep{
		ID: f["id"], Stack: f["stack"], Precision: f["precision"], Note: f["note"], Year: number("year"), GPUs: number("gpus"),
		Fitted: f["fitted"] == "yes", Scored: f["fitted"] == "no",
	}
	var err error
	if s.Seconds, err = strconv.ParseFloat(f["seconds"], 64); err != nil {
		return s, err
	}
	system, ok := publishedSystems[f["gpu"]]
	if !ok {
		return s, fmt.Errorf("the GPU %q has no system", f["gpu"])
	}
	node, each := system.node, 8
	if node.GPUs > 0 {
		each = node.GPUs
	}
	if s.GPUs%each != 0 { // one node, of this size
		node.GPUs, node.NICs, each = s.GPUs, s.GPUs, s.GPUs
	}
	node.GPU.Attention = publishedKernels[f["attention"]]
	node.GPU.Memory = 1024 * units.GiB // whether a job fits is not the question here
	s.scenario = clusterOf(s.GPUs/each, node, "", system.fabric)
	model, err := publishedModel(f["model"])
	s.Model, _, _ = strings.Cut(f["model"], ":")
	framework := scenario.Ratio{}
	if f["framework"] != "" && bad == nil {
		framework, bad = scenario.ParseRatio(f["framework"])
	}
	s.experts = f["expert"] != "1"
	if f["mtp"] != "" {
		model.MTPLayers = number("mtp")
	}
	exchange, library, _ := strings.Cut(f["exchange"], " ")
	s.scenario.Training = scenario.Training{
		Exchange: scenario.TokenExchange(exchange), Experts: scenario.Experts{Library: scenario.Library(library)},
		Model: model, Precision: scenario.Precision(f["precision"]), Gradients: scenario.GradientsBF16, Recompute: recomputed(f["recompute"]),
		Parallel: scenario.Parallel{
			Tensor: number("tensor"), Pipeline: number("pipeline"), Interleave: number("interleave"), Context: number("context"),
			Expert: number("expert"), WholeExperts: whole, ZeRO: number("zero"),
		},
		Batch:   scenario.Batch{Global: number("global"), Micro: number("micro"), Sequence: number("sequence")},
		Overlap: scenario.Overlap{Tensor: f["overlap"] == "1", Experts: f["overlap"] == "experts"}, Framework: framework,
	}
	s.Power = s.Stack == "torchtitan"
	s.scenario.Training.Stack = stacksOf[s.Stack]
	if err != nil {
		return s, err
	}
	return s, bad
}

// recomputed is the words of a row's recomputation.
func recomputed(text string) (parts []scenario.Recompute) {
	for word := range strings.FieldsSeq(text) {
		parts = append(parts, scenario.Recompute(word))
	}
	return parts
}

// publishedModel is a model of stepsCSV.
func publishedModel(text string) (m scenario.Model, err error) {
	_, numbers, own := strings.Cut(text, ":")
	if !own {
		return scenario.Model{Preset: text}, nil
	}
	gated := 0
	fields := []*int{
		&m.Layers, &m.Hidden, &m.FFN, &gated, &m.Heads, &m.KVHeads, &m.HeadDim, &m.Vocab, &m.Experts, &m.TopK, &m.SharedExperts, &m.ExpertFFN,
	}
	for i, word := range strings.Fields(numbers) {
		if *fields[i], err = strconv.Atoi(word); err != nil {
			return m, err
		}
	}
	m.Gated, m.Sequence = gated == 1, 2048
	if m.FFN == 0 {
		m.FFN = m.ExpertFFN
	}
	return m, nil
}

// stacksOf are the stacks of scenarios by the sources of steps. Steps of other sources have no stack.
var stacksOf = map[string]scenario.Stack{
	"Megatron-LM": scenario.Megatron, "Megatron-Bridge": scenario.Megatron, "NeMo": scenario.NeMo, "dgxc-benchmarking": scenario.NeMo,
	"torchtitan": scenario.TorchTitan, "MaxText": scenario.MaxText, "DeepSpeed": scenario.DeepSpeed,
}

// nvidiaStacks are the stacks whose steps NVIDIA tuned and published.
var nvidiaStacks = map[string]bool{"dgxc-benchmarking": true, "Megatron-Bridge": true, "NeMo": true, "MLPerf": true, "Megatron-LM": true}

// publishedCase is the published steps of a group of stacks.
func publishedCase(name, stacks string, of func(*publishedStep) bool) *Case {
	return &Case{
		ID:         "training/published-" + name,
		Claim:      "A step takes as long as published steps " + stacks + ".",
		Reference:  "NVIDIA/dgxc-benchmarking@c5c765f, NVIDIA-NeMo/Megatron-Bridge@067f987d, NVIDIA/NeMo@9c5c5e97, mlcommons training results v3.1 to v5.1, NVIDIA/Megatron-LM, Korthikanti et al. 2022, MegaScale (NSDI 2024), pytorch/torchtitan@b5bcd76c, mosaicml/llm-foundry@8c8dd48f, AI-Hypercomputer/maxtext@e591f30c, AI-Hypercomputer/gpu-recipes@2e1fd5e, bigscience-workshop/bigscience (the prequel to BLOOM 176B), Llama 3 (arXiv 2407.21783), stas00/ml-engineering.",
		Setting:    "The published parallelism, batches and sequences (internal/study/validate/steps.csv); a node with eight GPUs of the kind, or 64 of an NVL72; rail-optimised InfiniBand. Steps on more than 2,048 GPUs are left out here: docs/TRAINING.md has them.",
		Slow:       true,
		Run:        func(e *Env) ([]Row, error) { return publishedSteps(e, of) },
		Calibrated: "a stack's figures (weft catalog stack) were fitted on its rows that are not scored; of sources without a stack training.framework is 83 %, fitted on 18 dense steps of NVIDIA's stacks, and 70 % for llm-foundry on H100. Other choices were made with all rows in view: docs/TRAINING.md names them.",
	}
}

// mostStepGPUs bounds the steps that are simulated: larger ones take a minute or more of a
// processor each, and a page of validation has the others' kinds.
const mostStepGPUs = 2048

func publishedSteps(e *Env, of func(*publishedStep) bool) ([]Row, error) {
	list, err := predictedList(e, of)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var sum, count [2]float64 // of the absolute errors, of rows scored and fitted
	for _, s := range list {
		row := Row{
			Name: fmt.Sprintf("%s, %s, %d, %s, %d GPUs, %s", s.ID, s.Stack, s.Year, s.Model, s.GPUs, s.Precision), Unit: Microseconds,
			Reference: []float64{s.Seconds * 1e12}, Weft: []float64{s.seconds * 1e12}, Tolerance: within(0.20), Note: s.Note,
		}
		at := 0
		if !s.Scored {
			at, row.Tolerance = 1, shown
		}
		sum[at] += math.Abs(relative(row.Reference[0], row.Weft[0]))
		count[at]++
		rows = append(rows, row)
	}
	for at, name := range []string{"mean absolute error of the steps that nothing was fitted on", "mean absolute error of the others"} {
		if count[at] > 0 {
			rows = append(rows, one(name, Percent, 0, sum[at]/count[at], shown, "%.0f steps", count[at]))
		}
	}
	return rows, nil
}
