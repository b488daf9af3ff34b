package serve

import (
	"testing"

	"weft/scenario"
)

// inStages is a job whose prompts or answers go through two stages on two nodes.
func inStages(pool string, more ...scenario.Override) []scenario.Override {
	return append([]scenario.Override{
		set("cluster.nodes", "3"), set("fabrics", "[infiniband-ndr]"), set("serving."+pool+".nodes", "2"), set("serving."+pool+".pipeline", "2"),
		set("serving.load.rate", "0.1"), set("serving.load.requests", "1"),
	}, more...)
}

// A prompt of 4096 tokens passes 4096 × 1024 numbers of 2 bytes on, and as many of the residual, an eighth from each GPU: 2 MiB take 42 us at
// 50 GB/s, and a bit more with headers and the path.
func TestActivationsTakeTheirTimeOnTheFabric(t *testing.T) {
	p := served(t, Options{}, inStages("prefill", set("serving.load.output", "1"))...).Points[0]
	if got := p.Fabrics[0].Run.FirstToken.P50 - p.Ideal.FirstToken.P50; got < 42e6 || got > 52e6 {
		t.Errorf("the first token comes %d ps later with the fabric, want 42 to 52 us", got)
	}
	one := served(t, Options{}, set("serving.load.output", "1"), set("fabrics", "[infiniband-ndr]")).Points[0]
	if got := one.Fabrics[0].Run.FirstToken.P50 - one.Ideal.FirstToken.P50; got != 0 {
		t.Errorf("in one stage and without decode the fabric costs %d ps", got)
	}
}

// A token of one answer passes each stage once, with 512 B from each GPU; keys and values go to the GPUs of the stage that has the
// layer.
func TestDecodeInStagesPassesEachTokenOn(t *testing.T) {
	staged := inStages("decode", set("serving.load.output", "11"))
	p := served(t, Options{}, staged...).Points[0]
	if got := p.Fabrics[0].Run.PerToken.P50 - p.Ideal.PerToken.P50; got < 1e6 || got > 10e6 {
		t.Errorf("a token takes %d ps longer with the fabric, want a microsecond to ten", got)
	}
	read := served(t, Options{}, append(staged, set("serving.kv.operation", "read"))...).Points[0]
	saved := p.Fabrics[0].Run.Transfer.P50 - read.Fabrics[0].Run.Transfer.P50
	if want := int64(2 * 19e6); saved < want || saved > want*5/4 {
		t.Errorf("two stages that read at the same time save %d ps of one that writes to both, want the library's time of two layers of four, %d", saved, want)
	}
}

// With as many answers as stages both are busy: many answers take hardly longer for each token than one, and more tokens come out.
func TestManyAnswersFillTheStages(t *testing.T) {
	tokens := func(requests string) float64 {
		return served(t, Options{}, inStages("decode", set("serving.load.output", "200"), set("serving.load.rate", "1000"), set("serving.load.requests", requests), set("serving.load.prompt", "64"))...).Points[0].Fabrics[0].Run.Tokens
	}
	if one, two := tokens("1"), tokens("2"); two < 1.7*one {
		t.Errorf("two answers give %.0f tokens in a second, one %.0f", two, one)
	}
}

// Activations meet keys and values on the fabric: on NICs that the transfers of other requests fill, they take longer.
func TestActivationsMeetKeysAndValues(t *testing.T) {
	per := func(rate string) int64 {
		return served(t, Options{}, set("cluster.nodes", "4"), set("fabrics", "[infiniband-ndr]"), set("serving.prefill.nodes", "2"), set("serving.decode.nodes", "2"), set("serving.decode.pipeline", "2"),
			set("serving.load.output", "100"), set("serving.load.requests", "8"), set("serving.load.prompt", "32768"), set("serving.prefill.tokens", "32768"), set("serving.kv.slice", "0B"), set("serving.load.rate", rate)).Points[0].Fabrics[0].Run.PerToken.P90
	}
	if alone, together := per("0.1"), per("40"); together <= alone {
		t.Errorf("a token takes %d ps beside transfers, %d alone", together, alone)
	}
}

// Where prompts and answers share instances nothing is transferred, prompts delay answers, and the fabric costs nothing.
func TestCollocatedJobsTransferNothing(t *testing.T) {
	both := []scenario.Override{set("serving.collocated", "true"), set("serving.prefill.nodes", "2"), set("serving.decode.nodes", "0"), set("serving.load.output", "64"), set("serving.load.rate", "100")}
	out := served(t, Options{}, both...)
	p := out.Points[0]
	if !out.Job.Collocated || out.Job.Prefill.Instances != 2 || out.Job.Decode.Instances != 0 || p.Loads[0].Resource != "the instances' time" {
		t.Errorf("%+v, %+v", out.Job, p.Loads)
	}
	for _, f := range p.Fabrics {
		if f.Run == nil || f.Run.Transfer.P99 != 0 || f.Run.FirstToken != p.Ideal.FirstToken || f.Run.PerToken != p.Ideal.PerToken {
			t.Errorf("%s: %+v, without network %+v", f.Name, f.Run, p.Ideal)
		}
	}
	apart := served(t, Options{}, set("serving.load.output", "64"), set("serving.load.rate", "100")).Points[0].Ideal
	if p.Ideal.PerToken.P90 <= apart.PerToken.P90 {
		t.Errorf("a token takes %d ps beside prompts, %d apart from them", p.Ideal.PerToken.P90, apart.PerToken.P90)
	}
}

// A pool whose memory is full evicts requests, and says so.
func TestFullMemoryEvicts(t *testing.T) {
	small := []scenario.Override{set("serving.decode.memory", "0.05%"), set("serving.load.prompt", "1024"), set("serving.load.output", "1024"), set("serving.load.rate", "14"), set("serving.load.requests", "60")}
	out := served(t, Options{}, small...)
	if out.Job.Decode.Room < 5_000 || out.Job.Decode.Room > 20_000 {
		t.Fatalf("room for %d tokens: this is no test", out.Job.Decode.Room)
	}
	run := out.Points[0].Ideal
	if run == nil || run.Evictions == 0 {
		t.Fatalf("%s: %+v", out.Points[0].Unstable, run)
	}
	reserved := served(t, Options{}, append(small, set("serving.decode.reserve", "true"))...).Points[0]
	if reserved.Ideal == nil || reserved.Ideal.Evictions != 0 {
		t.Errorf("%s: evictions where answers have room from the beginning: %+v", reserved.Unstable, reserved.Ideal)
	}
}
