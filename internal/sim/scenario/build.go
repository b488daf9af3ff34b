package scenario

import (
	"maps"
	"reflect"
	"slices"
)

// New is a scenario that is written in Go. A field that is zero is not mentioned: its
// preset, or the default, gives it. A value whose zero is meant is an [Override], which
// [Set] makes; a [Ratio] of 0 is Ratio{0, 1}. name stands before errors, which are those of a file.
// Files that the scenario names are found from the process's folder on.
func New(name string, s *Scenario) (*File, error) {
	return (&File{Name: name, root: treeOf(reflect.ValueOf(*s))}).checked(nil)
}

// Set is an override by a value of Go: an integer, a bool, a text, a quantity of package
// units, a [Ratio], or a list or section, whose fields that are zero are not mentioned. origin
// is what errors name.
func Set(path string, value any, origin string) Override {
	o := Override{Path: path, Origin: origin}
	if value != nil {
		o.Value = flow(reflect.ValueOf(value), true)
	}
	return o
}

// treeOf is a value as the decoder has it from a file, without the fields that are zero.
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
