package scenario

import (
	"reflect"
	"slices"
	"strings"
)

// Text is the value of the field at a path below the fabric, as a scenario writes it; a section
// with a preset is the preset's name. It reports false if there is no such single value.
func (f *Fabric) Text(path string) (text string, ok bool) {
	v := f.at(path)
	if !v.IsValid() {
		return "", false
	}
	if p, named := presets[v.Type()]; named {
		return v.Field(fieldByName(v.Type(), p.key)).String(), true
	}
	return flow(v, false), true
}

// Take copies the field at a path, or a whole section, from another fabric. A path that does not
// exist is a mistake in the program.
func (f *Fabric) Take(from *Fabric, path string) { f.at(path).Set(from.at(path)) }

// Same reports whether two fabrics have the same value at a path.
func (f *Fabric) Same(other *Fabric, path string) bool {
	return reflect.DeepEqual(f.at(path).Interface(), other.at(path).Interface())
}

// at is the field at a path; the zero Value if there is none.
func (f *Fabric) at(path string) reflect.Value {
	v := reflect.ValueOf(f).Elem()
	for step := range strings.SplitSeq(path, ".") {
		if v = below(v, step); !v.IsValid() {
			break
		}
	}
	return v
}

// FabricFields are the paths of all fields of a fabric that have no fields of their own. A list is one
// field, and so is the congestion control, whose parameters depend on its algorithm.
func FabricFields() []string { return fieldsBelow(reflect.TypeFor[Fabric](), "") }

// Fields are the paths of the fields of a scenario that have no fields of their own, without those of its fabrics. A
// list is one field.
func Fields() []string {
	return slices.DeleteFunc(fieldsBelow(reflect.TypeFor[Scenario](), ""), func(path string) bool {
		return path == "fabric" || strings.HasPrefix(path, "fabric.") || path == "fabrics"
	})
}

func fieldsBelow(t reflect.Type, path string) (all []string) {
	for i := range t.NumField() {
		name := yamlName(t.Field(i))
		if name == "" {
			continue
		}
		field, at := t.Field(i).Type, join(path, name)
		if field.Kind() == reflect.Struct && !slices.Contains([]reflect.Type{ratioType, reflect.TypeFor[CC]()}, field) {
			all = append(all, fieldsBelow(field, at)...)
			continue
		}
		all = append(all, at)
	}
	return all
}
