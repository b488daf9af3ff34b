package advise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/run/network"
	"weft/internal/study/plan"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

func TestTheBestGetsTheWeightAndTheOtherItsShare(t *testing.T) {
	for _, x := range []struct {
		a, b float64
		more bool
		want [2]float64
	}{
		{100, 200, false, [2]float64{10, 5}},
		{100, 200, true, [2]float64{5, 10}},
		{100, 101, false, [2]float64{10, 10}}, // within 2 %
		{0, 100, false, [2]float64{10, 0}},    // of a range of which nothing is known but a bound
		{100, 103, false, [2]float64{10, 1000.0 / 103}},
	} {
		c := Criterion{Weight: 10, Cells: [2]Cell{{Value: x.a, Known: true}, {Value: x.b, Known: true}}}
		if c.score(x.more); c.Points != x.want || !c.Scored {
			t.Errorf("%g and %g, more is better %v: %v, want %v", x.a, x.b, x.more, c.Points, x.want)
		}
	}
}

func TestANumberThatIsNotKnownGivesNoPoints(t *testing.T) {
	c := Criterion{Weight: 10, Cells: [2]Cell{{Value: 1, Known: true}, {Value: 0}}}
	if c.score(false); c.Scored || c.Points != [2]float64{} || c.Note == "" {
		t.Errorf("%+v", c)
	}
}

// Bisection agrees with trying every point, if the choice turns at most once on each side.
func TestBisectionAgreesWithTryingEveryPoint(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 2 + random.IntN(40)
		now := random.IntN(n)
		low, high := random.IntN(now+1)-1, now+1+random.IntN(n-now) // the choice turns below the first, and from the second on
		run := func(all bool) Flip {
			c := course{points: n, now: now, name: func(i int) string { return string(rune('A' + i)) }, verdict: func(i int) (Verdict, error) {
				v := Verdict{Points: [2]float64{1, 0}}
				if i <= low || i >= high {
					v = Verdict{Points: [2]float64{0, 1}, Choice: 1}
				}
				return v, nil
			}}
			f, err := c.search("x", all)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		scanned, bisected := run(true), run(false)
		for _, turn := range bisected.Turns {
			if !slices.Contains(scanned.Turns, turn) {
				t.Fatalf("bisection has %v, every point %v", bisected.Turns, scanned.Turns)
			}
		}
		if len(scanned.Turns) != len(bisected.Turns) {
			t.Fatalf("bisection has %v, every point %v", bisected.Turns, scanned.Turns)
		}
	}
}

