package training

import (
	"math"
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/internal/sim/workload"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// streamNoise separates the random streams of stragglers and noise from others of the seed.
const streamNoise = 9

// noisy reports whether a job has noise or stragglers.
func noisy(n *scenario.Noise) bool {
	return n.Draws > 0 && (n.SlowGPUs > 0 && n.Slowdown.Num > 0 || n.Jitter.Num > 0 || n.Spread.Num > 0)
}

// withNoise assembles the step again, replica by replica, once per draw. The GPUs that share the
// layers of a replica's stage wait for each other in every layer: each of their computations takes
// as long as the slowest one's.
func (s *steps) withNoise() error {
	n := &s.scenario.Training.Noise
	took := s.took(s.replicas)
	var ends []int64
	waiting := int64(0)
	for draw := range n.Draws {
		g := s.unequal(n, draw)
		line, err := workload.Replay(g, took)
		if err != nil {
			return err
		}
		accounts := workload.Accounts(g, line)
		sum := int64(0)
		for i := range accounts {
			sum += int64(accounts[i].Waiting)
		}
		waiting += sum / int64(len(accounts))
		ends = append(ends, int64(line.End)+s.result.StoragePs)
	}
	s.result.Noise = &results.TrainingNoise{Draws: n.Draws, Spread: many.SpreadOf(ends), WaitingPs: waiting / int64(n.Draws)}
	return nil
}

// unequal is the step of all replicas with the computing times of a draw.
func (s *steps) unequal(n *scenario.Noise, draw int) *workload.Graph {
	pcg := engine.Stream(s.scenario.Run.Seed, streamNoise, uint32(draw))
	rng := rand.New(&pcg)
	slow := make(map[int32]bool)
	for _, gpu := range rng.Perm(s.job.Parallel.GPUs())[:n.SlowGPUs] {
		slow[int32(gpu)] = true
	}
	speeds := make([]float64, s.job.Parallel.GPUs())
	for gpu := range speeds {
		speeds[gpu] = 1 + float64(n.Spread.Float()*rng.NormFloat64())
		if slow[int32(gpu)] {
			speeds[gpu] *= 1 + n.Slowdown.Float()
		}
	}
	g := &workload.Graph{Groups: s.replicas.Graph.Groups, Multiprocessors: s.replicas.Graph.Multiprocessors, Ranks: make([][]workload.Op, len(s.replicas.Graph.Ranks))}
	for rank, ops := range s.replicas.Graph.Ranks {
		factor, members := 0.0, len(s.replicas.Stands[rank])
		for _, gpu := range s.replicas.Stands[rank] {
			factor = max(factor, speeds[gpu])
		}
		own := append([]workload.Op(nil), ops...)
		for i := range own {
			if own[i].Kind == workload.Compute {
				noise := 1 + float64(n.Jitter.Float()*largest(rng, members))
				own[i].Time = units.Time(float64(own[i].Time) * factor * max(0, noise))
			}
		}
		g.Ranks[rank] = own
	}
	return g
}

// largest is the largest of some draws from the standard normal distribution: the quantile of the
// root of a uniform draw.
func largest(rng *rand.Rand, draws int) float64 {
	if draws == 1 {
		return rng.NormFloat64()
	}
	p := math.Pow(rng.Float64(), 1/float64(draws))
	return math.Sqrt2 * math.Erfinv(min(max(float64(2*p)-1, -1+1e-12), 1-1e-12))
}
