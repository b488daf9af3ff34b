package simai

import (
	"os"
	"strings"
	"testing"

	"weft/internal/formats/source"
	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/units"
)

func readFile(t testing.TB, name string) *source.Workload {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Read(name, f)
}

// Real files are read unmodified, and make a workload that runs.
func TestRealFilesAreRead(t *testing.T) {
	for _, c := range []struct {
		name          string
		ranks, layers int
		groups        int // tensor, data, expert, data of experts
	}{
		{"microAllReduce_dp.txt", 16, 2, 2 + 8},
		{"workload_ep_test.txt", 32, 43, 8 + 4 + 8 + 16},
	} {
		w := readFile(t, c.name)
		if w.Stopped != nil {
			t.Fatal(w.Stopped)
		}
		g := w.Whole()
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		if w.Ranks != c.ranks || len(g.Ranks) != c.ranks || len(g.Groups) != c.groups {
			t.Errorf("%s: %d ranks in %d groups, want %d in %d", c.name, len(g.Ranks), len(g.Groups), c.ranks, c.groups)
		}
		computes := 0
		for _, o := range g.Ranks[0] {
			if o.Kind == workload.Compute && o.Stream == computing {
				computes++
			}
		}
		if computes != 3*c.layers {
			t.Errorf("%s: a rank computes %d times, want %d", c.name, computes, 3*c.layers)
		}
	}
}

// The groups of 16 ranks: two ranks in a tensor group, four in an expert group.
func TestGroupsAreSimAIs(t *testing.T) {
	h := &header{tensor: 2, expert: 4, gpus: 16}
	for f, want := range map[family]struct {
		groups int
		last   []int32
	}{
		tensor:     {8, []int32{14, 15}},
		data:       {2, []int32{1, 3, 5, 7, 9, 11, 13, 15}},
		expert:     {4, []int32{9, 11, 13, 15}},
		dataExpert: {8, []int32{7, 15}},
	} {
		got := h.groups(f)
		last := got[len(got)-1]
		if len(got) != want.groups || len(last) != len(want.last) {
			t.Fatalf("%s: %v", familyNames[f], got)
		}
		for i := range last {
			if last[i] != want.last[i] {
				t.Errorf("%s: the last is %v, want %v", familyNames[f], last, want.last)
			}
		}
	}
}

// Two layers by hand: 556 us forward each with an all-reduce, then backward; the
// all-reduces of the weights overlap with what follows.
func TestWeightGradientsOverlapAndTheOthersHoldUp(t *testing.T) {
	w := readFile(t, "microAllReduce_dp.txt")
	took := map[units.Bytes]units.Time{16 * units.MiB: 100 * units.Microsecond, 64 * units.MiB: 300 * units.Microsecond, 128 * units.MiB: 500 * units.Microsecond}
	line, err := workload.Replay(w.Folded.Graph, func(phase int32, _ int) units.Time { return took[w.Folded.Phases[phase].Bytes[0]] })
	if err != nil {
		t.Fatal(err)
	}
	// Forward 2 × (556 + 100) us; backward 4 × 1 ns; the all-reduce of the second
	// layer's weights begins after 2 ns of it, and the first's waits for it; the update
	// takes 1 ns.
	want := 2*656*units.Microsecond + 2*units.Nanosecond + 800*units.Microsecond + units.Nanosecond
	if line.End != want {
		t.Errorf("it takes %v, want %v", line.End, want)
	}
	if p := w.Folded.Phases[0]; p.Do != collective.AllReduce || p.Purpose != workload.Tensor || len(p.Groups) != 2 {
		t.Errorf("the first phase is %+v", p)
	}
}

// The files of AICB's workload/simAI say tensor groups and no number of ranks; SimAI takes it from its topology.
func TestAFileWithoutANumberOfRanksTakesTheClusters(t *testing.T) {
	const text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 checkpoints: 0 checkpoint_initiates: 0\n2\n" +
		"norm\t-1\t0\tBROADCAST\t16384\t1\tNONE\t0\t1\tREDUCESCATTER\t1048576\t100\n" +
		"block\t-1\t7\tALLREDUCE\t33554432\t7\tNONE\t0\t1\tNONE\t0\t100\n"
	w := Read("w.txt", strings.NewReader(text))
	if w.Stopped != nil || w.Sized == nil {
		t.Fatalf("%v, want a workload of any number of ranks", w.Stopped)
	}
	if p := w.Sized(12); p == nil || !strings.Contains(p.Error(), "whose GPUs, 12, are a multiple of model_parallel_NPU_group times ep, 8") {
		t.Errorf("12 GPUs: %v", p)
	}
	if p := w.Sized(24); p != nil {
		t.Fatal(p)
	}
	if err := w.Whole().Check(); err != nil {
		t.Fatal(err)
	}
	groups := map[collective.Op]int{}
	for _, p := range w.Folded.Phases {
		groups[p.Do] = len(p.Groups)
	}
	if w.Ranks != 24 || groups[collective.Broadcast] != 3 || groups[collective.AllReduce] != 3 || groups[collective.ReduceScatter] != 8 {
		t.Errorf("%d ranks, groups %v, want 24 in 3 tensor groups and 8 data groups", w.Ranks, groups)
	}
	if said := strings.Join(w.Assumptions, "\n"); !strings.Contains(said, "all 24 GPUs of the cluster") || strings.Contains(said, "all 8 GPUs") {
		t.Error(said)
	}
	if w := readFile(t, "microAllReduce_dp.txt"); w.Sized != nil {
		t.Error("a file that says its ranks takes the cluster's")
	}
}

