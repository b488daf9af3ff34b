package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/sim/workload/llm"
	"weft/results"
)

// traceFile is the step on all fabrics, for Perfetto or Chrome, in a run folder.
const traceFile = "trace.json"

// steps are the steps of one cluster size, fabric by fabric, with their timelines.
type steps struct {
	lines []*report.Drawn // nil if there is none
	whole bool            // every GPU is written out
}

// rank names a rank of the graphs: a stage, if one GPU represents all of it.
func (s *steps) rank(i int) string {
	if s.whole {
		return fmt.Sprintf("GPU %d", i)
	}
	return fmt.Sprintf("stage %d", i)
}

// done are the steps of fabrics that are complete, in the scenario's order.
func (s *steps) done() (out []*report.Drawn) {
	for _, d := range s.lines {
		if d != nil {
			out = append(out, d)
		}
	}
	return out
}

func (s *steps) writeTrace(w io.Writer) error {
	return report.Trace(w, s.done(), s.rank, llm.StreamName)
}

// drawn are the timelines for the page: of stages, not of every GPU.
func (s *steps) drawn() []*report.Drawn {
	if s.whole {
		return nil
	}
	return s.done()
}

// writeTraces writes a trace for each fabric into the folder of --trace.
func (x *trainFlags) writeTraces(e *simulator.Simulator, gpus int) error {
	if x.trace == "" {
		return nil
	}
	for _, d := range x.steps.done() {
		name := fmt.Sprintf("%s-%d.json", d.Fabric, gpus)
		err := e.WriteFile(filepath.Join(x.trace, name), func(w io.Writer) error {
			return report.Trace(w, []*report.Drawn{d}, x.steps.rank, llm.StreamName)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// store writes the run folder. results and scenario are the same for equal runs, as are the page
// and the trace; failed is the reason if the run is incomplete.
func (x *trainFlags) store(e *simulator.Simulator, t *results.TrainingScale, d *doc.Document, resolved, results []byte, failed error) error {
	var page, trace bytes.Buffer
	series, unrecorded := x.recorded.Files()
	if err := cmp.Or(x.recorded.Embed(d, series), d.HTML(&page)); err != nil {
		return exit.Errorf(exit.Failed, "the page cannot be made: %w", err)
	}
	if err := x.steps.writeTrace(&trace); err != nil {
		return exit.Errorf(exit.Failed, "the trace cannot be made: %w", err)
	}
	files := []runstore.File{
		{Name: runstore.ScenarioFile, Text: resolved},
		{Name: runstore.ResultsFile, Text: results},
		{Name: runstore.ReportFile, Text: page.Bytes()},
		{Name: traceFile, Text: trace.Bytes()},
	}
	files = append(files, series...)
	meta := simulator.Circumstances{
		Seed: t.Points[len(t.Points)-1].Seed, Started: x.started, Wall: x.line.Elapsed(), Events: t.Events(), Skipped: t.Skipped(), Workers: x.Workers, Failed: failed,
	}
	if err := x.folder.Seal(files, e.Meta(&meta)); err != nil {
		return exit.Errorf(exit.Failed, "the results cannot be written to %s: %w", x.Out, err)
	}
	e.Wrote(x.Out, x.JSON, x.recorded, runstore.ScenarioFile, runstore.ResultsFile, runstore.MetaFile, runstore.ReportFile, traceFile)
	return unrecorded
}
