package scenario

import (
	"strings"
	"testing"
)

// A stack gives what a step reaches of the kernels' rate, the attention's kernel, the backward pass and the overlap; what
// the scenario writes stays.
func TestAStackGivesWhatTheScenarioLeavesOut(t *testing.T) {
	const job = trainingCluster + "training: {model: llama3-8b, stack: STACK, MORE}\n"
	at := func(stack, more string) *Resolved {
		return resolve(t, strings.NewReplacer("STACK", stack, ", MORE", more).Replace(job))
	}
	if r := at("torchtitan", ""); r.Training.Backward != PyTorchBackward || r.Cluster.Node.GPU.Attention != (Ratio{Num: 372, Den: 989}) || r.Cluster.Node.GPU.Sustained.Float() != .7 {
		t.Errorf("torchtitan has the backward pass %s, attention at %v and long runs at %v: its steps have PyTorch's, FlashAttention-2 and H100 of 500 W", r.Training.Backward, r.Cluster.Node.GPU.Attention, r.Cluster.Node.GPU.Sustained)
	}
	if r := at("deepspeed", ""); r.Training.Overlap.Gradients || r.Training.Overlap.Parameters {
		t.Error("DeepSpeed sends gradients or parameters beside computing, which it does not by default")
	}
	if r := at("nemo", ""); r.Training.Framework.Float() != .82 {
		t.Errorf("NeMo reaches %v of the kernels' rate", r.Training.Framework)
	}
	r := at("torchtitan", ", framework: 90%, backward: megatron-lm, overlap: {tensor: true}")
	if r.Training.Framework.Float() != .9 || r.Training.Backward != MegatronBackward || !r.Training.Overlap.Tensor {
		t.Errorf("a stack replaces what the scenario writes: %v, %s, %v", r.Training.Framework, r.Training.Backward, r.Training.Overlap)
	}
}

// A GPU's figures that the scenario writes stay, and what is written by a resolved scenario is read as the same.
func TestAStackLeavesAWrittenGPUAlone(t *testing.T) {
	r := resolve(t, "cluster: {nodes: 4, node: {preset: dgx-h100, gpu: {model: h100, sustained: 1/1.10, attention: 60%}}}\ntraining: {model: llama3-8b, stack: torchtitan}\n")
	if g := r.Cluster.Node.GPU; g.Sustained.Float() != 1/1.1 || g.Attention.Float() != .6 {
		t.Errorf("sustained %v and attention %v, and the scenario has 1/1.10 and 60%%", g.Sustained, g.Attention)
	}
}

// Every stack says which of its steps were fitted, and what it reaches.
func TestAStackNamesItsSteps(t *testing.T) {
	for _, stack := range Values[Stack]() {
		if !strings.Contains(stack.HeldOut(false), " % of ") {
			t.Errorf("%s has no error of held-out steps: %q", stack, stack.HeldOut(false))
		}
		h100 := GPU{Model: "h100", Architecture: Hopper, Attention: Ratio{Num: 1, Den: 2}, Sustained: Ratio{Num: 1, Den: 1}}
		if KernelsOf(stack, &h100).Assumed {
			t.Errorf("%s has no step on H100", stack)
		}
	}
	if volta := (GPU{Model: "v100", Architecture: Volta}); !KernelsOf(NeMo, &volta).Assumed {
		t.Error("NeMo has a step on V100, of which none was published")
	}
}

// A stack without published steps is refused by name.
func TestAnUnknownStackIsRefusedWithTheKnownOnes(t *testing.T) {
	f, err := Decode("t.yaml", []byte(trainingCluster+"training: {model: llama3-8b, stack: colossalai}\n"))
	if err == nil {
		_, err = f.Resolve()
	}
	if err == nil || !strings.Contains(err.Error(), `"colossalai" is not known: want megatron, torchtitan, nemo, maxtext or deepspeed`) {
		t.Errorf("the error is %v", err)
	}
}

// Part of a cluster is whole nodes, or an equal part of one with its share of the NICs.
func TestAPartOfAClusterHasItsShareOfTheNICs(t *testing.T) {
	c := Cluster{Nodes: 4, Node: Node{GPUs: 8, NICs: 4}}
	for gpus, want := range map[int]Cluster{16: {Nodes: 2, Node: Node{GPUs: 8, NICs: 4}}, 4: {Nodes: 1, Node: Node{GPUs: 4, NICs: 2}}, 1: {Nodes: 1, Node: Node{GPUs: 1, NICs: 1}}} {
		if got := c.Part(gpus); got.Nodes != want.Nodes || got.Node.GPUs != want.Node.GPUs || got.Node.NICs != want.Node.NICs {
			t.Errorf("%d GPUs are %d nodes of %d GPUs and %d NICs", gpus, got.Nodes, got.Node.GPUs, got.Node.NICs)
		}
	}
}
