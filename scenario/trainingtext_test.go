package scenario

import (
	"reflect"
	"strings"
	"testing"
)

const trainingCluster = "cluster: {nodes: 4, node: dgx-h100}\n"

// The output of Text reads as the same job, with a preset and with an own model.
func TestATrainingJobReadsAsItIsWritten(t *testing.T) {
	for _, text := range []string{
		"training: {model: llama3-8b, parallel: {tensor: 4, zero: 3}, overlap: {tensor: true}, batch: {global: 64}}\n",
		"training: {model: {layers: 4, hidden: 256, ffn: 1024, heads: 4, kv-heads: 4, head-dim: 64, vocab: 1000, sequence: 128}}\n",
	} {
		first := resolvedTraining(t, trainingCluster+text)
		again := resolvedTraining(t, trainingCluster+"training: "+first.Text()+"\n")
		if !reflect.DeepEqual(first, again) {
			t.Errorf("%s\nwrites %s\nand is read as %+v", text, first.Text(), again)
		}
	}
}

func resolvedTraining(t *testing.T, text string) Training {
	t.Helper()
	f, err := Decode("t", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r.Training
}

func TestAGrownJobKeepsTheWorkOfAGPU(t *testing.T) {
	job := Training{Parallel: Parallel{Tensor: 8, Context: 1, Pipeline: 2, Data: 4}, Batch: Batch{Global: 32}}
	grown, err := job.Grown(64, 128)
	if err != nil || grown.Batch.Global != 64 || grown.Parallel.Data != 0 {
		t.Errorf("%+v, %v", grown, err)
	}
	for gpus, want := range map[int]string{72: "72 GPUs are not a whole number of replicas of 16", 16: ""} {
		if _, err := job.Grown(64, gpus); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("to %d GPUs: %v, want %q", gpus, err, want)
		}
	}
	job.Batch.Global = 6
	if _, err := job.Grown(64, 16); err == nil {
		t.Error("6 sequences on 64 GPUs are not a whole number on 16")
	}
}

func TestAModelWithoutAPresetHasAName(t *testing.T) {
	for want, m := range map[string]Model{
		"llama3-8b":                              {Preset: "llama3-8b", Layers: 32, Hidden: 4096},
		"own model (4 layers of 256)":            {Layers: 4, Hidden: 256},
		"own model (4 layers of 256, 8 experts)": {Layers: 4, Hidden: 256, Experts: 8},
	} {
		if got := m.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An own model without kv-heads and head-dim has those of plain attention; one without another dimension is refused.
func TestAnOwnModelHasItsDimensions(t *testing.T) {
	const model = "{layers: 4, hidden: 256, ffn: 1024, heads: 4, vocab: 1000, sequence: 128}"
	if m := resolvedTraining(t, trainingCluster+"training: {model: "+model+"}\n").Model; m.KVHeads != 4 || m.HeadDim != 64 {
		t.Errorf("%d heads of keys and values of %d, want 4 of 64", m.KVHeads, m.HeadDim)
	}
	for _, c := range []struct{ was, is, want string }{
		{"hidden: 256, ", "", "the model has no hidden"},
		{"heads: 4, ", "", "the model has no heads"},
		{"vocab: 1000, ", "", "the model has no vocab"},
		{"ffn: 1024, ", "", "the model has no ffn"},
		{"ffn: 1024, ", "experts: 8, top-k: 2, ", "the model has no expert-ffn"},
		{"heads: 4", "heads: 5", "256 of hidden are not divided evenly over 5 heads"},
	} {
		for _, job := range []string{"training", "serving"} {
			_, err := Decode("t", []byte(trainingCluster+job+": {model: "+strings.Replace(model, c.was, c.is, 1)+"}\n"))
			if err == nil || !strings.Contains(err.Error(), job+".model: "+c.want) {
				t.Errorf("%s, %q in place of %q: %v, want %q", job, c.is, c.was, err, c.want)
			}
		}
	}
}

// A rate of zero would make a step infinitely long, one above the datasheet's too short.
func TestImpossibleRatesOfComputationsAreRefused(t *testing.T) {
	const job = trainingCluster + "training: {model: llama3-8b, precision: fp8, parallel: {tensor: 4}}\n"
	for _, field := range []string{"training.framework", "cluster.node.gpu.matrix-fp8", "cluster.node.gpu.matrix-bf16", "cluster.node.gpu.attention", "cluster.node.gpu.sustained"} {
		for value, refused := range map[string]bool{"0": true, "101%": true, "100%": false, "30%": false} {
			f, err := Decode("t", []byte(job))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = f.Resolve(Override{Path: field, Value: value, Origin: "test"}); (err != nil) != refused || refused && !strings.Contains(err.Error(), field) {
				t.Errorf("%s of %s: %v", field, value, err)
			}
		}
	}
}

// Noise without a meaning, a checkpoint without a place to go, and figures without units are
// refused; the message names the field.
func TestNoiseAndStorageWithoutAMeaningAreRefused(t *testing.T) {
	const job = trainingCluster + "training: {model: llama3-8b, parallel: {tensor: 4}}\n"
	for _, c := range []struct{ field, value, want string }{
		{"training.noise.spread", "50%", "negative times"},
		{"training.noise.jitter", "34%", "negative times"},
		{"training.noise.spread", "-1%", "training.noise.spread"},
		{"training.noise.draws", "1", "2 or more"},
		{"training.checkpoint.every", "100", "no rate of storage"},
		{"training.storage", "100", "has no unit"},
		{"training.failures.restart", "10", "unit"},
		{"training.failures.per-gpu-year", "100000", "at most 8766"},
	} {
		f, err := Decode("t", []byte(job))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Resolve(Override{Path: c.field, Value: c.value, Origin: "test"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "training.") {
			t.Errorf("%s: %s is %v, want an error with %q", c.field, c.value, err, c.want)
		}
	}
}
