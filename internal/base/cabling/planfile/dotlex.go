package planfile

import "strings"

// dotToken is a word or a mark of a dot file.
type dotToken struct {
	kind   dotKind
	text   string
	quoted bool
	line   int
}

type dotKind uint8

const (
	dotEnd0 dotKind = iota // of the file
	dotName
	dotMark // { } [ ] ; , : = -- ->
	dotOther
)

// dotLexer cuts a dot file into tokens.
type dotLexer struct {
	text string
	at   int
	line int
}

// next is the next token. Comments and blanks are skipped.
func (l *dotLexer) next() dotToken {
	l.skip()
	if l.at >= len(l.text) {
		return dotToken{line: l.line}
	}
	start, line := l.at, l.line
	switch c := l.text[l.at]; {
	case strings.HasPrefix(l.text[l.at:], "--"), strings.HasPrefix(l.text[l.at:], "->"):
		l.at += 2
		return dotToken{dotMark, l.text[start:l.at], false, line}
	case strings.IndexByte("{}[];,:=", c) >= 0:
		l.at++
		return dotToken{dotMark, l.text[start:l.at], false, line}
	case c == '"':
		return dotToken{dotName, l.quoted(), true, line}
	case c == '<':
		return dotToken{dotName, l.html(), true, line}
	case wordByte(c) || c == '-':
		for l.at++; l.at < len(l.text) && l.inWord(); l.at++ {
		}
		return dotToken{dotName, l.text[start:l.at], false, line}
	}
	l.at++
	return dotToken{dotOther, l.text[start:l.at], false, line}
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '.' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// inWord is whether the word goes on. A hyphen inside a name, which dot would want in quotes, does.
func (l *dotLexer) inWord() bool {
	if c := l.text[l.at]; c != '-' {
		return wordByte(c)
	}
	return l.at+1 < len(l.text) && wordByte(l.text[l.at+1])
}

// skip skips blanks, comments, and lines that begin with #.
func (l *dotLexer) skip() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.line++
			l.at++
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '#', strings.HasPrefix(l.text[l.at:], "//"):
			end := strings.IndexByte(l.text[l.at:], '\n')
			if end < 0 {
				end = len(l.text) - l.at
			}
			l.at += end
		case strings.HasPrefix(l.text[l.at:], "/*"):
			end := strings.Index(l.text[l.at:], "*/")
			if end < 0 {
				end = len(l.text) - l.at - 2
			}
			l.line += strings.Count(l.text[l.at:l.at+end+2], "\n")
			l.at += end + 2
		default:
			return
		}
	}
}

// quoted reads a string in quotes. A backslash keeps a quote.
func (l *dotLexer) quoted() string {
	var b strings.Builder
	for l.at++; l.at < len(l.text) && l.text[l.at] != '"'; l.at++ {
		c := l.text[l.at]
		if c == '\\' && l.at+1 < len(l.text) && (l.text[l.at+1] == '"' || l.text[l.at+1] == '\\') {
			l.at++
			c = l.text[l.at]
		}
		if c == '\n' {
			l.line++
		}
		b.WriteByte(c)
	}
	l.at = min(l.at+1, len(l.text))
	return b.String()
}

// html reads a text between angle brackets, which may be nested.
func (l *dotLexer) html() string {
	start, depth := l.at, 0
	for ; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '<':
			depth++
		case '>':
			depth--
		case '\n':
			l.line++
		}
		if depth == 0 {
			l.at++
			break
		}
	}
	return l.text[start:l.at]
}
