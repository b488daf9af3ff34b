package packed

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder is the order of bytes of a text in UTF-16, by the mark at its beginning (RFC 2781, 3.2); nil for other texts.
func byteOrder(head []byte) binary.ByteOrder {
	switch {
	case len(head) < 2:
	case head[0] == 0xff && head[1] == 0xfe:
		return binary.LittleEndian
	case head[0] == 0xfe && head[1] == 0xff:
		return binary.BigEndian
	}
	return nil
}

// narrow is a text in UTF-8, whether it is in UTF-16 or not: PowerShell writes UTF-16 when it redirects output.
func narrow(in *bufio.Reader) io.Reader {
	head, _ := in.Peek(2) // a read error is met again by the reader
	order := byteOrder(head)
	if order == nil {
		return in
	}
	_, _ = in.Discard(2)
	return &wide{in: in, order: order}
}

// wide reads UTF-16 as UTF-8. A surrogate without its other half is U+FFFD, and so is an odd byte at the end.
type wide struct {
	in    *bufio.Reader
	order binary.ByteOrder
	out   []byte // decoded, and not read yet
	half  rune   // a unit that is read already; 0: none
}

func (w *wide) Read(b []byte) (int, error) {
	for len(w.out) < len(b) {
		r, err := w.next()
		if err != nil {
			if len(w.out) > 0 {
				break
			}
			return 0, err
		}
		w.out = utf8.AppendRune(w.out, r)
	}
	n := copy(b, w.out)
	w.out = append(w.out[:0], w.out[n:]...)
	return n, nil
}

// next is the next character.
func (w *wide) next() (rune, error) {
	r, err := w.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	low, err := w.unit()
	if err != nil {
		return utf8.RuneError, nil //nolint:nilerr // the next read meets the error again
	}
	both := utf16.DecodeRune(r, low)
	if both == utf8.RuneError {
		w.half = low
	}
	return both, nil
}

// unit is the next 16 bits.
func (w *wide) unit() (rune, error) {
	if r := w.half; r != 0 {
		w.half = 0
		return r, nil
	}
	var raw [2]byte
	switch n, err := io.ReadFull(w.in, raw[:]); {
	case n == 1:
		return utf8.RuneError, nil
	case err != nil:
		return 0, err
	}
	return rune(w.order.Uint16(raw[:])), nil
}
