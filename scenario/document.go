package scenario

import (
	"errors"
	"reflect"
	"strings"
)

// Document is another YAML file of weft: the request of a plan, the profile of an organisation,
// prices. The rules of a scenario apply: strict fields, units, and a place for every error.
type Document struct{ file File }

// Choice is a text type with a list of valid values, in documents. A scenario's own are listed in
// this package.
type Choice interface{ Choices() []string }

// ReadDocument decodes a file, and then the overrides, into the struct that into points to. Its
// fields have the tags of a scenario's: yaml for the name, range for the bounds. Fields in neither
// stay as they are. The error holds all problems, as Errors, each beginning with name. An empty
// file without overrides is an error: it was probably emptied by mistake.
func ReadDocument(name string, text []byte, into any, overrides ...Override) (*Document, error) {
	root, errs := parse(name, text)
	if root == nil {
		return nil, errs.err()
	}
	if len(errs) == 0 && len(overrides) == 0 && root.saysNothing() {
		names := fieldNames(reflect.TypeOf(into).Elem())
		return nil, Errors{{File: name, Line: 1, Col: 1, Msg: "the file says nothing: give it one field at least of " + strings.Join(names, ", ")}}
	}
	if what := otherKind(root, text, reflect.TypeOf(into).Elem()); what != "" {
		return nil, Errors{{File: name, Line: 1, Col: 1, Msg: what}}
	}
	f, more := (&File{Name: name, root: root}).under(overrides)
	d := newDecoder(name)
	if f.root.kind == mapping {
		d.structure("", f.root, reflect.ValueOf(into).Elem())
	} else {
		d.fail(f.root.place, "", "%s is given: want fields with values", f.root.kind)
	}
	f.set = d.set
	return &Document{*f}, append(append(errs, more...), d.errs...).err()
}

// Stated reports whether a field is given, by the file or by an override.
func (d *Document) Stated(path string) bool {
	_, ok := d.file.set[path]
	return ok
}

// ErrorAt gives a later error its place: the field at path, or the nearest written field above it.
func (d *Document) ErrorAt(path string, err error) error { return d.file.ErrorAt(path, err) }

// Problem is an error of a field, for ErrorsAt.
type Problem struct {
	Path string
	Err  error
}

// ErrorsAt gives later problems their places; nil if there are none.
func (d *Document) ErrorsAt(problems []Problem) error {
	var all Errors
	for _, p := range problems {
		var one Errors
		if errors.As(d.ErrorAt(p.Path, p.Err), &one) {
			all = append(all, one...)
		}
	}
	return all.err()
}

// choices are the valid values of a text type; nil if it has no list.
func choices(t reflect.Type) []string {
	for i := range enums {
		if enums[i].of == t {
			return enums[i].values
		}
	}
	if c, ok := reflect.Zero(t).Interface().(Choice); ok {
		return c.Choices()
	}
	return nil
}
