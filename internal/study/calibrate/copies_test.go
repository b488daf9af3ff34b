package calibrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// railed is two nodes on rails with a spine, each with a leaf for each of two NICs.
const railed = `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: rail-optimised, radix: 4, oversubscription: 1}
fabric: roce-v2-200g
`

// nixl is the table that nixlbench would print on a cluster with a fault.
func nixl(t *testing.T, cluster, devices string, blocks []int64, fault ...scenario.Override) string {
	t.Helper()
	text := "Device list (--device_list=dev1,dev2,...) : " + devices + "\nInitiator seg type (--initiator_seg_type=[DRAM,VRAM]) : VRAM\nOp type (--op_type=[READ,WRITE]) : WRITE\n" +
		"Block Size (B)      Batch Size     B/W (GB/Sec)   Avg Lat. (us)\n"
	var log strings.Builder
	log.WriteString(text)
	for _, bytes := range blocks {
		fmt.Fprintf(&log, "%d 64 1.0 1.0\n", bytes)
	}
	l, err := logfile.Read("log", strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	c := describe(t, cluster)
	tasks, notes := c.Tasks(l, Options{})
	if len(tasks) != 1 {
		t.Fatalf("notes %v", notes)
	}
	took, err := c.predict(t.Context(), tasks[0], fault, &Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatal(err)
	}
	for i, bytes := range blocks {
		text += fmt.Sprintf("%d 64 %.6f 1.0\n", bytes, float64(bytes)/took[i].Seconds()/1e9)
	}
	return text
}

// Transfers on a sound cluster are healthy. An idle NIC is found, or is among the causes with the same effect.
func TestTheCauseOfSlowTransfersIsFound(t *testing.T) {
	blocks := []int64{4 << 10, 64 << 10, 1 << 20}
	if d := diagnose(t, small, nixl(t, small, "mlx5_0,mlx5_1", blocks), 0); d.Verdict != Healthy {
		t.Errorf("a sound cluster is %s", d.Verdict)
	}
	for _, c := range []struct {
		id, cluster string
		fault       []scenario.Override
	}{
		{"idle-nic", small, []scenario.Override{pairs(1, 2, 0, "the fault")}},
		{"cross-rail", railed, []scenario.Override{pairs(2, 2, 1, "the fault"), {Path: "fabrics[0].routing.hash-seed", Value: "3"}}},
	} {
		log := nixl(t, c.cluster, "mlx5_0,mlx5_1", blocks, c.fault...)
		d := diagnose(t, c.cluster, log, 0)
		known := slices.ContainsFunc(d.Explanations, func(e Explanation) bool { return e.ID == c.id })
		named := len(d.Explanations) > 0 && (d.Explanations[0].ID == c.id || slices.ContainsFunc(d.Alike(), func(e Explanation) bool { return e.ID == c.id }))
		if !known || d.Verdict != Healthy && !named || c.id == "idle-nic" && d.Verdict == Healthy {
			t.Errorf("%s: the verdict is %s, tried %t, named %t", c.id, d.Verdict, known, named)
		}
	}
}

// Blocks so small that each request's own time counts are told, and are no fault.
func TestSmallBlocksAreTold(t *testing.T) {
	d := diagnose(t, small, nixl(t, small, "mlx5_0", []int64{256, 1 << 20}), 0)
	if told := strings.Join(d.Tasks[0].Told, "; "); d.Verdict != Healthy || !strings.Contains(told, "blocks of 256 B reach") || !strings.Contains(told, "larger pages") {
		t.Errorf("%s: %s", d.Verdict, told)
	}
}

// The NICs come from the log, or from the GPUs that it copies from; more than a node has are another cluster's.
func TestTheNICsOfTransfersAreTheLogs(t *testing.T) {
	c := describe(t, small)
	for text, want := range map[string]string{
		"transfer_engine_bench --device_name=mlx5_0,mlx5_1 --block_size=65536\nTest completed: duration 10.00, batch count 100, throughput 10.00 GB/s\n": "over 2 NICs",
		"Test completed: duration 10.00, batch count 100, throughput 10.00 GB/s\n":                                                                       "over 1 NIC of",
		"transfer_engine_bench --device_name=a,b,c --block_size=65536\nTest completed: duration 10.00, batch count 100, throughput 10.00 GB/s\n":         "another cluster than the log's",
	} {
		l, err := logfile.Read("log", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		tasks, notes := c.Tasks(l, Options{})
		got := fmt.Sprint(notes)
		if len(tasks) == 1 {
			got = tasks[0].Title
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
	}
}
