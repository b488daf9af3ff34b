package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/sim/catalog"
)

// Args checks the number of a verb's arguments; what is the name of the expected argument.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return fmt.Errorf("%s needs %s: %s", c.CommandPath(), what, c.UseLine())
		case len(given) > most && most == 0:
			return fmt.Errorf("%s takes %s, and %q is given: %s", c.CommandPath(), what, given[0], c.UseLine())
		case len(given) > most:
			return fmt.Errorf("%s takes %s and nothing after it, and %q is given: %s", c.CommandPath(), what, given[most], c.UseLine())
		}
		return nil
	}
}

// ScenarioFile completes the path of a scenario.
func ScenarioFile(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// Group makes a verb with sub-verbs refuse unknown ones, and show its help without one.
func Group(c *cobra.Command) {
	c.Args = OnlyVerbs
	c.DisableFlagsInUseLine = true // nor is the verb alone in the usage
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// OnlyVerbs refuses arguments of a verb whose only arguments are its sub-verbs.
func OnlyVerbs(c *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	names := VerbNames(c.Commands())
	wrong := fmt.Sprintf("%s has no verb %q", c.CommandPath(), Abridged(given[0]))
	switch near := DidYouMean(given[0], names); {
	case near != "":
		return fmt.Errorf("%s%s", wrong, near)
	case len(names) == 0:
		return fmt.Errorf("%s: it has none", wrong)
	case len(names) > mostListed:
		return fmt.Errorf("%s: %s --help lists them", wrong, c.CommandPath())
	}
	return fmt.Errorf("%s: it has %s", wrong, strings.Join(names, ", "))
}

// mostListed is the number of names that an error lists.
const mostListed = 12

// VerbNames returns the names of the verbs that help shows.
func VerbNames(verbs []*cobra.Command) (names []string) {
	for _, verb := range verbs {
		if !verb.Hidden {
			names = append(names, verb.Name())
		}
	}
	return names
}

// DidYouMean is the name that a user may have meant, for an error about an unknown one; empty if
// none is near.
func DidYouMean(name string, known []string) string {
	near := catalog.Nearest(name, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", near)
}

// OneOf are names that a user may have meant, for an error about an unknown one; empty without names.
func OneOf(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(near[:min(len(near), mostListed)], " or "))
}

// longestArgument is the maximum length of an argument in an error.
const longestArgument = 60

// Abridged is an argument for an error: on one line, shortened.
func Abridged(s string) string {
	if r := []rune(s); len(r) > longestArgument {
		s = string(r[:longestArgument]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}
