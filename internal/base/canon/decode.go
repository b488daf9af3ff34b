package canon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

var errCut = errors.New("the bytes end before the value")

// Decode reads the bytes of a value into the variable that into points to.
func Decode(b []byte, into any) error {
	d := &decoder{rest: b}
	if err := d.value(reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	if len(d.rest) > 0 {
		return fmt.Errorf("%d bytes follow the value", len(d.rest))
	}
	return nil
}

type decoder struct{ rest []byte }

func (d *decoder) value(v reflect.Value) error {
	if !v.CanSet() {
		return fmt.Errorf("a %s cannot be set", v.Type())
	}
	switch v.Kind() {
	case reflect.Bool:
		set, err := d.flag()
		v.SetBool(set)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, n := binary.Varint(d.rest)
		v.SetInt(x)
		return d.skip(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		x, n := binary.Uvarint(d.rest)
		v.SetUint(x)
		return d.skip(n)
	case reflect.Float32, reflect.Float64:
		b, err := d.take(8)
		if err == nil {
			v.SetFloat(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
		return err
	case reflect.String:
		n, err := d.length()
		if err != nil {
			return err
		}
		b, err := d.take(n)
		v.SetString(string(b))
		return err
	case reflect.Pointer:
		set, err := d.flag()
		if err != nil || !set {
			return err
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	default:
		return d.many(v)
	}
}

// many reads a struct, an array, a slice or a map.
func (d *decoder) many(v reflect.Value) error {
	n := 0
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if err := d.value(field); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice, reflect.Map:
		var err error
		if n, err = d.length(); err != nil || n == 0 { // 0: nil
			return err
		}
		n--
	case reflect.Array:
	default:
		return fmt.Errorf("a %s cannot be read from canonical bytes", v.Kind())
	}
	if v.Kind() == reflect.Map {
		return d.entries(v, n)
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b, err := d.take(n)
			copy(v.Bytes(), b)
			return err
		}
	}
	for i := range v.Len() {
		if err := d.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) entries(v reflect.Value, n int) error {
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := d.value(key); err != nil {
			return err
		}
		if err := d.value(value); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

// length is a length, or one more than a length. No value has more elements than bytes follow.
func (d *decoder) length() (int, error) {
	x, n := binary.Uvarint(d.rest)
	if err := d.skip(n); err != nil {
		return 0, err
	}
	if x > uint64(len(d.rest))+1 {
		return 0, errCut
	}
	return int(x), nil
}

func (d *decoder) flag() (bool, error) {
	b, err := d.take(1)
	return err == nil && b[0] != 0, err
}

func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.rest) {
		return nil, errCut
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b, nil
}

// skip passes a number of n bytes; 0 or less says that there is none.
func (d *decoder) skip(n int) error {
	if n <= 0 {
		return errCut
	}
	d.rest = d.rest[n:]
	return nil
}
