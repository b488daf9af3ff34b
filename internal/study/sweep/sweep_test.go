package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/ledger"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

const grid = `name: grid
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB, 64KiB]}
sweep:
  axes:
    - {path: cluster.nodes, values: [2, 4, 3]}
    - {path: workload.algorithm, values: [ring, tree]}
  seeds: 2
`

func folder(t *testing.T, text, dir string) *Folder {
	t.Helper()
	f, err := Create(dir, []byte(text), About{Weft: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sweepAll(t *testing.T, f *Folder, o Options) {
	t.Helper()
	if o.Run == nil {
		o.Run = sim.Run
	}
	o.Worker = "w"
	if _, err := f.Work(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// table is the bytes of the tables of a folder.
func table(t *testing.T, f *Folder) (parquet, csv []byte) {
	t.Helper()
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := errors.Join(rows.WriteParquet(), rows.WriteCSV(&b)); err != nil {
		t.Fatal(err)
	}
	parquet, err = os.ReadFile(filepath.Join(f.Dir, TableFile))
	if err != nil {
		t.Fatal(err)
	}
	return parquet, b.Bytes()
}

func TestVariantsAreAllCombinationsInTheOrderOfTheAxes(t *testing.T) {
	s := folder(t, grid, t.TempDir()).Space
	if s.Len() != 3*2*2*2*2 {
		t.Fatalf("%d variants, want 48", s.Len())
	}
	for i, want := range map[int]string{
		0: "2 ring infiniband-ndr 1KiB 1", 1: "2 ring infiniband-ndr 1KiB 2", 2: "2 ring infiniband-ndr 64KiB 1",
		4: "2 ring roce-v2-400g 1KiB 1", 8: "2 tree infiniband-ndr 1KiB 1", 16: "4 ring infiniband-ndr 1KiB 1", 47: "3 tree roce-v2-400g 64KiB 2",
	} {
		v := s.Variant(i)
		got := strings.Join(append(slices.Clone(v.Values), v.Fabric, v.Size.Exact(), string('0'+rune(v.Seed))), " ")
		if got != want {
			t.Errorf("variant %d is %s, want %s", i, got, want)
		}
	}
}

func TestTheTableIsTheSameForAnyCoresAndInterruptions(t *testing.T) {
	one := folder(t, grid, t.TempDir())
	sweepAll(t, one, Options{Workers: 1})
	want, text := table(t, one)
	if bytes.Count(text, []byte(",ok,")) != 48 {
		t.Fatalf("not all variants have a result:\n%s", text)
	}
	two := folder(t, grid, t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	var ran atomic.Int32
	runs := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if ran.Add(1) == 20 {
			stop()
		}
		return sim.Run(ctx, r, o)
	}
	if _, err := two.Work(ctx, Options{Run: runs, Workers: 3, Worker: "w"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped sweep gives %v", err)
	}
	before, err := two.Load()
	if err != nil {
		t.Fatal(err)
	}
	missing := before.Counts[Missing]
	if missing < 25 || missing > 48 {
		t.Fatalf("%d variants are missing after 20 of 48 began", missing)
	}
	ran.Store(100)
	sweepAll(t, folder(t, grid, two.Dir), Options{Run: runs, Workers: 2})
	if n := int(ran.Load()) - 100; n != missing {
		t.Errorf("%d variants ran after the interruption, and %d were missing", n, missing)
	}
	if got, _ := table(t, two); !bytes.Equal(got, want) {
		t.Error("the table differs from the table of one core")
	}
}

func TestProcessesShareASweep(t *testing.T) {
	one := folder(t, grid, t.TempDir())
	sweepAll(t, one, Options{Workers: 2})
	want, _ := table(t, one)
	shared := folder(t, grid, t.TempDir())
	var ran atomic.Int32
	count := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		ran.Add(1)
		return sim.Run(ctx, r, o)
	}
	errs := make(chan error)
	for _, worker := range []string{"a", "b", "c"} {
		go func() {
			_, err := folder(t, grid, shared.Dir).Work(t.Context(), Options{Run: count, Workers: 1, Worker: worker, Begin: BeginOf(worker)})
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := ran.Load(); n != 48 {
		t.Errorf("three processes ran %d variants, want each of 48 once", n)
	}
	if got, _ := table(t, shared); !bytes.Equal(got, want) {
		t.Error("the table differs from the table of one process")
	}
}

// Elements of a job may begin a sweep at the same time, and go on with it at once.
func TestProcessesBeginASweepTogether(t *testing.T) {
	for range 20 {
		dir := filepath.Join(t.TempDir(), "swept")
		var wait sync.WaitGroup
		var opened [8]*ledger.Ledger
		for i := range opened {
			wait.Go(func() {
				f, err := Create(dir, []byte(grid), About{Weft: "v1"})
				if err != nil {
					t.Error(err)
					return
				}
				l, err := ledger.Open(f.Dir, strconv.Itoa(i))
				if err != nil {
					t.Error(err)
					return
				}
				opened[i] = l
			})
		}
		wait.Wait()
		if _, err := Open(dir, "v1"); err != nil {
			t.Error(err)
		}
		for _, l := range opened { // its sign of life is written into the folder, which the test removes
			if l != nil && l.Close() != nil {
				t.Error("a ledger does not close")
			}
		}
	}
}

func TestAVariantThatFailsHasItsErrorAndTheOthersGoOn(t *testing.T) {
	const text = `cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB]}
sweep:
  axes:
    - {path: topology.radix, values: [4, 64]}
    - {path: run.limit.events, name: events, values: [10, 1000000]}
    - {path: run.seed, values: [1, 7]}
`
	f := folder(t, text, t.TempDir())
	defects := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if r.Run.Seed == 7 && r.Run.Limit.Events > 10 {
			panic("an invented defect")
		}
		return sim.Run(ctx, r, o)
	}
	sweepAll(t, f, Options{Run: defects, Workers: 2})
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		status Status
		why    string
	}{
		{Invalid, "topology.radix=4"},
		{Invalid, "4-port"},
		{Invalid, ""},
		{Invalid, ""},
		{Failed, "10 events"},
		{Failed, "10 events"},
		{OK, ""},
		{Failed, "a defect of weft, please report it: an invented defect"},
	} {
		line, err := rows.Line(i)
		if err != nil || line.Status != want.status || !strings.Contains(line.Error, want.why) {
			t.Errorf("variant %d is %s (%s), want %s (… %s …); %v", i, line.Status, line.Error, want.status, want.why, err)
		}
	}
}

func TestTheCommandOfARowMakesItAgain(t *testing.T) {
	f := folder(t, grid, t.TempDir())
	sweepAll(t, f, Options{Workers: 2})
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 13, 30, 47} {
		line, err := rows.Line(i)
		if err != nil {
			t.Fatal(err)
		}
		words := f.Command(i, filepath.Join(f.Dir, ScenarioFile))
		file, err := scenario.Load(words[2])
		if err != nil {
			t.Fatal(err)
		}
		var set []scenario.Override
		fabric := ""
		for k := 3; k < len(words); k += 2 {
			switch path, value, _ := strings.Cut(words[k+1], "="); words[k] {
			case "--fabric":
				fabric = words[k+1]
			case "--set":
				set = append(set, scenario.Override{Path: path, Value: value, Origin: "--set"})
			}
		}
		r, err := file.Resolve(set...)
		if err != nil {
			t.Fatal(err)
		}
		r.Fabrics = slices.DeleteFunc(r.Fabrics, func(f scenario.Fabric) bool { return f.Name != fabric })
		results, err := sim.Run(t.Context(), r, sim.Options{})
		if again := rowOf(r, results, err); !slices.Equal(again.Values, line.Row.Values) {
			t.Errorf("%v gives %v, and the row has %v", words, again.Values, line.Row.Values)
		}
	}
}

func TestTooManyVariantsAreRefusedWithTheirCount(t *testing.T) {
	const text = `cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {sizes: [1MiB]}
sweep:
  axes:
    - {path: "fabrics[0].link.fec-latency", name: a, from: 1ns, to: 1us, points: 1000}
    - {path: "fabrics[0].switch.latency", name: b, from: 1ns, to: 1us, points: 1000}
    - {path: "fabrics[0].topology.cables.node-leaf", name: c, from: 1m, to: 100m, points: 1000}
`
	_, err := Plan(t.TempDir(), []byte(text), About{})
	if err == nil || !strings.Contains(err.Error(), "these are 1000000000 variants") {
		t.Errorf("10^9 variants give %v", err)
	}
}

func TestConditionsLeaveCombinationsOut(t *testing.T) {
	with := func(where string) (*Folder, error) {
		return Plan(t.TempDir(), []byte(grid+"  where: ['"+where+"']\n"), About{})
	}
	for where, want := range map[string]int{
		`nodes <= 3`: 32, `algorithm == "ring" or nodes == 2`: 32, `size < quantity("4KiB") and fabric != "roce-v2-400g"`: 12, `seed == 2`: 24,
	} {
		f, err := with(where)
		if err != nil || f.Space.Len() != want {
			t.Errorf("%s: %v, want %d variants", where, err, want)
		}
	}
	for where, want := range map[string]string{
		`nodes > 4`: "none of the 48 variants", `knodes > 4`: "unknown name knodes", `nodes + 1`: "is no condition", `size < quantity("4Kb")`: "is no quantity",
	} {
		if _, err := with(where); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "sweep.yaml:1") {
			t.Errorf("%s: %v, want … %s … with its place", where, err, want)
		}
	}
}

// Drawn points fill the space: each of n equal parts of an axis has one point of a Latin hypercube.
func TestDrawnPointsFillTheSpace(t *testing.T) {
	for _, method := range []string{"latin-hypercube", "halton"} {
		text := strings.Replace(grid, "  seeds: 2", "    - {path: 'fabrics[1].switch.latency', from: 1us, to: 101us, scale: linear, step: 1ps}\n  samples: 50\n  method: "+method, 1)
		f, err := Plan(t.TempDir(), []byte(text), About{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Space.Len() != 200 {
			t.Errorf("%s: %d variants, want 50 points on 2 fabrics with 2 sizes", method, f.Space.Len())
		}
		parts, nodes := map[int]bool{}, map[string]int{}
		for i := 0; i < 200; i += 4 {
			v := f.Space.Variant(i)
			x, ok := f.Space.Axes[2].Number(v.Values[2])
			if !ok {
				t.Fatal(v.Values)
			}
			parts[int((x-1e6)/2e6)] = true
			nodes[v.Values[0]]++
		}
		least := 50
		if method == "halton" {
			least = 40
		}
		if len(parts) < least {
			t.Errorf("%s: 50 points are in %d of 50 parts of the range, want %d", method, len(parts), least)
		}
		for value, n := range nodes {
			if n < 14 || n > 19 {
				t.Errorf("%s: %d of 50 points have %s nodes, want a third", method, n, value)
			}
		}
	}
}

func TestAnotherSweepOrVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	folder(t, grid, dir)
	for want, about := range map[string]About{
		"holds another sweep":                         {Weft: "v1", Set: []string{"sweep.seeds=3"}},
		"has results of weft v1, and this is weft v2": {Weft: "v2"},
	} {
		if _, err := Create(dir, []byte(grid), about); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "another folder") {
			t.Errorf("%v, want … %s … and the way out", err, want)
		}
	}
	if _, err := Open(dir, "v2"); err == nil || !strings.Contains(err.Error(), "run it with that version") {
		t.Errorf("opened by another version: %v", err)
	}
	if _, err := Open(t.TempDir(), "v1"); err == nil {
		t.Error("an empty folder is opened as a sweep")
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(other, []byte(grid), About{}); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("a folder of something else: %v", err)
	}
}

func TestSimulationsShareTheMemory(t *testing.T) {
	f := folder(t, grid, t.TempDir())
	r, err := f.Space.Resolve(f.Space.file, &Variant{Values: []string{"4", "ring"}, Fabric: "infiniband-ndr", Size: units.KiB, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	need := r.Estimate().Memory
	var used, most atomic.Int64
	run := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		now := used.Add(int64(r.Estimate().Memory))
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		defer used.Add(-int64(r.Estimate().Memory))
		return sim.Run(ctx, r, o)
	}
	sweepAll(t, f, Options{Run: run, Workers: 8, Memory: 2 * need})
	if got := units.Bytes(most.Load()); got > 2*need {
		t.Errorf("simulations took %s at the same time, of %s", got, 2*need)
	}
	small := folder(t, grid, t.TempDir())
	end, err := small.Work(t.Context(), Options{Run: sim.Run, Workers: 2, Memory: need - 1, Worker: "w"})
	if err != nil || end.TooLarge != 16 || end.Done != 32 {
		t.Errorf("with too little memory for 4 nodes %d variants are too large and %d done, want 16 and 32; %v", end.TooLarge, end.Done, err)
	}
}

func TestEveryQuantityHasItsValue(t *testing.T) {
	var names []scenario.SweepQuantity
	for _, m := range slices.Concat(workloads.measures, servingJobs.measures) {
		names = append(names, m.Name)
	}
	if want := scenario.Values[scenario.SweepQuantity](); !slices.Equal(names, want) {
		t.Errorf("quantities %v, and a sweep can name %v", names, want)
	}
}

const servingGrid = `name: job
cluster: {nodes: 3, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g]
serving:
  model: {layers: 4, hidden: 1024, ffn: 4096, heads: 8, kv-heads: 8, head-dim: 128, vocab: 1000, sequence: 2048}
  prefill: {nodes: 2, tensor: 8}
  decode: {nodes: 1, tensor: 8}
  load: {requests: 10, rate: 10}
sweep:
  axes:
    - {path: serving.prefill.nodes, name: prefill, values: [1, 2, 3]}
    - {path: serving.load.rate, name: rate, values: [10, 1000000]}
    - {path: serving.decode.memory, name: memory, values: [90%, 0.00001%]}
`

// A row of a serving job is the job at its rate. More nodes than there are and less memory than a request needs are
// invalid, and a rate that nothing can answer is unstable.
func TestARowOfAServingJobIsTheJob(t *testing.T) {
	f := folder(t, servingGrid, t.TempDir())
	sweepAll(t, f, Options{Serve: serve.Run, Workers: 2})
	rows, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range rows.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		want := OK
		switch v := line.Variant.Values; {
		case v[0] == "3" || v[2] != "90%":
			want = Invalid
		case v[1] != "10":
			want = Unstable
		}
		if line.Status != want {
			t.Errorf("variant %d, %v, is %s (%s), want %s", line.Number, line.Variant.Values, line.Status, line.Error, want)
		}
	}
	line, err := rows.Line(0)
	if err != nil {
		t.Fatal(err)
	}
	v := line.Variant
	r, err := f.Space.Resolve(f.Space.file.Copy(), &v)
	if err != nil {
		t.Fatal(err)
	}
	job, err := serve.Run(t.Context(), r, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := job.Points[0].Fabrics[0].Run
	first, per := servingJobs.place("first_token_p99_ps"), servingJobs.place("per_token_p50_ps")
	if got := line.Row.Values; int64(got[first]) != run.FirstToken.P99 || int64(got[per]) != run.PerToken.P50 {
		t.Errorf("the row has %v, the job %d and %d", got, run.FirstToken.P99, run.PerToken.P50)
	}
}
