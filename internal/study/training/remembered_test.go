package training

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload/llm"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
)

// disturbed is the job beside storage, with a slow cable.
var disturbed = strings.Replace(collidingJob, "fabrics: [infiniband-ndr, roce-v2-400g]", `fabrics:
  - {preset: infiniband-ndr, ib: {sharp: true}}
  - {preset: roce-v2-400g, slow-links: [{nics: node1/nic2, rate: 200Gbps}]}`, 1)

func TestAKnownStepIsTheSimulated(t *testing.T) {
	for name, job := range map[string]string{"colliding": collidingJob, "disturbed, with trees": disturbed, "exchanges": expertJob("4", "exchange: dispatch")} {
		r := simtest.Resolve(t, job+"run: {seed: 5}\n")
		run := func(cache known.Store) (text []byte, last sim.Progress) {
			out, err := Run(t.Context(), r, Options{Workers: 2, Seeds: 2, Cache: cache, Progress: func(p sim.Progress) { last = p }})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if text, err = out.Encode(); err != nil {
				t.Fatal(err)
			}
			return text, last
		}
		want, _ := run(nil)
		cache := runtest.NewMemory()
		first, _ := run(cache)
		cache.Missed = 0
		again, told := run(cache)
		if cache.Missed > 0 || told.Known == 0 {
			t.Errorf("%s: %d simulations were not known, %d of %d were", name, cache.Missed, told.Known, told.Total)
		}
		if !bytes.Equal(first, want) || !bytes.Equal(again, want) {
			t.Errorf("%s: steps without a cache, with an empty one and a full one differ", name)
		}
		for key, e := range cache.Entries {
			k, value, err := Resimulate(t.Context(), e.Recipe, 1)
			if strings.Contains(e.What, " 1 groups") {
				t.Errorf("%s: %q, want 1 group", name, e.What)
			}
			if err != nil || k != key || !bytes.Equal(value, e.Value) {
				t.Errorf("%s: %s, from its recipe: %v, another key %t, another value %t", name, e.What, err, k != key, !bytes.Equal(value, e.Value))
			}
		}
	}
}

// A larger batch uses the phases more often, and changes none of them.
func TestAJobWithTheSamePhasesIsKnown(t *testing.T) {
	cache := runtest.NewMemory()
	for i, batch := range []string{"global: 32", "global: 64"} {
		cache.Missed = 0
		r := simtest.Resolve(t, strings.Replace(collidingJob, "global: 32", batch, 1))
		if _, err := Run(t.Context(), r, Options{Cache: cache}); err != nil {
			t.Fatal(err)
		}
		if (cache.Missed == 0) != (i == 1) {
			t.Errorf("with %s %d simulations were not known", batch, cache.Missed)
		}
	}
}

// One stage's node gets a slower cable: what does not touch the node is known.
func TestASlowerLinkIsSimulatedWhereItIsTouched(t *testing.T) {
	cache := runtest.NewMemory()
	run := func(fabric string) sim.Progress {
		var last sim.Progress
		r := simtest.Resolve(t, strings.Replace(collidingJob, "fabrics: [infiniband-ndr, roce-v2-400g]", "fabrics: ["+fabric+"]", 1))
		if _, err := Run(t.Context(), r, Options{Cache: cache, Progress: func(p sim.Progress) { last = p }}); err != nil {
			t.Fatal(err)
		}
		return last
	}
	run("infiniband-ndr")
	for _, rate := range []string{"200Gbps", "100Gbps"} {
		before := cache.Missed
		p := run("{preset: infiniband-ndr, slow-links: [{nics: node7/nic0, rate: " + rate + "}]}")
		if missed := cache.Missed - before; missed == 0 || p.Known <= p.Total/2 {
			t.Errorf("with node7's cable at %s %d of %d simulations were known, and %d were not", rate, p.Known, p.Total, missed)
		}
	}
}

// An island takes the same times whether or not it is told of cables that it cannot touch.
func TestAnIslandDoesNotFeelTheCablesOfOtherNodes(t *testing.T) {
	text := strings.ReplaceAll(disturbed, "preset: infiniband-ndr,", `preset: infiniband-ndr, slow-links: [{nics: "node[1-2]/nic[2-3]", rate: 200Gbps}],`)
	r := simtest.Resolve(t, text)
	job := trainingJob(r)
	all := &training{scenario: r, job: job, step: job.Step(llm.FoldAll), out: &results.Training{Fabrics: make([]results.TrainingFabric, len(r.Fabrics))}}
	untouched := 0
	for fabric := range r.Fabrics {
		on, err := all.on(fabric, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range on.fold.Islands {
			i := on.islandOf(&own.Phase)
			if len(i.given.Slow) < len(on.plan.Slow) {
				untouched++
			}
			touched, err := i.run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := phases.RunIsland(t.Context(), on.plan, r, &own.Phase, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := touched.MarshalBinary()
			b, _ := whole.MarshalBinary()
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %s takes other times", r.Fabrics[fabric].Name, own.Phase.Name)
			}
		}
	}
	if untouched == 0 {
		t.Error("every island touches every slow cable")
	}
}
