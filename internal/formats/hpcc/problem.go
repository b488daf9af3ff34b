package hpcc

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/wording"
)

// A Problem is one error in a file.
type Problem struct {
	File string
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Value is the text at that place; it is empty if something is missing.
	Value string
	// Want describes the valid values.
	Want string
}

// Error is the problem as one line of text.
func (p Problem) Error() string {
	place := p.File
	if p.Line > 0 {
		place += ":" + strconv.Itoa(p.Line)
	}
	if p.Value == "" {
		return fmt.Sprintf("%s: expected %s", place, p.Want)
	}
	return fmt.Sprintf("%s: %q: expected %s", place, wording.Abridged(p.Value, 60), p.Want)
}

// Problems are all errors in the files of a case, in the order of the files and their lines.
type Problems struct {
	List []Problem
	// More counts the problems that are not in the list.
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

// Ignored is something in a file that the simulator does not read, or reads and never uses.
type Ignored struct {
	File string
	// Line is the line of its first occurrence.
	Line int
	What string
	// Count is the number of occurrences.
	Count int
}

// String is the note as one line of text.
func (i Ignored) String() string {
	if i.Count == 1 {
		return fmt.Sprintf("%s:%d: ignored: %s", i.File, i.Line, i.What)
	}
	return fmt.Sprintf("%s:%d: ignored: %s (%d times)", i.File, i.Line, i.What, i.Count)
}
