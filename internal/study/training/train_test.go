package training

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/internal/test/simtest"
	"weft/results"
)

// trainStep simulates a training step.
func trainStep(t *testing.T, text string, o Options) *results.Training {
	t.Helper()
	out, err := Run(context.Background(), simtest.Resolve(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tinyModel is a decoder whose step is simulated in a moment.
const tinyModel = `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
`

const denseModel = `model: {layers: 4, hidden: 512, ffn: 2048, gated: true, heads: 8, kv-heads: 8, head-dim: 64, vocab: 4096, sequence: 512}`

const expertModel = `model: {layers: 4, hidden: 512, ffn: 2048, gated: true, heads: 8, kv-heads: 8, head-dim: 64, vocab: 4096, experts: 8, top-k: 2, shared-experts: 1, expert-ffn: 512, dense-layers: 1, sequence: 512}`

func tinyJob(model, parallel string) string {
	return tinyModel + "training:\n  " + model + "\n  parallel: {" + parallel + "}\n  batch: {global: 32}\n"
}

// Every kind of parallelism runs to its end, put together from phases and with --whole. The terms
// of its time sum to the whole.
func TestEveryParallelismTrains(t *testing.T) {
	for name, job := range map[string]string{
		"data":                     tinyJob(denseModel, "zero: 0"),
		"tensor and pipeline":      tinyJob(denseModel, "tensor: 4, pipeline: 2"),
		"tensor without sequence":  tinyJob(denseModel, "tensor: 8, sequence: false"),
		"interleaved":              tinyJob(denseModel, "tensor: 2, pipeline: 2, interleave: 2"),
		"whole experts":            tinyJob(expertModel, "tensor: 2, expert: 4, whole-experts: true"),
		"whole experts, no shared": tinyJob(strings.Replace(expertModel, "shared-experts: 1, ", "", 1), "tensor: 2, context: 2, expert: 2, whole-experts: true"),
		"context":                  tinyJob(denseModel, "tensor: 2, context: 2"),
		"parameters divided":       tinyJob(denseModel, "zero: 3"),
		"experts":                  tinyJob(expertModel, "expert: 8"),
		"experts and other things": tinyJob(expertModel, "tensor: 2, pipeline: 2, expert: 2"),
	} {
		for _, whole := range []bool{false, true} {
			out := trainStep(t, job, Options{Workers: 1, Whole: whole})
			for i := range out.Fabrics {
				f := &out.Fabrics[i]
				sum := f.ComputingPs + f.WaitingPs + f.BubblePs
				for _, p := range f.Purposes {
					sum += p.ExposedPs
				}
				if d := sum - f.StepPs; d > 100 || d < -100 {
					t.Errorf("%s, %s, whole %v: the terms sum to %d of %d ps", name, f.Name, whole, sum, f.StepPs)
				}
				if f.MFU <= 0 || f.MFU > 1 || f.Communications == 0 {
					t.Errorf("%s, %s, whole %v: MFU %v, %d communications", name, f.Name, whole, f.MFU, f.Communications)
				}
			}
		}
	}
}

// The results of a training step do not depend on cores, even with noise. A slow GPU makes the step
// longer, and the others wait.
func TestTrainingDoesNotDependOnCores(t *testing.T) {
	job := tinyJob(denseModel, "tensor: 4, pipeline: 2") + "  noise: {slow-gpus: 1, slowdown: 50%, jitter: 5%, draws: 3}\n"
	var want []byte
	for _, workers := range []int{1, 2, 3} {
		out := trainStep(t, job, Options{Workers: workers})
		got, err := out.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d cores:\n%s\none core:\n%s", workers, got, want)
		}
		if n := out.Fabrics[0].Noise; n == nil || n.MeanPs <= out.Fabrics[0].StepPs || n.WaitingPs == 0 || n.LowPs > n.MeanPs || n.HighPs < n.MeanPs {
			t.Errorf("with a slow GPU: %+v, without %d ps", n, out.Fabrics[0].StepPs)
		}
	}
}

// A job that does not fit, or cannot be divided, is refused with the arithmetic.
func TestImpossibleJobsAreRefused(t *testing.T) {
	for job, want := range map[string]string{
		tinyModel + "training: {model: llama3-405b}":                                                      "the job needs",
		tinyJob(denseModel, "tensor: 16"):                                                                 "8 attention heads cannot be divided by 16",
		tinyJob(denseModel, "pipeline: 8"):                                                                "4 layers for 8 stages",
		tinyJob(denseModel, "pipeline: 2, zero: 3"):                                                       "ZeRO 3 with 2 pipeline stages",
		tinyJob(denseModel, "expert: 2"):                                                                  "the model has no experts",
		tinyJob(expertModel, "tensor: 4, sequence: false, expert: 4, whole-experts: true"):                "whole experts over 4 GPUs",
		strings.Replace(tinyJob(denseModel, "tensor: 2"), "batch: {global: 32}", "batch: {global: 9}", 1): "9 sequences of a step cannot be divided by 8",
	} {
		_, err := Run(context.Background(), simtest.Resolve(t, job), Options{Workers: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", job, err, want)
		}
	}
}

// On switches that serve one tree at each port, each data-parallel group of a job has a tree for
// each of its rails, and its all-reduces run on these trees. Groups inside a node ask for no tree.
// Fabrics that do not reduce report nothing. The job has four nodes: between two NCCL takes trees.
func TestGroupsOfAJobHaveTreesOfTheirOwn(t *testing.T) {
	job := strings.Replace(strings.Replace(tinyJob(denseModel, "tensor: 2, zero: 0"), "nodes: 2", "nodes: 4", 1), "[infiniband-ndr, roce-v2-400g]", "[infiniband-ndr, {preset: infiniband-ndr, name: sharp, ib: {sharp: true}}]", 1)
	for _, whole := range []bool{false, true} {
		out := trainStep(t, job, Options{Workers: 1, Whole: whole})
		plain, sharp := out.Fabrics[0].Reduction, out.Fabrics[1].Reduction
		if plain != nil || sharp == nil || sharp.Groups != 2 || sharp.Trees != 8 || sharp.Without > 0 {
			t.Fatalf("whole %v: %+v on switches that do not reduce, %+v on switches that do", whole, plain, sharp)
		}
		for _, p := range out.Fabrics[1].Phases {
			if p.Purpose == "data" && p.Algorithm != "nvls" && !strings.HasPrefix(p.Algorithm, "collnet") {
				t.Errorf("%s went by %s", p.Name, p.Algorithm)
			}
		}
	}
}

// GPUs of unequal speed make a step longer the more there are: the slowest decides. Of n normal
// draws the largest is 1.77 standard deviations above the mean if n is 16, and 2.6 if it is 128. No
// draws, no noise.
func TestUnevenGPUsBendTheScalingCurve(t *testing.T) {
	over := func(data int, noise string) float64 {
		job := fmt.Sprintf("cluster: {nodes: %d, node: dgx-h100}\nfabrics: [infiniband-ndr]\ntraining:\n  %s\n  parallel: {tensor: 8}\n  batch: {global: %d, micro: 1}\n  noise: {spread: 1.75%%, jitter: 0, %s}\n", data, denseModel, 4*data, noise)
		f := trainStep(t, job, Options{Workers: 1}).Fabrics[0]
		if f.Noise == nil {
			return 0
		}
		return float64(f.Noise.MeanPs-f.StepPs) / float64(f.ComputingPs)
	}
	small, large := over(2, "draws: 40"), over(16, "draws: 40")
	least, most := 0.6*.0175, 1.05*.0175 // communication hides a part
	if small < 1.77*least || small > 1.77*most || large < 2.6*least || large > 2.6*most || large < small+.005 {
		t.Errorf("with 16 GPUs the step is longer by %.4f of its computing, with 128 by %.4f", small, large)
	}
	if none := over(2, "draws: 0"); none != 0 {
		t.Errorf("without draws the step is %.3f longer", none)
	}
}

// The largest of some draws is drawn as such: its mean over many is the known one.
func TestTheLargestOfSomeDraws(t *testing.T) {
	for draws, want := range map[int]float64{1: 0, 2: 0.564, 8: 1.424, 64: 2.344} { // Tippett 1925, table of the mean extreme
		rng := rand.New(rand.NewPCG(1, 2))
		sum := 0.0
		for range 20000 {
			sum += largest(rng, draws)
		}
		if got := sum / 20000; math.Abs(got-want) > 0.03 {
			t.Errorf("the largest of %d draws is %.3f on the mean, want %.3f", draws, got, want)
		}
	}
}
