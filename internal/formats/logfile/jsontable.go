package logfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jsonTables reads a file of JSON: nccl-tests' own (-J), or any with a list of objects that have a
// size and a measurement. Objects around the list name the operation and the ranks.
type jsonTables struct {
	cells cells
	text  []byte
	first int  // line of the first byte
	not   bool // the log is no JSON
}

// mostJSON is the largest file of JSON, in bytes: it is held whole.
const mostJSON = 64 << 20

func (r *jsonTables) line(n int, text string) {
	if r.text == nil && !r.not {
		start := strings.TrimSpace(text)
		if start == "" {
			return // the first text tells
		}
		r.not, r.first = !beginsJSON(start), n
	}
	if strings.Contains(text, "test_info") {
		r.not, r.text = true, nil // of perftest, whose reports are not always JSON
	}
	if r.not || len(r.text) > mostJSON {
		return
	}
	r.text = append(append(r.text, text...), '\n')
}

// beginsJSON reports whether a line is the first one of an object or of a list of objects. A launcher's [ 0]
// or {node7} is none.
func beginsJSON(start string) bool {
	next := strings.TrimSpace(start[1:])
	var inside string
	switch start[0] {
	case '{':
		inside = "\"}"
	case '[':
		inside = "{[]"
	default:
		return false
	}
	return next == "" || strings.ContainsAny(next[:1], inside)
}

func (r *jsonTables) end(bool) {
	if r.not || len(r.text) == 0 {
		return
	}
	r.cells.tables = map[record]*Table{}
	in := json.NewDecoder(bytes.NewReader(r.text))
	for {
		var found json.RawMessage
		err := in.Decode(&found)
		at := int(in.InputOffset())
		if err != nil {
			if rest := bytes.TrimLeft(r.text[at:], " \t\r\n"); len(rest) > 0 {
				r.cells.b.note(r.first+bytes.Count(r.text[:len(r.text)-len(rest)], []byte{'\n'}), "what begins here is no valid JSON: %v", err)
			}
			return
		}
		r.walk(found, at-len(found), record{}, 0)
	}
}

// deepest is the depth of objects at which a walk ends.
const deepest = 16

// walk takes the rows of a value that begins at an offset. of is what the objects around it say.
func (r *jsonTables) walk(raw json.RawMessage, at int, of record, depth int) {
	if depth == deepest {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, v := range list {
			at += max(0, bytes.Index(r.text[at:], v))
			r.walk(v, at, of, depth+1)
			at += len(v)
		}
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return
	}
	names := slices.Sorted(maps.Keys(object))
	for _, name := range names {
		v := object[name]
		c, text := cellOf(name), strings.Trim(string(v), "\"")
		switch c.what {
		case operationName:
			if op := opOf(text); op != "" {
				of.op = op
			}
		case rankCount:
			of.ranks, _ = strconv.Atoi(text)
		case nodeCount:
			of.nodes, _ = strconv.Atoi(text)
		}
		if name == "config" {
			r.config(v, &of)
		}
	}
	if values := flat(object, ""); isRow(values) {
		r.cells.about = of
		r.cells.add(r.first+bytes.Count(r.text[:at], []byte{'\n'}), values)
		return
	}
	for _, name := range names {
		r.walk(object[name], at+max(0, bytes.Index(r.text[at:], object[name])), of, depth+1)
	}
}

// config takes nccl-tests' description of the run: a device for each rank.
func (r *jsonTables) config(raw json.RawMessage, of *record) {
	var c struct {
		Devices []json.RawMessage `json:"devices"`
	}
	if json.Unmarshal(raw, &c) == nil && len(c.Devices) > 0 {
		of.ranks = len(c.Devices)
	}
}

// flat are an object's numbers and names, with those of out_of_place and in_place.
func flat(object map[string]json.RawMessage, prefix string) (out []value) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var inner map[string]json.RawMessage
		if (name == "out_of_place" || name == "in_place") && json.Unmarshal(object[name], &inner) == nil {
			out = append(out, flat(inner, name+".")...)
			continue
		}
		text := strings.Trim(string(object[name]), "\"")
		if c := cellOf(prefix + strings.ReplaceAll(name, "_bw", "bw")); c.what != other && len(text) < maxName && text != "null" {
			out = append(out, value{c, text})
		}
	}
	return out
}

// maxName bounds the text of a value.
const maxName = 64

// isRow reports whether values are a row: a size and a measurement.
func isRow(values []value) bool {
	sized, measured := false, false
	for _, c := range values {
		sized = sized || c.what == size
		measured = measured || c.what == duration || c.what == algorithmBandwidth || c.what == busBandwidth
	}
	return sized && measured
}
