package training

import (
	"cmp"
	"errors"

	"weft/internal/base/sorting"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// errOtherPhase is the error for a job with communication that was not simulated.
var errOtherPhase = errors.New("its step has communication that this step has not")

// onStacks fills in the step with each stack, on GPUs with the scenario's power: stacks are compared, and not limits of power. A stack whose step sends other messages is left out.
func (s *steps) onStacks() error {
	if s.result != &s.out.Fabrics[s.fabric] {
		return nil
	}
	for _, r := range s.stacks {
		gpu := &r.Cluster.Node.GPU
		level, kernels := *r, scenario.KernelsOf(r.Training.Stack, gpu)
		level.Cluster.Node.GPU.Sustained = s.scenario.Cluster.Node.GPU.Sustained
		step, err := s.changed(trainingJob(&level))
		switch {
		case errors.Is(err, errOtherPhase):
			continue
		case err != nil:
			return err
		}
		step += units.Time(s.result.StoragePs)
		stack := r.Training.Stack
		out := results.StackStep{Stack: string(stack), StepPs: int64(step), HeldOut: stack.HeldOut(s.job.Model.Experts > 0), Assumed: kernels.Assumed}
		if kernels.Power != "" && gpu.Sustained.Float() < level.Cluster.Node.GPU.Sustained.Float() {
			limited, err := s.changed(trainingJob(r))
			if err != nil {
				return err
			}
			out.LimitedPs, out.Power = int64(limited)+s.result.StoragePs, kernels.Power
		}
		if seconds := step.Seconds(); seconds > 0 {
			out.MFU = s.out.Job.FLOPs / seconds / float64(s.out.Job.GPUs) / float64(s.out.Job.Peak)
		}
		s.result.Stacks = append(s.result.Stacks, out)
	}
	sorting.StableFunc(s.result.Stacks, func(a, b results.StackStep) int { return cmp.Compare(a.StepPs, b.StepPs) })
	return nil
}
