// Package doc holds what a verb tells as one typed document: headings, sentences, tables,
// diagrams and texts. Three renderers show it: [Document.Terminal] for people at a
// terminal, [Document.HTML] as a page that needs no other file, and [Document.Markdown].
//
// A document has the verdict first. A section in [Details] gives way where all of the
// document would not fit a screen: the page has it, and the terminal with --details. JSON
// is no renderer: a result has its own tags where it is computed.
package doc
