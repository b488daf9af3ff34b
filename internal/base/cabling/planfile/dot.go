package planfile

import (
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// dotReader reads the part of Graphviz' language that plans of cables use: nodes and edges with attributes, their
// defaults, subgraphs, comments. A port is behind the node's name: "leaf1":"swp1" -- "spine1":"swp1". Sources:
// na-son/nvidia-air topology.dot and Cumulus' PTM.
type dotReader struct {
	b     *builder
	lex   dotLexer
	tok   dotToken
	fake  map[string]bool // nodes with function="fake": what their edges lead to is no device
	edges []dotEdge
}

// dotEdge is an edge, kept until all nodes are known.
type dotEdge struct {
	from, to dotEnd
	attr     map[string]string
	line     int
}

type dotEnd struct{ node, port string }

func readDot(file, text string) (*cabling.Fabric, error) {
	r := &dotReader{b: newBuilder(file, "Graphviz dot"), lex: dotLexer{text: text, line: 1}, fake: map[string]bool{}}
	if err := r.graph(); err != nil {
		return nil, err
	}
	return r.cables()
}

func (r *dotReader) fail(want string) error {
	found := quote(r.tok.text)
	if r.tok.kind == dotEnd0 {
		found = "the end of the file"
	}
	return problem(r.b.file, r.tok.line, "%s: expected %s", found, want)
}

func (r *dotReader) next() { r.tok = r.lex.next() }

func (r *dotReader) is(mark string) bool { return r.tok.kind == dotMark && r.tok.text == mark }

// graph reads the head and the body.
func (r *dotReader) graph() error {
	r.next()
	for r.tok.kind == dotName && !r.is("{") {
		r.next() // strict, graph or digraph, its name
	}
	if !r.is("{") {
		return r.fail("{ of the graph")
	}
	r.next()
	return r.body(map[string]string{}, 0)
}

// body reads statements to the closing brace, which it takes.
func (r *dotReader) body(defaults map[string]string, depth int) error {
	if depth > maxDepth {
		return problem(r.b.file, r.tok.line, "subgraphs are nested more than %d deep", maxDepth)
	}
	own := map[string]string{}
	for k, v := range defaults {
		own[k] = v
	}
	for !r.is("}") {
		switch {
		case r.tok.kind == dotEnd0:
			return r.fail("} of the graph: the file is cut off")
		case r.is(";") || r.is(","):
			r.next()
		case r.is("{"):
			r.next()
			if err := r.body(own, depth+1); err != nil {
				return err
			}
		case r.tok.kind == dotName:
			if err := r.statement(own); err != nil {
				return err
			}
		default:
			return r.fail(`a node such as "leaf1", an edge such as "leaf1":"swp1" -- "spine1":"swp1", or }`)
		}
	}
	r.next()
	return r.b.full(r.tok.line)
}

// statement reads a node, an edge, a default or a subgraph.
func (r *dotReader) statement(defaults map[string]string) error {
	if !r.tok.quoted {
		switch strings.ToLower(r.tok.text) {
		case "subgraph":
			r.next()
			if r.tok.kind == dotName {
				r.next()
			}
			return nil // the brace is next
		case "node":
			return r.defaults(defaults)
		case "graph", "edge":
			return r.defaults(map[string]string{})
		}
	}
	line := r.tok.line
	ends := []dotEnd{r.end()}
	if r.is("=") { // an attribute of the graph
		r.next()
		r.next()
		return nil
	}
	for r.is("--") || r.is("->") {
		r.next()
		if r.tok.kind != dotName {
			return r.fail("the node at the other end of the edge")
		}
		ends = append(ends, r.end())
	}
	attr := map[string]string{}
	if err := r.attributes(attr); err != nil {
		return err
	}
	if len(ends) == 1 {
		r.node(ends[0].node, defaults, attr)
		return nil
	}
	for i := range ends[1:] {
		r.edges = append(r.edges, dotEdge{ends[i], ends[i+1], attr, line})
	}
	if len(r.edges) > maxCables {
		return problem(r.b.file, line, "more than %d edges", maxCables)
	}
	return nil
}

// defaults reads attributes behind "node", "edge" or "graph".
func (r *dotReader) defaults(into map[string]string) error {
	r.next()
	if r.is("=") {
		r.next()
		r.next()
		return nil
	}
	return r.attributes(into)
}

// end reads a node, with its port if it has one.
func (r *dotReader) end() dotEnd {
	e := dotEnd{node: r.tok.text}
	quoted := r.tok.quoted
	r.next()
	for n := 0; r.is(":"); n++ {
		r.next()
		if r.tok.kind == dotName {
			if n == 0 { // behind a second one is the side of the node where the edge is drawn
				e.port = r.tok.text
			}
			r.next()
		}
	}
	if node, port, both := strings.Cut(e.node, ":"); both && quoted && e.port == "" && port != "" { // "leaf1:swp1"
		e = dotEnd{node, port}
	}
	return e
}

// attributes reads any number of bracketed lists.
func (r *dotReader) attributes(into map[string]string) error {
	for r.is("[") {
		r.next()
		for !r.is("]") {
			if r.is(",") || r.is(";") {
				r.next()
				continue
			}
			if r.tok.kind != dotName {
				return r.fail(`an attribute such as function="leaf", or ]`)
			}
			key, value := strings.ToLower(r.tok.text), ""
			if r.next(); r.is("=") {
				if r.next(); r.tok.kind != dotName {
					return r.fail("the value of attribute " + quote(key))
				}
				value = r.tok.text
				r.next()
			}
			into[key] = value
		}
		r.next()
	}
	return nil
}

// node makes a device of a node.
func (r *dotReader) node(name string, defaults, attr map[string]string) {
	get := func(key string) string {
		if v := attr[key]; v != "" {
			return v
		}
		return defaults[key]
	}
	if strings.EqualFold(get("function"), "fake") || strings.EqualFold(get("role"), "fake") {
		r.fake[name] = true
		return
	}
	at := r.b.device(name)
	for _, key := range []string{"function", "role"} {
		if role := roleWord(get(key)); role != cabling.Unknown {
			r.b.role(at, role)
		}
	}
	r.b.suggest(at, systemRole(get("os")), "their operating system")
	if d := &r.b.f.Devices[at]; d.Model == "" {
		d.Model = get("model")
	}
	if d := &r.b.f.Devices[at]; d.Firmware == "" && d.Role != cabling.Host {
		d.Firmware = get("os")
	}
}

// cables makes cables of the edges.
func (r *dotReader) cables() (*cabling.Fabric, error) {
	unused, first := 0, 0
	for _, e := range r.edges {
		if r.fake[e.from.node] || r.fake[e.to.node] {
			if unused++; unused == 1 {
				first = e.line
			}
			continue
		}
		c := cabling.Cable{
			A:     cabling.End{Device: r.b.device(e.from.node), Port: e.from.port},
			B:     cabling.End{Device: r.b.device(e.to.node), Port: e.to.port},
			Place: r.b.place(e.line),
			Part:  e.attr["part"],
		}
		for _, key := range []string{"speed", "bandwidth", "rate"} {
			if c.Rate == 0 {
				c.Rate = rateOf(e.attr[key])
			}
		}
		c.Length = lengthOf(e.attr["length"], "")
		r.b.connect(c)
	}
	if unused > 0 {
		r.b.f.Note("%s:%d: %s to a node with function=\"fake\" %s unused ports and left out", r.b.file, first, wording.Counted(unused, "edge", "edges"), map[bool]string{true: "is taken as an", false: "are taken as"}[unused == 1])
	}
	return r.b.finish()
}
