package replay

import (
	"context"
	"strings"
	"testing"

	"weft/internal/formats"
	"weft/internal/formats/source"
	"weft/internal/test/simtest"
	"weft/results"
)

// twoLayers is a list whose collectives do not overlap, so that the sum of its phases is exact.
const twoLayers = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 2 pp: 1 ga: 1 all_gpus: 32
2
attention -1 5000 ALLREDUCE 1048576 1 NONE 0 1 NONE 0 1
moe -1 7000 ALLTOALL_EP 2097152 1 ALLTOALL_EP 2097152 1 NONE 0 1
`

func read(t *testing.T, text string) *source.Workload {
	t.Helper()
	w, _, err := formats.Read([]source.File{{Name: "two.txt", Reader: strings.NewReader(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	return w
}

func replay(t *testing.T, w *source.Workload, whole bool) *results.ReplayFabric {
	t.Helper()
	out, err := Run(context.Background(), simtest.Resolve(t, simtest.FourNodes), w, Options{Whole: whole})
	if err != nil {
		t.Fatal(err)
	}
	return &out.Fabrics[0]
}

// Each distinct phase is simulated once. The whole takes as long as with --whole.
func TestAWorkloadPutTogetherFromPhasesTakesAsLong(t *testing.T) {
	w := read(t, twoLayers)
	folded, whole := replay(t, w, false), replay(t, w, true)
	if folded.Simulated != 2 || folded.Communications != 3 || whole.Simulated != 0 {
		t.Errorf("%d phases for %d communications, and %d, want 2 for 3, and none", folded.Simulated, folded.Communications, whole.Simulated)
	}
	if d := float64(folded.TimePs-whole.TimePs) / float64(whole.TimePs); d > 0.01 || d < -0.01 {
		t.Errorf("%d ps from phases, %d as it comes", folded.TimePs, whole.TimePs)
	}
	for i, k := range folded.Kinds {
		if e := whole.Kinds[i]; k.Kind != e.Kind || k.Count != e.Count || k.Bytes != e.Bytes {
			t.Errorf("kind %d is %+v from phases, %+v as it comes", i, k, e)
		}
	}
	for _, f := range []*results.ReplayFabric{folded, whole} {
		if sum := f.ComputingPs + f.ExposedPs + f.WaitingPs + f.IdlePs; sum > f.TimePs || sum < f.TimePs-4 {
			t.Errorf("the parts sum to %d ps of %d", sum, f.TimePs)
		}
	}
}

// The cluster's own workload, such as a pattern of SENDs with few posted receives, is none of the replay's.
func TestThePatternOfTheClusterIsNotTheWorkloads(t *testing.T) {
	const pattern = "workload: {pattern: uniform, transport: rc, operation: send, receive-queue: 4, repost: 5us, load: 30%, duration: 200us, sizes: [2KiB]}\n"
	w := read(t, twoLayers)
	out, err := Run(context.Background(), simtest.Resolve(t, simtest.FourNodes+pattern), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Fabrics[0].TimePs, replay(t, w, false).TimePs; got != want {
		t.Errorf("beside a pattern it takes %d ps, want %d", got, want)
	}
}

// More ranks than GPUs are refused, with both numbers.
func TestMoreRanksThanGPUsAreRefused(t *testing.T) {
	w := read(t, strings.Replace(twoLayers, "all_gpus: 32", "all_gpus: 64", 1))
	_, err := Run(context.Background(), simtest.Resolve(t, simtest.FourNodes), w, Options{})
	if err == nil || !strings.Contains(err.Error(), "two.txt has 64 ranks, and the cluster 32 GPUs") {
		t.Error(err)
	}
}

// The all-reduces of groups within a node need no tree in switches that reduce.
func TestAllReducesOfANodeMissNoTree(t *testing.T) {
	w := read(t, twoLayers) // its all-reduces are those of a node
	r := simtest.Resolve(t, strings.Replace(simtest.FourNodes, "infiniband-ndr", "{preset: infiniband-ndr, name: sharp, ib: {sharp: true}}", 1))
	if !r.Fabrics[0].IB.SHARP {
		t.Fatal("the fabric does not reduce")
	}
	out, err := Run(context.Background(), r, w, Options{})
	if err != nil || out.Fabrics[0].Reduction.Groups+out.Fabrics[0].Reduction.Without != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}
