package studies

import (
	"fmt"

	"github.com/spf13/cobra"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/study/cache"
)

// NewCache is the verb weft cache.
func NewCache(e *simulator.Simulator) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "results of simulations that later runs know",
		Long: `Shows the folder with the results of simulations that are known. Studies with
many simulations (sweep, tune, advise, train, roce collisions, diagnose, audit, and
compare with several seeds) take what is known instead of simulating it again. The outcome has
the same bytes.

A result is known if the same program simulated the same thing: every value of the
scenario that the simulation can read, the seed and the size are the same.

WEFT_CACHE is another folder, or off. The default is the folder weft in the user's
cache folder: $XDG_CACHE_HOME or ~/.cache on Linux, ~/Library/Caches on macOS,
%LocalAppData% on Windows. It has at most 1 GiB; the least recently used results are
removed first.`,
		Example: `  weft cache
  weft cache check --number 100
  WEFT_CACHE=off weft tune example:tune-dcqcn`,
		Args: flags.OnlyVerbs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := cacheNamed(e)
			if err != nil {
				return err
			}
			c, err := cache.Show(dir)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			return e.Present(report.Cache(c), asJSON, c)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	cmd.AddCommand(newCacheCheck(e), newCacheClear(e))
	return cmd
}

// cacheNamed is the folder of known results; an error if there is none.
func cacheNamed(e *simulator.Simulator) (string, error) {
	dir := e.CacheFolder()
	if dir == "" {
		return "", fmt.Errorf("there is no folder for known results: %s is off, or this user has no home; set %s to a folder", simulator.CacheVariable, simulator.CacheVariable)
	}
	return dir, nil
}

// mostChecked bounds weft cache check.
const mostChecked = 1_000_000

func newCacheCheck(e *simulator.Simulator) *cobra.Command {
	var n, workers int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "simulate a sample of the known results again",
		Long: `Draws results of this program at random, simulates them again and compares the
bytes. What is wrong is removed, and the exit code is 5.`,
		Example: "  weft cache check --number 100",
		Args:    flags.Args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 1 || n > mostChecked {
				return fmt.Errorf("--number %d: want 1 to %d", n, mostChecked)
			}
			if err := flags.CheckWorkers(workers); err != nil {
				return err
			}
			dir, err := cacheNamed(e)
			if err != nil {
				return err
			}
			p, err := e.Program()
			if err != nil {
				return exit.Errorf(exit.Failed, "the program cannot read itself: %w", regular.Reason(err))
			}
			line := e.Working("the check begins")
			sample, err := cache.Check(cmd.Context(), dir, &p, n, workers, func(done, total int) { line.Count(done, total, "results") })
			line.End()
			return checked(e, sample, asJSON, err)
		},
	}
	cmd.Flags().IntVar(&n, "number", 10, "number of results")
	cmd.Flags().IntVarP(&workers, "workers", "j", 0, "cores to use; results do not depend on it (default: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// checked tells what a check has found; err is the reason if it did not come to its end.
func checked(e *simulator.Simulator, sample []cache.Checked, asJSON bool, err error) error {
	wrong := 0
	for _, s := range sample {
		if s.Wrong != "" {
			wrong++
		}
	}
	if len(sample) > 0 || err == nil {
		if bad := e.Present(report.CacheCheck(sample, wrong), asJSON, map[string]any{"results": sample, "wrong": wrong}); bad != nil {
			return bad
		}
	}
	switch {
	case wrong > 0:
		return exit.Errorf(exit.Refuted, "%d of %d known results are wrong", wrong, len(sample))
	case err != nil:
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return nil
}

func newCacheClear(e *simulator.Simulator) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "clear",
		Short:   "forget every known result",
		Long:    `Removes all known results, of other versions of weft too.`,
		Example: "  weft cache clear",
		Args:    flags.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			dir, err := cacheNamed(e)
			if err != nil {
				return err
			}
			bytes, err := cache.Clear(dir)
			if err != nil {
				return exit.Errorf(exit.Failed, "%w", err)
			}
			if asJSON {
				return process.PrintJSON(e.Env, map[string]any{"folder": dir, "bytes": bytes})
			}
			_, err = fmt.Fprintf(e.Stdout, "%s: nothing is known any more; %d bytes are free\n", dir, bytes)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
