package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// places holds the place of each field that was stated, and the errors with their places.
type places struct {
	file    string
	start   place // place in the file for errors without a field
	errs    Errors
	misread int // number of errs from reading values, not from checks
	// set holds every field that the user or the catalog has stated, with its place.
	set map[string]place
	// written is the part of set that the user wrote.
	written map[string]bool
}

func newPlaces(file string) *places {
	return &places{file: file, set: map[string]place{}, written: map[string]bool{}}
}

func (p *places) fail(at place, path, format string, args ...any) {
	p.errs = append(p.errs, Error{
		File: p.file, Line: at.line, Col: at.col, Origin: at.origin,
		Path: path, Msg: fmt.Sprintf(format, args...),
	})
}

func (p *places) mark(path string, n *node) {
	p.set[path] = n.place
	if !n.fact {
		p.written[path] = true
	}
}

// forget removes the fields below a path, which a preset replaces.
func (p *places) forget(path string) {
	below := func(at string) bool { return strings.HasPrefix(at, path+".") }
	maps.DeleteFunc(p.set, func(at string, _ place) bool { return below(at) })
	maps.DeleteFunc(p.written, func(at string, _ bool) bool { return below(at) })
}

// stated reports whether a user or the catalog gave the field.
func (p *places) stated(path string) bool { _, ok := p.set[path]; return ok }

// broken reports whether any of the fields, or a field below, could not be read.
func (p *places) broken(paths ...string) bool {
	return slices.ContainsFunc(p.errs[:p.misread], func(e Error) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			rest, in := strings.CutPrefix(e.Path, path)
			return in && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
}

// complain adds an error about a field, at its place or the nearest above it.
func (p *places) complain(path, format string, args ...any) {
	p.fail(nearestPlace(p.set, path, p.start), path, format, args...)
}
