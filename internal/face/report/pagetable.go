package report

import "weft/internal/face/doc"

// pageTable is a table of texts, with or without a title of its own.
type pageTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

// pageOf is a table for a page.
func pageOf(t *doc.Table, title string) pageTable {
	out := pageTable{Title: title}
	for i, row := range t.Rows {
		texts := make([]string, len(row))
		for j, c := range row {
			texts[j] = c.Text
		}
		if i == 0 {
			out.Head = texts
		} else {
			out.Rows = append(out.Rows, texts)
		}
	}
	return out
}
