package catalog

import (
	"slices"
	"sync/atomic"
)

// extended is the catalog with a user's devices; nil without them.
var extended atomic.Pointer[map[Kind][]Entry]

// all is the catalog by kind.
func all() map[Kind][]Entry {
	if m := extended.Load(); m != nil {
		return *m
	}
	return own()
}

// Derive is an entry of a user's: that of another one with a title and facts of its own. Facts of the other one are derived ones of this,
// and those with a forgotten field are not inherited.
func Derive(kind Kind, name, base, title string, forgotten func(field string) bool, facts []Fact) (Entry, error) {
	from, err := Lookup(kind, base)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Kind: kind, Name: name, Title: title, Base: base, Facts: softened(from.Facts)}
	e.Facts = slices.DeleteFunc(e.Facts, func(f Fact) bool { return forgotten(f.Field) })
	for _, f := range facts {
		f.From = name
		if err := e.add(f); err != nil {
			return Entry{}, err
		}
	}
	return e, nil
}

// Extend adds a user's entries to the catalog of this process, until undo is called. The [Digest] stays: a resolved scenario has the
// values themselves.
func Extend(entries []Entry) (undo func()) {
	before := extended.Load()
	m := map[Kind][]Entry{}
	for kind, list := range all() {
		m[kind] = slices.Clone(list)
	}
	for _, e := range entries {
		m[e.Kind] = append(m[e.Kind], e)
	}
	extended.Store(&m)
	return func() { extended.Store(before) }
}
