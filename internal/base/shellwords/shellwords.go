package shellwords

import (
	"iter"
	"strings"
)

// Split gives the words of a line: split at blanks outside of quotation marks, which it takes off. Signs are given by
// themselves, with true. isSign tells of a character outside of quotation marks whether it is one, by the character before
// it, 0 at the begin of the line, and by whether it goes on with a word.
func Split(line string, isSign func(c, before rune, inWord bool) bool) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var word strings.Builder
		var quote, before rune
		begun := false
		end := func() bool {
			text, is := word.String(), begun
			word.Reset()
			begun = false
			return !is || yield(text, false)
		}
		for _, c := range line {
			switch {
			case quote != 0 && c == quote:
				quote = 0
			case quote != 0:
				word.WriteRune(c)
			case c == '\'' || c == '"':
				quote, begun = c, true
			case c == ' ' || c == '\t':
				if !end() {
					return
				}
			case isSign(c, before, begun):
				if !end() || !yield(string(c), true) {
					return
				}
			default:
				word.WriteRune(c)
				begun = true
			}
			before = c
		}
		end()
	}
}
