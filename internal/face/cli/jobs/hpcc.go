package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats"
	"weft/internal/formats/hpcc"
	"weft/internal/sim/runstore"
	"weft/internal/study/hpccrun"
)

// The output files of a case of the HPCC simulator, with their own names.
const (
	fctFile = "fct.txt"
	pfcFile = "pfc.txt"
)

// replayCase simulates a case of the HPCC simulator.
func (x *replayFlags) replayCase(cmd *cobra.Command, e *simulator.Simulator, dir string) error {
	var refused error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"out", "seed", "json", "html", "details", "quiet"}, f.Name) {
			refused = fmt.Errorf("--%s cannot be used with a folder of the HPCC simulator: its config.txt has all settings", f.Name)
		}
	})
	if refused != nil {
		return refused
	}
	if _, err := os.Stat(filepath.Join(e.Path(dir), hpcc.ConfigFile)); err != nil {
		return fmt.Errorf("%s: it has no %s: a folder is a case of the HPCC simulator, and other workloads are files: %s", dir, hpcc.ConfigFile, formats.Names())
	}
	c, err := hpcc.Read(e.Folder(dir))
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, i := range c.Ignored {
		fmt.Fprintf(e.Stderr, "%s\n", i)
	}
	folder, err := e.Claim(x.out, noCase)
	if err != nil {
		return err
	}
	defer folder.Close()
	r, err := hpccrun.Run(cmd.Context(), c, max(1, x.Seed), max(1, e.Cores))
	if r == nil {
		return err
	}
	if x.out != "" {
		if err := storeCase(folder, r); err != nil {
			return exit.Errorf(exit.Failed, "the results cannot be written to %s: %w", x.out, err)
		}
	}
	if printErr := x.tellCase(e, c, r); printErr != nil {
		return exit.Errorf(exit.Failed, "the results cannot be written: %w", printErr)
	}
	switch {
	case err != nil:
		return exit.Errorf(exit.Failed, "the run failed: %w", err)
	case r.Partial:
		return exit.Errorf(exit.Partial, "stopped: %d of %d flows had completed", len(r.FCT), len(c.Flows))
	case r.Unfinished > 0:
		return exit.Errorf(exit.Failed, "%d of %d flows had not completed at %v, the end that SIMULATOR_STOP_TIME sets", r.Unfinished, len(c.Flows), c.Config.Stop)
	}
	return nil
}

// noCase accepts any folder that is not a case itself, whose own results would be lost.
func noCase(dir, _ string) error {
	if _, err := os.Stat(filepath.Join(dir, hpcc.ConfigFile)); err == nil {
		return fmt.Errorf("the folder is a case itself, and its %s would be overwritten: name another folder", fctFile)
	}
	return nil
}

func storeCase(folder *runstore.Output, r *hpccrun.Result) error {
	var fct, pfc bytes.Buffer
	err := errors.Join(hpcc.WriteFCT(&fct, r.FCT), hpcc.WritePFC(&pfc, r.PFC))
	if err != nil {
		return err
	}
	return folder.Put([]runstore.File{{Name: fctFile, Text: fct.Bytes()}, {Name: pfcFile, Text: pfc.Bytes()}})
}

func (x *replayFlags) tellCase(e *simulator.Simulator, c *hpcc.Case, r *hpccrun.Result) error {
	s := hpccrun.Summarise(c, r)
	err := e.Present(report.HPCC(&s), x.json, s)
	if err == nil && x.out != "" && !x.json {
		e.Note("wrote %s: %s, %s\n", x.out, fctFile, pfcFile)
	}
	return err
}
