package doc

import (
	"io"
	"strings"
)

// Markdown writes the document as Markdown, without its drawings.
func (d *Document) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# " + d.heading() + "\n")
	for i := range d.Sections {
		if s := &d.Sections[i]; s.In != Screen {
			s.markdown(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Section) markdown(b *strings.Builder) {
	if s.Title != "" {
		level := "## "
		if s.Sub {
			level = "### "
		}
		b.WriteString("\n" + level + s.Title + "\n")
	}
	if s.Caption != "" {
		b.WriteString("\n" + s.Caption + "\n")
	}
	for _, block := range s.Blocks {
		switch x := block.(type) {
		case Paragraph:
			text := x.Text
			if x.Lead != "" {
				text = "*" + x.Lead + "* " + text
			}
			b.WriteString("\n" + text + "\n")
		case List:
			b.WriteString("\n- " + strings.Join(x, "\n- ") + "\n")
		case Alarm:
			b.WriteString("\n**" + strings.TrimRight(string(x), "\n") + "**\n")
		case Listing:
			b.WriteString("\n```text\n" + strings.TrimRight(string(x), "\n") + "\n```\n")
		case *Table:
			x.markdown(b)
		}
	}
}

// markdown is the table between bars, numbers on their right edge. Groups stand in the
// headings of their columns.
func (t *Table) markdown(b *strings.Builder) {
	if t.Title != "" {
		b.WriteString("\n*" + t.Title + "*\n")
	}
	b.WriteByte('\n')
	for i, row := range t.Rows {
		for j, c := range row {
			text := strings.NewReplacer("\n", " ", "|", `\|`).Replace(strings.TrimSpace(c.Text))
			if i == 0 {
				text = strings.TrimSpace(t.group(j) + " " + text)
			} else if c.Tone == Bad {
				text = "**" + text + "**"
			}
			b.WriteString("| " + text + strings.Repeat(" ", min(1, len(text))))
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, c := range t.Columns {
			rule := "---:"
			if c.Left {
				rule = "---"
			}
			b.WriteString("|" + rule)
		}
		b.WriteString("|\n")
	}
}

// group is the name of the group that a column is in.
func (t *Table) group(j int) string {
	for _, g := range t.Groups {
		if g.From <= j && j < g.To {
			return g.Text
		}
	}
	return ""
}
