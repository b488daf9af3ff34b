package hpcc

import (
	"fmt"
	"strconv"
	"strings"
)

// A Problem is one thing that is wrong in one file.
type Problem struct {
	File string
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Value is what stands there; it is empty when something is missing.
	Value string
	// Want is what would be valid.
	Want string
}

// Error is the problem as a line for people.
func (p Problem) Error() string {
	place := p.File
	if p.Line > 0 {
		place += ":" + strconv.Itoa(p.Line)
	}
	if p.Value == "" {
		return fmt.Sprintf("%s: expected %s", place, p.Want)
	}
	return fmt.Sprintf("%s: %q: expected %s", place, shorten(p.Value), p.Want)
}

// Problems are all that is wrong in the files of a case, in the order of the
// files and their lines.
type Problems struct {
	List []Problem
	// More counts those that are not in the list.
	More int
}

// Error has one line per problem.
func (p *Problems) Error() string {
	lines := make([]string, 0, len(p.List)+1)
	for _, one := range p.List {
		lines = append(lines, one.Error())
	}
	if p.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", p.More))
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(file string, line int, value, want string) {
	if len(p.List) == maxProblems {
		p.More++
		return
	}
	p.List = append(p.List, Problem{File: file, Line: line, Value: value, Want: want})
}

func (p *Problems) none() bool { return len(p.List) == 0 }

// Ignored is something in a file that that simulator does not read, or reads
// and never uses.
type Ignored struct {
	File string
	// Line is where it is found first.
	Line int
	What string
	// Count is how often it is found.
	Count int
}

// String is the remark as a line for people.
func (i Ignored) String() string {
	if i.Count == 1 {
		return fmt.Sprintf("%s:%d: ignored: %s", i.File, i.Line, i.What)
	}
	return fmt.Sprintf("%s:%d: ignored: %s (%d times)", i.File, i.Line, i.What, i.Count)
}

// shorten keeps a message readable, whatever the file holds.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
