package doc

import (
	"strconv"
	"strings"
)

// Style is the text style of a terminal. The zero value is plain text, for a pipe.
type Style struct {
	Width   int  // columns; 0 is 120
	Colour  bool // ANSI colours and weights
	Details bool // also sections in Details

	folds int // number of levels of rows that are left out
}

// Columns is the width of the output.
func (s Style) Columns() int {
	if s.Width <= 0 {
		return 120
	}
	return s.Width
}

// Tone is the emphasis of a text: by weight, by a judgement, or by the colour of a series.
type Tone int

// The tones. [Series] has more.
const (
	Plain  Tone = iota
	Strong      // the best of a row, a name
	Soft        // stands back
	Good        // passed
	Bad         // failed
	firstSeries
)

// Palette is the number of colours and markers: Okabe and Ito's, which are distinguishable for any
// colour vision. Further series repeat the colours.
const Palette = 6

// Series is the colour of series i: 0, 1, …; colours repeat after [Palette].
func Series(i int) Tone { return firstSeries + Tone(i%Palette) }

// sequences are the terminal's escape sequences for tones; the colours are close to the page's.
var sequences = []string{"", "1", "2", "32", "31", "34", "33", "35", "32", "36", "31"}

// class is the class of a tone in the style sheet; empty for plain text.
func (t Tone) class() string {
	if t >= firstSeries {
		return "t" + strconv.Itoa(int(t-firstSeries))
	}
	return []string{"", "best", "soft", "good", "bad"}[t]
}

// Colours are the escape sequences for terminals.
func Colours() []string {
	out := []string{"\x1b[0m"}
	for _, s := range sequences[1:] {
		out = append(out, "\x1b["+s+"m")
	}
	return out
}

// Bold is a text in bold if the terminal supports it.
func (s Style) Bold(text string) string { return s.paint(text, Strong) }

// paint is a text in a tone if the terminal supports it.
func (s Style) paint(text string, tone Tone) string {
	if !s.Colour || tone == Plain || text == "" {
		return text
	}
	return "\x1b[" + sequences[tone] + "m" + text + "\x1b[0m"
}

// Wrap breaks a paragraph into lines of at most width characters.
func Wrap(text string, width int) string {
	var b strings.Builder
	col := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case col == 0:
		case col+1+n > width && !strings.HasPrefix(word, "%"): // 2 % stays together
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}
