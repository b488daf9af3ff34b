package weft_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"weft"
	"weft/results"
	"weft/scenario"
)

const smallModel = "model: {layers: 4, hidden: 512, ffn: 2048, heads: 8, kv-heads: 8, head-dim: 64, vocab: 4096, sequence: 512}"

const trainingJob = "cluster: {nodes: 2}\nfabrics: [infiniband-ndr]\ntraining:\n  " + smallModel + "\n  parallel: {zero: 0}\n  batch: {global: 32}\n"

const servingJob = "cluster: {nodes: 2}\ntopology: {shape: single-switch}\nfabrics: [infiniband-ndr]\nserving:\n  " + smallModel +
	"\n  prefill: {nodes: 1, tensor: 8}\n  decode: {nodes: 1, tensor: 8}\n  load: {rate: 10, requests: 20, prompt: 4096, output: 8, lengths: fixed}\n"

func job(text string) *scenario.Resolved {
	file, err := scenario.Decode("job", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// The parts of a training step on two nodes, whose data-parallel ranks reduce their gradients.
func ExampleTrain() {
	out, err := weft.Train(context.Background(), job(trainingJob), weft.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	f := &out.Fabrics[0]
	fmt.Println(f.Name, "- network on the critical path:", f.StepPs > f.ComputingPs)
	// Output:
	// infiniband-ndr - network on the critical path: true
}

func TestAServingJobAnswersAllRequests(t *testing.T) {
	out, err := weft.Serve(t.Context(), job(servingJob), weft.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	run := out.Points[0].Fabrics[0].Run
	if run == nil || run.FirstToken.P50 <= 0 {
		t.Errorf("%+v: want the time of the first tokens", run)
	}
}

func TestJobsRefuseWhatTheyCannotDo(t *testing.T) {
	collective := job("cluster: {nodes: 2}\n")
	for want, call := range map[string]func() error{
		"the scenario has no training job: want one with a training section": func() error {
			_, err := weft.Train(t.Context(), collective, weft.Options{})
			return err
		},
		"the scenario has no serving job: want one with a serving section": func() error {
			_, err := weft.Serve(t.Context(), nil, weft.Options{})
			return err
		},
		"Options.Finished, ExactCheck and AutoSeeds are of sizes: a job has none": func() error {
			_, err := weft.Train(t.Context(), job(trainingJob), weft.Options{Seeds: weft.AutoSeeds})
			return err
		},
		"Options.Series and Live are of runs and steps: a serving job records neither": func() error {
			_, err := weft.Serve(t.Context(), job(servingJob), weft.Options{Series: func(*results.Series) {}})
			return err
		},
	} {
		if err := call(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
