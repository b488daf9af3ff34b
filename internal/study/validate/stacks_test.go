package validate

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/scenario"
)

// The steps that a stack's entry names as fitted are fitted and its own, those that it names as held out are neither
// fitted, and every second dense step at least is held out of what the fit could have had.
func TestAStacksEntryNamesItsOwnSteps(t *testing.T) {
	list, err := publishedStepList()
	if err != nil {
		t.Fatal(err)
	}
	of := func(id string) *publishedStep {
		i := slices.IndexFunc(list, func(s publishedStep) bool { return s.ID == id })
		if i < 0 {
			t.Fatalf("there is no step %s", id)
		}
		return &list[i]
	}
	for _, stack := range scenario.Values[scenario.Stack]() {
		e, err := catalog.Lookup(catalog.Stack, string(stack))
		if err != nil {
			t.Fatal(err)
		}
		fitted, held := 0, 0
		for _, fact := range e.Facts {
			ids, wantFitted := fact.Value, false
			switch {
			case strings.HasPrefix(fact.Field, "about.steps."):
				wantFitted = !strings.Contains(fact.Source, "held out")
			case strings.HasPrefix(fact.Field, "about.held-out"):
				_, after, _ := strings.Cut(fact.Source, "steps.csv: ")
				ids, _, _ = strings.Cut(after, ";")
			default:
				continue
			}
			for id := range strings.SplitSeq(ids, ", ") {
				s := of(id)
				if s.scenario.Training.Stack != stack || s.Fitted != wantFitted {
					t.Errorf("%s, %s: step %s is of %s, fitted %t", stack, fact.Field, id, s.scenario.Training.Stack, s.Fitted)
				}
				if strings.HasPrefix(fact.Field, "about.held-out") {
					held++
				} else {
					fitted++
				}
			}
		}
		if fitted == 0 || held < fitted/2 {
			t.Errorf("%s: %d steps are fitted and %d held out", stack, fitted, held)
		}
	}
}

// A fitted step is not among those that are scored, and steps with experts stand apart.
func TestStepsOfAStackAreScoredIfTheyGaveItNoFigure(t *testing.T) {
	step := func(id string, stack scenario.Stack, fitted, experts bool) *predictedStep {
		p := &predictedStep{publishedStep: &publishedStep{ID: id, Fitted: fitted, Scored: !fitted, experts: experts}}
		p.scenario.Training.Stack = stack
		return p
	}
	got := byStack([]*predictedStep{
		step("a", scenario.NeMo, true, false), step("b", scenario.NeMo, false, false), step("c", scenario.NeMo, false, true), step("d", scenario.Megatron, true, false), step("e", "", false, false),
	})
	var names []string
	for _, s := range got {
		for _, p := range s.held {
			names = append(names, s.name()+": "+p.ID)
		}
	}
	if want := []string{"nemo: b", "nemo, with experts: c"}; !slices.Equal(names, want) {
		t.Errorf("scored are %q, want %q", names, want)
	}
}
