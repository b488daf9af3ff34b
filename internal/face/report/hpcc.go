package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/study/hpccrun"
	"weft/units"
)

// HPCC is the summary of a case of the HPCC simulator.
func HPCC(s *hpccrun.Summary) *doc.Document {
	t := func(ps int64) units.Time { return units.Time(ps) }
	return &doc.Document{
		Brand: simulation, Title: "Case of the HPCC simulator", Footer: "Made by weft. The same case, seed and version make the same page.",
		Sections: []doc.Section{{Blocks: []doc.Block{doc.Grid([][]string{
			{"", "result"},
			{"flows", fmt.Sprintf("%d of %d completed", s.Completed, s.Flows)},
			{"completion", fmt.Sprintf("mean %v, median %v, 99 %% %v, last %v", t(s.MeanPs), t(s.MedianPs), t(s.P99Ps), t(s.LastPs))},
			{"slowdown", fmt.Sprintf("%.2f on average, over the flow alone", s.Slowdown)},
			{"PFC", fmt.Sprintf("%d pauses, %d resumes", s.Pauses, s.Resumes)},
			{"ECN", fmt.Sprintf("%d packets marked", s.Marked)},
			{"drops", fmt.Sprintf("%d packets", s.Dropped)},
		})}}},
	}
}
