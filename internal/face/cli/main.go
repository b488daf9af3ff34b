package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft"
	"weft/internal/sim/catalog"
)

// verbGroup is the verbs of one wing under a heading of the help.
type verbGroup struct {
	id, title string
	verbs     []func(*Env) *cobra.Command
}

// verbGroups lists the verbs in the order of help. A new verb is a file with a
// constructor, and a line here.
var verbGroups = []verbGroup{
	{"sim", "Simulate a scenario:", []func(*Env) *cobra.Command{
		newCompare, newRun, newExplain, newUI, newBench, newLatency, newTopology, newCatalog,
	}},
	{"study", "Study, with many simulations:", []func(*Env) *cobra.Command{
		newPlan, newAdvise, newSweep, newTune, newTrain, newServe, newReplay, newDiagnose, newDashboards, newCalibrate, newAudit, newValidate, newCache,
	}},
	{"ib", "InfiniBand:", []func(*Env) *cobra.Command{newFabric, newSM, newIbsim}},
	{"roce", "RoCE v2:", []func(*Env) *cobra.Command{newRoCE}},
	{"live", "RDMA on a real network:", []func(*Env) *cobra.Command{newLive, newVerbs, newEmulate}},
}

// reference are the verbs in the last line of the help.
var reference = []func(*Env) *cobra.Command{newVersion, newExitCodes}

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, e *Env) (code Code) {
	own := *e
	if own.Run == nil {
		own.Run = weft.Run
	}
	own.Run = own.obeyingExact(own.Run)
	own.known = new(knownResults)
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(own.Stderr, "weft: this is a defect of weft, please report it with the scenario: %v\n%s", p, debug.Stack())
			_ = own.conclude(fail(Defect, "this is a defect of weft, please report it with the scenario: %v", p))
			code = Defect
		}
	}()
	out := &printable{w: e.Stdout, colours: e.style().Colour, fail: func(err error) error {
		return fail(Failed, "standard output cannot be written: %w", err) // the output is lost
	}}
	errs := &printable{w: e.Stderr, fail: func(err error) error { return err }}
	own.Stdout, own.Stderr, own.screen = out, errs, e.Stderr
	own.listen(ctx)
	root := newRoot(&own)
	err := flagBeforeVerb(root, e.Args)
	leave := func() error { return nil }
	if err == nil {
		leave, err = own.share()
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
		err = cmp.Or(err, leave())
	}
	own.finish()
	own.closeCache()
	if ctx.Err() != nil && codeOf(err) == BadInput {
		err = errInterrupted // an interrupted input is not the user's mistake
	}
	err = cmp.Or(err, cmp.Or(own.conclude(err), out.flush()))
	if err != nil {
		fmt.Fprintf(errs, "weft: %s\n", strings.TrimRight(err.Error(), "\n"))
	}
	return codeOf(err)
}

func newRoot(e *Env) *cobra.Command {
	cobra.EnableCommandSorting = false // the order of verbGroups
	root := &cobra.Command{
		Use:   "weft",
		Short: "InfiniBand and RoCE v2 for AI clusters, side by side, packet by packet",
		Long: `weft simulates the network of an AI training cluster packet by packet:
InfiniBand, RoCE v2 and kernel TCP side by side, with one scenario, one table
and one page.`,
		Example:           "  weft compare examples/h100-128.yaml --out run",
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		Version:           e.Version.Weft,
	}
	root.SetVersionTemplate(strings.NewReplacer("{", "", "}", "").Replace(e.Version.line()))
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
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		e.begin(c)
		return cmp.Or(namesFiles(c.Flags()), writableFile(e, "--html", e.html))
	}
	root.PersistentFlags().BoolVar(&e.quiet, "quiet", false, "no progress, and no messages about written files: only errors, on standard error")
	addVerbs(e, root)
	return root
}

// addVerbs adds every verb under its heading. Verbs of live keep their old names at the top level,
// hidden from help.
func addVerbs(e *Env, root *cobra.Command) {
	for _, g := range verbGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			c := verb(e)
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	for _, verb := range slices.Concat(reference, liveVerbs) {
		c := verb(e)
		c.Hidden = true
		root.AddCommand(c)
	}
	for _, c := range root.Commands() {
		if c.HasSubCommands() && c.RunE == nil {
			group(c)
		}
	}
	root.InitDefaultHelpCmd()
	root.SetHelpCommandGroupID(verbGroups[0].id)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), `(or .IsAvailableCommand (eq .Name "help"))`, ".IsAvailableCommand") +
		"{{if not .HasParent}}\nAlso: weft version, weft exit-codes, weft completion, weft help.\n{{end}}")
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Hidden, c.Run, c.RunE = true, nil, helpOn
		}
	}
	e.completeFabrics(root)
}

// helpOn shows the help of a verb, which must exist.
func helpOn(c *cobra.Command, given []string) error {
	of, rest, err := c.Root().Find(given)
	if err != nil {
		of, rest = c.Root(), given
	}
	if err := onlyVerbs(of, rest); err != nil {
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
				return fmt.Errorf("%s is before the verb: write weft %s first, and its flags after it", abridged(flag), c.Name())
			}
		}
		return nil
	}
	return nil
}

// group makes a verb with sub-verbs refuse unknown ones, and show its help without one.
func group(c *cobra.Command) {
	c.Args = onlyVerbs
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// onlyVerbs refuses arguments of a verb whose only arguments are its sub-verbs.
func onlyVerbs(c *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if near := catalog.Nearest(given[0], names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	has := "it has " + strings.Join(names, ", ")
	if len(names) == 0 {
		has = "it has none"
	}
	return fmt.Errorf("%s has no verb %q%s: %s", c.CommandPath(), abridged(given[0]), hint, has)
}

// namesFiles refuses a flag for a file or a folder with an empty value, such as an unset shell
// variable: otherwise the output would silently be missing.
func namesFiles(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		_, file := f.Annotations[cobra.BashCompFilenameExt]
		_, folder := f.Annotations[cobra.BashCompSubdirsInDir]
		switch name := f.Value.String(); {
		case err != nil:
		case (file || folder) && name == "":
			err = fmt.Errorf("--%s: no name is given: leave it out, or name a file or a folder", f.Name)
		case folder && name == "-":
			err = fmt.Errorf("--%s -: that is standard output, and a folder is wanted: leave it out, or write ./- for a folder of that name", f.Name)
		}
	})
	return err
}

// args checks the number of a verb's arguments; what is the name of the expected argument.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return fmt.Errorf("%s needs %s: %s", c.CommandPath(), what, c.UseLine())
		case len(given) > most:
			return fmt.Errorf("%s takes %s and nothing after it, and %q is given: %s", c.CommandPath(), what, given[most], c.UseLine())
		}
		return nil
	}
}

// scenarioArg completes the path of a scenario.
func scenarioArg(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
