package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/cli/checks"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/infiniband"
	"weft/internal/face/cli/jobs"
	"weft/internal/face/cli/live"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/face/cli/roce"
	"weft/internal/face/cli/runs"
	"weft/internal/face/cli/setup"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/cli/studies"
	"weft/internal/face/cli/ui"
)

// verbGroup is the verbs of one wing under a heading of the help.
type verbGroup struct {
	id, title string
	verbs     []*cobra.Command
}

// verbGroups lists the verbs in the order of help. A new verb is a constructor, and a line here.
func verbGroups(s *simulator.Simulator) []verbGroup {
	e := s.Env
	return []verbGroup{
		{"begin", "Begin:", []*cobra.Command{setup.NewInit(e), setup.NewExamples(e), setup.NewSchema(e)}},
		{"sim", "Simulate a scenario:", []*cobra.Command{
			runs.NewCompare(s), runs.NewRun(s), runs.NewExplain(s), ui.NewUI(e), runs.NewBench(s), runs.NewLatency(e), runs.NewTopology(e), runs.NewCatalog(e),
		}},
		{"study", "Study, with many simulations:", []*cobra.Command{
			studies.NewPlan(s), studies.NewAdvise(s), studies.NewSweep(s), studies.NewTune(s), jobs.NewTrain(s), jobs.NewServe(s), jobs.NewReplay(s), checks.NewDiagnose(s), checks.NewDashboards(e),
			checks.NewCalibrate(s), checks.NewAudit(s), checks.NewValidate(s), studies.NewCache(s),
		}},
		{"ib", "InfiniBand:", []*cobra.Command{infiniband.NewFabric(s), infiniband.NewSM(e), infiniband.NewIbsim(e)}},
		{"roce", "RoCE v2:", []*cobra.Command{roce.NewRoCE(s)}},
		{"live", "RDMA on a real network:", []*cobra.Command{live.NewLive(s), live.NewVerbs(e), live.NewEmulate(s)}},
	}
}

// reference are the verbs in the last line of the help.
func reference(e *process.Env) []*cobra.Command {
	return []*cobra.Command{newVersion(e), newExitCodes(e)}
}

// Program is the command line and what it takes from outside.
type Program struct {
	process.Env
	Run simulator.Runner // nil is weft.Run
}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, p *Program) (code exit.Code) {
	own := p.Env
	own.Start(ctx)
	sim := simulator.New(&own, p.Run)
	defer func() {
		if p := recover(); p != nil {
			err := exit.Errorf(exit.Defect, "this is a defect of weft, please report it with the scenario: %v", p)
			code = exit.CodeOf(own.End(ctx, err))
			_, _ = own.Stderr.Write(debug.Stack())
		}
	}()
	root := newRoot(sim)
	err := flagBeforeVerb(root, own.Args)
	leave := func() error { return nil }
	if err == nil {
		leave, err = sim.Share()
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
		err = cmp.Or(err, leave())
	}
	own.Finish()
	sim.TellKnown()
	return exit.CodeOf(own.End(ctx, err))
}

// ThisProcess is the command line of the running process.
func ThisProcess() *Program {
	outTerminal, width := process.Terminal(os.Stdout)
	errTerminal, errWidth := process.Terminal(os.Stderr)
	return &Program{Env: process.Env{
		Args: os.Args[1:], Getenv: os.Getenv, UserCache: os.UserCacheDir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdoutTerminal: outTerminal, StderrTerminal: errTerminal, Width: max(width, errWidth),
		Now: time.Now, Cores: runtime.GOMAXPROCS(0), Version: readVersion(),
	}}
}

// Commands is the tree of verbs, for man pages; its version is that of the running program.
func Commands() *cobra.Command {
	e := ThisProcess().Env
	return newRoot(simulator.New(&e, nil))
}

func newRoot(s *simulator.Simulator) *cobra.Command {
	e := s.Env
	cobra.EnableCommandSorting = false // the order of verbGroups
	root := &cobra.Command{
		Use:   "weft",
		Short: "InfiniBand and RoCE v2 for AI clusters, side by side, packet by packet",
		Long: `weft simulates the network of an AI training cluster packet by packet:
InfiniBand, RoCE v2 and kernel TCP side by side, with one scenario, one table
and one page.`,
		Example:           "  weft compare example:h100-128 --out run",
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		Version:           e.Version.Weft,
	}
	root.SetVersionTemplate(strings.NewReplacer("{", "", "}", "").Replace(line(e.Version)))
	root.SetArgs(e.Args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SuggestionsMinimumDistance = 2
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "output" { // the name that other programs use for it
			name = "out"
		}
		return pflag.NormalizedName(name)
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flags.Error(c, err, e.Args) })
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		e.Begin(c)
		return cmp.Or(flags.CheckFileNames(c.Flags()), process.WritableFile(e, "--html", e.HTML))
	}
	root.PersistentFlags().BoolVar(&e.Quiet, "quiet", false, "no progress, and no messages about written files: only errors, on standard error")
	addVerbs(s, root)
	flags.Together(root, e.Style().Width)
	return root
}

// addVerbs adds every verb under its heading. Verbs of live keep their old names at the top level,
// hidden from help.
func addVerbs(s *simulator.Simulator, root *cobra.Command) {
	groups := verbGroups(s)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.verbs {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	for _, c := range slices.Concat(reference(s.Env), live.NewMeasurements(s.Env)) {
		c.Hidden = true
		root.AddCommand(c)
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	for _, c := range append(root.Commands(), root) {
		if c.HasSubCommands() && c.RunE == nil {
			flags.Group(c)
		}
	}
	root.InitDefaultHelpCmd()
	root.SetHelpCommandGroupID(groups[0].id)
	root.SetUsageTemplate(strings.ReplaceAll(flags.UsageTemplate(root.UsageTemplate(), s.Env.Style().Width), `(or .IsAvailableCommand (eq .Name "help"))`, ".IsAvailableCommand") +
		"{{if not .HasParent}}\nAlso: weft version, weft exit-codes, weft completion, weft help.\n{{end}}")
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Hidden, c.Run, c.RunE = true, nil, helpOn
			c.Use, c.Short, c.Long = "help [VERB...]", "show the help of a verb", ""
		}
	}
	overrides.CompleteFabrics(s.Env, root)
}

// helpOn shows the help of a verb, which must exist.
func helpOn(c *cobra.Command, given []string) error {
	of, rest, err := c.Root().Find(given)
	if err != nil {
		of, rest = c.Root(), given
	}
	if err := flags.OnlyVerbs(of, rest); err != nil {
		return err
	}
	of.InitDefaultHelpFlag()
	return of.Help()
}

// flagBeforeVerb refuses a verb's flag before the verb: the verb would be taken for the flag's
// value, and the error would concern the argument after it.
func flagBeforeVerb(root *cobra.Command, given []string) error {
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	for i, flag := range given {
		name, long := strings.CutPrefix(flag, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case !strings.HasPrefix(flag, "-") || flag == "-" || flag == "--":
			return nil
		case long && (root.Flags().Lookup(name) != nil || root.PersistentFlags().Lookup(name) != nil), flag == "-h", flag == "-v":
			continue
		}
		for _, c := range root.Commands() {
			if slices.Contains(given[i+1:], c.Name()) {
				return fmt.Errorf("%s is before the verb: write weft %s first, and its flags after it", flags.Abridged(flag), c.Name())
			}
		}
		return nil
	}
	return nil
}
