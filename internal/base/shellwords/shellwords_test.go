package shellwords

import (
	"slices"
	"strings"
	"testing"
)

// Quotation marks hold blanks and signs; an empty word is one; a sign ends a word, or belongs to it.
func TestALineIsSplitAsAShellDoes(t *testing.T) {
	isSign := func(c, before rune, inWord bool) bool {
		return c == ';' || c == '&' && before != '>' || c == '#' && !inWord
	}
	for line, want := range map[string]string{
		"":                         "",
		" a\t b ":                  "a|b",
		`a'b  c'"; d" ''`:          "ab  c; d|",
		"a;b&&c":                   "a|<;>|b|<&>|<&>|c",
		"a 2>&1 b#c # d":           "a|2>&1|b#c|<#>|d",
		`bash -c "x 'y z'" 'open `: "bash|-c|x 'y z'|open ",
	} {
		var got []string
		for word, sign := range Split(line, isSign) {
			if sign {
				word = "<" + word + ">"
			}
			got = append(got, word)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
	for word := range Split("a b;c", isSign) {
		if word != "a" {
			t.Errorf("after the first word comes %q", word)
		}
		break
	}
	if words := slices.Collect(func(yield func(string) bool) {
		for word, sign := range Split("a b;c", isSign) {
			if sign || !yield(word) {
				return
			}
		}
	}); !slices.Equal(words, []string{"a", "b"}) {
		t.Errorf("up to a sign: %q", words)
	}
}
