package results

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Difference is the first field of results.json in which two points differ, and its two values; "" if
// they are the same in results.json.
func Difference(a, b *Point) (field, inA, inB string) {
	return difference("", reflect.ValueOf(a.json()), reflect.ValueOf(b.json()))
}

// difference is the first field in which two values of a type differ.
func difference(at string, a, b reflect.Value) (field, inA, inB string) {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			return at, presence(a), presence(b)
		}
		if a.IsNil() {
			return "", "", ""
		}
		return difference(at, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if name == "" {
				name = a.Type().Field(i).Name
			}
			if field, inA, inB = difference(strings.TrimPrefix(at+"."+name, "."), a.Field(i), b.Field(i)); field != "" {
				return field, inA, inB
			}
		}
		return "", "", ""
	case reflect.Slice, reflect.Array:
		for i := range min(a.Len(), b.Len()) {
			if field, inA, inB = difference(at+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i)); field != "" {
				return field, inA, inB
			}
		}
		if a.Len() != b.Len() {
			return "the length of " + at, strconv.Itoa(a.Len()), strconv.Itoa(b.Len())
		}
		return "", "", ""
	}
	if a.Equal(b) {
		return "", "", ""
	}
	if a.Kind() == reflect.String {
		return at, strconv.Quote(a.String()), strconv.Quote(b.String())
	}
	return at, fmt.Sprint(a), fmt.Sprint(b)
}

// presence says whether a pointer points to something.
func presence(p reflect.Value) string {
	if p.IsNil() {
		return "missing"
	}
	return "present"
}
