package contest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// A field that is in no property would be a difference that no test takes away.
func TestEachFieldOfAFabricIsInOneProperty(t *testing.T) {
	where := map[string]string{}
	for _, name := range labels {
		where[name] = "a label"
	}
	for _, p := range properties {
		for _, field := range p.fields {
			if other, twice := where[field]; twice {
				t.Errorf("%s is in %q and in %q", field, other, p.name)
			}
			where[field] = p.name
		}
	}
	used := map[string]bool{}
	for _, field := range scenario.FabricFields() {
		found := ""
		for at := field; at != ""; at = at[:max(0, strings.LastIndex(at, "."))] {
			if _, ok := where[at]; ok {
				found = at
			}
		}
		if found == "" {
			t.Errorf("%s is in no property: add it to properties.go, or to labels here with a reason", field)
		}
		used[found] = true
	}
	for field := range where {
		if !used[field] {
			t.Errorf("%s is no field of a fabric", field)
		}
	}
}

// tested simulates a scenario and tests its leads.
func tested(t *testing.T, text string, seeds int) (*results.Results, *results.Contest) {
	t.Helper()
	r := simtest.Resolve(t, text)
	o := sim.Options{Workers: 1, Seeds: seeds}
	outcome, err := sim.Run(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome, Test(t.Context(), sim.Run, r, outcome, o)
}

// Two fabrics that differ in one value: the value is the reason, and its step is the whole lead.
func TestTheOnlyDifferenceIsTheReason(t *testing.T) {
	for _, c := range []struct{ slower, want string }{
		{"switch: {model: sn5600, latency: 2us}", "switch latency"},
		{"link: {generation: 400g, fec-latency: 1us}", "FEC and cables"},
		{"headers: 500", "headers"},
		{"host: {path: gpudirect-rdma, post: 2us}", "host software"},
		{"mtu: 256B", "packet size"},
		{"link: {generation: 400g, lanes: 2}", "link rate"},
	} {
		_, got := tested(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
workload: {pattern: permutation, sizes: [32KiB]}
fabrics: [roce-v2-400g, {preset: roce-v2-400g, name: slow, `+c.slower+`}]
`, 1)
		if got == nil || len(got.Trials) != 1 {
			t.Errorf("%s: %+v, want one trial", c.slower, got)
			continue
		}
		trial := got.Trials[0]
		cause, found := trial.Cause()
		if !found || cause.Property != c.want || trial.Slower != "slow" {
			t.Errorf("%s: the reason is %+v (found: %v), want %s; %+v", c.slower, cause, found, c.want, trial)
		}
	}
}

// The steps are taken from one fabric to the other, so they add up to the lead in both orders.
func TestStepsAddUpToTheLead(t *testing.T) {
	_, got := tested(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: rail-optimised}
workload: {collective: all-reduce, sizes: [64KiB, 4MiB]}
fabrics: [infiniband-ndr, {preset: roce-v2-400g, switch: {model: sn5600, latency: 900ns}}]
`, 1)
	if got == nil || len(got.Trials) == 0 {
		t.Fatalf("%+v: want a trial", got)
	}
	for _, trial := range got.Trials {
		for _, order := range [][]results.Swap{trial.Steps, trial.Reverse} {
			sum := int64(0)
			for _, s := range order {
				sum += s.EffectPs
			}
			if sum != trial.Lead() || len(order) < 3 {
				t.Errorf("at %d B the steps %+v add up to %d ps, the lead is %d ps", trial.Bytes, order, sum, trial.Lead())
			}
		}
	}
}

// The slower fabric takes the faster one's ordering, and the lead is gone: more credit stalls are no
// reason (a pod whose rails are one leaf each, where adaptive routing has nothing to choose).
func TestTheOrderingOfMessagesIsTheReasonOnAPodOfOneLeafARail(t *testing.T) {
	_, got := tested(t, `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: rail-optimised, radix: 64}
workload: {collective: all-reduce, sizes: [16MiB]}
fabrics: [infiniband-ndr, {preset: infiniband-ndr, name: no fence, nic: {fence: none}}]
`, 1)
	if got == nil || len(got.Trials) != 1 {
		t.Fatalf("%+v, want one trial", got)
	}
	if cause, found := got.Trials[0].Cause(); !found || cause.Property != "ordering of adaptive delivery" {
		t.Errorf("the reason is %+v: %+v", cause, got.Trials[0])
	}
}

// Readings are simulated with the seeds of the run, one for each end of a range.
func TestReadingsAreSimulatedWithTheSeedsOfTheRun(t *testing.T) {
	_, got := tested(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
workload: {pattern: permutation, sizes: [4KiB]}
fabrics: [infiniband-ndr, roce-v2-400g]
run: {jitter: true}
`, 3)
	if got == nil {
		t.Fatal("there is no contest")
	}
	at := slices.IndexFunc(got.Readings, func(x results.Reading) bool {
		return x.Fabric == "roce-v2-400g" && x.Path == "switch.latency" && x.Value == "300ns"
	})
	if at < 0 || got.Readings[at].Own != "500ns" || len(got.Readings[at].TimesPs) != 3 || got.Readings[at].Source == "" {
		t.Errorf("%+v: want RoCE's switch at 300 ns with three seeds", got.Readings)
	}
}

// Equal fabrics have no lead, so nothing is tested.
func TestEqualFabricsHaveNoTrial(t *testing.T) {
	_, got := tested(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
workload: {pattern: permutation, sizes: [4KiB]}
fabrics: [infiniband-ndr, {preset: infiniband-ndr, name: again}]
`, 1)
	if got != nil {
		t.Errorf("%+v: want nothing", got)
	}
}

// What cannot be tested is said, and is no test without a lead: faults, and tests that are stopped.
func TestWhatIsNotTestedIsSaid(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [roce-v2-400g, {preset: roce-v2-400g, name: slow, switch: {model: sn5600, latency: 2us}}]
workload: {pattern: permutation, sizes: [64KiB]}`
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for want, c := range map[string]struct {
		ctx  context.Context
		more string
	}{
		"":            {t.Context(), ""},
		"with faults": {t.Context(), "\nfaults: [{at: 1ms, link: switch port 1}]"},
		"(stopped)":   {stopped, ""},
	} {
		r := simtest.Resolve(t, text+c.more)
		o := sim.Options{Workers: 1, Seeds: 3}
		outcome, err := sim.Run(t.Context(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		got := Test(c.ctx, sim.Run, r, outcome, o)
		if got == nil || got.NotTested != want || (want == "") != (len(got.Trials) > 0) {
			t.Errorf("%q: %+v", want, got)
		}
	}
}

// A size at which the seeds show no lead ends a range: the leads before and behind it are two, and each has its test.
func TestASizeWithoutALeadEndsARange(t *testing.T) {
	r := &results.Results{Fabrics: make([]results.FabricResult, 2)}
	for i, slower := range []int64{110, 101, 120} {
		for f, us := range []int64{100, slower} {
			p := results.Point{Bytes: int64(1) << (10 + i), Time: units.Time(us) * units.Microsecond, Seeds: &results.Seeds{}}
			for k := range int64(5) {
				p.Seeds.TimesPs = append(p.Seeds.TimesPs, us*1e6+k*1e3)
			}
			r.Fabrics[f].Points = append(r.Fabrics[f].Points, p)
		}
	}
	chosen, left := decisive(r)
	if len(chosen) != 2 || chosen[0].point != 0 || chosen[1].point != 2 || len(left) != 0 {
		t.Errorf("%+v are tested and %v are not, want the leads at the first size and at the last", chosen, left)
	}
}

// labels are the fields that name a fabric's parts and change nothing.
var labels = []string{"preset", "name", "link.generation", "nic.model", "switch.model"}
