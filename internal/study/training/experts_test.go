package training

import (
	"reflect"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
)

// sharedModel has 32 experts, a multiple of the 16 GPUs of two nodes.
const sharedModel = `model: {layers: 4, hidden: 1024, ffn: 2048, gated: true, heads: 8, kv-heads: 8, head-dim: 64, vocab: 4096, experts: 32, top-k: 4, shared-experts: 1, expert-ffn: 512, dense-layers: 1, sequence: 512}`

// expertJob is a job whose experts are divided over 16 GPUs, on some nodes in rails.
func expertJob(nodes, exchange string) string {
	return `
cluster: {nodes: ` + nodes + `, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr, roce-v2-400g]
training:
  ` + sharedModel + `
  parallel: {expert: 16}
  batch: {global: 64}
  ` + exchange + "\n"
}

// phaseOf is a step's phase with a name.
func phaseOf(t *testing.T, f *results.TrainingFabric, name string) *results.TrainingPhase {
	t.Helper()
	for i := range f.Phases {
		if f.Phases[i].Name == name {
			return &f.Phases[i]
		}
	}
	t.Fatalf("%s has no phase %s", f.Name, name)
	return nil
}

// A dispatch of a step takes what weft bench moe-dispatch says of as many tokens, to the picosecond; so does a combine,
// and so does each of several groups on rails of their own.
func TestAStepsExchangesAreThoseOfTheBench(t *testing.T) {
	const experts = "kernel: throughput, tokens: 512, hidden: 1024, count: 32, top-k: 4, element: bf16"
	for _, nodes := range []string{"2", "4"} {
		out := trainStep(t, expertJob(nodes, "exchange: dispatch"), Options{Workers: 1})
		for i, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
			for name, exchange := range map[string]string{"expert dispatch": "moe-dispatch", "expert combine": "moe-combine"} {
				alone := runtest.Point(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [`+fabric+`]
workload: {exchange: `+exchange+`, experts: {`+experts+`}}
`)
				p := phaseOf(t, &out.Fabrics[i], name)
				if p.MostPs != alone.Exchange.Kernel.Max || p.MeanPs != alone.Exchange.Kernel.Mean {
					t.Errorf("%s nodes, %s on %s: %d to %d ps, alone %d to %d", nodes, name, fabric, p.MeanPs, p.MostPs, alone.Exchange.Kernel.Mean, alone.Exchange.Kernel.Max)
				}
			}
		}
	}
}

// Hot experts cost a step twice: the busiest GPU computes longer and receives longer. Another seed draws other tokens.
func TestHotExpertsMakeAStepLonger(t *testing.T) {
	even := trainStep(t, expertJob("2", "exchange: dispatch"), Options{Workers: 1})
	hot := trainStep(t, expertJob("2", "exchange: dispatch\n  experts: {gating: zipf}"), Options{Workers: 1, Seeds: 2})
	if even.Job.Busiest > 1.2 || hot.Job.Busiest < 2 {
		t.Errorf("the busiest GPU gets %.2f of the mean, %.2f with zipf; want 1.2 at most and 2 at least", even.Job.Busiest, hot.Job.Busiest)
	}
	for i := range even.Fabrics {
		a, b := &even.Fabrics[i], &hot.Fabrics[i]
		if b.ComputingPs <= a.ComputingPs || phaseOf(t, b, "expert dispatch").MostPs <= phaseOf(t, a, "expert dispatch").MostPs {
			t.Errorf("%s: computing %d and %d ps, a dispatch %d and %d ps with hot experts", a.Name, a.ComputingPs, b.ComputingPs, phaseOf(t, a, "expert dispatch").MostPs, phaseOf(t, b, "expert dispatch").MostPs)
		}
		if s := b.Seeds.Step; s.LeastPs == s.MostPs {
			t.Errorf("%s: two seeds have the same step", b.Name)
		}
	}
}

// A token crosses the network once for each node by throughput kernels, and once for each expert in an all-to-all: with
// eight experts of a token on two nodes the exchanges of a step are less exposed.
func TestThroughputKernelsExposeLessThanAllToAll(t *testing.T) {
	job := func(exchange string) string {
		return strings.NewReplacer("top-k: 4", "top-k: 8", "sequence: 512", "sequence: 4096", "global: 64", "global: 16").Replace(expertJob("2", exchange))
	}
	kernels, all := trainStep(t, job("exchange: dispatch"), Options{Workers: 1}), trainStep(t, job("exchange: all-to-all"), Options{Workers: 1})
	for i := range all.Fabrics {
		if a, b := all.Fabrics[i].ExposedPs("expert"), kernels.Fabrics[i].ExposedPs("expert"); 3*b > 2*a {
			t.Errorf("%s: exchanges are exposed for %d ps by kernels and %d ps by all-to-all, want less than two thirds", all.Fabrics[i].Name, b, a)
		}
	}
	if first := trainStep(t, job(""), Options{Workers: 1}); first.Fabrics[0].StepPs != all.Fabrics[0].StepPs {
		t.Error("without exchange a step has not the time of all-to-all")
	}
}

// A resolved job says all of its exchange: its text is read as the same job.
func TestTheTextOfAJobHasItsExchange(t *testing.T) {
	r := simtest.Resolve(t, expertJob("2", "exchange: dispatch\n  precision: fp8\n  experts: {gating: zipf, chunk: 8, element: fp8}"))
	text, err := r.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again := simtest.Resolve(t, string(text))
	if !reflect.DeepEqual(again.Training, r.Training) || r.Training.Experts.Tokens != 512 || r.Training.Experts.ScaleGroup != 128 {
		t.Errorf("%+v is read as %+v", r.Training.Experts, again.Training.Experts)
	}
}

// A job whose tokens the kernels of a library cannot carry is refused.
func TestExchangesThatDoNotFitAreRefused(t *testing.T) {
	for job, want := range map[string]string{
		strings.Replace(expertJob("2", "exchange: dispatch"), "expert: 16", "expert: 3", 1):            "experts over 3 GPUs",
		strings.Replace(expertJob("2", "exchange: dispatch"), "expert: 16", "expert: 8, tensor: 2", 1): "the GPUs that share experts are not whole nodes",
		expertJob("2", "experts: {gating: zipf}"):                                                      "these are for exchange: dispatch",
		expertJob("2", "exchange: dispatch\n  experts: {tokens: 7}"):                                   "7: the job has 512",
		expertJob("2", "exchange: dispatch\n  experts: {replicas: 16}"):                                "no copies of experts",
		expertJob("2", "exchange: dispatch\n  experts: {node-limit: 5}"):                               "a limit of 5 nodes",
		strings.Replace(tinyJob(denseModel, "zero: 1"), "batch:", "exchange: dispatch\n  batch:", 1):   "the model has no experts",
	} {
		file, err := scenario.Decode("test", []byte(job))
		if err == nil {
			_, err = file.Resolve()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", job, err, want)
		}
	}
	_, err := Run(t.Context(), simtest.Resolve(t, expertJob("2", "exchange: dispatch")), Options{Whole: true})
	if err == nil || !strings.Contains(err.Error(), "leave --whole out") {
		t.Errorf("a whole step with kernels: %v", err)
	}
}

// Tokens go to their experts in 16 bits whatever the precision of the products, as with Megatron-Core; a library may send them in 8.
func TestTokensGoToExpertsIn16BitsUnlessTheLibrarySends8(t *testing.T) {
	bytes := func(how string) int64 {
		out := trainStep(t, strings.Replace(expertJob("2", how), "fabrics: [infiniband-ndr, roce-v2-400g]", "fabrics: [infiniband-ndr]", 1), Options{Workers: 1})
		for _, p := range out.Fabrics[0].Phases {
			if p.Name == "expert dispatch" || p.Name == "expert all-to-all" {
				return p.Bytes
			}
		}
		t.Fatalf("%s has no exchange", how)
		return 0
	}
	wide := bytes("precision: bf16")
	for how, want := range map[string]int64{
		"precision: fp8": wide, "precision: fp8\n  exchange: dispatch": wide, "precision: fp8\n  exchange: dispatch\n  experts: {element: fp8}": wide / 2,
	} {
		if got := bytes(how); got != want {
			t.Errorf("%s: %d bytes, want %d", how, got, want)
		}
	}
}
