package report

import (
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/scenario"
)

// ownSections are the sections that one protocol alone has. Between protocols, what they hold is compared as a
// whole by the property "buffers and flow control"; a few of their fields stand in the table.
var (
	ownSections = []string{"ib.", "ethernet.", "tcp."}
	shownOfOwn  = []string{"ib.buffer", "ib.speedup", "ethernet.pfc.enabled", "ethernet.pfc.alpha", "ethernet.ecn.enabled"}
)

// differenceTable is the values that the fabrics do not share, and where each comes from.
func differenceTable(sc *scenario.Resolved) *doc.Table {
	t := doc.NewTable("value", "fabric", "", "source")
	t.Keys = 2
	if sc == nil || len(sc.Fabrics) < 2 {
		return t
	}
	several := differ(sc, "kind")
	for _, path := range scenario.FabricFields() {
		own := several && slices.ContainsFunc(ownSections, func(section string) bool { return strings.HasPrefix(path, section) })
		if path == "name" || path == "preset" || own && !slices.Contains(shownOfOwn, path) || !differ(sc, path) {
			continue
		}
		label := path
		for i := range sc.Fabrics {
			f := &sc.Fabrics[i]
			section, _, _ := strings.Cut(path, ".")
			if zero := (scenario.Fabric{}); own && f.Same(&zero, section) {
				continue // the protocol has no such section
			}
			text, _ := f.Text(path)
			t.Add(doc.Text(label), doc.Text(doc.Fit(f.Name, 22)), doc.Text(doc.Fit(text, 40)), doc.Text(doc.Fit(sc.SourceOf(i, path), 70)))
			label = ""
		}
	}
	return t
}

// differ reports whether the fabrics of a scenario differ in a field.
func differ(sc *scenario.Resolved, path string) bool {
	return slices.ContainsFunc(sc.Fabrics[1:], func(f scenario.Fabric) bool { return !f.Same(&sc.Fabrics[0], path) })
}
