package wording

import "strconv"

// Abridged is a text of at most a number of characters; a longer one is cut, and ends with an ellipsis.
// It bounds the length of a message that quotes a file, whatever the file holds.
func Abridged(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Counted is a number with its noun: 1 port, 2 ports.
func Counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}
