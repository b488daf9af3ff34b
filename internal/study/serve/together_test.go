package serve

import (
	"context"
	"reflect"
	"testing"

	"weft/internal/sim/run/control"
	"weft/internal/sim/run/exchange"
	"weft/internal/sim/run/transfer"
	"weft/results"
	"weft/scenario"
)

// crowded is a job whose transfers and exchanges meet often. Its requests have room for their answers from the beginning, which divides them
// evenly.
var crowded = append(mixture[:len(mixture):len(mixture)], set("fabrics", "[roce-v2-100g]"),
	set("serving.load", "{rate: 1000, requests: 40, prompt: 1024, output: 40, lengths: fixed}"), set("serving.prefill.tokens", "1024"), set("serving.decode.reserve", "true"))

// A launched exchange takes as long as the same exchange of a benchmark.
func TestALaunchedExchangeTakesItsTime(t *testing.T) {
	r := resolved(t, mixture...)
	s := &study{r: r}
	for _, kernel := range []scenario.ExpertKernel{scenario.LowLatency, scenario.Throughput} {
		x := &exchangeRun{pool: &r.Serving.Prefill, kernel: kernel, what: scenario.Dispatch, tokens: 32}
		if err := s.simulate(context.Background(), x); err != nil {
			t.Fatal(err)
		}
		alone, err := s.alone(x)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := control.NewPlan(r, &r.Fabrics[0])
		if err != nil {
			t.Fatal(err)
		}
		p := &single{graph: exchange.GraphOf(alone).Among(r.Cluster.Ranks(), 0)}
		if _, err := transfer.Run(context.Background(), plan, r, transfer.Options{Limit: r.Run.Limit.SimulatedTime, Graphs: true}, p); err != nil {
			t.Fatal(err)
		}
		if p.took-x.took > 1 || p.took < x.took {
			t.Errorf("%s: launched it takes %d ps, alone %d", kernel, p.took, x.took)
		}
	}
}

func contention(t *testing.T, o Options, more ...scenario.Override) (*results.ServingContention, *results.ServingRun) {
	t.Helper()
	f := served(t, o, append(crowded[:len(crowded):len(crowded)], more...)...).Points[0].Fabrics[0]
	if f.Contention == nil || f.Run == nil {
		t.Fatalf("no contention was simulated: %+v", f)
	}
	return f.Contention, f.Run
}

// Exchanges and transfers that meet slow each other.
func TestExchangesAndTransfersSlowEachOther(t *testing.T) {
	c, run := contention(t, Options{})
	for _, x := range c.Exchanges {
		if x.Meet == 0 || x.Simulated < x.Meet/2 || x.Slowed <= 1.001 {
			t.Errorf("%+v", x)
		}
	}
	if run.Transfer.Mean <= c.Apart.Transfer.Mean || run.PerToken.Mean <= c.Apart.PerToken.Mean || c.Sampled {
		t.Errorf("a transfer takes %d ps and %d apart, a token %d and %d", run.Transfer.Mean, c.Apart.Transfer.Mean, run.PerToken.Mean, c.Apart.PerToken.Mean)
	}
}

// Requests that come one at a time have nothing to meet: the layers of their iterations take as long as the iterations.
func TestAloneRequestsMeetNothing(t *testing.T) {
	c, run := contention(t, Options{}, set("serving.load.rate", "0.5"), set("serving.load.requests", "5"))
	if c.Exchanges[0].Meet+c.Exchanges[1].Meet > 0 {
		t.Errorf("%+v", c.Exchanges)
	}
	near := func(a, b results.ServingTimes) bool { return a.Mean-b.Mean < 100 && b.Mean-a.Mean < 100 } // a picosecond's part for each layer
	if !near(run.FirstToken, c.Apart.FirstToken) || !near(run.PerToken, c.Apart.PerToken) || !reflect.DeepEqual(run.Transfer, c.Apart.Transfer) {
		t.Errorf("layer by layer %+v, at once %+v", run, c.Apart)
	}
}

// A few simulated exchanges tell nearly as much as all.
func TestTheFirstExchangesStandForAll(t *testing.T) {
	all, whole := contention(t, Options{})
	some, part := contention(t, Options{packets: 1_000_000})
	if !some.Sampled || some.Transfers == 0 || some.Exchanges[1].Simulated >= all.Exchanges[1].Simulated {
		t.Fatalf("%+v of %+v", some, all)
	}
	within := func(name string, a, b, apart int64) {
		if d := float64(a-apart) / float64(b-apart); d < 0.5 || d > 1.5 {
			t.Errorf("%s: contention adds %d ps by the first exchanges, %d by all", name, a-apart, b-apart)
		}
	}
	within("token", part.PerToken.Mean, whole.PerToken.Mean, all.Apart.PerToken.Mean)
	within("transfer", part.Transfer.Mean, whole.Transfer.Mean, all.Apart.Transfer.Mean)
}

// What exchanges and transfers cost each other in one run stands for it in the next, which simulates no exchange beside
// transfers.
func TestARunWithFoundFactorsTakesAsLong(t *testing.T) {
	out := served(t, Options{}, crowded...)
	simulated := &out.Points[0].Fabrics[0]
	m := metOf(simulated)
	if m == nil || m.Prefill <= 1 || m.Decode <= 1 || m.Transfers <= 1 {
		t.Fatalf("a run of exchanges and transfers that meet says %+v", m)
	}
	given := &served(t, Options{met: m}, crowded...).Points[0].Fabrics[0]
	within := func(name string, a, b int64, share float64) {
		if d := float64(a)/float64(b) - 1; d < -share || d > share {
			t.Errorf("%s: %d ps by the factors, %d simulated: %.2f %%", name, a, b, 100*d)
		}
	}
	within("token", given.Run.PerToken.Mean, simulated.Run.PerToken.Mean, 0.01)
	within("first token", given.Run.FirstToken.Mean, simulated.Run.FirstToken.Mean, 0.01)
	within("transfer", given.Run.Transfer.Mean, simulated.Run.Transfer.Mean, 0.01)
	if given.Contention != nil || given.Counts.Packets*2 > simulated.Counts.Packets {
		t.Errorf("with the factors %d packets were simulated, without them %d", given.Counts.Packets, simulated.Counts.Packets)
	}
}

// In a class of their own keys and values get their part of a NIC that many queue pairs of an exchange share.
func TestAClassOfItsOwnSpeedsTransfersUp(t *testing.T) {
	ib := set("fabrics", "[infiniband-ndr]")
	_, shared := contention(t, Options{}, ib)
	_, own := contention(t, Options{}, ib, set("serving.kv.class", "1"))
	if own.Transfer.Mean >= shared.Transfer.Mean {
		t.Errorf("a transfer takes %d ps in a class of its own, %d with the exchanges", own.Transfer.Mean, shared.Transfer.Mean)
	}
}
