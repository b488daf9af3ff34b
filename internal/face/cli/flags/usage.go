package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
)

// widest is the width of help, unless the terminal is narrower.
const widest = 100

// leastMeaning is the width of the column of meanings on a narrow terminal.
const leastMeaning = 30

// ofSimulations are the flags of every verb that simulates a scenario. Help lists them behind the verb's own.
var ofSimulations = []string{"algo", "error", "exact", "fabric", "metrics", "overlay", "proto", "seed", "series", "set", "workers"}

// leastShared is the number of these flags from which on they have a heading of their own.
const leastShared = 4

func init() { cobra.AddTemplateFunc("weftFlags", Usages) }

// UsageTemplate is cobra's template with the flags in lines of at most so many columns; 0 is no terminal.
func UsageTemplate(cobras string, columns int) string {
	const begin, end = "{{if .HasAvailableLocalFlags}}", "{{if .HasHelpSubCommands}}"
	before, rest, ok := strings.Cut(cobras, begin)
	_, after, also := strings.Cut(rest, end)
	if !ok || !also {
		return cobras
	}
	before = strings.Replace(before, "{{if .Runnable}}", "{{if and .Runnable (not .DisableFlagsInUseLine)}}", 1) // see Group
	return fmt.Sprintf("%s\n{{weftFlags . %d | trimTrailingWhitespaces}}%s%s", before, columns, end, after)
}

// Usages are the flags of a verb for its help, in lines of at most so many columns; 0 is no terminal.
func Usages(c *cobra.Command, columns int) string {
	if columns == 0 || columns > widest {
		columns = widest
	}
	var own, shared []*pflag.Flag
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case slices.Contains(ofSimulations, f.Name) && c.Parent() != nil:
			shared = append(shared, f)
		default:
			own = append(own, f)
		}
	})
	if len(shared) < leastShared {
		own, shared = slices.Concat(own, shared), nil
		sorting.Func(own, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	}
	text := list("Flags:", own, columns) + list("Flags of all simulations:", shared, columns)
	var inherited []*pflag.Flag
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { inherited = append(inherited, f) })
	return text + list("Flags of all commands:", inherited, columns)
}

// list is flags under a heading, the meanings in a column of their own.
func list(title string, flags []*pflag.Flag, columns int) string {
	if len(flags) == 0 {
		return ""
	}
	names, width := make([]string, len(flags)), 0
	for i, f := range flags {
		names[i] = strings.TrimRight("--"+f.Name+" "+Kind(f), " ")
		if names[i] = "    " + names[i]; f.Shorthand != "" {
			names[i] = "-" + f.Shorthand + ", " + names[i][4:]
		}
		width = max(width, len(names[i]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", title)
	for i, f := range flags {
		indent := strings.Repeat(" ", width+4)
		meaning := doc.Wrap(Meaning(f), max(columns-len(indent), leastMeaning))
		fmt.Fprintf(&b, "  %-*s  %s\n", width, names[i], strings.ReplaceAll(meaning, "\n", "\n"+indent))
	}
	return b.String()
}

// Kind is the form of a flag's value in help; empty for a switch.
func Kind(f *pflag.Flag) string {
	kind, _ := pflag.UnquoteUsage(f)
	_, file := f.Annotations[cobra.BashCompFilenameExt]
	_, folder := f.Annotations[cobra.BashCompSubdirsInDir]
	switch {
	case file:
		return "FILE"
	case folder:
		return "FOLDER"
	}
	switch kind {
	case "string", "stringArray":
		return "TEXT"
	case "strings":
		return "A,B,…"
	case "int", "uint", "count":
		return "N"
	case "float":
		return "X"
	}
	return kind
}

// Meaning is what a flag does, and its value if it is not given.
func Meaning(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "0", "false", "[]", "0s", "<nil>":
		return text
	}
	if strings.Contains(text, "(default") {
		return text // it says more than the value
	}
	return text + " (default " + strings.Trim(f.DefValue, "[]") + ")"
}
