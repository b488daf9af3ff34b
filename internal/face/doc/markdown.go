package doc

import (
	"io"
	"strings"
)

// Markdown writes the document as Markdown, without drawings.
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

// markdown writes a section that has more than drawings.
func (s *Section) markdown(b *strings.Builder) {
	var text strings.Builder
	for _, block := range s.Blocks {
		switch x := block.(type) {
		case Heading:
			text.WriteString("\n### " + string(x) + "\n")
		case Paragraph:
			lead := ""
			if x.Lead != "" {
				lead = "*" + x.Lead + "* "
			}
			text.WriteString("\n" + lead + x.Text + "\n")
		case List:
			text.WriteString("\n- " + strings.Join(x, "\n- ") + "\n")
		case Alarm:
			text.WriteString("\n**" + strings.TrimRight(string(x), "\n") + "**\n")
		case Listing:
			text.WriteString("\n```text\n" + strings.TrimRight(string(x), "\n") + "\n```\n")
		case *Table:
			x.markdown(&text)
		}
	}
	if text.Len() == 0 {
		return
	}
	if s.Title != "" {
		b.WriteString("\n## " + s.Title + "\n")
	}
	if s.Caption != "" {
		b.WriteString("\n" + s.Caption + "\n")
	}
	b.WriteString(text.String())
}

// markdown is the table in Markdown's notation, with numbers aligned right. Groups are part of the
// headings of their columns.
func (t *Table) markdown(b *strings.Builder) {
	if t.Title != "" {
		b.WriteString("\n*" + t.Title + "*\n")
	}
	b.WriteByte('\n')
	for i, row := range t.Rows {
		for j, c := range row {
			text := strings.NewReplacer("\n", " ", "|", `\|`).Replace(c.Text)
			if i == 0 {
				text = strings.TrimSpace(t.group(j) + " " + text)
			} else if c.Tone == Bad {
				text = "**" + text + "**"
			}
			text = strings.Repeat("&emsp;", c.Level) + text
			b.WriteString("| " + text)
			if text != "" || i > 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, numeric := range t.numeric() {
			rule := "---"
			if numeric {
				rule = "---:"
			}
			b.WriteString("|" + rule)
		}
		b.WriteString("|\n")
	}
}

// group is the name of a column's group.
func (t *Table) group(j int) string {
	for _, g := range t.Groups {
		if g.From <= j && j < g.To {
			return g.Text
		}
	}
	return ""
}
