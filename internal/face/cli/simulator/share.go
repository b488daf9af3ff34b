package simulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/sim/runstore"
	"weft/internal/study/ledger"
	"weft/internal/study/many"
	"weft/internal/study/slurm"
	"weft/units"
)

// shareVariable names the folder in which processes that do the same study share its simulations.
const shareVariable = "WEFT_SHARE"

// Share makes the simulations of this process shared, if shareVariable is set. leave ends that.
func (e *Simulator) Share() (leave func() error, err error) {
	dir := e.Getenv(shareVariable)
	if dir == "" {
		return func() error { return nil }, nil
	}
	release, worker := func() {}, e.Getenv(slurm.WorkerVariable)
	if worker == "" {
		if err := os.MkdirAll(e.Path(dir), 0o777); err != nil {
			return nil, exit.Errorf(exit.Failed, "%s=%s: %w", shareVariable, dir, regular.Reason(err))
		}
		host, _ := os.Hostname()
		if release, worker, err = LocalWorker(e.Path(dir), host); err != nil {
			return nil, exit.Errorf(exit.Failed, "%s=%s: %w", shareVariable, dir, regular.Reason(err))
		}
	}
	l, err := ledger.Open(e.Path(dir), worker)
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%s=%s: %w", shareVariable, dir, regular.Reason(err))
	}
	e.Sharing = many.NewSharing(l, e.Version.Weft, e.Cores)
	e.Run = e.Sharing.Runner(e.Run)
	return func() error {
		defer release()
		return l.Close()
	}, nil
}

// studyElements are the elements of a study's array if the user does not say.
const studyElements = 8

// StudyFlags are the flags of a verb whose simulations several processes may share.
type StudyFlags struct {
	Out     string
	Workers int
	JSON    bool
	array   ArrayJob
}

// RegisterStudy registers the flags: folder says what --out holds.
func (s *StudyFlags) RegisterStudy(cmd *cobra.Command, e *Simulator, folder string) {
	f := cmd.Flags()
	flags.OutFolder(cmd, &s.Out, folder)
	f.IntVarP(&s.Workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	_ = cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions)
	f.BoolVar(&s.JSON, "json", false, "print as JSON")
	e.ExactFlag(cmd)
	s.array.Register(cmd)
}

// IsArray reports whether the study is to run as an array job.
func (s *StudyFlags) IsArray() bool { return s.array.On }

// TimeBound is the value of --time; 0 without it.
func (s *StudyFlags) TimeBound() time.Duration { return s.array.Time }

// Do does the study in this process, or submits it as an array job for simulations that need so much memory each.
func (s *StudyFlags) Do(
	cmd *cobra.Command, e *Simulator, memory func() (units.Bytes, error), study func(context.Context) error,
) error {
	if err := cmp.Or(flags.CheckWorkers(s.Workers), s.array.Check(cmd, s.Out)); err != nil {
		return err
	}
	switch {
	case !s.array.On:
		return study(cmd.Context())
	case s.JSON:
		return fmt.Errorf("--slurm submits jobs and prints no result: leave --json out; the outcome is in --out")
	}
	need, err := memory()
	if err != nil {
		return err
	}
	return s.submit(cmd, e, need)
}

// submit makes the array job: each element does the whole study, and they share its simulations. The job that collects
// does it once more, with outcomes that are all known, and writes the output.
func (s *StudyFlags) submit(cmd *cobra.Command, e *Simulator, simulation units.Bytes) error {
	a := &s.array
	a.Name = "weft-" + filepath.Base(s.Out)
	if a.Elements == 0 {
		a.Elements = studyElements
	}
	a.Memory = units.Bytes(a.CPUs)*simulation*5/4 + 256*units.MiB
	folder, err := filepath.Abs(e.Path(s.Out + ".slurm"))
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	a.Variables = []string{shareVariable + "=" + folder, "GOMAXPROCS=" + strconv.Itoa(a.CPUs)}
	same := without(e.Args, cmd, "slurm", "partition", "account", "time", "elements", "at-once", "cpus", "workers")
	// An element asks for many simulations at a time, so that it finds those that no other one runs.
	element := append(without(same, cmd, "out", "html", "trace"), "--quiet", "-j", strconv.Itoa(flags.MaxWorkers))
	return a.Submit(cmd.Context(), e, s.Out+".slurm", element, same)
}

// without are arguments without some flags of a command.
func without(args []string, cmd *cobra.Command, names ...string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, _, inline := strings.Cut(args[i], "=")
		f := cmd.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if short, ok := strings.CutPrefix(name, "-"); ok && !strings.HasPrefix(name, "--") && short != "" {
			f = cmd.Flags().ShorthandLookup(short[:1])
			inline = len(short) > 1 || inline
		} else if !strings.HasPrefix(name, "--") {
			f = nil
		}
		if f == nil || !slices.Contains(names, f.Name) {
			out = append(out, args[i])
			continue
		}
		if !inline && f.NoOptDefVal == "" {
			i++ // its value
		}
	}
	return out
}

// LocalWorker is the name of this process among those of the host, and holds it.
func LocalWorker(dir, host string) (release func(), worker string, err error) {
	for n := 1; ; n++ {
		worker = fmt.Sprintf("%s-%d", host, n)
		lock, err := runstore.Lock(filepath.Join(dir, "."+worker+".lock"))
		if err == nil {
			return func() { _ = errors.Join(os.Remove(lock.Name()), lock.Close()) }, worker, nil
		}
		if !errors.Is(err, runstore.ErrHeld) {
			return nil, "", err
		}
	}
}
