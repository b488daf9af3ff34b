package validate

import (
	"fmt"
	"slices"
	"strings"
)

// publishedCurves are the published steps of a job on several numbers of GPUs, by ID. Left out are
// torchtitan's (with and without torch.compile) and MaxText's (on an Ethernet that weft has no table
// of).
var publishedCurves = [][]string{{"LF1", "LF3"}, {"DG7", "DG9"}, {"DG13a", "DG15a"}, {"DG13b", "DG15b"}, {"MS1", "MS3"}, {"MS5", "MS7"}}

// curveDraws is the number of draws of noise for each step of a curve.
const curveDraws = 8

func onACurve(id string) bool {
	return slices.ContainsFunc(publishedCurves, func(ids []string) bool { return slices.Contains(ids, id) })
}

// scalingCase is the scaling efficiency of published steps.
func scalingCase() *Case {
	return &Case{
		ID:        "training/scaling",
		Claim:     "Scaling efficiency over cluster sizes, with uneven GPUs and kernels as weft train --scale has them.",
		Reference: "Published steps of one job on several numbers of GPUs (training/published-*). The efficiency is tokens a second and GPU on the larger cluster over tokens a second and GPU on the smaller one.",
		Setting:   fmt.Sprintf("The clusters of training/published-*, with the catalog's training.noise and %d draws. The batch grows with the number of GPUs; in MegaScale's paper it is constant. No constant is fitted to an efficiency.", curveDraws),
		Slow:      true,
		Run:       scalingRows,
	}
}

func scalingRows(e *Env) (rows []Row, err error) {
	if e.Short { // all curves have steps on many GPUs
		return nil, nil
	}
	all, err := predictedList(e, func(s *publishedStep) bool { return onACurve(s.ID) })
	if err != nil {
		return nil, err
	}
	for _, ids := range publishedCurves {
		on := slices.DeleteFunc(slices.Clone(all), func(p *predictedStep) bool { return !slices.Contains(ids, p.ID) })
		small, large := on[0], on[1]
		efficiency := func(seconds func(*predictedStep) float64) float64 {
			each := func(p *predictedStep) float64 {
				return float64(p.scenario.Training.Batch.Global) / float64(p.GPUs) / seconds(p)
			}
			return each(large) / each(small)
		}
		rows = append(rows, Row{
			Name: fmt.Sprintf("%s, %s, %s, %d to %d GPUs (%s, %s)", small.Stack, small.Model, small.Precision, small.GPUs, large.GPUs, small.ID, large.ID), Unit: Percent,
			Reference: []float64{efficiency(func(p *predictedStep) float64 { return p.Seconds })},
			Weft:      []float64{efficiency(func(p *predictedStep) float64 { return p.noisy })}, Tolerance: within(0.03),
			Note: strings.Trim(fmt.Sprintf("%.1f %% without noise; %s", 100*efficiency(func(p *predictedStep) float64 { return p.seconds }), large.Note), "; "),
		})
	}
	return rows, nil
}
