package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/face/cli/flags"
	"weft/internal/test/golden"
)

const referenceIntro = `# Command line

` + "`go test ./internal/face/cli -run Reference -update` writes this page from the help of the verbs.\n`weft help` lists them, `weft help VERB`" + ` explains one and has more examples. What verbs print and write, and what
scripts may rely on: [RESULTS.md](RESULTS.md). FILE is a scenario ([SCENARIO.md](SCENARIO.md)) unless the help says
otherwise. A file - is standard input or output. A flag with (…) may be repeated. Results do not depend on the number of cores.
`

const sharedIntro = `
## Flags of several verbs

The section of a verb lists which of these flags the verb takes.

`

// examples is the number of a verb's examples on the page.
const examples = 1

// shared is the number of verbs with different flags from which on a flag is listed once for all.
const shared = 2

// TestTheReferenceIsTheHelp holds docs/CLI.md against the verbs and flags of the program.
func TestTheReferenceIsTheHelp(t *testing.T) {
	golden.File(t, root+"/docs/CLI.md", referencePage(newRoot(simulatorOf(environment(nil)))))
}

// referencePage is docs/CLI.md: a section for each verb, by the groups of the help, and the flags of several verbs.
func referencePage(weft *cobra.Command) string {
	count, common := map[string]int{}, map[string]string{} // verbs of a row; the row of most verbs, by flag
	seen := map[string]bool{}
	var verbs []*cobra.Command
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c != weft && (c.Example != "" || !c.HasSubCommands()) {
			verbs = append(verbs, c)
		}
		if rows := flagRows(c); !seen[strings.Join(rows, "")] {
			seen[strings.Join(rows, "")] = true // verbs with the same flags count as one
			for _, row := range rows {
				count[row]++
			}
		}
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				visit(sub)
			}
		}
	}
	visit(weft)
	for _, c := range verbs {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if row := flagRow(f); count[row] >= shared && count[row] > count[common[f.Name]] {
				common[f.Name] = row
			}
		})
	}
	var sections strings.Builder
	var before string // the previous verb with flags
	var flagsBefore string
	for _, g := range weft.Groups() {
		fmt.Fprintf(&sections, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range verbs {
			if topVerb(c).GroupID != g.ID {
				continue
			}
			fmt.Fprintf(&sections, "\n### %s\n\n%s.\n", c.CommandPath(), strings.ToUpper(c.Short[:1])+c.Short[1:])
			if form := usage(c); form != "" {
				fmt.Fprintf(&sections, "\n```sh\n%s\n```\n", form)
			}
			flags := verbFlags(c, common)
			switch {
			case flags == "":
				continue
			case flags == flagsBefore && strings.Count(flags, "\n") > 3:
				fmt.Fprintf(&sections, "\nThe verb has the same flags as `%s`.\n", before)
				continue
			}
			before, flagsBefore = c.CommandPath(), flags
			sections.WriteString(flags)
		}
	}
	var list string
	for _, name := range slices.Sorted(maps.Keys(common)) {
		list += common[name]
	}
	return referenceIntro + sections.String() + sharedIntro + list
}

// verbFlags are a verb's flags: a list of its own, and the names of the common ones.
func verbFlags(c *cobra.Command, common map[string]string) (out string) {
	var own, also []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		row := flagRow(f)
		if common[f.Name] == row {
			also = append(also, "`--"+f.Name+"`")
		} else {
			own = append(own, row)
		}
	})
	if len(own) > 0 {
		out = "\n" + strings.Join(own, "")
	}
	if len(also) > 0 {
		out += "\nAlso: " + strings.Join(also, ", ") + ".\n"
	}
	return out
}

// topVerb is the verb of the program to which a verb belongs.
func topVerb(c *cobra.Command) *cobra.Command {
	for c.Parent() != nil && c.Parent().Parent() != nil {
		c = c.Parent()
	}
	return c
}

// flagRows are the lines of all flags of a verb.
func flagRows(c *cobra.Command) (out []string) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { out = append(out, flagRow(f)) })
	return out
}

// usage is the form of a command, and its first examples.
func usage(c *cobra.Command) string {
	left := examples
	var lines []string
	if form := strings.TrimSuffix(c.UseLine(), " [flags]"); form != c.CommandPath() {
		lines = append(lines, "# "+form) // the heading has the others
	}
	for line := range strings.SplitSeq(strings.TrimSpace(c.Example), "\n") {
		if line = strings.TrimSpace(line); line != "" && left > 0 {
			lines = append(lines, line)
			left--
		}
	}
	return strings.Join(lines, "\n")
}

// shortened leaves out what the page says once.
var shortened = strings.NewReplacer("; - is standard output, without other output", "", "; - is standard output", "", "; may be repeated", " (…)", "; results do not depend on it", "")

// flagRow is a flag as a line of a list.
func flagRow(f *pflag.Flag) string {
	name := strings.TrimSpace("`--" + f.Name + "` " + flags.Kind(f))
	if f.Shorthand != "" {
		name = "`-" + f.Shorthand + "`, " + name
	}
	return "- " + name + ": " + shortened.Replace(flags.Meaning(f)) + "\n"
}
