package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"weft/internal/face/cli"
)

// TestEachVerbHasAPageThatNamesItsFlags: what is hidden from help has none.
func TestEachVerbHasAPageThatNamesItsFlags(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	folder := t.TempDir()
	if err := write(cli.Commands(), folder); err != nil {
		t.Fatal(err)
	}
	want := 0
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(folder, "man", name))
		if err != nil {
			t.Error(err)
		}
		want++
		if !strings.HasPrefix(strings.TrimLeft(string(text), "'\\t \".nh\n"), `TH "`) || !strings.Contains(string(text), `"Jan 1970"`) {
			t.Errorf("%s begins with %.80q", name, text)
		}
		if json := c.Flags().Lookup("json"); json != nil && !strings.Contains(string(text), `\fB--json\fP`) {
			t.Errorf("%s has no --json", name)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				each(sub)
			}
		}
	}
	each(cli.Commands())
	if pages, _ := filepath.Glob(filepath.Join(folder, "man", "*")); len(pages) != want || want < 50 {
		t.Errorf("%d pages, and %d verbs", len(pages), want)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if text, err := os.ReadFile(filepath.Join(folder, "completion", "weft."+shell)); err != nil || !strings.Contains(string(text), "weft") {
			t.Errorf("completion of %s: %v", shell, err)
		}
	}
}

// TestALetterOfTheHelpIsThatLetterOfThePage: nothing is taken for Markdown, and what is indented keeps its lines.
func TestALetterOfTheHelpIsThatLetterOfThePage(t *testing.T) {
	c := &cobra.Command{
		Use: "t FILE", Short: "an *odd* name_with_lines", Run: func(*cobra.Command, []string) {},
		Long: "# not a title\n1. `nor` <a> list & a_b_c [x](y)\n\n  a   table\n  b*c  of_two_ lines\n\nand {more}.", DisableAutoGenTag: true,
	}
	c.Flags().String("set", "", "a `FIELD` of [the] *scenario*")
	folder := t.TempDir()
	if err := write(c, folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "man", "t.1"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.NewReplacer(`\&`, "", `\`, "").Replace(string(text))
	for _, want := range []string{
		"an *odd* name_with_lines", "# not a title", "1. `nor` <a> list & a_b_c [x](y)", ".EX\n  a   table\n  b*c  of_two_ lines\n", "and {more}.",
		"--setfP", `="FIELD"`, "a FIELD of [the] *scenario*",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
}
