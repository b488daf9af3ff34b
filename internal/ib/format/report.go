package format

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/wording"
	"weft/internal/ib/subnet"
)

// Problem is one error in a file, or a remark.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0: the file as a whole
	Text string `json:"text"` // the text found, and the text expected
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Errors is all errors in a file, in the order of its lines.
type Errors struct {
	List []Problem
	More int // problems beyond those in List
}

func (e *Errors) Error() string {
	var b strings.Builder
	for i := range e.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.List[i].String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\nand %d more", e.More)
	}
	return b.String()
}

// Skipped is a kind of line unknown to a reader.
type Skipped struct {
	What  string `json:"what"`  // the first word of the line
	File  string `json:"file"`  // file of the first such line
	Line  int    `json:"line"`  // number of the first such line
	Count int    `json:"count"` // how often it occurs
}

// Report is a reader's remarks about a valid file.
type Report struct {
	Lines     int       `json:"lines"`
	Skipped   []Skipped `json:"skipped,omitempty"`
	Notes     []Problem `json:"notes,omitempty"` // oddities, and assumptions about missing data
	MoreNotes int       `json:"more_notes,omitempty"`
	// Contradictions is the contradicting lines about cables and nodes. These cables were left out, and of two descriptions
	// of a node the second.
	Contradictions     []Problem `json:"contradictions,omitempty"`
	MoreContradictions int       `json:"more_contradictions,omitempty"`
	// Disputed are the ports of such cables: whether they have one is not known.
	Disputed []subnet.End `json:"-"`
}

// log collects a reader's errors and remarks.
type log struct {
	errs   Errors
	report Report
	// misnames are the names, by GUID and name, that are told already.
	misnames map[string]bool
	lenient  bool // contradictions about cables are remarks, not errors
}

func (l *log) fail(file string, line int, format string, args ...any) {
	if len(l.errs.List) == maxProblems {
		l.errs.More++
		return
	}
	l.errs.List = append(l.errs.List, Problem{file, line, fmt.Sprintf(format, args...)})
}

func (l *log) note(file string, line int, format string, args ...any) {
	if len(l.report.Notes) == maxNotes {
		l.report.MoreNotes++
		return
	}
	l.report.Notes = append(l.report.Notes, Problem{file, line, fmt.Sprintf(format, args...)})
}

// others is the name for further kinds of unknown lines.
const others = "(other)"

func (l *log) skip(file string, line int, text string) {
	what := others
	if f := strings.Fields(text); len(f) > 0 {
		what = wording.Abridged(f[0], 32)
	}
	for i := range l.report.Skipped {
		s := &l.report.Skipped[i]
		if s.What == what || s.What == others {
			s.Count++
			return
		}
	}
	if len(l.report.Skipped) == maxSkipped {
		what = others
	}
	l.report.Skipped = append(l.report.Skipped, Skipped{what, file, line, 1})
}

// byLine sorts the results of several passes: files in the order of their first result,
// then by line.
func (l *log) byLine() {
	for _, list := range [][]Problem{l.errs.List, l.report.Notes, l.report.Contradictions} {
		rank := map[string]int{}
		for _, p := range list {
			if _, ok := rank[p.File]; !ok {
				rank[p.File] = len(rank)
			}
		}
		sorting.StableFunc(list, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(rank[a.File], rank[b.File]), cmp.Compare(a.Line, b.Line))
		})
	}
}

// err is the errors, nil if there are none.
func (l *log) err() error {
	if len(l.errs.List) == 0 {
		return nil
	}
	return &l.errs
}

// found quotes the unexpected text of a line.
func found(text string) string {
	if text == "" {
		return "the end of the line"
	}
	return fmt.Sprintf("%q", wording.Abridged(text, 40))
}
