package source

import (
	"fmt"
	"strconv"

	"weft/internal/base/wording"
)

// Problem is the error that stopped a reader.
type Problem struct {
	File string
	// Line counts from 1; 0 if the file has no lines or the problem is of the whole file.
	Line int
	// Offset is the place in a file without lines, in bytes; valid if Binary is set.
	Offset int64
	Binary bool
	// Value is the text at that place; empty if something is missing.
	Value string
	// Want describes the valid values.
	Want string
}

// Place is the file with the line or the offset.
func (p *Problem) Place() string {
	switch {
	case p.Binary:
		return fmt.Sprintf("%s: byte %d", p.File, p.Offset)
	case p.Line > 0:
		return p.File + ":" + strconv.Itoa(p.Line)
	}
	return p.File
}

func (p *Problem) Error() string {
	if p.Value == "" {
		return fmt.Sprintf("%s: expected %s", p.Place(), p.Want)
	}
	return fmt.Sprintf("%s: %q: expected %s", p.Place(), wording.Abridged(p.Value, 60), p.Want)
}
