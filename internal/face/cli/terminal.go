package cli

import (
	"os"

	"golang.org/x/term"
)

func terminal(f *os.File) (is bool, width int) {
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
