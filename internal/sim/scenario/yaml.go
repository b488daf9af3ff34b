package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// This file is the only one that knows the YAML library: the text goes in, a
// tree of nodes with places comes out.

// place is where a node stands: line and column from 1, or, when it does not
// come from the file, its origin (a flag, a catalog entry).
type place struct {
	line, col int
	origin    string
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
	text  string // of a scalar, as it is written (quotes taken off)
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
	fail := func(line, col int, format string, args ...any) (*node, Errors) {
		return nil, Errors{{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}}
	}
	if len(text) > maxFile {
		return fail(1, 1, "the file has %d bytes: a scenario has at most %d", len(text), maxFile)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors of Windows begin a file with it
	if line, col, problem := unread(text); problem != "" {
		return fail(line, col, "%s", problem)
	}
	if line, col, ok := foreign(text); ok {
		return fail(line, col, "this is not text in UTF-8: write the file in it")
	}
	doc, err := parseSafely(text)
	if err != nil {
		if what := otherText(text); what != "" {
			return fail(1, 1, "%s", what)
		}
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			at := syntax.GetToken().Position
			return fail(at.Line, at.Column, "this is not YAML: %s", oneLine(syntax.GetMessage()))
		}
		return fail(1, 1, "this is not YAML: %s", oneLine(err.Error()))
	}
	c := converter{file: file}
	root := &node{place: place{line: 1, col: 1}, kind: mapping}
	for i, d := range doc.Docs {
		switch {
		case d == nil || d.Body == nil:
		case i > 0 && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.CommentGroupType:
			c.fail(d.Body.GetToken(), "a second document: a scenario is one")
		default:
			if n := c.node(d.Body, 0); n != nil && n.kind != null {
				root = n
			}
		}
	}
	return root, c.errs
}

// foreign is the place of the first byte that is not UTF-8.
func foreign(text []byte) (line, col int, found bool) {
	line, col = 1, 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			return line, col, true
		case r == '\n':
			line, col = line+1, 1
		default:
			col++
		}
		text = text[n:]
	}
	return 0, 0, false
}

// parseSafely turns a panic of the library into an error: the text is a
// user's, and a defect in a parser is not to end the program.
func parseSafely(text []byte) (doc *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the parser gave up on it")
		}
	}()
	return parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
}

// unread finds, before the library meets it, what no scenario has and what the
// library takes too long or too deep a recursion over: nesting by brackets, by
// indentation and by "- - -", and blocks of text. problem is empty when all is
// well.
func unread(text []byte) (line, col int, problem string) {
	deep := fmt.Sprintf("this is nested too deeply: a scenario needs less than %d levels", maxDepth)
	open := 0
	var indents []int
	for i, l := range strings.Split(string(text), "\n") {
		body := strings.TrimLeft(l, " ")
		if body == "" || body[0] == '#' {
			continue
		}
		indent, marks := len(l)-len(body), 0
		for marks*2+1 < len(body) && strings.IndexByte("-?:", body[marks*2]) >= 0 && body[marks*2+1] == ' ' {
			marks++
		}
		for len(indents) > 0 && indents[len(indents)-1] >= indent {
			indents = indents[:len(indents)-1]
		}
		indents = append(indents, indent)
		if len(indents)+marks > maxDepth {
			return i + 1, indent + 1, deep
		}
		for j := range len(l) {
			switch l[j] {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxDepth {
				return i + 1, j + 1, deep
			}
		}
		if at := textBlock(l); at > 0 {
			return i + 1, at, "blocks of text are not read: write the value on one line"
		}
	}
	return 0, 0, ""
}

// textBlock is the column of a | or > that begins a block of text, 0 where the
// line has none.
func textBlock(l string) int {
	l = strings.TrimRight(l, " \t\r")
	at := strings.TrimRight(l, "+-0123456789")
	if !strings.HasSuffix(at, "|") && !strings.HasSuffix(at, ">") {
		return 0
	}
	before := strings.TrimRight(at[:len(at)-1], " ")
	if before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-") {
		return len(at)
	}
	return 0
}

// converter turns the library's tree into ours.
type converter struct {
	file string
	errs Errors
}

func (c *converter) fail(t *token.Token, format string, args ...any) *node {
	e := Error{File: c.file, Line: 1, Col: 1, Msg: fmt.Sprintf(format, args...)}
	if t != nil && t.Position != nil {
		e.Line, e.Col = t.Position.Line, t.Position.Column
	}
	c.errs = append(c.errs, e)
	return nil
}

func (c *converter) node(n ast.Node, depth int) *node {
	if n == nil {
		return nil
	}
	if depth > maxDepth {
		return c.fail(n.GetToken(), "this is nested too deeply: a scenario needs less than %d levels", maxDepth)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(at(n.GetToken(), mapping), n.Values, depth)
	case *ast.MappingValueNode:
		return c.mapping(at(n.Key.GetToken(), mapping), []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		seq := at(n.Start, sequence)
		for _, item := range n.Values {
			if child := c.node(item, depth+1); child != nil {
				seq.items = append(seq.items, child)
			}
		}
		return seq
	case *ast.StringNode:
		s := at(n.Token, scalar)
		s.text = n.Value
		s.plain = n.Token.Type != token.SingleQuoteType && n.Token.Type != token.DoubleQuoteType
		return s
	case *ast.LiteralNode:
		s := at(n.Start, scalar)
		s.text = n.Value.Value
		return s
	case *ast.NullNode:
		return at(n.GetToken(), null)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		s := at(n.GetToken(), scalar)
		s.text, s.plain = strings.TrimSpace(n.GetToken().Value), true
		return s
	case *ast.CommentNode, *ast.CommentGroupNode:
		return nil
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return c.fail(n.GetToken(), "anchors, aliases and merge keys are not read: write the value out, or use a preset")
	case *ast.TagNode:
		return c.fail(n.GetToken(), "tags are not read: write the value without it")
	}
	return c.fail(n.GetToken(), "this kind of YAML is not read here")
}

func (c *converter) mapping(m *node, values []*ast.MappingValueNode, depth int) *node {
	first := map[string]*node{}
	for i, v := range values {
		if v == nil || v.Key == nil {
			continue
		}
		if v.Key.IsMergeKey() {
			c.fail(v.Key.GetToken(), "anchors, aliases and merge keys are not read: write the value out, or use a preset")
			continue
		}
		key := c.node(v.Key, depth+1)
		if key == nil {
			continue
		}
		if i == 0 {
			m.place = key.place
		}
		if key.kind != scalar {
			c.fail(v.Key.GetToken(), "a key is %s: want a name", key.kind)
			continue
		}
		if before := first[key.text]; before != nil {
			c.fail(v.Key.GetToken(), "%q is given twice: first on line %d", key.text, before.line)
			continue
		}
		first[key.text] = key
		val := c.node(v.Value, depth+1)
		if val == nil { // refused above, or only a comment
			continue
		}
		if val.kind == null {
			val.place = key.place
		}
		m.pairs = append(m.pairs, pair{key, val})
	}
	return m
}

func at(t *token.Token, kind nodeKind) *node {
	n := &node{kind: kind, place: place{line: 1, col: 1}}
	if t != nil && t.Position != nil {
		n.line, n.col = t.Position.Line, t.Position.Column
	}
	return n
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
