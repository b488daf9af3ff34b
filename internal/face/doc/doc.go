// Package doc holds the output of a verb as one typed document: headings, sentences, tables,
// diagrams and texts. Three renderers show it: [Document.Terminal] for people at a terminal,
// [Document.HTML] as a page that needs no other file, and [Document.Markdown].
//
// A cell of a table is a text, or a quantity with its unit: the unit gives its format, the alignment
// of its column, and the value that the page carries.
//
// A document has the verdict first. A section in [Details] is left out on a terminal if the whole
// document would not fit a screen: the page has it, and the terminal with --details. JSON is not a
// renderer: a result type carries its own tags.
package doc