// A list of collectives (AICB, workload/simAI/micro_test): each is of all ranks and begins after the one before.
func TestAListOfCollectivesIsOneAfterAnother(t *testing.T) {
	w := Read("w.txt", strings.NewReader("MICRO\n2\nmicro_test\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t4096\t1\nmicro_test\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLTOALL\t8192\t1\n"))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if p := w.Sized(16); p != nil {
		t.Fatal(p)
	}
	for i, want := range []units.Bytes{4096, 8192} {
		if p := &w.Folded.Phases[i]; p.Bytes[0] != want || len(p.Groups) != 1 || len(p.Groups[0]) != 16 {
			t.Errorf("phase %d is %+v, want %v of all 16 ranks", i, p, want)
		}
	}
	line, err := workload.Replay(w.Folded.Graph, func(phase int32, _ int) units.Time { return units.Time(phase+1) * units.Microsecond })
	if want := 3*units.Microsecond + 2*units.Nanosecond; err != nil || line.End != want {
		t.Errorf("it takes %v, want %v: %v", line.End, want, err)
	}
}

// What AICB's generators write beside the ranks: an inference, and the groups of a list of all-reduces.
func TestTheKeysOfAICBAreKnown(t *testing.T) {
	const rows = "1\na -1 1 ALLREDUCE 64 0 NONE 0 0 NONE 0 1\n"
	for _, head := range []string{
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8 mode: 1 vpp: 1 ga: 1 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n",
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 2      expert_parallel_npu_group: 2 pp: 1      ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n",
	} {
		if w := Read("w.txt", strings.NewReader(head+rows)); w.Stopped != nil || w.Ranks != 8 || w.Sized != nil {
			t.Errorf("%s: %v, %d ranks", head, w.Stopped, w.Ranks)
		}
	}
}

func TestAFileIsRecognisedByItsWayOfParallelism(t *testing.T) {
	for text, want := range map[string]bool{
		"MICRO\n19\nmicro_test": true, "DATA\n2\n": true, "HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n": true,
		"DATA\nrank size\n": false, "MICRO": false, "num_ranks 4\n2\n": false, "": false,
	} {
		if Recognise([]byte(text)) != want {
			t.Errorf("%q is a SimAI workload: %v, want %v", text, !want, want)
		}
	}
}

// Every mistake is reported with its line.
func TestAMistakeHasItsPlace(t *testing.T) {
	const head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 ga: 1 all_gpus: 4\n"
	const row = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "expected a line with the way of parallelism"},
		{"another way", "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 2\n", `w.txt:1: "HYBRID_DLRM": expected one of the ways`},
		{"groups of all ranks", "MICRO model_parallel_NPU_group: 2\n", "whose collectives are of all ranks"},
		{"a foreign key", strings.Replace(head, "ga:", "xx:", 1), `w.txt:1: "xx": expected model_parallel_NPU_group`},
		{"a key twice", strings.Replace(head, "ga:", "ep:", 1), "each key once"},
		{"indivisible", strings.Replace(head, "group: 2", "group: 3", 1), `w.txt:1: "3": expected a model_parallel_NPU_group that divides all_gpus, 4`},
		{"checkpoints", strings.Replace(head, "ga: 1", "checkpoints: 3", 1), "weft does not recompute"},
		{"no number", head + "many\n", `w.txt:2: "many": expected the number of layers`},
		{"cut", head + "2\n" + row, "w.txt:3: expected 2 layers as the second line announces, but the file ends after 1"},
		{"cut in a line", head + "1\n" + row[:12], "a layer of 12 words"},
		{"another collective", head + "1\n" + strings.Replace(row, "NONE", "ALLREDUCEALLTOALL", 1), `"ALLREDUCEALLTOALL": expected NONE`},
		{"a size below 0", head + "1\n" + strings.Replace(row, "NONE 0", "ALLREDUCE -8", 1), `w.txt:3: "-8": expected a number of bytes`},
	} {
		w := Read("w.txt", strings.NewReader(c.text))
		if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, w.Stopped, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"microAllReduce_dp.txt", "workload_ep_test.txt"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := Read("f", strings.NewReader(text))
		if w.Folded == nil || w.Ranks > 1<<10 {
			return
		}
		if err := w.Folded.Graph.Check(); err != nil {
			t.Fatal(err)
		}
		if len(w.Folded.Graph.Ranks[0])*w.Ranks < 1<<16 {
			if err := w.Whole().Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
