package training

import (
	"math"
	"testing"
)

// A synchronous checkpoint stalls the job for its writing, an asynchronous one for the copy to the
// hosts, unless storage takes longer than the steps between two checkpoints. The stall is divided
// by these steps.
func TestACheckpointStallsTheStepsBetweenTwo(t *testing.T) {
	job := func(more string) string { return tinyJob(denseModel, "tensor: 4, pipeline: 2") + more }
	plain := trainStep(t, job(""), Options{Workers: 1}).Fabrics[0]
	if plain.Storage != nil || plain.StoragePs != 0 {
		t.Fatalf("without storage: %+v", plain.Storage)
	}
	of := func(more string) (stall, write, added float64) {
		f := trainStep(t, job(more), Options{Workers: 1}).Fabrics[0]
		if f.StepPs-plain.StepPs != f.StoragePs || f.StoragePs != f.Storage.AddedPs {
			t.Errorf("%s: the step is %d ps longer, storage adds %d and %+v", more, f.StepPs-plain.StepPs, f.StoragePs, f.Storage)
		}
		sum := f.ComputingPs + f.WaitingPs + f.BubblePs + f.StoragePs
		for _, p := range f.Purposes {
			sum += p.ExposedPs
		}
		if math.Abs(float64(sum-f.StepPs)) > 100 {
			t.Errorf("%s: the parts sum to %d ps of %d", more, sum, f.StepPs)
		}
		return float64(f.Storage.StallPs), float64(f.Storage.WritePs), float64(f.Storage.AddedPs)
	}
	stall, write, added := of("  storage: 1GB/s\n  checkpoint: {every: 100}\n")
	if stall != write || math.Abs(added-stall/100) > 1 {
		t.Errorf("synchronous: a stall of %g ps for a write of %g, %g a step of 100", stall, write, added)
	}
	params := trainStep(t, job(""), Options{Workers: 1}).Job.Parameters
	if want := float64(params) * 14 / 1e9 * 1e12; math.Abs(write/want-1) > 1e-6 {
		t.Errorf("a checkpoint of %d parameters takes %g ps, want %g: 14 bytes each at 1 GB/s", params, write, want)
	}
	copied, _, _ := of("  storage: 1GB/s\n  checkpoint: {every: 100000, asynchronous: true}\n")
	if copied <= 0 || copied >= stall/10 {
		t.Errorf("asynchronous: a stall of %g ps, synchronous %g", copied, stall)
	}
	if full, _, added := of("  storage: 1MB/s\n  checkpoint: {every: 2, asynchronous: true}\n"); full <= copied || added <= float64(plain.StepPs) {
		t.Errorf("storage that is slower than the steps: a stall of %g ps, %g a step", full, added)
	}
	if _, _, added := of("  storage: 1KB/s\n"); added <= 0 {
		t.Errorf("input that storage reads slower than the steps need it adds %g ps", added)
	}
}

// The time that interruptions leave is 1 / (1 + rate × GPUs × time lost).
func TestInterruptionsLeaveLessTimeToLargerJobs(t *testing.T) {
	f := trainStep(t, tinyJob(denseModel, "tensor: 4, pipeline: 2")+"  failures: {per-gpu-year: 36525/100, restart: 600s, redo: 300s}\n", Options{Workers: 1})
	perDay := float64(f.Job.GPUs)
	if x := f.Fabrics[0].Failures; math.Abs(x.PerDay-perDay) > 1e-9 || x.LostSeconds != 900 || math.Abs(x.Effective-1/(1+perDay*900/86400)) > 1e-12 {
		t.Errorf("%d GPUs: %+v", f.Job.GPUs, x)
	}
}
