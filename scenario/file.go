package scenario

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// File is a scenario in its written form. One goroutine at a time uses it.
type File struct {
	// Name is the path or label at the beginning of errors.
	Name string
	dir  string // folder for the files that it names; "": the process's own
	root *node
	set  map[string]place // each stated field with its place
	read *Resolved        // nil, or what the check of the file resolved, for the first Resolve

	notes []string  // see Notes
	named *[]string // nil, or the names of the files that Resolve opens
}

// Override is a value from outside the file, applied over it: a flag of the command line.
type Override struct {
	Path   string // workload.algorithm, fabrics[0].mtu
	Value  string // in the form of the file: ring, 4KiB, [infiniband-ndr, roce-v2-400g]
	Origin string // the name in errors: --algo
}

// Load reads a scenario from a file.
func Load(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return LoadFrom(path, in)
}

// LoadFrom is Load for an open file.
func LoadFrom(path string, in io.Reader) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	return DecodeIn(filepath.Dir(path), path, text)
}

// LoadUnchecked is LoadFrom for a file that may not be valid as it stands, to be resolved with fields that it lacks. The error
// says that it cannot be read.
func LoadUnchecked(path string, in io.Reader) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	root, errs := parse(path, text)
	if len(errs) > 0 || root == nil {
		return nil, errs.err()
	}
	return &File{Name: path, dir: filepath.Dir(path), root: root}, nil
}

// Decode reads a scenario. The error holds all problems, as Errors, each beginning with name. Files
// that the scenario names are relative to the process's folder.
func Decode(name string, text []byte) (*File, error) { return DecodeIn("", name, text) }

// DecodeIn is Decode for a scenario whose files are relative to a folder.
func DecodeIn(dir, name string, text []byte) (*File, error) {
	root, errs := parse(name, text)
	if root == nil {
		return nil, errs.err()
	}
	if what := otherKind(root, text, reflect.TypeFor[Scenario]()); what != "" {
		return nil, Errors{{File: name, Line: 1, Col: 1, Msg: what}}
	}
	return (&File{Name: name, dir: dir, root: root}).checked(errs)
}

// checked is the scenario; an error if it cannot be read or resolved.
func (f *File) checked(errs Errors) (*File, error) {
	if len(errs) == 0 && f.root.saysNothing() {
		at := f.start()
		return nil, Errors{{File: f.Name, Line: at.line, Col: at.col, Msg: "the file says nothing: a scenario names at least its cluster, such as `cluster: {nodes: 16, node: dgx-h100}`; what it leaves out has a default"}}
	}
	r, more := f.resolve()
	if err := append(errs, more...).err(); err != nil {
		return nil, err
	}
	f.read = r
	return f, nil
}

// Resolve applies the file, then the overrides, to the defaults and computes the values that
// neither gives. The error holds all problems, as Errors; each names the override that caused it.
func (f *File) Resolve(overrides ...Override) (*Resolved, error) {
	if r := f.read; r != nil && len(overrides) == 0 {
		f.read = nil
		return r, nil
	}
	g, errs := f.under(overrides)
	r, more := g.resolve()
	f.blame(overrides, more)
	if err := append(errs, more...).err(); err != nil {
		return nil, err
	}
	f.set, f.notes = g.set, g.notes
	return r, nil
}

// Copy is the file for another goroutine.
func (f *File) Copy() *File {
	g := *f
	g.read = nil
	return &g
}

// Named are the files that the scenario names, as it writes them, under overrides.
func (f *File) Named(overrides ...Override) (names []string) {
	g, _ := f.under(overrides)
	g.named = &names
	_, _ = g.resolve()
	slices.Sort(names)
	return slices.Compact(names)
}

// under is the file with the overrides applied, and the overrides that do not fit.
func (f *File) under(overrides []Override) (*File, Errors) {
	g := &File{Name: f.Name, dir: f.dir, root: f.root}
	var errs Errors
	for _, o := range overrides {
		root, err := g.root.with(o)
		if err != nil {
			errs = append(errs, Error{File: f.Name, Origin: o.Origin, Path: o.Path, Msg: err.Error()})
			continue
		}
		g.root = root
	}
	return g, errs
}

// ErrorAt gives a later error its place: the field at path, or the nearest written field above it.
func (f *File) ErrorAt(path string, err error) error {
	at := nearestPlace(f.set, path, f.start())
	return Errors{{File: f.Name, Line: at.line, Col: at.col, Origin: at.origin, Path: path, Msg: err.Error()}}
}

// Writes reports whether the file, or an override of the last Resolve, gives a field of a
// section.
func (f *File) Writes(section string) bool {
	for path, at := range f.set {
		if (path == section || strings.HasPrefix(path, section+".")) && at.given() {
			return true
		}
	}
	return false
}

// Serves reports whether the scenario is of a serving job: it has one, and no workload.
func (f *File) Serves() bool { return f.Writes("serving") && !f.Writes("workload") }

// start is the place for errors without a field: the first line of a file, no line for a scenario
// made in Go.
func (f *File) start() place { return place{line: min(1, f.root.line), col: min(1, f.root.col)} }

// given reports whether the scenario or a flag states the value here; otherwise it is the
// catalog's.
func (p place) given() bool { return p.origin == "" || strings.HasPrefix(p.origin, "-") }

// nearestPlace is the place of a field, or of its section; start if neither is given.
func nearestPlace(set map[string]place, path string, start place) place {
	for p := path; p != ""; p = parent(p) {
		if at, ok := set[p]; ok && at.given() && (p == path || !at.implied) {
			return at
		}
	}
	return start
}

