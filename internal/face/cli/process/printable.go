package process

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"weft/internal/face/doc"
)

// printable is a stream for users. Names come from files, from other machines and from the owners
// of hosts: a control character in a name is shown as \u001b, and no terminal obeys it. JSON reads
// the same escape. Only line ends, tabs, and the colours of tables pass.
type printable struct {
	mu      sync.Mutex // lines of progress may come at any time
	w       io.Writer
	colours bool
	pending []byte // an incomplete character or colour sequence
	fail    func(error) error
	failed  error // the first write error, for flush: help does not report it
}

func (p *printable) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(text)
	if len(p.pending) > 0 {
		text = append(p.pending, text...)
		p.pending = nil
	}
	if !plain(text) {
		text = p.shown(text)
	}
	return n, p.through(text)
}

// flush writes the pending bytes, and returns the first write error; Main calls it at the end.
func (p *printable) flush() error {
	left := bytes.ToValidUTF8(bytes.ReplaceAll(p.pending, []byte{escape}, []byte(`\u001b`)), []byte("\ufffd"))
	p.pending = nil
	return cmp.Or(p.failed, p.through(left))
}

func (p *printable) through(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := p.w.Write(text); err != nil {
		err = p.fail(err)
		p.failed = cmp.Or(p.failed, err)
		return err
	}
	return nil
}

const escape = 0x1b

// plain reports whether a text is ASCII without control characters.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// shown is a text without control characters. Bytes that the next write may complete are kept.
func (p *printable) shown(text []byte) []byte {
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		if text[0] == escape && p.colours {
			n, more := colour(text)
			if more {
				p.pending = slices.Clone(text)
				return out
			}
			out, text = append(out, text[:n]...), text[n:]
			if n > 0 {
				continue
			}
		}
		if !utf8.FullRune(text) {
			p.pending = slices.Clone(text)
			return out
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case harmless(r):
			out = append(out, text[:n]...)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// colour is the length of a colour sequence of tables at the beginning of a text, 0 for any other
// text; more is true if the text ends too early to decide.
func colour(text []byte) (n int, more bool) {
	for _, known := range doc.Colours() {
		if bytes.HasPrefix(text, []byte(known)) {
			return len(known), false
		}
		more = more || len(text) < len(known) && bytes.HasPrefix([]byte(known), text)
	}
	return 0, more
}

// harmless reports whether a terminal only displays a character: it is not a control character, and
// does not change the order of others (UAX #9). A byte that is not UTF-8 counts as harmless.
func harmless(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return true
	case r < ' ', r >= 0x7f && r < 0xa0:
		return false
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return false
	}
	return true
}
