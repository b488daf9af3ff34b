package setup

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/examples"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
)

// NewExamples is the verb weft examples.
func NewExamples(e *process.Env) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "examples [NAME]",
		Short: "scenarios to start from, which the program carries",
		Long: `Without a name: the examples, the question of each, and the command that answers
it. With a name: the text of the example. The beginning of a name is enough.

Every command that takes a scenario takes an example by its name too:
weft compare example:h100-128.`,
		Example: `  weft examples
  weft examples h100-128 > my.yaml
  weft compare example:h100-128
  weft examples -o copies`,
		Args: flags.Args(0, 1, "the name of an example"),
		ValidArgsFunction: func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(given) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return examples.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, given []string) error {
			switch {
			case len(given) == 1 && out != "":
				return fmt.Errorf("--out writes all examples: leave out %s, or write weft examples %[1]s > FILE", flags.Abridged(given[0]))
			case len(given) == 1:
				return printExample(e, given[0], asJSON)
			case out != "":
				return writeExamples(e, out)
			}
			all := examples.All()
			return e.Present(report.Examples(all), asJSON, map[string]any{"examples": all})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	flags.OutFolder(cmd, &out, "all examples, with the switch and the host that weft roce lint takes; it is new or empty")
	return cmd
}

func printExample(e *process.Env, name string, asJSON bool) error {
	name = strings.TrimPrefix(name, examples.Prefix)
	in, err := e.Open(examples.Prefix + name)
	if err != nil {
		return fmt.Errorf("there is no example %q%s; weft examples lists them", flags.Abridged(name), flags.DidYouMean(name, examples.Names()))
	}
	defer in.Close()
	return e.Deliver("", asJSON, map[string]any{"example": name}, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// writeExamples writes the folder. A file that exists stays as it is, and is an error.
func writeExamples(e *process.Env, dir string) error {
	all := examples.Files()
	var names []string
	err := fs.WalkDir(all, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	root := e.Path(dir)
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			return fmt.Errorf("--out %s: it has %s already: name a new folder", dir, name)
		}
	}
	for _, name := range names {
		text, err := fs.ReadFile(all, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(e.Path(filepath.Dir(to)), 0o777); err != nil {
			return process.Unwritable(to, err)
		}
		if err := e.WriteText(to, text); err != nil {
			return err
		}
	}
	e.Note("weft: %d files are in %s\n", len(names), dir)
	return nil
}
