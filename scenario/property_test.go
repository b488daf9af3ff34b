package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/sim/transport/cc"
)

// leaf is a field of a printed scenario that can be given another value.
type leaf struct {
	path, bounds string
	value        reflect.Value
}

// leaves lists the single values of v with their paths.
func leaves(v reflect.Value, path string) (all []leaf) {
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		at := join(path, yamlName(field))
		switch {
		case f.Kind() == reflect.Struct && f.Type() != ratioType:
			if !f.IsZero() {
				all = append(all, leaves(f, at)...)
			}
		case f.Type() == reflect.TypeFor[[]Fabric]():
			for j := range f.Len() {
				all = append(all, leaves(f.Index(j), fmt.Sprintf("%s[%d]", at, j))...)
			}
		case f.Kind() == reflect.Slice || f.Kind() == reflect.Array || f.Kind() == reflect.String && choices(f.Type()) == nil:
		default:
			all = append(all, leaf{at, field.Tag.Get("range"), f})
		}
	}
	if c, ok := v.Interface().(CC); ok {
		for _, name := range slices.Sorted(maps.Keys(c.fields)) {
			if f := c.field(name); f.Kind() != reflect.Slice {
				all = append(all, leaf{join(path, name), cc.ParameterOf(name).Range, f})
			}
		}
	}
	return all
}

// drawValue is another value that the field may take, as a user writes it.
func drawValue(t *rapid.T, l leaf) string {
	typ := l.value.Type()
	switch {
	case choices(typ) != nil:
		return rapid.SampledFrom(choices(typ)).Draw(t, l.path)
	case typ.Kind() == reflect.Bool:
		return strconv.FormatBool(rapid.Bool().Draw(t, l.path))
	case typ == reflect.TypeFor[ErrorBound]():
		return rapid.SampledFrom([]string{"none", "0.1%", "3.3%", "0.07", "50%"}).Draw(t, l.path)
	case typ == ratioType:
		return fmt.Sprintf("%d/%d", rapid.IntRange(0, 9).Draw(t, l.path), rapid.IntRange(1, 9).Draw(t, l.path))
	case typ.Kind() == reflect.Uint64 || typ.Kind() == reflect.Uint32:
		return strconv.FormatUint(uint64(rapid.Uint32().Draw(t, l.path)), 10)
	}
	lo, hi, _ := strings.Cut(l.bounds, "..")
	low, high, v := reflect.New(typ).Elem(), reflect.New(typ).Elem(), reflect.New(typ).Elem()
	if readScalar(lo, low) != nil || readScalar(hi, high) != nil {
		t.Fatalf("%s has no range", l.path)
	}
	near := max(1, l.value.Int()) // near the value more is valid than anywhere
	v.SetInt(rapid.OneOf(
		rapid.Int64Range(low.Int(), high.Int()),
		rapid.Int64Range(max(low.Int(), near/2), max(max(low.Int(), near/2), min(high.Int(), 2*near))),
	).Draw(t, l.path))
	return writeScalar(v)
}

// With any overrides, a scenario that resolves prints, reads and resolves to itself.
func TestAPrintedScenarioResolvesToItself(t *testing.T) {
	files := examples(t)
	resolved := 0
	rapid.Check(t, func(rt *rapid.T) {
		f, err := Load(rapid.SampledFrom(files).Draw(rt, "example"))
		if err != nil {
			rt.Fatal(err)
		}
		r, err := f.Resolve()
		if err != nil {
			rt.Fatal(err)
		}
		var overrides []Override
		fields := leaves(reflect.ValueOf(*r), "")
		for range rapid.IntRange(1, 4).Draw(rt, "overrides") {
			l := rapid.SampledFrom(fields).Draw(rt, "field")
			overrides = append(overrides, Override{Path: l.path, Value: drawValue(rt, l), Origin: "--set"})
		}
		if r, err = f.Resolve(overrides...); err != nil {
			return // an error is fine: the property is of scenarios that resolve
		}
		resolved++
		text, _ := r.MarshalYAML()
		g, err := Decode("printed.yaml", text)
		if err != nil {
			rt.Fatalf("%v\nafter %v\nin\n%s", err, overrides, text)
		}
		again, err := g.Resolve()
		if err != nil || !reflect.DeepEqual(r, again) {
			more, _ := again.MarshalYAML()
			rt.Fatalf("%v after %v: %s", err, overrides, difference(string(text), string(more)))
		}
	})
	if resolved == 0 {
		t.Error("no draw resolved: the property was not tried")
	}
}
