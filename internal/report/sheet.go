package report

import "io"

// sheet is a page of tables with sentences: a plan, or a recommendation. It has no
// script and no resource from anywhere else.
type sheet struct {
	Brand, Title, Subtitle string
	Verdict                []string
	Points                 []sheetSection // of the verdict, as lists
	Sections               []sheetSection
	Details                []sheetDetail // folded
	Footer                 string
}

type sheetSection struct {
	Title  string
	Tables []sheetTable
	Notes  []string
}

type sheetTable struct {
	Head []string
	Rows [][]string
}

// sheetDetail is a text or a table to unfold.
type sheetDetail struct {
	Title string
	Text  string
	Table *sheetTable
}

// Colours are the indices of the palette, for the style sheet.
func (s *sheet) Colours() []int { return colours() }

func (s *sheet) write(w io.Writer) error { return pages.ExecuteTemplate(w, "sheet.html.tmpl", s) }