func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// with is the tree with one value replaced or added; the receiver stays.
func (n *node) with(o Override) (*node, error) {
	text := o.Value
	if strings.HasPrefix(text, "@") { // the name of a file with names; YAML reserves the character
		text = strconv.Quote(text)
	}
	value, errs := parse(o.Origin, []byte(text))
	if len(errs) > 0 || len(o.Value) == 0 {
		return nil, fmt.Errorf("%q is not a value", abridged(o.Value))
	}
	value.stamp(place{origin: o.Origin}, false)
	path := steps(o.Path)
	root := n
	if path[0] == "fabrics" && len(path) > 1 {
		root = n.listed()
	}
	if slices.Contains(path, "") {
		return nil, errors.New("this is not the path of a field: it is written like workload.sizes or fabrics[0].mtu")
	}
	return root.replaced("", path, value)
}

// listed is the tree with its only fabric, which fabric or fabrics may give without a list, as the
// first of a list.
func (n *node) listed() *node {
	m := n.asMapping()
	for i, kv := range m.pairs {
		if kv.key.text == "fabric" || kv.key.text == "fabrics" && (kv.val.kind == scalar || kv.val.kind == mapping) {
			key := *kv.key
			key.text = "fabrics"
			m.pairs[i] = pair{&key, &node{place: kv.val.place, kind: sequence, items: []*node{kv.val}}}
		}
	}
	return m
}

// steps splits a path into names of fields and numbers of items: fabrics[0].mtu into fabrics, [0]
// and mtu. The name of an item may have dots. A step of a malformed path is empty.
func steps(path string) (out []string) {
	from, inside := 0, false
	for i := range len(path) {
		switch {
		case path[i] == ']':
			inside = false
		case inside:
		case path[i] == '.':
			out, from = append(out, path[from:i]), i+1
		case path[i] == '[':
			out, from, inside = append(out, path[from:i]), i, true
		}
	}
	return append(out, path[from:])
}

// replaced is the tree with the value at the end of a path replaced or added. name is the name of
// the field whose value the receiver is.
func (n *node) replaced(name string, path []string, value *node) (*node, error) {
	if len(path) == 0 {
		return value, nil
	}
	if number, ok := strings.CutPrefix(path[0], "["); ok {
		return n.itemReplaced(name, strings.TrimSuffix(number, "]"), path[1:], value)
	}
	return n.fieldReplaced(path[0], path[1:], value)
}

// fabricName is the name of a fabric: its own, or its preset's.
func (n *node) fabricName() string {
	if own := n.child("name"); own != nil {
		return own.text
	}
	if preset := n.presetName("preset"); preset != nil {
		return preset.text
	}
	return ""
}

// fabricNames are the names of a list's fabrics, or their indices where they have none.
func (n *node) fabricNames() string {
	names := make([]string, len(n.items))
	for i, item := range n.items {
		if names[i] = item.fabricName(); names[i] == "" {
			names[i] = fmt.Sprintf("[%d]", i)
		}
	}
	return strings.Join(names, ", ")
}

// itemReplaced continues with an existing item of a list, by its number; with a fabric also by its name.
func (n *node) itemReplaced(name, number string, rest []string, value *node) (*node, error) {
	i, err := strconv.Atoi(number)
	if at := slices.IndexFunc(n.items, func(item *node) bool { return name == "fabrics" && item.fabricName() == number }); err != nil && at >= 0 {
		i, err = at, nil
	}
	switch items := len(n.items); {
	case n.kind != sequence || items == 0:
		return nil, fmt.Errorf("the file has no list %s; [%s] does not exist: write the whole list first", name, number)
	case (err != nil || i != 0) && items == 1:
		return nil, fmt.Errorf("%s has 1 entry (index 0); [%s] does not exist", name, number)
	case err != nil && name == "fabrics":
		return nil, fmt.Errorf("fabrics has no %s: its %d entries are %s, or by index 0 to %d", number, items, n.fabricNames(), items-1)
	case err != nil || i < 0 || i >= items:
		return nil, fmt.Errorf("%s has %d entries (index 0 to %d); [%s] does not exist", name, items, items-1, number)
	}
	item, err := n.items[i].replaced(name, rest, value)
	if err != nil {
		return nil, err
	}
	list := *n
	list.items = slices.Clone(n.items)
	list.items[i] = item
	return &list, nil
}

// fieldReplaced continues with a field of a mapping. A missing field is added.
func (n *node) fieldReplaced(name string, rest []string, value *node) (*node, error) {
	m := n.asMapping()
	i := slices.IndexFunc(m.pairs, func(kv pair) bool { return kv.key.text == name })
	if i < 0 {
		i = len(m.pairs)
		key := &node{place: value.place, text: name, plain: true}
		section := &node{place: value.place, kind: mapping}
		section.implied = true
		m.pairs = append(m.pairs, pair{key, section})
	}
	field, err := m.pairs[i].val.replaced(name, rest, value)
	if err != nil {
		return nil, err
	}
	m.pairs[i].val = field
	return m, nil
}

// asMapping is a copy to which fields can be added: the fields of a mapping, or fields that
// override the named preset. A list has none.
func (n *node) asMapping() *node {
	m := &node{place: n.place, kind: mapping}
	switch n.kind {
	case mapping:
		m.base, m.pairs = n.base, slices.Clone(n.pairs)
	case scalar:
		m.base = n
	}
	return m
}
