package process

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal says whether a file is a terminal, and how many columns it has.
func Terminal(f *os.File) (is bool, width int) {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return false, 0
	}
	width, _, err := term.GetSize(fd)
	if err != nil {
		width = 0
	}
	return true, width
}

// IsTerminal reports whether somebody types what a stream gives.
func IsTerminal(stream io.Reader) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
