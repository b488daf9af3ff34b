package training

import (
	"weft/internal/sim/run/exchange"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// exchangeOf is what the kernels of a job do in a phase; nil if the phase is no exchange.
func exchangeOf(t *scenario.Training, phase *workload.Phase) *scenario.Workload {
	what := scenario.Dispatch
	switch phase.Exchange {
	case workload.NoExchange:
		return nil
	case workload.Combine:
		what = scenario.Combine
	}
	w := t.Exchanged(what)
	return &w
}

// busiest is the tokens of the busiest GPU of those that share a layer's experts, over the mean; 0 if the job does not
// draw them.
func busiest(r *scenario.Resolved) float64 {
	t := &r.Training
	if t.Exchange != scenario.ExchangeDispatch {
		return 0
	}
	group := *r
	group.Cluster = r.Cluster.Part(t.Parallel.Expert)
	group.Workload = t.Exchanged(scenario.Dispatch)
	return exchange.Busiest(&group)
}

// hideExperts fills in the step whose exchanges with experts are beside computing, if the job's are not.
func (s *steps) hideExperts() error {
	if s.result.ExposedPs(workload.Expert.String()) == 0 || s.job.Overlap.Experts {
		return nil
	}
	job := *s.job
	job.Overlap.Experts = true
	if job.Check() != nil {
		return nil //nolint:nilerr // such a job has no such step
	}
	step, err := s.changed(&job)
	if err == nil {
		s.result.ExpertsHiddenPs = int64(step) + s.result.StoragePs
	}
	return err
}
