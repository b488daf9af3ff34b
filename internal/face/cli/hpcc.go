package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"weft"
	"weft/internal/formats/hpcc"
	"weft/internal/sim/runstore"
	"weft/internal/study/hpccrun"
	"weft/units"
)

// The output files of a case of the HPCC simulator, with their own names.
const (
	fctFile = "fct.txt"
	pfcFile = "pfc.txt"
)

// hpccSummary is the summary of such a case.
type hpccSummary struct {
	Flows      int   `json:"flows"`
	Completed  int   `json:"completed"`
	MeanPs     int64 `json:"mean_fct_ps"`
	MedianPs   int64 `json:"median_fct_ps"`
	P99Ps      int64 `json:"p99_fct_ps"`
	LastPs     int64 `json:"last_fct_ps"`
	Pauses     int   `json:"pfc_pauses"`
	Resumes    int   `json:"pfc_resumes"`
	Marked     int64 `json:"marked_packets"`
	Dropped    int64 `json:"dropped_packets"`
	PacketHops int64 `json:"packet_hops"`
	Events     int64 `json:"events"`
	Partial    bool  `json:"partial"`
	// Slowdown is the completion time over the completion time of the flow alone, as that simulator
	// computes it, on average over the flows.
	Slowdown float64 `json:"mean_slowdown"`
}

// runHPCC simulates a case of the HPCC simulator.
func (x *execution) runHPCC(ctx context.Context, e *Env, dir string, seed uint64) error {
	if err := checkWorkers(x.workers); err != nil {
		return err
	}
	c, err := hpcc.Read(folder{e, dir})
	if err != nil {
		return fmt.Errorf("--hpcc %s: %w", dir, err)
	}
	for _, i := range c.Ignored {
		fmt.Fprintf(e.Stderr, "%s\n", i)
	}
	folder, err := e.claim(x.out, noCase)
	if err != nil {
		return err
	}
	defer folder.Close()
	o := weft.Options{Workers: x.workers}
	if o.Workers == 0 {
		o.Workers = max(1, e.Cores)
	}
	r, err := hpccrun.Run(ctx, c, seed, o.Workers)
	if r == nil {
		return err
	}
	if x.out != "" {
		if err := storeHPCC(folder, r); err != nil {
			return fail(Failed, "the results cannot be written to %s: %w", x.out, err)
		}
	}
	if told := x.tellHPCC(e, c, r); told != nil {
		return fail(Failed, "the results cannot be written: %w", told)
	}
	switch {
	case err != nil:
		return fail(Failed, "the run failed: %w", err)
	case r.Partial:
		return fail(Partial, "stopped: %d of %d flows had completed", len(r.FCT), len(c.Flows))
	case r.Unfinished > 0:
		return fail(Failed, "%d of %d flows had not completed at %v, the end that SIMULATOR_STOP_TIME sets", r.Unfinished, len(c.Flows), c.Config.Stop)
	}
	return nil
}

// noCase accepts any folder that is not a case itself, whose own results would be lost.
func noCase(dir, _ string) error {
	if _, err := os.Stat(filepath.Join(dir, "config.txt")); err == nil {
		return fmt.Errorf("it is a case itself, whose %s would be overwritten: name another folder", fctFile)
	}
	return nil
}

func storeHPCC(folder *runstore.Output, r *hpccrun.Result) error {
	var fct, pfc bytes.Buffer
	err := errors.Join(hpcc.WriteFCT(&fct, r.FCT), hpcc.WritePFC(&pfc, r.PFC))
	if err != nil {
		return err
	}
	return folder.Put([]runstore.File{{Name: fctFile, Text: fct.Bytes()}, {Name: pfcFile, Text: pfc.Bytes()}})
}

func (x *execution) tellHPCC(e *Env, c *hpcc.Case, r *hpccrun.Result) error {
	s := summariseHPCC(c, r)
	if x.json {
		return printJSON(e, s)
	}
	t := func(ps int64) units.Time { return units.Time(ps) }
	_, err := fmt.Fprintf(e.Stdout, `flows       %d of %d completed
completion  mean %v, median %v, 99 %% %v, last %v
slowdown    %.2f on average, over the flow alone
PFC         %d pauses, %d resumes
ECN         %d packets marked
drops       %d packets
`, s.Completed, s.Flows, t(s.MeanPs), t(s.MedianPs), t(s.P99Ps), t(s.LastPs), s.Slowdown, s.Pauses, s.Resumes, s.Marked, s.Dropped)
	if err == nil && x.out != "" {
		e.note("wrote %s: %s, %s\n", x.out, fctFile, pfcFile)
	}
	return err
}

func summariseHPCC(c *hpcc.Case, r *hpccrun.Result) hpccSummary {
	s := hpccSummary{
		Flows: len(c.Flows), Completed: len(r.FCT), Marked: r.Stats.Marked,
		PacketHops: r.Stats.Hops, Events: r.Stats.Events, Partial: r.Partial,
	}
	for _, d := range r.Stats.Dropped {
		s.Dropped += d
	}
	for _, f := range r.PFC {
		if f.Pause {
			s.Pauses++
		} else {
			s.Resumes++
		}
	}
	n := len(r.FCT)
	if n == 0 {
		return s
	}
	sorted := slices.SortedFunc(slices.Values(r.FCT), func(a, b hpcc.FCT) int { return cmp.Compare(a.Duration, b.Duration) })
	sum := int64(0)
	for _, f := range sorted {
		sum += int64(f.Duration) / int64(n)
		s.Slowdown += float64(f.Duration) / float64(f.Standalone) / float64(n)
	}
	s.MeanPs, s.MedianPs = sum, int64(sorted[n/2].Duration)
	s.P99Ps, s.LastPs = int64(sorted[(n*99+99)/100-1].Duration), int64(sorted[n-1].Duration)
	return s
}
