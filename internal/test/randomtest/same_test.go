package randomtest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/protocol"
	"weft/internal/test/randomtest"
	"weft/results"
	"weft/scenario"
)

// ways are ways to run a scenario that give the same results.
var ways = []struct {
	name    string
	options sim.Options
}{
	{"on one core, every period simulated", sim.Options{Workers: 1, Exact: sim.ExactOff}},
	{"on one core again", sim.Options{Workers: 1, Exact: sim.ExactOff}},
	{"on one core", sim.Options{Workers: 1}},
	{"on two cores, in two parts", sim.Options{Workers: 2}},
	{"on three cores, in three parts", sim.Options{Workers: 3}},
}

// There are 500 scenarios, of which each commit has the next part.
const (
	scenarios = 500
	part      = 25
)

// mostEvents bounds the simulation of a scenario, mostSteady of a steady one: 500 take some minutes.
const (
	mostEvents = 400_000
	mostSteady = 2_000_000
)

// Every way to run a scenario gives the same bytes of results, or the same error. Invariants,
// conservation of packets among them, are checked in each run; a breach is an error that nothing
// excuses. WEFT_RANDOM=0-499 tries all scenarios, WEFT_RANDOM=17,21 two.
func TestEveryWayToRunGivesTheSameResults(t *testing.T) {
	for _, seed := range turn(t) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			s, most := randomtest.New(seed), int64(mostEvents)
			if s.Steady {
				most = mostSteady
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("WEFT_RANDOM=%d go test ./internal/test/randomtest -run GivesTheSame -count=1\n%s", seed, s.Text)
				}
			})
			var first []byte
			var series []*results.Series
			for i, way := range ways {
				var own []*results.Series
				if seed%2 == 0 {
					way.options.Series = func(s *results.Series) { own = append(own, s) }
				}
				got, err := outcome(t, s.Resolved, way.options, most)
				if i == 0 {
					series = own
				} else if err == nil {
					sameSeries(t, way.name, own, series)
				}
				switch {
				case i > 0 && !bytes.Equal(got, first):
					t.Errorf("%s:\n%s\n%s:\n%s", ways[0].name, first, way.name, got)
				case i == 0:
					first = got
					if err != nil && !mayFail(s.Resolved) {
						t.Errorf("want a run without an error: %v", err)
					}
				}
			}
			if s.Calm && !seeded(s.Resolved) {
				other := *s.Resolved
				other.Run.Seed++
				got, _ := outcome(t, &other, ways[0].options, most)
				if !bytes.Equal(got, first) {
					t.Errorf("a calm scenario draws nothing, and depends on its seed:\n%s\n%s", first, got)
				}
			}
		})
	}
}

// sameSeries compares the series of a way to run a scenario with those of the first way.
func sameSeries(t *testing.T, way string, got, want []*results.Series) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d series, %s: %d", way, len(got), ways[0].name, len(want))
		return
	}
	for i := range want {
		if table := got[i].Difference(want[i]); table != "" {
			t.Errorf("%s: the rows of %s in series %d differ from those of %s", way, table, i, ways[0].name)
		}
	}
}

// Some steady scenarios skip periods: else the test above would compare equal ways.
func TestSomeSteadyScenariosSkipPeriods(t *testing.T) {
	const asked, least = 40, 4
	ran, skipped := 0, 0
	for seed := uint64(0); ran < asked && skipped < least; seed++ {
		s := randomtest.New(seed)
		if !s.Steady {
			continue
		}
		ran++
		results, err := sim.Run(t.Context(), s.Resolved, sim.Options{Workers: 1})
		if err != nil && !mayFail(s.Resolved) {
			t.Errorf("%d: %v", seed, err)
		}
		if results != nil && results.Skipped().Periods > 0 {
			skipped++
		}
	}
	if skipped < least {
		t.Errorf("%d of %d steady scenarios skip periods, want at least %d", skipped, asked, least)
	}
}

// turn is the seeds of this commit, or those of WEFT_RANDOM.
func turn(t *testing.T) (seeds []uint64) {
	t.Helper()
	if asked := os.Getenv("WEFT_RANDOM"); asked != "" {
		for numbers := range strings.SplitSeq(asked, ",") {
			seeds = append(seeds, between(t, numbers)...)
		}
		return seeds
	}
	first := uint64(0)
	if text, err := exec.Command("git", "rev-list", "--count", "HEAD").Output(); err == nil {
		commits, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		first = commits * part % scenarios
	}
	for seed := first; seed < first+part; seed++ {
		seeds = append(seeds, seed%scenarios)
	}
	return seeds
}

// between is the number that a text has, or all from the first to the last of two.
func between(t *testing.T, text string) (seeds []uint64) {
	t.Helper()
	from, to, several := strings.Cut(text, "-")
	if !several {
		to = from
	}
	first, bad := strconv.ParseUint(from, 10, 64)
	last, worse := strconv.ParseUint(to, 10, 64)
	if bad != nil || worse != nil || last < first {
		t.Fatalf("WEFT_RANDOM has %q: want numbers, and two such as 0-499 for all between, with commas", text)
	}
	for seed := first; seed <= last; seed++ {
		seeds = append(seeds, seed)
	}
	return seeds
}

// outcome is the bytes of the results, without the seed, and the text of the error. most bounds the events.
func outcome(t *testing.T, r *scenario.Resolved, o sim.Options, most int64) ([]byte, error) {
	t.Helper()
	results, failed := sim.Run(t.Context(), r, o)
	if results == nil {
		t.Fatalf("the scenario is refused: %v", failed)
	}
	for _, p := range results.Fabrics[0].Points {
		if p.Counts.Events > most {
			t.Errorf("%d events, want at most %d", p.Counts.Events, most)
		}
	}
	results.Seed = 0
	text, err := results.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Append(text, failed), failed
}

// seeded reports whether the seed has an influence before a run: on the messages of a pattern, or on
// the paths of connections by their hash.
func seeded(r *scenario.Resolved) bool {
	f := &r.Fabrics[0]
	hashed := protocol.Of(f.Kind).Ethernet() && f.Topology.Shape != scenario.SingleSwitch
	return hashed || r.Workload.Pattern != "" && r.Workload.Pattern != scenario.Flows
}

// mayFail reports whether messages of a scenario may not arrive.
func mayFail(r *scenario.Resolved) bool {
	f := &r.Fabrics[0]
	pfc := &f.Ethernet.PFC
	unordered := protocol.Of(f.Kind).Unordered // a packet that is dropped or trimmed again and again ends its queue pair
	drops := protocol.Of(f.Kind).Ethernet() && !pfc.Enabled
	return unordered || drops || len(r.Faults) > 0 || f.Link.HasErrors() || len(pfc.Receivers) > 0 || len(pfc.Stops) > 0
}
