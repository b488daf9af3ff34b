package scenario

import (
	"io"
)

// LoadOverlay reads an overlay from an open file.
func LoadOverlay(path string, in io.Reader) (*Overlay, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	return DecodeOverlay(path, text)
}

// Overlay is a part of a scenario that is applied over whole scenarios: constants that were fitted
// to a cluster. Its fields below fabric apply to every fabric of the scenario.
type Overlay struct {
	name string
	root *node
}

// DecodeOverlay reads an overlay. Its fields are checked when it is applied to a scenario.
func DecodeOverlay(name string, text []byte) (*Overlay, error) {
	root, errs := parse(name, text)
	if err := errs.err(); err != nil {
		return nil, err
	}
	if root.kind != mapping || len(root.pairs) == 0 {
		return nil, Errors{{File: name, Line: root.line, Col: root.col, Msg: "an overlay is a mapping of a scenario's fields, such as nccl:"}}
	}
	root.stamp(place{origin: "--overlay " + name}, false)
	return &Overlay{name, root}, nil
}

// Under is the scenario with the overlay applied, field by field. Lists are replaced as a whole.
func (f *File) Under(o *Overlay) (*File, error) {
	g := f
	for _, kv := range o.root.pairs {
		if kv.key.text != "fabric" {
			g = g.with(g.root.asMapping().merged([]pair{kv}))
			continue
		}
		if kv.val.kind != mapping {
			return nil, Errors{{File: o.name, Line: 1, Col: 1, Path: "fabric", Msg: "want a mapping of the fields to change: an overlay goes over the fabrics that a scenario has"}}
		}
		explicit, err := g.Explicit()
		if err != nil {
			return nil, err
		}
		g = explicit.eachFabric(func(fabric *node) *node { return fabric.merged(kv.val.pairs) })
	}
	if _, errs := g.resolve(); len(errs) > 0 {
		return nil, errs.err()
	}
	return g, nil
}

// With is the scenario with overrides applied first, before all others.
func (f *File) With(overrides ...Override) (*File, error) {
	g, errs := f.under(overrides)
	_, more := g.resolve()
	f.blame(overrides, more)
	return g, append(errs, more...).err()
}

// Explicit is the scenario with its fabrics written as a list, so that fabrics[i] is the path of
// each: for a fabric under fabric, a single name, or the default fabrics.
func (f *File) Explicit() (*File, error) {
	m := f.root.asMapping()
	for i, kv := range m.pairs {
		switch {
		case kv.key.text == "fabrics" && kv.val.kind == sequence:
			return f, nil
		case kv.key.text == "fabric" || kv.key.text == "fabrics":
			key := *kv.key
			key.text = "fabrics"
			m.pairs[i] = pair{&key, &node{place: kv.val.place, kind: sequence, items: []*node{kv.val}}}
			return f.with(m), nil
		}
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	list := &node{kind: sequence}
	for i := range r.Fabrics {
		list.items = append(list.items, &node{kind: scalar, text: r.Fabrics[i].Preset, plain: true})
	}
	list.stamp(place{origin: "default"}, false)
	m.pairs = append(m.pairs, pair{&node{place: list.place, text: "fabrics", plain: true}, list})
	return f.with(m), nil
}

// with is the file with another tree.
func (f *File) with(root *node) *File {
	return &File{Name: f.Name, dir: f.dir, root: root, named: f.named}
}

// eachFabric is the scenario with each of its fabrics changed. The fabrics are a list.
func (f *File) eachFabric(change func(*node) *node) *File {
	m := f.root.asMapping()
	for i, kv := range m.pairs {
		if kv.key.text != "fabrics" {
			continue
		}
		list := *kv.val
		list.items = nil
		for _, item := range kv.val.items {
			list.items = append(list.items, change(item))
		}
		m.pairs[i] = pair{kv.key, &list}
	}
	return f.with(m)
}

// merged is the tree with fields applied over it: mappings field by field, everything else as a
// whole.
func (n *node) merged(over []pair) *node {
	m := n.asMapping()
	for _, kv := range over {
		at := -1
		for i := range m.pairs {
			if m.pairs[i].key.text == kv.key.text {
				at = i
			}
		}
		switch {
		case at < 0:
			m.pairs = append(m.pairs, kv)
		case kv.val.kind == mapping:
			m.pairs[at].val = m.pairs[at].val.merged(kv.val.pairs)
		default:
			m.pairs[at].val = kv.val
		}
	}
	return m
}
