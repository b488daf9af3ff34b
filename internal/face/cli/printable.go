package cli

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

// printable is a stream that people read. Names come from files, from other machines
// and from whoever named a host: a control character in one is shown as \u001b, and no
// terminal obeys it. JSON reads the same escape. Only line ends, tabs, and the colours
// of tables go through.
type printable struct {
	mu      sync.Mutex // lines of progress come at any time
	w       io.Writer
	colours bool
	pending []byte // the beginning of a character or of a colour
	fail    func(error) error
	failed  error // of the first write that did, for flush: help does not say that it failed
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

// flush writes what was waited with, and says whether all writes went well; Main calls it
// at the end.
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

// plain says that a text is ASCII without control characters.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// shown is a text without control characters. What may go on in the next write is
// kept back.
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

// colour is the length of a sequence of the tables at the beginning of a text, 0 for
// any other; more says that the text ends before it is known.
func colour(text []byte) (n int, more bool) {
	for _, known := range doc.Colours() {
		if bytes.HasPrefix(text, []byte(known)) {
			return len(known), false
		}
		more = more || len(text) < len(known) && bytes.HasPrefix([]byte(known), text)
	}
	return 0, more
}

// harmless says that a terminal only shows a character: it is no control character, and
// does not turn the order of others around (UAX #9). A byte that is no UTF-8 is one.
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
