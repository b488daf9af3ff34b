package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
)

// Bounds of a configuration. The largest deployed configurations have some 100,000 values in a few
// megabytes, three levels deep.
const (
	maxBytes  = 64 << 20
	maxFields = 4 << 20
)

// Error is a defect of a file, with its place.
type Error struct {
	File string
	Line int // from 1; 0 if no line is to blame
	Text string
	// Fix is the configuration to load on top (Patch), if one is known.
	Fix []string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// reader reads a configuration token by token and knows its line.
type reader struct {
	file   string
	dec    *json.Decoder
	breaks []int64 // offsets of line feeds
	fields int
	vendor string // network system of the file, if it is not SONiC
}

func newReader(file string, in io.Reader) (*reader, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, &Error{File: file, Text: err.Error()}
	}
	if len(text) > maxBytes {
		return nil, &Error{File: file, Text: fmt.Sprintf("more than %d MiB: no switch's configuration is that large", maxBytes>>20)}
	}
	r := &reader{file: file, dec: json.NewDecoder(bytes.NewReader(text)), vendor: vendorOf(string(text[:min(len(text), headLength)]))}
	r.dec.UseNumber()
	for i, c := range text {
		if c == '\n' {
			r.breaks = append(r.breaks, int64(i))
		}
	}
	return r, nil
}

// line is the line of the last token.
func (r *reader) line() int {
	at := r.dec.InputOffset()
	return 1 + sort.Search(len(r.breaks), func(i int) bool { return r.breaks[i] >= at })
}

func (r *reader) fail(format string, args ...any) error {
	return &Error{File: r.file, Line: r.line(), Text: fmt.Sprintf(format, args...)}
}

// token is the next token; the end of the file inside a value is an error.
func (r *reader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == nil {
		return t, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && r.dec.InputOffset() == 0:
		return nil, r.fail("the file is empty: expected a configuration of SONiC, an object of tables such as {\"PORT\": {…}}")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.fail("the file ends inside a value: it is truncated")
	case errors.As(err, &syntax) && r.fields == 0 && r.vendor != "":
		return nil, r.fail("this is no configuration of SONiC, and looks like %s: expected an object of tables such as {\"PORT\": {…}}", r.vendor)
	case errors.As(err, &syntax) && r.fields == 0 && r.dec.InputOffset() <= 1:
		return nil, r.fail("this is not JSON (%v): expected a configuration of SONiC, an object of tables such as {\"PORT\": {…}}", err)
	case errors.As(err, &syntax):
		return nil, r.fail("this is not JSON: %v", err)
	}
	return nil, r.fail("%v", err)
}

// object reads an object and calls member for each of its names, which are unique. what names the
// object in errors.
func (r *reader) object(what string, member func(name string, line int) error) error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return r.fail("%s is %s; expected an object, as SONiC has it: {\"PORT\": {\"Ethernet0\": {\"speed\": \"400000\"}}}%s", what, describe(t), r.lookslike())
	}
	return r.members(what, member)
}

// members reads the members of an object; its opening brace has been read.
func (r *reader) members(what string, member func(name string, line int) error) error {
	seen := map[string]int{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return r.fail("a name of %s is %s; expected a string", what, describe(t))
		}
		line := r.line()
		if before, twice := seen[name]; twice {
			return r.fail("%s has %q twice, first in line %d", what, name, before)
		}
		seen[name] = line
		if err := member(name, line); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// value reads a scalar, or a list of scalars.
func (r *reader) value(what string) (Value, error) {
	t, err := r.token()
	if err != nil {
		return Value{}, err
	}
	return r.valueFrom(what, t)
}

// valueFrom is value after its first token.
func (r *reader) valueFrom(what string, t json.Token) (v Value, err error) {
	v.Line = r.line()
	if r.fields++; r.fields > maxFields {
		return v, r.fail("more than %d values", maxFields)
	}
	if t != json.Delim('[') {
		v.Text, err = r.scalar(what, t)
		return v, err
	}
	v.List = []string{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return v, err
		}
		text, err := r.scalar("an element of "+what, t)
		if err != nil {
			return v, err
		}
		v.List = append(v.List, text)
	}
	_, err = r.token()
	return v, err
}

// scalar is the text of a string. Numbers and booleans, which some tools write without quotes, are
// taken as their text.
func (r *reader) scalar(what string, t json.Token) (string, error) {
	switch t := t.(type) {
	case string:
		return t, nil
	case json.Number:
		return t.String(), nil
	case bool:
		return fmt.Sprint(t), nil
	}
	return "", r.fail("%s is %s; expected a string", what, describe(t))
}

func describe(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return "a list"
		}
		return "an object"
	case string:
		return "a string"
	case nil:
		return "null"
	case bool:
		return "true or false"
	}
	return "a number"
}

// lookslike names the system that the file seems to be from, if it is not SONiC's.
func (r *reader) lookslike() string {
	if r.vendor == "" {
		return ""
	}
	return " (this looks like " + r.vendor + ")"
}
