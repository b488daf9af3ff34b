package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// PauseRow is a line of the tree of pauses: a root cause, or a sender that was paused because of
// the row above it.
type PauseRow struct {
	Branch string // the branch from the row above
	Text   string
	Link   int // index of the link in the pauses; -1 at a root
}

// PauseTree are the rows of the trees, each from its root cause to the last delayed senders, the
// root with the longest pauses first.
func PauseTree(p *results.Pauses) []PauseRow {
	t := pauseTree{p: p, below: make(map[int][]int)}
	var roots []string
	under := make(map[string][]int)
	for i := range p.Links {
		l := &p.Links[i]
		if !l.Root() {
			t.below[l.After] = append(t.below[l.After], i)
			continue
		}
		root := rootText(p, i)
		if under[root] == nil {
			roots = append(roots, root)
		}
		under[root] = append(under[root], i)
	}
	for _, root := range roots {
		t.rows = append(t.rows, PauseRow{Text: root, Link: -1})
		t.grow("", under[root])
	}
	return t.rows
}

// pauseTree is the rows under construction.
type pauseTree struct {
	p     *results.Pauses
	below map[int][]int // by link: the pauses that it caused
	rows  []PauseRow
}

// grow adds the rows of some links and of all below them.
func (t *pauseTree) grow(indent string, links []int) {
	for k, i := range links {
		branch, next := "├ ", "│ "
		if k == len(links)-1 {
			branch, next = "└ ", "\u00a0\u00a0" // which HTML keeps
		}
		t.rows = append(t.rows, PauseRow{indent + branch, t.p.Links[i].Name, i})
		t.grow(indent+next, t.below[i])
	}
}

// rootText is the root cause of a pause without a preceding pause.
func rootText(p *results.Pauses, i int) string {
	l := &p.Links[i]
	switch {
	case l.Circle:
		return fmt.Sprintf("%d ports wait for one another in a circle", len(circleOf(p, i)))
	case l.Cause == "":
		return l.By + " does not receive at line rate"
	}
	return "more came for " + l.Cause + " than it carries"
}

// circleOf is the circle of a link.
func circleOf(p *results.Pauses, i int) []int {
	circle := []int{i}
	for at := p.Links[i].After; at >= 0 && !slices.Contains(circle, at); at = p.Links[at].After {
		circle = append(circle, at)
	}
	return circle
}

// victims are the messages that waited at a paused link, with their relation to its root.
func victims(p *results.Pauses, link int) (names []string) {
	for i := range p.Flows {
		f := &p.Flows[i]
		if f.Victim && slices.Contains(f.Links, link) && !furtherBack(p, f, link) {
			names = append(names, fmt.Sprintf("%s, %s", f.Name, shortTime(units.Time(f.TimePs))))
		}
	}
	return names
}

// furtherBack reports whether a message's path has a paused link that this link's pause caused.
func furtherBack(p *results.Pauses, f *results.PausedFlow, link int) bool {
	return slices.ContainsFunc(f.Links, func(other int) bool { return other != link && p.Links[other].After == link })
}

// pauseTable is the table of pauses.
func pauseTable(p *results.Pauses) *doc.Table {
	t := doc.Wrapped("who was paused, from the root cause to those who waited", "by", "priority", "times", "in pause", "first at", "victim of it")
	for _, r := range PauseTree(p) {
		if r.Link < 0 {
			t.AddTexts(r.Text, "", "", "", "", "", "")
			continue
		}
		l := &p.Links[r.Link]
		t.Add(doc.Text(r.Branch+r.Text), doc.Text(l.By), doc.Instead(fmt.Sprint(l.Priority)), doc.Count(l.Pauses), doc.Time(units.Time(l.PausedPs)),
			doc.Time(units.Time(l.FirstPs)), doc.Text(strings.Join(victims(p, r.Link), "; ")))
	}
	if p.More > 0 {
		t.AddTexts(fmt.Sprintf("and %d more", p.More), "", "", "", "", "", "")
	}
	return t
}
