package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/ib/inspect"
	"weft/scenario"
)

// keptFindings are the errors, and the warnings, that stay on a screen if all are too long for it.
const keptFindings = 6

// Inspection describes the fabric of a file: its parts with their levels, rails, links and
// findings. routes is the result of a Subnet Manager on it.
func Inspection(title string, r *inspect.Report, routes []doc.Block) *doc.Document {
	d := &doc.Document{Brand: "InfiniBand fabric", Title: title, Footer: "Made by weft fabric inspect. The same file and version make the same page."}
	verdict, nothing := "", r.LinksJudged == 0 // what little was judged is said first
	if !r.Faulty() {
		verdict = nothingWrong(r)
	}
	var blocks []doc.Block
	if nothing && verdict != "" {
		blocks = doc.Paragraphs(verdict)
	}
	blocks = append(append(blocks, doc.Paragraphs(fabricCounts(r))...), islandBlocks(r)...)
	var lines []string
	if r.Rails != nil {
		text := fmt.Sprintf("Rail-optimised: %d rails (%s)", r.Rails.Count, someOf(r.Rails.Labels))
		if r.Rails.Islands > 1 {
			text += fmt.Sprintf(" in %d fabrics without a cable between them", r.Rails.Islands)
		}
		lines = append(lines, text)
	}
	lines = append(lines, housingLines(r)...)
	lines = append(lines, linkLines(r)...)
	if len(r.NotJudged) > 0 {
		lines = append(lines, "Not judged: "+strings.Join(r.NotJudged, "; "))
	}
	d.Add(doc.Section{Blocks: append(blocks, doc.Paragraphs(lines...)...)})
	if !nothing && verdict != "" {
		d.Add(doc.Section{Blocks: doc.Paragraphs(verdict)})
	}
	for _, severity := range []inspect.Severity{inspect.Error, inspect.Warning, inspect.Note} {
		s := doc.Section{Title: map[inspect.Severity]string{inspect.Error: "Errors", inspect.Warning: "Warnings", inspect.Note: "Notes"}[severity], In: doc.Details}
		if severity != inspect.Note {
			s.Kept = keptFindings
		}
		var texts doc.List
		for _, f := range r.Findings {
			if f.Severity == severity {
				texts = append(texts, f.Text)
			}
		}
		if len(texts) > 0 {
			s.Blocks = []doc.Block{texts}
		}
		d.Add(s)
	}
	if len(routes) > 0 {
		d.Add(doc.Section{Title: "Routes of OpenSM 3.3.23", Blocks: routes})
	}
	return d
}

// CablingInspection describes a fabric that is no InfiniBand subnet. settings are the switches and ports whose
// configurations differ from the first switch's.
func CablingInspection(title string, r *inspect.Report, settings []scenario.SwitchSettings, notes []string) *doc.Document {
	d := Inspection(title, r, nil)
	d.Brand = "Ethernet fabric"
	if len(settings) > 0 {
		t := doc.Wrapped("switches", "ports", "have of their own")
		for _, s := range settings {
			var set []string
			for _, a := range s.Set {
				set = append(set, string(a))
			}
			ports := "all"
			if len(s.Ports) > 0 {
				ports = strings.Join(s.Ports, " ")
			}
			t.Add(doc.Text(strings.Join(s.Names, ", ")), doc.Text(ports), doc.Text(strings.Join(set, ", ")))
		}
		d.Add(doc.Section{Title: "Configurations that differ", Caption: "ports are numbered from 1 in the order of their names", Blocks: []doc.Block{t}})
	}
	if len(notes) > 0 {
		d.Add(doc.Section{Title: "From the files", In: doc.Details, Blocks: []doc.Block{doc.List(notes)}})
	}
	return d
}

// NoPeers is why an inspection judged nothing.
const NoPeers = "no link and no pair of switches has another to be compared with"

// nothingWrong says on what it rests that there are no errors and warnings.
func nothingWrong(r *inspect.Report) string {
	if r.Blank() {
		return "Nothing was judged: " + NoPeers + "."
	}
	pairs := "the cables of " + exactly(r.PairsJudged, "pair of switches", "pairs of switches")
	if r.LinksJudged == 0 {
		return "No link was judged; " + pairs + " were compared, without an error or a warning."
	}
	compared := exactly(r.LinksJudged, "link", "links")
	if r.PairsJudged > 0 {
		compared += " and " + pairs
	}
	return "There are no errors and no warnings: " + compared + " were compared."
}

// fabricCounts is the numbers of the fabric's parts.
func fabricCounts(r *inspect.Report) string {
	hosts := exactly(r.Hosts, "host", "hosts")
	if r.Hosts != r.Adapters {
		hosts += " with " + exactly(r.Adapters, "adapter port", "adapter ports")
	}
	parts := []string{exactly(r.Switches, "switch", "switches"), hosts, exactly(r.Cables, "cable", "cables")}
	switch {
	case r.Routers > 0 && r.Ethernet:
		parts = append(parts, exactly(r.Routers, "other device", "other devices"))
	case r.Routers > 0:
		parts = append(parts, exactly(r.Routers, "router", "routers"))
	}
	if r.Aggregation > 0 {
		parts = append(parts, exactly(r.Aggregation, "aggregation node", "aggregation nodes")+" (SHARP)")
	}
	return strings.Join(parts, ", ")
}

