package studies

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/study/slurm"
	"weft/internal/study/sweep"
	"weft/units"
)

// newSweepWork is what an element of an array job, or a pod, runs.
func newSweepWork(e *simulator.Simulator) *cobra.Command {
	s, from := &sweeping{}, ""
	cmd := &cobra.Command{
		Use:   "work FOLDER",
		Short: "run variants of a sweep that others run too: an element of an array job",
		Long: `Runs variants of a sweep that was begun, beside other processes on the same folder, until
all have a row or the time is nearly up. It prints no table.

Its place comes from the environment: WEFT_WORKER is a name that no other process has at
the same time, and that a process that replaces it has again; WEFT_ELEMENT such as 3/8 is its number
from 0 among all; WEFT_LIMIT is its time in seconds. weft sweep --slurm sets them.`,
		Example: `  WEFT_WORKER=a WEFT_ELEMENT=0/2 weft sweep work swept`,
		Args:    flags.Args(1, 1, "the folder of a sweep"),
		RunE: func(cmd *cobra.Command, given []string) error {
			s.out = given[0]
			return s.element(cmd.Context(), e, from)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&s.workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	f.StringVar(&s.memory, "memory", "", "most memory of all running simulations, by weft's estimates (default: most of the free memory)")
	f.BoolVar(&s.json, "json", false, "print as JSON what was done")
	f.BoolVar(&s.csv, "csv", false, "with --from, let the element that collects print the table as CSV")
	f.StringVar(&from, "from", "", "begin the sweep of this file if the folder has none; element 0 collects")
	f.StringArrayVar(&s.set, "set", nil, "with --from, change a field of the scenario first; may be repeated")
	e.ExactFlag(cmd)
	return cmd
}

// place is the place of an element of a job, from the environment.
func place(e *simulator.Simulator, o *sweep.Options) error {
	o.Worker = e.Getenv(slurm.WorkerVariable)
	if strings.ContainsAny(o.Worker, "/\\") || strings.HasPrefix(o.Worker, ".") {
		return fmt.Errorf("%s=%s: want a name without slashes", slurm.WorkerVariable, flags.Abridged(o.Worker))
	}
	if text := e.Getenv(slurm.ElementVariable); text != "" {
		number, all, _ := strings.Cut(text, "/")
		k, err := strconv.Atoi(number)
		n, err2 := strconv.Atoi(all)
		if err != nil || err2 != nil || k < 0 || k >= n {
			return fmt.Errorf("%s=%s: want a number and the number of all, such as 3/8", slurm.ElementVariable, flags.Abridged(text))
		}
		o.Begin = float64(k) / float64(n)
	} else {
		o.Begin = sweep.BeginOf(o.Worker)
	}
	if text := e.Getenv(slurm.LimitVariable); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%s=%s: want a number of seconds", slurm.LimitVariable, flags.Abridged(text))
		}
		o.Limit = max(1, time.Duration(seconds)*time.Second)
	}
	return nil
}

// tooLarge is the error for variants that have no row for want of memory; nil if there are none.
func tooLarge(variants int, memory units.Bytes) error {
	if variants == 0 {
		return nil
	}
	return exit.Errorf(exit.Failed, "%d variants need more memory than the %s that there is, each by itself: raise --memory if the machine has more, or run the same command on a machine that does", variants, memory)
}

// begun is the folder of a sweep that was begun, or is begun now.
func (s *sweeping) begun(e *simulator.Simulator, from string) (*sweep.Folder, error) {
	if from != "" {
		return s.folder(e, from)
	}
	return sweep.Open(e.Path(s.out), e.Version.Weft)
}

func (s *sweeping) element(ctx context.Context, e *simulator.Simulator, from string) error {
	memory, err := s.budget()
	if err := cmp.Or(flags.CheckWorkers(s.workers), err); err != nil {
		return err
	}
	f, err := s.begun(e, from)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	o := sweep.Options{Run: e.Study(), Serve: e.Serving, Workers: cmp.Or(s.workers, e.Cores), Memory: memory, Host: host}
	if err := place(e, &o); err != nil {
		return err
	}
	if o.Worker == "" {
		release, worker, err := simulator.LocalWorker(f.Dir, host)
		if err != nil {
			return exit.Errorf(exit.Failed, "%s: %w", s.out, err)
		}
		defer release()
		o.Worker, o.Begin = worker, sweep.BeginOf(worker)
	}
	o.Leave = from != "" && o.Begin > 0 && e.Getenv(slurm.ElementVariable) != ""
	line := e.Working("the element begins")
	o.Progress = func(p sweep.Progress) { line.Parts(p.Done, p.Total, "variants", p.Left) }
	ending, err := f.Work(ctx, o)
	line.End()
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped with %d of %d variants done by all", ending.Done, f.Space.Len())
	case err != nil:
		return exit.Errorf(exit.Failed, "%s stopped: %w", o.Worker, err)
	}
	if from != "" && !o.Leave {
		return cmp.Or(s.collect(e, f), tooLarge(ending.TooLarge, memory))
	}
	if s.json {
		return process.PrintJSON(e.Env, map[string]any{"worker": o.Worker, "done": ending.Done, "variants": f.Space.Len(), "time_up": ending.Late, "too_large": ending.TooLarge})
	}
	text := fmt.Sprintf("%s: %d of %d variants are done", o.Worker, ending.Done, f.Space.Len())
	if ending.Late {
		text += "; its time is nearly up"
	}
	if ending.TooLarge > 0 {
		text += fmt.Sprintf("; %d need more memory than %s", ending.TooLarge, memory)
	}
	_, err = fmt.Fprintln(e.Stdout, text)
	return err
}
