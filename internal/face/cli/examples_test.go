package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The examples in the help name existing commands and flags.
func TestExamplesOfHelpNameExistingFlags(t *testing.T) {
	root := newRoot(simulatorOf(environment(nil)))
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "weft" {
				continue
			}
			of, rest, err := root.Find(words[1:])
			if err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
				continue
			}
			for _, word := range rest {
				if word == "|" || word == "&&" || word == "#" || word == "--" {
					break
				}
				name, long := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if seen++; long && of.Flags().Lookup(name) == nil && of.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: %s has no flag --%s", strings.TrimSpace(line), of.CommandPath(), name)
				}
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if seen < 50 {
		t.Errorf("only %d words of examples were checked", seen)
	}
}
