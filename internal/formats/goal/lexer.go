package goal

import (
	"strings"

	"weft/internal/formats/source"
)

// token is a word of a statement: a number, a name, or one of : { } -.
type token struct {
	text   string
	number bool
}

// lexer splits a schedule into lines of tokens, without comments.
type lexer struct {
	lines   *source.Lines
	tokens  []token
	comment int // line of the open comment's beginning; 0 outside
}

// next reads the next line with tokens; false at the end.
func (l *lexer) next() (bool, *source.Problem) {
	for {
		ok, p := l.lines.Next()
		if p != nil || !ok {
			if p == nil && l.comment > 0 {
				p = &source.Problem{File: l.lines.File, Line: l.comment, Value: "/*", Want: "the end of this comment, */, before the end of the file"}
			}
			return false, p
		}
		if p := l.split(l.lines.Text); p != nil {
			return false, p
		}
		if len(l.tokens) > 0 {
			return true, nil
		}
	}
}

func (l *lexer) split(text string) *source.Problem {
	l.tokens = l.tokens[:0]
	for text != "" {
		switch c := text[0]; {
		case l.comment > 0:
			_, rest, closed := strings.Cut(text, "*/")
			if !closed {
				return nil
			}
			text, l.comment = rest, 0
		case strings.HasPrefix(text, "//"):
			return nil
		case strings.HasPrefix(text, "/*"):
			text, l.comment = text[2:], l.lines.Number
		case c == ' ' || c == '\t' || c == '\r':
			text = text[1:]
		case strings.IndexByte(":{}-", c) >= 0:
			l.tokens, text = append(l.tokens, token{text: text[:1]}), text[1:]
		case digit(c):
			text = l.take(text, true, digit)
		case letter(c):
			text = l.take(text, false, func(c byte) bool { return letter(c) || digit(c) || c == '_' })
		default:
			return l.lines.Problem(text, "a statement of a GOAL schedule: letters, digits, _, :, { and }")
		}
	}
	return nil
}

// take makes a token of the leading bytes that belong to it.
func (l *lexer) take(text string, number bool, belongs func(byte) bool) (rest string) {
	n := 1
	for n < len(text) && belongs(text[n]) {
		n++
	}
	l.tokens = append(l.tokens, token{text[:n], number})
	return text[n:]
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
