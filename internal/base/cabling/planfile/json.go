package planfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// value is a value of a JSON or YAML file that knows its line.
type value struct {
	kind  valueKind
	text  string   // of a scalar; empty for null
	names []string // of the members of an object, as often as they are written
	items []value  // of a list, or the members of an object
	line  int
}

type valueKind uint8

const (
	scalar valueKind = iota
	object
	list
)

// get is a member of an object, the first of those names; an empty scalar if there is none.
func (v *value) get(names ...string) *value {
	for _, name := range names {
		for i, n := range v.names {
			if n == name {
				return &v.items[i]
			}
		}
	}
	return &value{line: v.line}
}

// has is whether an object has a member of a name.
func (v *value) has(name string) bool {
	for _, n := range v.names {
		if n == name {
			return true
		}
	}
	return false
}

// str is the text of a member.
func (v *value) str(names ...string) string { return strings.TrimSpace(v.get(names...).text) }

// all is the elements of a list, or the value itself if it is no list: tools write a list of one without brackets.
func (v *value) all() []value {
	if v.kind == list {
		return v.items
	}
	if v.kind == scalar && v.text == "" {
		return nil
	}
	return []value{*v}
}

// jsonParser makes values of a text.
type jsonParser struct {
	file string
	text string
	dec  *json.Decoder
	at   int64 // up to here line feeds are counted
	line int
	left int // values that may come
}

func parseJSON(file, text string, line int) (*value, error) {
	p := &jsonParser{file: file, text: text, dec: json.NewDecoder(strings.NewReader(text)), line: line, left: maxValues}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) && !promptBehind(text[p.dec.InputOffset():]) {
		return nil, problem(file, p.here(), "text behind the end of the JSON value")
	}
	return v, nil
}

// promptBehind is whether a captured terminal goes on behind the answer: one short line.
func promptBehind(rest string) bool {
	rest = strings.TrimSpace(rest)
	return len(rest) < 100 && !strings.ContainsAny(rest, "{}[]\n")
}

// here is the line of the last token.
func (p *jsonParser) here() int {
	end := p.dec.InputOffset()
	p.line += strings.Count(p.text[p.at:end], "\n")
	p.at = end
	return p.line
}

func (p *jsonParser) token() (json.Token, error) {
	t, err := p.dec.Token()
	switch {
	case err == nil:
		return t, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, problem(p.file, p.here(), "the file ends inside a value: it is cut off")
	}
	return nil, problem(p.file, p.here(), "this is not JSON: %v", err)
}

func (p *jsonParser) value(depth int) (*value, error) {
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.from(t, depth)
}

// from is a value after its first token.
func (p *jsonParser) from(t json.Token, depth int) (*value, error) {
	v := &value{line: p.here()}
	if p.left--; p.left < 0 || depth > maxDepth {
		return nil, problem(p.file, v.line, "more than %d values, or nested more than %d deep", maxValues, maxDepth)
	}
	switch t := t.(type) {
	case json.Delim:
		v.kind = object
		if t == '[' {
			v.kind = list
		}
		return v, p.members(v, depth)
	case string:
		v.text = t
	case nil:
	default:
		v.text = fmt.Sprint(t)
	}
	return v, nil
}

// members reads the members of an object or a list.
func (p *jsonParser) members(v *value, depth int) error {
	for p.dec.More() {
		if v.kind == object {
			t, err := p.token()
			if err != nil {
				return err
			}
			name, _ := t.(string)
			v.names = append(v.names, name)
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, *item)
	}
	_, err := p.token()
	return err
}
