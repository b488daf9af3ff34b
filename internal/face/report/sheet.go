package report

import "io"

// sheet is a page of tables with sentences: a plan, or a recommendation. It has no
// script and no resource from anywhere else.
type sheet struct {
	heading
	Verdict  []string
	Points   []sheetSection // of the verdict, as lists
	Sections []sheetSection
	Details  []sheetDetail // folded
	Footer   string
}

type sheetSection struct {
	Title  string
	Tables []pageTable
	Notes  []string
}

// pageTable is a table of texts, with or without a title of its own.
type pageTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

// sheetDetail is a text or a table to unfold.
type sheetDetail struct {
	Title string
	Text  string
	Table *pageTable
}

func (s *sheet) write(w io.Writer) error { return pages.ExecuteTemplate(w, "sheet.html.tmpl", s) }
