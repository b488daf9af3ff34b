package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// special is what Markdown takes for more than a letter.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+\\-.!<>|~&:^=]")

// asMarkdown makes Markdown of the help of a verb and of those below, for cobra's man pages are made of Markdown: each
// letter stands for itself, and a line that is indented keeps its place.
func asMarkdown(c *cobra.Command) {
	c.Short, c.Long = escaped(c.Short), paragraphs(c.Long)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations["markdown"] != nil { // a parent's flag is a flag of each verb
			return
		}
		f.Annotations = map[string][]string{"markdown": {}}
		placeholder, usage := pflag.UnquoteUsage(f)
		f.Usage = escaped(usage)
		if f.DefValue == "" || f.DefValue == "[]" { // no default: the page shows what the help does
			f.DefValue = placeholder
		}
	})
	for _, sub := range c.Commands() {
		asMarkdown(sub)
	}
}

func escaped(text string) string { return special.ReplaceAllString(text, `\$0`) }

// paragraphs escapes running text, and makes blocks of literal lines of those that are indented.
func paragraphs(text string) string {
	var b strings.Builder
	literal := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if indented != literal && strings.TrimSpace(line) != "" {
			b.WriteString("\n```\n")
			literal = indented
		}
		if literal {
			b.WriteString(line)
		} else {
			b.WriteString(escaped(line))
		}
	}
	if literal {
		b.WriteString("\n```\n")
	}
	return b.String()
}
