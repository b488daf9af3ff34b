package planfile

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// readText reads a text file of bounded size, in UTF-8, else in Latin-1; package packed undoes UTF-16. latin1 is
// whether Latin-1 was assumed.
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
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
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
