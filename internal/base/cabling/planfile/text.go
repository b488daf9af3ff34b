package planfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// readText reads a text file of bounded size, whatever its encoding: UTF-8 or UTF-16 with a byte order mark, UTF-8
// without one, else Latin-1. latin1 is whether the last was assumed.
func readText(file string, r io.Reader) (text string, latin1 bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return "", false, problem(file, 0, "cannot be read: %v", err)
	case len(raw) > maxBytes:
		return "", false, problem(file, 0, "more than %d MiB: no plan of cables is that large", maxBytes>>20)
	case len(bytes.TrimSpace(raw)) == 0:
		return "", false, problem(file, 0, "the file is empty: expected %s", Known)
	}
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return wide(raw[2:], binary.LittleEndian), false, nil
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return wide(raw[2:], binary.BigEndian), false, nil
	}
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return "", false, problem(file, 1+bytes.Count(raw[:at], []byte("\n")), "a byte 0: this is no text; expected %s", Known)
	}
	if utf8.Valid(raw) {
		return string(raw), false, nil
	}
	runes := make([]rune, len(raw))
	for i, b := range raw {
		runes[i] = rune(b)
	}
	return string(runes), true, nil
}

// wide decodes UTF-16.
func wide(raw []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}
