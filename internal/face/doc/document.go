package doc

import (
	"html/template"
	"slices"
)

// Document is the output of a verb.
type Document struct {
	Brand    string   // of the page, above its title
	Title    string   // title of the page; without a Heading also the first line on a terminal
	Subtitle string   // of the page
	Heading  string   // the first line on a terminal
	Series   []string // names with a colour, in paragraphs of the verdict
	Sections []Section
	Footer   string // of the page
	Policy   string // Content-Security-Policy of the page; empty if it has no scripts
}

// Section is blocks under a title.
type Section struct {
	Title   string
	Caption string // short explanation of the section
	In      Place
	Verdict bool // the page frames it
	Kept    int  // for In: Details: the items of its list that stay on a terminal without the rest; 0: none
	Folded  bool // the page shows only the title until it is opened
	Blocks  []Block
}

// Place is the output on which a section appears.
type Place int

// The places.
const (
	Everywhere Place = iota
	Details          // everywhere, but on a terminal only if the document fits a screen, or with --details
	Asked            // everywhere, but on a terminal only with --details
	Page             // everywhere except on a terminal
	Screen           // only on a terminal
)

// Block is a part of a section: [Heading], [Paragraph], [List], [*Table], [Alarm], [Listing],
// [Plots], [Figure], [Lanes], [Cards] or [Live].
type Block interface{ kind() string }

// Heading is a title below the section's.
type Heading string

// Paragraph is a sentence or a few. `Code` and [links](address) are as in Markdown.
type Paragraph struct {
	Lead string // its first words, which are emphasised
	Text string
	Tone Tone // Soft is a note
}

// List is sentences of one kind.
type List []string

// Alarm reports a failure, with its own lines.
type Alarm string

// Listing is a text with its own lines: a scenario, a configuration.
type Listing string

// Plots are diagrams side by side.
type Plots struct {
	Legend []string // names of the series, in the order of their colours; may be empty
	Plots  []Plot
}

// Plot is a drawn diagram. Its axes have names and units.
type Plot struct {
	Title, Note string
	SVG         template.HTML // made by weft's own code, which escapes its input
	Keys        []Key         // lines other than one per series
}

// Key explains a kind of line.
type Key struct {
	Dash  string // in the form of stroke-dasharray
	Label string
}

// Figure is a drawing as wide as the page.
type Figure struct {
	Title string
	Tone  Tone // of the title
	Note  string
	SVG   template.HTML // as of [Plot]
}

// Cards are summaries, a card for each series.
type Cards []Card

// Live is views with their own script, on the page below the verdict. Only weft's own code makes it.
type Live template.HTML

// Card is the figures of a series.
type Card struct {
	Title, Subtitle string
	Figures         []CardFigure
}

// CardFigure is a number with its name and its unit.
type CardFigure struct{ Label, Value, Note string }

func (Heading) kind() string   { return "heading" }
func (Paragraph) kind() string { return "paragraph" }
func (List) kind() string      { return "list" }
func (*Table) kind() string    { return "table" }
func (Alarm) kind() string     { return "alarm" }
func (Listing) kind() string   { return "listing" }
func (Plots) kind() string     { return "diagrams" }
func (Figure) kind() string    { return "figure" }
func (Cards) kind() string     { return "cards" }
func (Live) kind() string      { return "live" }

// Add adds sections, without tables that have no row below their heading.
func (d *Document) Add(sections ...Section) {
	for _, s := range sections {
		s.Blocks = slices.DeleteFunc(slices.Clone(s.Blocks), func(b Block) bool {
			t, is := b.(*Table)
			return is && len(t.Rows) < 2
		})
		d.Sections = append(d.Sections, s)
	}
}

// Paragraphs are sentences, a paragraph each.
func Paragraphs(sentences ...string) []Block { return paragraphs(Plain, sentences) }

// Notes are less prominent sentences, a paragraph each.
func Notes(sentences ...string) []Block { return paragraphs(Soft, sentences) }

func paragraphs(tone Tone, sentences []string) []Block {
	out := make([]Block, len(sentences))
	for i, s := range sentences {
		out[i] = Paragraph{Text: s, Tone: tone}
	}
	return out
}
