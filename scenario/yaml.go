package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// This file is the only one that knows the YAML library: the text goes in, a
// tree of nodes with places comes out.

// place is the place of a node: line and column from 1, or, for a value from outside the file, its
// origin (a flag, a catalog entry).
type place struct {
	line, col int
	origin    string
	implied   bool // a section that a value from outside made for one of its fields
}

type nodeKind uint8

const (
	scalar nodeKind = iota
	mapping
	sequence
	null
)

func (k nodeKind) String() string {
	return [...]string{"a single value", "a mapping", "a list", "nothing"}[k]
}

// node is a value of the document.
type node struct {
	place
	kind  nodeKind
	text  string // text of a scalar, as written (without quotes)
	plain bool   // a scalar without quotes
	pairs []pair // of a mapping, in the order of the file
	items []*node
	base  *node // of a mapping that overrides a preset's name: that name
	fact  bool  // from the catalog, not written by a user
}

// saysNothing reports whether a document is empty.
func (n *node) saysNothing() bool { return n.kind == mapping && len(n.pairs) == 0 }

// pair is a key of a mapping with its value.
type pair struct {
	key *node
	val *node
}

// parse reads one YAML document. An empty one is an empty mapping.
func parse(file string, text []byte) (*node, Errors) {
	fail := func(line, col int, msg string) (*node, Errors) {
		return nil, Errors{{File: file, Line: line, Col: col, Msg: msg}}
	}
	if len(text) > maxFile {
		return fail(1, 1, tooLong)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors on Windows begin a file with it
	if line, col, problem := unreadable(text); problem != "" {
		return fail(line, col, problem)
	}
	var docs []yaml.Node
	depth := loaderlimits.DepthFunc(func(depth int, _ *loaderlimits.DepthContext) error {
		if depth > maxDepth {
			return errors.New(tooDeep)
		}
		return nil
	})
	if err := yaml.Load(text, &docs, yaml.WithAllDocuments(), yaml.WithPlugin(loaderlimits.New(depth))); err != nil {
		if what := otherText(text); what != "" {
			return fail(1, 1, what)
		}
		return fail(explain(err))
	}
	c := converter{file: file}
	root := &node{place: place{line: 1, col: 1}, kind: mapping}
	for i, d := range docs {
		switch body := d.Content[0]; {
		case body.Tag == "!!null":
		case i > 0:
			c.fail(&d, "a second document: want one in a file")
		default:
			if n := c.node(body, 0); n != nil {
				root = n
			}
		}
	}
	return root, c.errs
}

// explain is the place of a library error, with the library's message about the place and the
// value.
func explain(err error) (line, col int, msg string) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return 1, 1, "this is not YAML: " + err.Error()
	}
	around := ""
	switch {
	case e.Message == tooDeep:
		return e.Mark.Line, e.Mark.Column, tooDeep
	case e.Message == "found character that cannot start any token":
		return e.Mark.Line, e.Mark.Column, "this is not YAML: nothing begins with a tab, @, ` or %: indent by spaces, and put such a text into quotation marks"
	case e.ContextMark.Line > 0 && e.ContextMark.Line != e.Mark.Line:
		around = fmt.Sprintf("%s that begins at %d:%d: ", e.ContextMsg, e.ContextMark.Line, e.ContextMark.Column)
	case e.ContextMsg != "":
		around = e.ContextMsg + ": "
	}
	return e.Mark.Line, e.Mark.Column, "this is not YAML: " + around + e.Message
}

// tooLong is the error for a file of more than maxFile bytes.
var tooLong = fmt.Sprintf("the file is longer than %d bytes, the most that is read", maxFile)

// tooDeep is the error for a value with deeper nesting than any scenario.
var tooDeep = fmt.Sprintf("this is nested too deeply: want less than %d levels", maxDepth)

// unreadable is the place of the first byte that is not UTF-8, or of the first character that YAML
// cannot represent or reads as the end of a line. problem is empty if there is none.
func unreadable(text []byte) (line, col int, problem string) {
	line, col = 1, 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			return line, col, "this is not text in UTF-8: write the file in it"
		case r == '\n':
			line, col = line+1, 1
		case r < ' ' && r != '\t' && r != '\r', strings.ContainsRune("\u0085\u2028\u2029\ufffe\uffff", r):
			return line, col, fmt.Sprintf("the character %U is not read: write the text without it", r)
		default:
			col++
		}
		text = text[n:]
	}
	return 0, 0, ""
}

// converter converts the library's tree to nodes.
type converter struct {
	file string
	errs Errors
}

func (c *converter) fail(n *yaml.Node, format string, args ...any) *node {
	c.errs = append(c.errs, Error{File: c.file, Line: n.Line, Col: n.Column, Msg: fmt.Sprintf(format, args...)})
	return nil
}

// node converts a value. It is nil, with an error, if a scenario cannot have a value of this kind.
func (c *converter) node(n *yaml.Node, depth int) *node {
	switch {
	case depth > maxDepth:
		return c.fail(n, "%s", tooDeep)
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge":
		return c.fail(n, "anchors, aliases and merge keys are not read: write the value out, or use a preset")
	case n.Style&yaml.TaggedStyle != 0:
		return c.fail(n, "tags are not read: write the value without it")
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return c.fail(n, "blocks of text are not read: write the value on one line")
	}
	to := &node{place: place{line: n.Line, col: n.Column}}
	switch {
	case n.Kind == yaml.MappingNode:
		to.kind = mapping
		c.pairs(to, n.Content, depth+1)
	case n.Kind == yaml.SequenceNode:
		to.kind = sequence
		for _, item := range n.Content {
			if child := c.node(item, depth+1); child != nil {
				to.items = append(to.items, child)
			}
		}
	case n.Tag == "!!null":
		to.kind = null
	default:
		to.kind, to.text = scalar, n.Value
		to.plain = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
	}
	return to
}

// pairs converts the keys and values of a mapping, which alternate in the list.
func (c *converter) pairs(m *node, content []*yaml.Node, depth int) {
	first := map[string]*node{}
	for i := 0; i < len(content); i += 2 {
		key := c.node(content[i], depth)
		if key == nil {
			continue
		}
		if i == 0 {
			m.place = key.place
		}
		if key.kind != scalar {
			c.fail(content[i], "a key is %s: want a name", key.kind)
			continue
		}
		if before := first[key.text]; before != nil {
			c.fail(content[i], "%q is given twice: first on line %d", key.text, before.line)
			continue
		}
		first[key.text] = key
		val := c.node(content[i+1], depth)
		if val == nil { // refused above
			continue
		}
		if val.kind == null {
			val.place = key.place
		}
		m.pairs = append(m.pairs, pair{key, val})
	}
}
