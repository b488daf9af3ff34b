package format

import (
	"fmt"

	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
	"weft/units"
)

// claim is a line's statement about a cable: it connects two ports, or the first port has no cable
// (to is then None).
type claim struct {
	from, to subnet.End
	where    place
}

// contradicted finds the ports with contradicting lines, and notes both lines. Such cables are left
// out: the file does not show which line is true.
func (l *log) contradicted(claims []claim, name func(subnet.End) string) map[subnet.End]bool {
	type said struct {
		peer  subnet.End
		where place
	}
	first, bad, told := map[subnet.End]said{}, map[subnet.End]bool{}, map[[2]subnet.End]bool{}
	peer := func(e subnet.End) string {
		if !e.Exists() {
			return "nothing"
		}
		return name(e)
	}
	look := func(at, to subnet.End, where place) {
		was, known := first[at]
		switch {
		case !known:
			first[at] = said{to, where}
		case was.peer != to && !told[[2]subnet.End{at, to}]:
			if !bad[at] {
				l.report.Disputed = append(l.report.Disputed, at)
			}
			bad[at], told[[2]subnet.End{at, to}] = true, true
			l.contradict(where, "%s is joined to %s here and to %s in line %d: neither cable is used", name(at), peer(to), peer(was.peer), was.where.line)
		}
	}
	for _, c := range claims {
		look(c.from, c.to, c.where)
		if c.to.Exists() {
			look(c.to, c.from, c.where)
		}
	}
	return bad
}

func (l *log) contradict(at place, format string, args ...any) {
	if len(l.report.Contradictions) == maxNotes {
		l.report.MoreContradictions++
		return
	}
	l.report.Contradictions = append(l.report.Contradictions, Problem{at.file, at.line, fmt.Sprintf(format, args...)})
}

// misnamed tells that two lines have different names for one GUID, once for each name.
func (l *log) misnamed(at place, guid units.GUID, here, there string, line int) {
	key := fmt.Sprint(guid, here)
	if l.misnames[key] || len(l.misnames) == maxNotes {
		return
	}
	if l.misnames == nil {
		l.misnames = map[string]bool{}
	}
	l.misnames[key] = true
	text := fmt.Sprintf("%v is called %q here and %q in line %d: the latter is used", guid, wording.Abridged(here, 64), wording.Abridged(there, 64), line)
	if l.lenient {
		l.contradict(at, "%s", text)
		return
	}
	l.note(at.file, at.line, "%s", text)
}
