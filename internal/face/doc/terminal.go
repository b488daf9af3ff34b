package doc

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// screen is the maximum number of lines of a document on a terminal without --details.
const screen = 50

// Terminal writes the document as lines of text. If it has more lines than a screen, sections in
// [Details] are left out, the longest first, and a last line names them. If that is not enough, rows
// of tables are left out, the highest [Cell.Level] first.
func (d *Document) Terminal(w io.Writer, s Style) error {
	whole, err := d.lines(s)
	text := whole
	for err == nil && !s.Details && strings.Count(text, "\n") > screen {
		if s.folds++; s.folds > maxLevel {
			text = whole // nothing helps
			break
		}
		text, err = d.lines(s)
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// lines is the document as lines of text.
func (d *Document) lines(s Style) (string, error) {
	var parts []string
	var sections []*Section
	if heading := d.heading(); heading != "" {
		parts, sections = append(parts, s.Bold(heading)+"\n"), append(sections, &Section{})
	}
	for i := range d.Sections {
		if section := &d.Sections[i]; section.In != Page {
			text, err := section.terminal(s)
			if err != nil {
				return "", err
			}
			if text != "" {
				parts, sections = append(parts, text), append(sections, section)
			}
		}
	}
	return strings.Join(fitted(parts, sections, s), "\n"), nil
}

func (d *Document) heading() string {
	if d.Heading != "" {
		return d.Heading
	}
	return d.Title
}

// beginning is the section with the items of its list that stay on a terminal without the rest; empty if all or none do.
func (s *Section) beginning(style Style) string {
	for i, block := range s.Blocks {
		list, is := block.(List)
		if !is || s.Kept == 0 || len(list) <= s.Kept {
			continue
		}
		short := *s
		short.Caption = fmt.Sprintf("%d of %d", s.Kept, len(list))
		short.Blocks = append(slices.Clone(s.Blocks[:i]), list[:s.Kept])
		text, err := short.terminal(style)
		if err == nil {
			return text
		}
	}
	return ""
}

// fitted is the sections that fit a screen; if nothing can be left out, all sections. A section with a beginning is
// shortened to it first.
func fitted(parts []string, sections []*Section, s Style) []string {
	left, short := make([]bool, len(parts)), make([]bool, len(parts))
	for i := range sections {
		left[i] = sections[i].In == Asked && !s.Details
	}
	for {
		var shown, missing []string
		lines, longest := 0, -1
		if s.folds > 0 {
			missing = []string{"the parts of the rows"}
		}
		for i, text := range parts {
			if left[i] {
				missing = append(missing, sections[i].name())
				continue
			}
			if short[i] {
				missing = append(missing, "all "+sections[i].name())
			}
			shown = append(shown, text)
			lines += 1 + strings.Count(text, "\n")
			if sections[i].In == Details && (longest < 0 || strings.Count(text, "\n") > strings.Count(parts[longest], "\n")) {
				longest = i
			}
		}
		if len(missing) > 0 {
			hint := Wrap("With --details also: "+fewOf(missing)+".", s.Columns()) + "\n"
			shown = append(shown, hint)
			lines += 1 + strings.Count(hint, "\n")
		}
		if s.Details || lines-1 <= screen || longest < 0 {
			return shown
		}
		if begin := sections[longest].beginning(s); begin != "" && !short[longest] {
			parts[longest], short[longest] = begin, true
			continue
		}
		left[longest], short[longest] = true, false
	}
}

// fewOf is a list of names, or its beginning.
func fewOf(names []string) string {
	const few = 6
	if more := len(names) - few; more > 1 {
		return strings.Join(names[:few], "; ") + fmt.Sprintf("; and %d more", more)
	}
	return strings.Join(names, "; ")
}

// name is a title within a sentence.
func (s *Section) name() string {
	if len(s.Title) < 2 || strings.ToUpper(s.Title[:2]) == s.Title[:2] {
		return s.Title
	}
	return strings.ToLower(s.Title[:1]) + s.Title[1:]
}

// terminal is a section as lines: consecutive paragraphs are one block.
func (s *Section) terminal(style Style) (string, error) {
	var b strings.Builder
	if s.Title != "" {
		title := s.Title
		if s.Caption != "" {
			title += " (" + s.Caption + ")"
		}
		b.WriteString(style.Bold(Wrap(title, style.Columns())) + "\n")
	}
	before := "title"
	for _, block := range s.Blocks {
		var part strings.Builder
		if err := write(&part, block, style); err != nil {
			return "", err
		}
		if part.Len() == 0 {
			continue
		}
		if b.Len() > 0 && (before != block.kind() || before == "table") && !(before == "alarm" && block.kind() == "alarm") {
			b.WriteByte('\n')
		}
		b.WriteString(part.String())
		before = block.kind()
	}
	if before == "title" {
		return "", nil // diagrams only
	}
	return b.String(), nil
}

// write is a block on a terminal, which has no drawings.
func write(b *strings.Builder, block Block, s Style) error {
	switch x := block.(type) {
	case Heading:
		b.WriteString(s.Bold(string(x)) + "\n")
	case Paragraph:
		text := x.Text
		if x.Lead != "" {
			text = x.Lead + " " + text
		}
		tone := x.Tone
		if tone == Soft {
			tone = Plain // a note is as legible as a sentence
		}
		b.WriteString(s.paint(Wrap(text, s.Columns()), tone) + "\n")
	case List:
		for _, item := range x {
			b.WriteString("- " + strings.ReplaceAll(Wrap(item, s.Columns()-2), "\n", "\n  ") + "\n")
		}
	case Alarm:
		b.WriteString(strings.TrimRight(string(x), "\n") + "\n")
	case Listing:
		b.WriteString(strings.TrimRight(string(x), "\n") + "\n")
	case *Table:
		if x.Title != "" {
			b.WriteString(x.Title + "\n\n")
		}
		return x.Write(b, s)
	}
	return nil
}
