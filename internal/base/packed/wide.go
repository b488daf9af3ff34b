package packed

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder is the order of bytes of a text in UTF-16, by the mark at its beginning (RFC 2781, 3.2) or, without a mark,
// by four characters of ASCII; nil for other texts.
func byteOrder(head []byte) (order binary.ByteOrder, mark int) {
	zero := func(at int) bool {
		return len(head) >= 8 && head[at] == 0 && head[at+2] == 0 && head[at+4] == 0 && head[at+6] == 0
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return binary.LittleEndian, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return binary.BigEndian, 2
	case zero(1) && !zero(0):
		return binary.LittleEndian, 0
	case zero(0) && !zero(1):
		return binary.BigEndian, 0
	}
	return nil, 0
}

// narrow is a text in UTF-8 with ends of lines, whether it is in UTF-16 or not, as PowerShell writes when it redirects
// output, and whether a carriage return alone ends its lines or not.
func narrow(in *bufio.Reader) io.Reader {
	head, _ := in.Peek(in.Size()) // a read error is met again by the reader
	order, mark := byteOrder(head)
	switch {
	case order != nil:
		_, _ = in.Discard(mark)
		return &wide{in: in, order: order}
	case bytes.Count(head, []byte("\r")) > 1 && !bytes.Contains(head, []byte("\n")):
		return returns{in}
	}
	return in
}

// returns reads carriage returns as ends of lines.
type returns struct{ in io.Reader }

func (r returns) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	for i := range b[:n] {
		if b[i] == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
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
