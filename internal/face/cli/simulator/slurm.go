package simulator

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/report"
	"weft/internal/study/slurm"
)

// ArrayJob is the flags of a verb that can run as an array job of Slurm.
type ArrayJob struct {
	slurm.Array
	On     bool
	chosen bool // the number of elements, by the user
}

// mostElements bounds an array: more are not faster on any machine.
const mostElements = 100_000

// Register registers the flags of an array job of Slurm.
func (a *ArrayJob) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&a.On, "slurm", false, "submit an array job that does the work, and a job that collects; needs --out, on a shared file system")
	f.StringVar(&a.Partition, "partition", "", "with --slurm: partition (default: the site's)")
	f.StringVar(&a.Account, "account", "", "with --slurm: account (default: the user's)")
	f.DurationVar(&a.Time, "time", 0, "with --slurm: time limit of an element, such as 2h (default: the partition's)")
	f.IntVar(&a.Elements, "elements", 0, "with --slurm: elements of the array (default: 32 at most)")
	f.IntVar(&a.AtOnce, "at-once", 0, "with --slurm: elements that run at the same time (default: all)")
	f.IntVar(&a.CPUs, "cpus", 1, "with --slurm: cores of an element")
	for _, flag := range slurmFlags {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
}

// slurmFlags are the options of --slurm, and elementFlags the ones of them that Kubernetes has, too.
var (
	elementFlags = []string{"elements", "at-once", "cpus"}
	slurmFlags   = append([]string{"partition", "account", "time"}, elementFlags...)
)

// Check refuses flags that no array job can have.
func (a *ArrayJob) Check(cmd *cobra.Command, out string) error {
	pods, searches := cmd.Flags().Changed("kubernetes"), cmd.Flags().Changed("parallel")
	a.chosen = cmd.Flags().Changed("elements")
	for _, flag := range slurmFlags {
		if f := cmd.Flags().Lookup(flag); f.Changed && !a.On && !(pods && slices.Contains(elementFlags, flag)) && !(searches && flag == "time") {
			with, _, _ := strings.Cut(f.Usage, ":")
			return fmt.Errorf("--%s is an option of %s", flag, strings.TrimPrefix(with, "with "))
		}
	}
	switch {
	case a.On && pods:
		return fmt.Errorf("--slurm or --kubernetes, not both")
	case !a.On && a.Time < 0:
		return fmt.Errorf("--time %s: want a time above 0, such as 30s", a.Time)
	case !a.On && !pods:
		return nil
	case a.On && out == "":
		return fmt.Errorf("--slurm: the elements need a folder on a file system that all nodes share: name it with --out")
	case a.Elements < 0 || a.Elements > mostElements:
		return fmt.Errorf("--elements %d: want 1 to %d; each takes work until none is left", a.Elements, mostElements)
	case a.AtOnce < 0 || a.CPUs < 1:
		return fmt.Errorf("--at-once %d, --cpus %d: want numbers from 1", a.AtOnce, a.CPUs)
	case a.Time < 0 || a.Time > 0 && a.Time < time.Minute:
		return fmt.Errorf("--time %s: want a minute or more, such as 2h", a.Time)
	}
	return nil
}

// Submit writes the script of the array job into its folder, and submits it and the job that collects.
func (a *ArrayJob) Submit(ctx context.Context, e *Simulator, out string, element, collect []string) error {
	folder, err := filepath.Abs(e.Path(out))
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if why := slurm.Fits(folder); why != "" {
		return fmt.Errorf("--out %s: %s", flags.Abridged(out), why)
	}
	self, err := os.Executable()
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if err := a.limit(ctx); err != nil {
		return err
	}
	a.Folder = folder
	a.Command = report.CommandLine(append([]string{self}, element...))
	script := filepath.Join(folder, "slurm.sh")
	if err := cmp.Or(os.MkdirAll(filepath.Join(folder, "logs"), 0o777), os.WriteFile(script, []byte(a.Script()), 0o777)); err != nil {
		return exit.Errorf(exit.Failed, "--out %s: %w", out, err)
	}
	if _, err := exec.LookPath("sbatch"); err != nil {
		return exit.Errorf(exit.Failed, "sbatch is not on this machine: on one that submits jobs, run sbatch %s", script)
	}
	array, err := sbatch(ctx, "--parsable", script)
	if err != nil {
		return err
	}
	after, err := sbatch(ctx, a.Collect(array, report.CommandLine(append([]string{self}, collect...)))...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "submitted job %s with %d elements, and job %s, which collects when they have ended.\nsqueue --job %s,%s shows them; what they print is in %s.\n", array, a.Elements, after, array, after, filepath.Join(out, "logs"))
	return err
}

// limit refuses an array that is larger than the site allows; a size that the user has not chosen is the site's at most.
func (a *ArrayJob) limit(ctx context.Context) error {
	text, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return nil //nolint:nilerr // sbatch has the reason
	}
	found := regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`).FindSubmatch(text)
	if found == nil {
		return nil
	}
	most, err := strconv.Atoi(string(found[1]))
	switch {
	case err != nil || a.Elements <= most:
		return err
	case a.chosen:
		return fmt.Errorf("--elements %d: the site allows arrays of %d (MaxArraySize): take --elements %d; each element then does more of the work", a.Elements, most, most)
	}
	a.Elements = most
	return nil
}

// sbatch submits a job and gives its number.
func sbatch(ctx context.Context, options ...string) (job string, err error) {
	var errs bytes.Buffer
	c := exec.CommandContext(ctx, "sbatch", options...)
	c.Stderr = &errs
	text, err := c.Output()
	if err != nil {
		return "", exit.Errorf(exit.Failed, "sbatch refuses the job: %s; --partition, --account, --time, --elements, --cpus and --memory change what it asks for", strings.TrimSpace(errs.String()))
	}
	job, _, _ = strings.Cut(strings.TrimSpace(string(text)), ";")
	return job, nil
}
