// Package face is the wing for users: the command line, the tables, sentences and
// plots of a terminal, and the HTML page.
//
// # Rooms
//
//	doc     a typed document, and its renderers: terminal, HTML page, Markdown
//	draw    the graph of a network as SVG
//	report  results as documents: sentences, tables and plots
//	page    views of a run's series in a browser, and their server
//	cli     the commands
//
// # Imports
//
// face may import every wing but verbs, and simulates through package weft. Only cmd/weft
// imports it: a report cannot change a result.
package face
