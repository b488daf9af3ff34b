package checks

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/report"
	"weft/internal/formats/logfile"
	"weft/internal/study/calibrate"
)

// calibrating is the flags of weft calibrate.
type calibrating struct {
	logged
	fit []string
	out string
}

// NewCalibrate is the verb weft calibrate.
func NewCalibrate(e *simulator.Simulator) *cobra.Command {
	c := &calibrating{}
	cmd := &cobra.Command{
		Use:   "calibrate LOG…",
		Short: "fit constants of the model to measured logs, with sizes held out",
		Long: `Fits a named set of the model's constants to logs of a cluster by a search over
factors. Every second size is held out: the search never sees it, and the error on
those sizes, before and after, is the result. Each constant has its interval; one that
the log does not determine keeps its value. The constants are written as an overlay for
--overlay of compare, run, bench, diagnose and others.

An overlay is only written if it predicts the held-out sizes better than the model
without it, and by more than chance (Student's test of their gains, 95 %); otherwise
the exit code is 5.`,
		Example: `  weft calibrate good.log --cluster dgx-h100 --fabric roce-v2-400g --fit nccl -o cluster.overlay.yaml
  weft bench all-reduce --cluster dgx-h100 --nodes 2 --overlay cluster.overlay.yaml
  weft calibrate lat.log --cluster my.yaml --fit post,poll,nic-tx`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error { return c.do(cmd.Context(), e, given) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&c.fit, "fit", []string{"nccl"}, "constants or sets of them: "+strings.Join(calibrate.ConstantNames(), ", "))
	flags.Out(cmd, &c.out, "the overlay", "it is printed with the fit", "yaml", "yml")
	f.IntVar(&c.sizes, "sizes", 0, "maximum number of sizes of a table (default: 32)")
	_ = cmd.RegisterFlagCompletionFunc("fit", cobra.FixedCompletions(calibrate.ConstantNames(), cobra.ShellCompDirectiveNoFileComp))
	c.register(e, cmd)
	e.PageFlag(cmd)
	return cmd
}

func (c *calibrating) do(ctx context.Context, e *simulator.Simulator, paths []string) error {
	o, err := c.options(e)
	if err != nil {
		return err
	}
	if err := process.WritableFile(e.Env, "--out", c.out); err != nil {
		return err
	}
	var logs []*logfile.Log
	for _, path := range paths {
		log, err := c.readLog(e, path)
		if err != nil {
			return err
		}
		logs = append(logs, log)
	}
	cluster, err := c.clusterOf(e, logs)
	if err != nil {
		return err
	}
	line := e.Working("the fit begins")
	o.Progress = line.Pieces
	fit, err := cluster.FitTo(ctx, logs, c.fit, o)
	line.End()
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped: an incomplete search gives no overlay")
	case err != nil:
		return err
	}
	return c.tell(e, fit, paths)
}

// tell prints the fit, and writes the overlay if the fit is better.
func (c *calibrating) tell(e *simulator.Simulator, fit *calibrate.Fit, paths []string) error {
	if err := e.Present(report.Fit(fit), c.json, fit.Record()); err != nil {
		return err
	}
	switch {
	case !slices.ContainsFunc(fit.Constants, func(c calibrate.Fitted) bool { return c.Determined }):
		return exit.Errorf(exit.Refuted, "the log determines none of the constants: no overlay is written")
	case !fit.Better():
		return exit.Errorf(exit.Refuted, "the held-out sizes are not predicted better than without the fit by more than chance: no overlay is written")
	}
	switch {
	case c.out != "":
		if err := e.WriteFile(c.out, func(w io.Writer) error { return fit.WriteOverlay(w, paths) }); err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		e.Note("wrote %s\n", c.out)
	case !c.json:
		fmt.Fprintln(e.Stdout)
		return fit.WriteOverlay(e.Stdout, paths)
	}
	return nil
}
