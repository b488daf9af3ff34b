package canon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"weft/internal/base/sorting"
)

// Append appends the bytes of a value.
func Append(b []byte, v any) ([]byte, error) {
	return appendValue(b, reflect.ValueOf(&v).Elem().Elem())
}

func appendValue(b []byte, v reflect.Value) (_ []byte, err error) {
	switch v.Kind() {
	case reflect.Bool:
		return append(b, bit(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(b, v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float())), nil
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...), nil
	case reflect.Struct:
		for i := range v.NumField() {
			if b, err = appendValue(b, v.Field(i)); err != nil {
				return nil, fmt.Errorf("%s.%w", v.Type().Field(i).Name, err)
			}
		}
		return b, nil
	case reflect.Slice, reflect.Array, reflect.Map:
		return appendMany(b, v)
	case reflect.Pointer, reflect.Interface:
		if b = append(b, bit(!v.IsNil())); v.IsNil() {
			return b, nil
		}
		if v.Kind() == reflect.Interface {
			name := v.Elem().Type().PkgPath() + " " + v.Elem().Type().String()
			b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		}
		return appendValue(b, v.Elem())
	default:
		return nil, fmt.Errorf("a %s has no canonical bytes", v.Kind())
	}
}

// appendMany appends a slice, an array or a map: one more than its length, or 0 for nil, and its elements.
func appendMany(b []byte, v reflect.Value) (_ []byte, err error) {
	if v.Kind() != reflect.Array {
		if v.IsNil() {
			return append(b, 0), nil
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
	}
	if v.Kind() == reflect.Map {
		return appendEntries(b, v)
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return append(b, v.Bytes()...), nil
	}
	for i := range v.Len() {
		if b, err = appendValue(b, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendEntries appends the entries of a map, in the order of their keys' bytes.
func appendEntries(b []byte, v reflect.Value) ([]byte, error) {
	type entry struct{ key, value []byte }
	entries := make([]entry, 0, v.Len())
	for each := v.MapRange(); each.Next(); {
		key, err := appendValue(nil, each.Key())
		if err != nil {
			return nil, err
		}
		value, err := appendValue(nil, each.Value())
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{key, value})
	}
	sorting.Func(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	for _, e := range entries {
		b = append(append(b, e.key...), e.value...)
	}
	return b, nil
}

func bit(set bool) byte {
	if set {
		return 1
	}
	return 0
}