func planned(t *testing.T, text string) *plan.Design {
	t.Helper()
	r, err := plan.Read("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), r, nil)
	if err != nil || len(p.Designs) == 0 {
		t.Fatalf("%s: %v", text, err)
	}
	return p.Designs[0]
}

func TestAModelHasTheLevelsAndTheOversubscriptionOfItsDesign(t *testing.T) {
	for _, text := range []string{
		"{gpus: 1024, fabrics: infiniband, shapes: rail-optimised}", "{gpus: 1024, fabrics: roce-v2, switches: sn5600, shapes: fat-tree}",
		"{gpus: 16384, fabrics: infiniband, shapes: rail-optimised}", "{gpus: 64, fabrics: infiniband, shapes: single-switch}",
	} {
		d := planned(t, text)
		models, err := plan.ModelsOf(16, []*plan.Design{d})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r, err := plan.Scaled(d, models[0])
		if err != nil {
			t.Fatal(err)
		}
		spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		count, err := spec.Count()
		if err != nil {
			t.Fatal(err)
		}
		if plan.Levels(count) != d.Levels || r.Fabrics[0].Topology.Oversubscription != d.Resolved.Fabrics[0].Topology.Oversubscription {
			t.Errorf("%s: %+v has %d levels, the design %d", text, models[0], plan.Levels(count), d.Levels)
		}
	}
}

// By hand: at 1:1 half of a leaf's ports go down. A spine has as many ports as a leaf, so it
// reaches that number of leaves.
func TestTwoLevelsReachHalfTheSquareOfTheRadix(t *testing.T) {
	for _, x := range []struct {
		text string
		want int
	}{
		{"{gpus: 1024, fabrics: infiniband, shapes: rail-optimised}", 64 * 64 / 2},
		{"{gpus: 1024, fabrics: roce-v2, switches: sn5600, shapes: rail-optimised}", 128 * 128 / 2},
	} {
		if got := reachOf(planned(t, x.text)); got != x.want {
			t.Errorf("%s reaches %d, by hand %d", x.text, got, x.want)
		}
	}
}

func TestEffortCountsMissingSkillsAndTools(t *testing.T) {
	p := Default()
	p.Organisation.Skills = Skills{InfiniBand: NoSkill, Ethernet: Expert}
	p.Organisation.Monitoring = WatchesEthernet
	p.Organisation.Ethernet = true
	ib := &Candidate{Design: planned(t, "{gpus: 64, fabrics: infiniband, shapes: single-switch}")}
	roce := &Candidate{Design: planned(t, "{gpus: 64, fabrics: roce-v2, switches: sn5600, shapes: single-switch}")}
	if got := effortSum(effortOf(&p, ib)); got != 4+2+2 { // learn, monitor, second network
		t.Errorf("InfiniBand %v", effortOf(&p, ib))
	}
	if got := effortSum(effortOf(&p, roce)); got != 1.5 { // half of tune
		t.Errorf("RoCE v2 %v", effortOf(&p, roce))
	}
	p.Organisation.Weeks = 4
	if got := effortSum(effortOf(&p, roce)); got != 3 { // and with a tight schedule
		t.Errorf("RoCE v2 in four weeks %v", effortOf(&p, roce))
	}
}

// profile is a profile whose advice takes seconds.
const profile = `
design: {gpus: 32, node: dgx-h100, job: {collective: all-reduce, sizes: [64KiB]}, shapes: [rail-optimised]}
simulate: {nodes: 4, message: 64KiB, largest-gpus: 128}
`

func advised(t *testing.T, text string, overrides ...scenario.Override) *Advice {
	t.Helper()
	return priced(t, text, nil, overrides...)
}

func priced(t *testing.T, text string, prices *plan.Prices, overrides ...scenario.Override) *Advice {
	t.Helper()
	p, err := Read("profile.yaml", []byte(text), overrides...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Make(context.Background(), p, prices, Options{Simulate: sim.Run})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnAdviceHasEvidenceForEveryCell(t *testing.T) {
	a := advised(t, profile)
	for _, c := range a.Verdict.Criteria {
		for i, cell := range c.Cells {
			if cell.Text == "" || c.Scored && cell.Basis == "" {
				t.Errorf("%s of %s: %+v", c.Name, a.Candidates[i].Name(), cell)
			}
		}
		if !slices.ContainsFunc(a.Counterfactuals, func(x Counterfactual) bool { return x.Criterion == c.Name }) {
			t.Errorf("%s has no counterfactual", c.Name)
		}
	}
	for _, what := range []string{"what InfiniBand costs", "skills", "oversubscription", "size"} {
		if !slices.ContainsFunc(a.Flips, func(f Flip) bool { return strings.HasPrefix(f.What, what) }) {
			t.Errorf("there is no search for the point at which %s turns the choice", what)
		}
	}
	for _, r := range a.Reasons {
		if r.Points <= 0 || len(r.Counterfactuals) == 0 {
			t.Errorf("the reason %s has a lead of %g and %d counterfactuals", r.Criterion, r.Points, len(r.Counterfactuals))
		}
	}
}

func TestAnAdviceDoesNotDependOnTheCores(t *testing.T) {
	p, err := Read("profile.yaml", []byte(profile))
	if err != nil {
		t.Fatal(err)
	}
	var all [2]*Advice
	for i := range all {
		if all[i], err = Make(context.Background(), p, nil, Options{Simulate: sim.Run, Workers: i + 1}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := all[0], all[1]
	if !reflect.DeepEqual(a.Verdict, b.Verdict) || !reflect.DeepEqual(a.Flips, b.Flips) || !reflect.DeepEqual(a.Counterfactuals, b.Counterfactuals) {
		t.Errorf("on one core %+v, on two %+v", a.Verdict, b.Verdict)
	}
}

// Three products with two faults, seven changes and three other places, of which one has no second fault:
// no scenario twice, and the first answer is the verdict.
func TestAnAdviceAsksForFewSimulationsAndForNoneTwice(t *testing.T) {
	p, err := Read("profile.yaml", []byte(profile))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var last Progress
	asked, first := map[string]int{}, 0
	var early Verdict
	count := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		text, err := r.MarshalYAML()
		if err != nil {
			return nil, err
		}
		mu.Lock()
		asked[string(text)]++
		mu.Unlock()
		return sim.Run(ctx, r, o)
	}
	a, err := Make(t.Context(), p, nil, Options{
		Simulate: count, Workers: 2, Progress: func(p Progress) { last = p },
		First: func(a *Advice) { early, first = a.Verdict, len(asked) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, n := range asked {
		if n != 1 {
			t.Errorf("%d simulations of one scenario:\n%s", n, text)
		}
	}
	if len(asked) > 40 || first > 12 || !reflect.DeepEqual(early, a.Verdict) {
		t.Errorf("%d simulations, %d for the first answer; want 40 and 12 at most", len(asked), first)
	}
	if last.Done != len(asked) || last.Total != len(asked) {
		t.Errorf("at the end %d of %d simulations are done, of %d", last.Done, last.Total, len(asked))
	}
}

// An advice that is interrupted after its verdict keeps it, and before has none.
func TestAnInterruptedAdviceKeepsItsVerdict(t *testing.T) {
	p, err := Read("profile.yaml", []byte(profile))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := Options{Simulate: sim.Run, Workers: 2, First: func(*Advice) { stop() }}
	a, err := Make(ctx, p, nil, o)
	if err != nil || !a.Partial || a.Verdict.Points[0] == 0 || a.Counterfactuals != nil || a.Flips != nil {
		t.Errorf("the advice is %+v, %v", a, err)
	}
	if a, err := Make(ctx, p, nil, o); a != nil || err == nil {
		t.Errorf("before the first simulation there is an advice: %+v, %v", a, err)
	}
}

// The profile's weights decide: a profile that weighs one criterion alone gets the best fabric in
// it.
func TestTheWeightsDecide(t *testing.T) {
	zero := "{performance: 0, tail: 0, scale: 0, fault-recovery: 0, operation: 0, cost: 0, power: 0, vendors: %}"
	only := strings.Replace(zero, "vendors: %", "vendors: 10", 1)
	a := advised(t, profile, scenario.Override{Path: "weights", Value: only, Origin: "test"}, scenario.Override{Path: "organisation.vendor-policy", Value: "several", Origin: "test"})
	if got := a.Candidates[a.Verdict.Choice].Kind; got != scenario.RoCEv2Kind || a.Verdict.Points[1] != 10 {
		t.Errorf("by makers alone the choice is %s with %v", got, a.Verdict.Points)
	}
	only = strings.NewReplacer("vendors: %", "vendors: 0", "cost: 0", "cost: 10").Replace(zero)
	file := "currency: USD\nelectricity: 0.1\npue: 1.3\nyears: 1\nitems:\n"
	for _, item := range plan.Items() {
		each := 500
		switch {
		case item == "qm9700":
			each = 20_000
		case strings.HasPrefix(item, "7060"), strings.HasPrefix(item, "sn"), strings.HasPrefix(item, "z9"), strings.HasPrefix(item, "93"):
			each = 60_000
		}
		file += fmt.Sprintf("  - {item: %q, each: %d}\n", item, each)
	}
	prices, err := plan.ReadPrices("prices.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	a = priced(t, profile, prices, scenario.Override{Path: "weights", Value: only, Origin: "test"})
	if got := a.Candidates[a.Verdict.Choice].Kind; got != scenario.InfiniBandKind {
		t.Errorf("by cost alone, with switches at a third of the price, the choice is %s", got)
	}
	price := a.Flips[0]
	if len(price.Turns) != 1 || price.Turns[0].Choice != "RoCE v2" {
		t.Errorf("the price at which the choice turns: %+v", price.Turns)
	}
}

// At the reported weight the points are almost equal. With one point less the choice is the old
// one.
func TestTheReportedWeightTurnsTheChoice(t *testing.T) {
	a := advised(t, profile)
	for _, f := range a.Flips {
		name, ok := strings.CutPrefix(f.What, "weight of ")
		if !ok {
			continue
		}
		for _, turn := range f.Turns {
			for i, weight := range []string{turn.Between, turn.And} {
				again := advised(t, profile, scenario.Override{Path: "weights." + field[name], Value: weight, Origin: "test"})
				if chosen := again.Candidates[again.Verdict.Choice].Name(); (chosen == turn.Choice) != (i == 1) {
					t.Errorf("%s, turn %+v: with %s the choice is %s", f.What, turn, weight, chosen)
				}
			}
		}
	}
}

// field is the weight of a criterion in a profile.
var field = map[string]string{
	"performance": "performance", "tail": "tail", "scale": "scale", "fault recovery": "fault-recovery", "operation": "operation",
	"cost": "cost", "power": "power", "vendor ecosystem": "vendors",
}

func TestAFabricThatIsRuledOutIsNotWeighed(t *testing.T) {
	a := advised(t, profile, scenario.Override{Path: "design.vendors", Value: "[Arista, Broadcom]", Origin: "test"})
	if a.Verdict.Choice != 1 || a.Candidates[0].RuledOut == "" || len(a.Counterfactuals) > 0 {
		t.Errorf("choice %d, InfiniBand: %q, %d counterfactuals", a.Verdict.Choice, a.Candidates[0].RuledOut, len(a.Counterfactuals))
	}
	if note := a.Verdict.Criteria[0].Note; note != "" {
		t.Errorf("the note is %q", note)
	}
	for _, m := range a.Candidates[1].Makers.Switches {
		if m.Name != "Arista" && !strings.HasPrefix(m.Name, "Broadcom") {
			t.Errorf("%s counts as a maker, and the profile leaves it out", m.Name)
		}
	}
}

func TestABadProfileIsAnErrorWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"design: {gpus: 12}":                          "profile.yaml:1:16: design.gpus: 12 GPUs are not a whole number of nodes",
		"organisation: {skills: {ethernet: guru}}":    `organisation.skills.ethernet: "guru" is not known: want none, some or expert`,
		"organisation: {separation: walls}":           `organisation.separation: "walls" is not known`,
		"design: {shapes: [dragonfly]}":               "design.shapes[0]: a dragonfly has no smaller model",
		"price-ratio: 0":                              "price-ratio: 0: want a factor on what InfiniBand costs",
		"weights: {cost: -1}":                         "weights.cost",
		"simulate: {nodes: 1}":                        "simulate.nodes: 1 is out of range",
		"organisation: {vendor-policy: [single, no]}": "organisation.vendor-policy: a list is given",
	} {
		if _, err := Read("profile.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// trained is a profile with a training job. A replica fills a node.
const trained = `
design: {gpus: 64, node: dgx-h100, shapes: [rail-optimised], job: {training: {model: llama3-8b, parallel: {tensor: 8}, batch: {global: 64}}}}
simulate: {nodes: 4, message: 64KiB, largest-gpus: 64}
`

// The fake trainer reports its input: a step takes as many seconds as the job has replicas, and
// half of that with spraying.
func TestATrainingJobIsWeighedByItsStep(t *testing.T) {
	p, err := Read("profile.yaml", []byte(trained))
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	train := func(_ context.Context, r *scenario.Resolved, _ training.Options) (*results.Training, error) {
		steps++
		if per := r.Training.Batch.Global / r.Training.Parallel.Data; per != 8 {
			t.Errorf("a replica of the model takes %d sequences, of the design 8", per)
		}
		step := int64(r.Training.Parallel.Data) * int64(units.Second)
		if r.Fabrics[0].Routing.Mode == scenario.Spray {
			step /= 2
		}
		f := results.TrainingFabric{StepPs: step, MFU: 0.5, Purposes: []results.PurposeTime{{ExposedPs: step / 4}}}
		return &results.Training{Fabrics: []results.TrainingFabric{f}}, nil
	}
	a, err := Make(context.Background(), p, nil, Options{Simulate: sim.Run, Train: train})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range a.Verdict.Criteria[0].Cells {
		if want := "training step of llama3-8b: 4 s, 25.0 % of it communication that nothing hides, MFU 50.0 %"; c.Text != want || c.Value != 4e12 {
			t.Errorf("%s: %q, want %q", a.Candidates[i].Name(), c.Text, want)
		}
	}
	sprayed := slices.IndexFunc(a.Counterfactuals, func(x Counterfactual) bool { return strings.HasPrefix(x.Change, "the step's packets sprayed") })
	if sprayed < 0 || !strings.Contains(a.Counterfactuals[sprayed].After[1], ": 2 s,") {
		t.Errorf("the counterfactuals %+v have no sprayed step of 2 s", a.Counterfactuals)
	} else if got, want := a.Counterfactuals[sprayed].Points[1], a.Verdict.Points[1]; got != want {
		t.Errorf("with spraying in the step alone RoCE v2 has %g points, want %g: only the points of the step can change", got, want)
	}
	if steps == 0 || a.Candidates[0].Performance.Times != nil {
		t.Errorf("%d steps and the collective's times %v", steps, a.Candidates[0].Performance.Times)
	}
}

func TestAModelHoldsTwoReplicas(t *testing.T) {
	d := planned(t, "{gpus: 512, fabrics: infiniband, shapes: rail-optimised, job: {training: {model: llama3-70b, parallel: {tensor: 8, pipeline: 4}}}}")
	for most, want := range map[int]int{8: 8, 11: 8, 16: 16, 64: 64, 100: 100} { // four nodes a replica, 64 in all
		if got, err := plan.ModelNodes(most, d); err != nil || got != want {
			t.Errorf("of %d nodes at most: %d (%v), want %d", most, got, err, want)
		}
	}
	if _, err := plan.ModelNodes(7, d); err == nil || !strings.Contains(err.Error(), "allow 8 with simulate.nodes") {
		t.Errorf("seven nodes: %v", err)
	}
}

func TestATrainingJobThatDoesNotDivideTheClusterIsAnErrorWithItsPlace(t *testing.T) {
	_, err := Read("profile.yaml", []byte("design: {gpus: 24, job: {training: {model: llama3-8b, parallel: {tensor: 16}}}}"))
	if err == nil || !strings.Contains(err.Error(), "design.job.training.parallel: 24 GPUs are not a whole number of replicas") {
		t.Errorf("%v", err)
	}
}

// A maker of switches alone leaves the NICs of a machine whose NICs are on its board.
func TestNoMakerOfNICsIsSaidInWords(t *testing.T) {
	m := Makers{Switches: []Maker{{Name: "Arista (Arista Networks)"}}}
	if text := m.Text(); !strings.Contains(text, "switches 1 (Arista)") || !strings.Contains(text, "NICs none of the allowed") || strings.Contains(text, "()") {
		t.Error(text)
	}
}
