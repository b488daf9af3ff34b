package training

import (
	"weft/results"
	"weft/units"
)

const (
	// wordBytes is the size of a word's number in the input.
	wordBytes = 4
	day       = 24 * 60 * 60
)

// taking is the seconds that a number of bytes take.
func taking(bytes int64, rate units.Rate) float64 { return float64(bytes) * 8 / float64(rate) }

// ps is a number of seconds in picoseconds.
func ps(seconds float64) int64 { return int64(seconds * float64(units.Second)) }

// storing is the time that storage adds to a step: the input is read beside the step before, and a
// checkpoint's stall is divided by the number of steps between two checkpoints. The GPUs write equal
// parts of the state. nil if the scenario gives no rate of storage.
func (s *steps) storing(step units.Time) *results.TrainingStorage {
	t, j := &s.scenario.Training, s.job
	if t.Storage == 0 {
		return nil
	}
	input := taking(s.out.Job.Tokens*wordBytes, t.Storage)
	out := &results.TrainingStorage{InputPs: ps(input)}
	added := max(0, input-step.Seconds())
	if every := float64(t.Checkpoint.Every); every > 0 {
		out.Every, out.CheckpointBytes = t.Checkpoint.Every, j.Model.Parameters()*(j.Memory.Weight+j.Memory.Optimizer)
		written := taking(out.CheckpointBytes, t.Storage)
		stall := taking(out.CheckpointBytes/int64(j.Parallel.GPUs()), s.scenario.Cluster.Node.PCIe.Rate())
		if t.Checkpoint.Asynchronous { // the next checkpoint waits for this one
			stall = max(stall, written-every*(step.Seconds()+added))
		} else {
			stall = max(stall, written)
		}
		out.WritePs, out.StallPs = ps(written), ps(stall)
		added += stall / every
	}
	out.AddedPs = ps(added)
	return out
}

// failing is the expected effect of interruptions on a job whose step takes the given time.
func (s *steps) failing(step units.Time) results.TrainingFailures {
	t := &s.scenario.Training
	lost := t.Failures.Restart.Seconds()
	if t.Failures.Redo > 0 {
		lost += t.Failures.Redo.Seconds()
	} else {
		lost += float64(t.Checkpoint.Every) * step.Seconds() / 2
	}
	perDay := t.Failures.PerGPUYear.Float() / 365.25 * float64(s.job.Parallel.GPUs())
	return results.TrainingFailures{PerDay: perDay, LostSeconds: lost, Effective: 1 / (1 + float64(perDay*lost)/day)}
}