// housingLines are the directors, and the switches with planes in one line.
func housingLines(r *inspect.Report) (lines []string) {
	if r.Planes > 0 {
		lines = append(lines, fmt.Sprintf("Planes: the ports of an adapter are on %d fabrics without a cable between them", r.Planes))
	}
	planes := map[int]int{} // by chips
	for _, h := range r.Housings {
		if h.Planes {
			planes[h.Chips]++
			continue
		}
		names := strings.Join(h.Names[:min(2, len(h.Names))], ", ")
		if more := len(h.Names) - 2; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, fmt.Sprintf("One housing: %d chips with system GUID %s (%s)", h.Chips, h.GUID, names))
	}
	for _, chips := range slices.Sorted(maps.Keys(planes)) {
		lines = append(lines, fmt.Sprintf("%s of %d chips, one for each plane", exactly(planes[chips], "housing", "housings"), chips))
	}
	return lines
}

// islandBlocks are the parts without a cable between them, equal ones once.
func islandBlocks(r *inspect.Report) (out []doc.Block) {
	const most = 8
	for i := 0; i < len(r.Islands); {
		same := i + 1
		for same < len(r.Islands) && r.Islands[same].What == r.Islands[i].What && r.Islands[same].Switches == r.Islands[i].Switches && r.Islands[same].Adapters == r.Islands[i].Adapters &&
			slices.Equal(r.Islands[same].But, r.Islands[i].But) {
			same++
		}
		if i >= most {
			return append(out, doc.Paragraph{Text: "and " + exactly(len(r.Islands)-i, "more part", "more parts")})
		}
		v := &r.Islands[i]
		text := v.What
		if same-i > 1 {
			text = fmt.Sprintf("%d times %s", same-i, text)
		}
		text = begun(text)
		if len(v.But) > 0 {
			text += ", but for " + strings.Join(v.But, ", ")
		}
		if len(r.Islands) > 1 {
			text += fmt.Sprintf(" (%s, %s)", exactly(v.Switches, "switch", "switches"), exactly(v.Adapters, "adapter port", "adapter ports"))
		}
		if v.Diameter > 0 {
			text += fmt.Sprintf(", at most %s between switches", exactly(v.Diameter, "link", "links"))
		}
		out = append(out, doc.Paragraph{Text: text})
		if len(v.Levels) > 0 {
			out = append(out, levelTable(v.Levels))
		}
		if len(v.Members) > 0 {
			out = append(out, memberTable(v.Members))
		}
		i = same
	}
	return out
}

// levelTable is a row for each level of a tree.
func levelTable(levels []inspect.Level) *doc.Table {
	t := doc.Wrapped("level", "switches", "ports", "cables down", "to hosts", "cables up", "free ports", "oversubscription")
	for i := range levels {
		l := &levels[i]
		up, over := doc.None, none
		if l.Up > 0 {
			up, over = each(l.Up, l.UpEach), ratioText(l.Oversubscription)
			if l.Worst > l.Oversubscription*1.001 {
				over += fmt.Sprintf(" (worst %s at %s)", ratioText(l.Worst), l.WorstSwitch)
			}
		}
		t.Add(doc.Text(l.Name), doc.Count(l.Switches), doc.Count(l.Ports), each(l.Down, l.DownEach), doc.Count(l.Hosts), up, doc.Count(l.Free), doc.Text(over))
	}
	return t
}

// memberTable is a row for each switch of a part without a known family.
func memberTable(members []inspect.Member) *doc.Table {
	t := doc.Wrapped("switch", "adapters", "free ports", "cables to switches")
	for _, m := range members {
		var to []string
		for _, b := range m.To {
			to = append(to, fmt.Sprintf("%d to %s", b.Cables, b.Switch))
		}
		t.Add(doc.Text(m.Switch), doc.Count(m.Hosts), doc.Count(m.Free), doc.Text(strings.Join(to, ", ")))
	}
	return t
}

// each is a sum of cables, and the share that most switches have.
func each(sum, share int) doc.Cell {
	c := doc.Count(sum)
	if share >= 0 && share != sum {
		c.Text += fmt.Sprintf(" (%d each)", share)
	}
	return c
}

func ratioText(r float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", r), "0"), ".") + ":1"
}

// linkLines are the links of each sort by width and speed.
func linkLines(r *inspect.Report) (out []string) {
	sort, others := "", "routers"
	if r.Ethernet {
		others = "other devices"
	}
	for _, l := range r.Links {
		name := l.Link
		if name == "?????" {
			name = "of unknown speed"
		}
		text := fmt.Sprintf(" %d %s", l.Count, name)
		if l.Sort == sort {
			out[len(out)-1] += "," + text
			continue
		}
		sort = l.Sort
		out = append(out, fmt.Sprintf("Links to %s:", map[string]string{"host": "hosts", "switch": "switches", "aggregation": "aggregation nodes", "router": others}[sort])+text)
	}
	return out
}

// begun is a text with a capital at its beginning.
func begun(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
