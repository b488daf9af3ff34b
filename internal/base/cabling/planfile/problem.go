package planfile

import (
	"fmt"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// Problem is why a file cannot be read.
type Problem struct {
	Place cabling.Place
	Text  string // what was found, and what would be valid
}

func (p *Problem) Error() string { return p.Place.String() + ": " + p.Text }

// problem is an error at a place.
func problem(file string, line int, format string, args ...any) error {
	return &Problem{cabling.Place{File: file, Line: line}, fmt.Sprintf(format, args...)}
}

// quote is a text of a file in a message.
func quote(s string) string { return fmt.Sprintf("%q", wording.Abridged(s, quoted)) }
