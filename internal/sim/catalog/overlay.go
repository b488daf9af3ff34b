package catalog

import (
	"fmt"
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

// Derive is an entry of a user's: that of another one with a title and facts of its own. Facts of the other one whose field
// is in forget are not inherited.
func Derive(kind Kind, name, base, title string, forget []string, facts []Fact) (Entry, error) {
	for _, e := range all()[kind] {
		if e.Name == name && !e.Abstract {
			return Entry{}, fmt.Errorf("the catalog has a %s %q: choose another name", kind, name)
		}
	}
	from, err := Lookup(kind, base)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Kind: kind, Name: name, Title: title, Base: base}
	for _, f := range from.Facts {
		if slices.Contains(forget, f.Field) {
			continue
		}
		f.Source = "as " + f.From + ": " + f.Source
		e.Facts = append(e.Facts, f)
	}
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
