package report

import (
	"slices"
	"strings"

	"weft/examples"
	"weft/internal/face/doc"
)

// Examples is the list of the examples that the program carries.
func Examples(all []examples.Example) *doc.Document {
	rows := [][]string{{"example", "command", "question"}}
	for _, e := range all {
		rows = append(rows, []string{e.Name, exampleCommand(&e), e.Question})
	}
	return &doc.Document{
		Brand: "examples", Title: "Examples", Footer: "Made by weft examples.",
		Sections: []doc.Section{{Blocks: []doc.Block{
			doc.Paragraph{Text: "weft examples NAME prints one; each command takes example:NAME, as weft compare example:h100-128."},
			doc.Grid(rows),
		}}},
	}
}

// exampleCommand is the command that answers the question of an example.
func exampleCommand(e *examples.Example) string {
	for _, of := range []struct{ key, command string }{
		{"gpus", "plan"},
		{"switches", "plan --devices"},
		{"design", "advise"},
		{"tune", "tune"},
		{"sweep", "sweep"},
		{"isolation", "audit isolation"},
		{"serving", "serve"},
		{"training", "train"},
		{"fabrics", "compare"},
	} {
		if slices.Contains(e.Keys, of.key) {
			return of.command
		}
	}
	if strings.Contains(e.Name, "collisions") {
		return "roce collisions"
	}
	return "run"
}
