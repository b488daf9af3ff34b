package scenario

import (
	"maps"
	"reflect"
	"slices"
)

// New is a scenario built in Go. A field with its zero value is not set: its preset, or the
// default, gives it. To set a zero value, use an [Override] from [Set]; a [Ratio] of 0 is Ratio{0,
// 1}. name begins the errors, which have the form of a file's errors. Files that the scenario names
// are relative to the process's folder.
func New(name string, s *Scenario) (*File, error) {
	if s == nil {
		s = new(Scenario)
	}
	return (&File{Name: name, root: treeOf(reflect.ValueOf(*s))}).checked(nil)
}

// Set is an override with a Go value: an integer, a bool, a text, a quantity of package units, a
// [Ratio], or a list or section, whose zero fields are not set. Errors name origin.
func Set(path string, value any, origin string) Override {
	o := Override{Path: path, Origin: origin}
	if value != nil {
		o.Value = flow(reflect.ValueOf(value), true)
	}
	return o
}

// treeOf is a value as the decoder reads it from a file, without zero fields.
func treeOf(v reflect.Value) *node {
	n := &node{kind: mapping}
	switch {
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		n.kind = sequence
		for i := range v.Len() {
			n.items = append(n.items, treeOf(v.Index(i)))
		}
	case v.Kind() == reflect.Struct && v.Type() != ratioType:
		for i := range v.NumField() {
			if name := yamlName(v.Type().Field(i)); name != "" && !v.Field(i).IsZero() {
				n.pairs = append(n.pairs, pair{&node{text: name, plain: true}, treeOf(v.Field(i))})
			}
		}
		if c, ok := v.Interface().(CC); ok {
			for _, name := range slices.Sorted(maps.Keys(c.fields)) {
				n.pairs = append(n.pairs, pair{&node{text: name, plain: true}, treeOf(c.field(name))})
			}
		}
	default:
		n.kind, n.text, n.plain = scalar, writeScalar(v), true
	}
	return n
}
