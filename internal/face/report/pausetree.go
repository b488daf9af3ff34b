package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// pauseRow is a line of the tree of who paused whom: a root cause, or a sender that
// was paused for the sake of the row above it.
type pauseRow struct {
	branch string // what leads to it from the row above
	text   string
	link   int // of the pauses; -1 at a root
}

// pauseRows are the rows of the trees, each from its root cause to those who waited
// in the end, the root that cost most first.
func pauseRows(p *runstore.Pauses) []pauseRow {
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
		t.rows = append(t.rows, pauseRow{text: root, link: -1})
		t.grow("", under[root])
	}
	return t.rows
}

// pauseTree is the rows as they are made.
type pauseTree struct {
	p     *runstore.Pauses
	below map[int][]int // by link: those that were paused for its sake
	rows  []pauseRow
}

// grow adds the rows of some links and of all below them.
func (t *pauseTree) grow(indent string, links []int) {
	for k, i := range links {
		branch, next := "├ ", "│ "
		if k == len(links)-1 {
			branch, next = "└ ", "  "
		}
		t.rows = append(t.rows, pauseRow{indent + branch, t.p.Links[i].Name, i})
		t.grow(indent+next, t.below[i])
	}
}

// rootText is the root cause of a pause that no other is behind.
func rootText(p *runstore.Pauses, i int) string {
	l := &p.Links[i]
	switch {
	case l.Circle:
		return fmt.Sprintf("%d ports wait for one another in a circle", len(circleOf(p, i)))
	case l.Cause == "":
		return l.By + " does not take what comes"
	}
	return "more came for " + l.Cause + " than it carries"
}

// circleOf is the circle that a link is in.
func circleOf(p *runstore.Pauses, i int) []int {
	circle := []int{i}
	for at := p.Links[i].After; at >= 0 && !slices.Contains(circle, at); at = p.Links[at].After {
		circle = append(circle, at)
	}
	return circle
}

// victims are the messages that waited in the end at a paused link, with what
// they have to do with its root.
func victims(p *runstore.Pauses, link int) (names []string) {
	for i := range p.Flows {
		f := &p.Flows[i]
		if f.Victim && slices.Contains(f.Links, link) && !furtherBack(p, f, link) {
			names = append(names, fmt.Sprintf("%s, %s", f.Name, shortTime(units.Time(f.TimePs))))
		}
	}
	return names
}

// furtherBack reports whether a message's way has a paused link that was paused for
// the sake of this one.
func furtherBack(p *runstore.Pauses, f *runstore.PausedFlow, link int) bool {
	return slices.ContainsFunc(f.Links, func(other int) bool { return other != link && p.Links[other].After == link })
}

// pauseTable is who paused whom.
func pauseTable(p *runstore.Pauses) *doc.Table {
	rows := [][]string{{"who was paused, from the root cause to those who waited", "by", "priority", "times", "in pause", "first at", "victim of it"}}
	for _, r := range pauseRows(p) {
		if r.link < 0 {
			rows = append(rows, []string{r.text, "", "", "", "", "", ""})
			continue
		}
		l := &p.Links[r.link]
		rows = append(rows, []string{
			r.branch + r.text, l.By, fmt.Sprint(l.Priority), count(l.Pauses), shortTime(units.Time(l.PausedPs)),
			shortTime(units.Time(l.FirstPs)), strings.Join(victims(p, r.link), "; "),
		})
	}
	if p.More > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more", p.More), "", "", "", "", "", ""})
	}
	return doc.Grid(rows, 2, 3, 4, 5)
}
