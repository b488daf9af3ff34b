package flags

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"weft/scenario"
	"weft/units"
)

// quantity is a flag with a unit. It accepts the same text as files: parse is the only parser of
// its kind.
type quantity[T any] struct {
	to    *T
	parse func(string) (T, error)
	show  func(T) string
	kind  string
}

func (q *quantity[T]) String() string {
	if q.to == nil {
		return ""
	}
	return q.show(*q.to)
}

func (q *quantity[T]) Set(text string) error {
	v, err := q.parse(text)
	if err != nil {
		return err
	}
	*q.to = v
	return nil
}

func (q *quantity[T]) Type() string { return q.kind }

// Bytes is a flag of bytes, such as 64KiB.
func Bytes(to *units.Bytes) pflag.Value {
	return &quantity[units.Bytes]{to, units.ParseBytes, units.Bytes.String, "bytes"}
}

// Rate is a flag of a bit rate, such as 400Gbps.
func Rate(to *units.Rate) pflag.Value {
	return &quantity[units.Rate]{to, units.ParseRate, units.Rate.String, "rate"}
}

// Length is a flag of a length, such as 30m.
func Length(to *units.Length) pflag.Value {
	return &quantity[units.Length]{to, units.ParseLength, units.Length.String, "length"}
}

// SizeVarP registers a flag for a number of bytes that a program stores as an int.
func SizeVarP(f *pflag.FlagSet, to *int, name, short string, value int, usage string) {
	parse := func(text string) (int, error) {
		v, err := units.ParseBytes(text)
		if err == nil && v > 1<<31-1 {
			err = fmt.Errorf("%q is more than a message can have, 2 GiB less one byte", text)
		}
		return int(v), err
	}
	*to = value
	f.VarP(&quantity[int]{to, parse, strconv.Itoa, "bytes"}, name, short, usage)
}

// CountVar registers a flag for a number of things, with bounds.
func CountVar(f *pflag.FlagSet, to *int, name string, value, least, most int, usage string) {
	parse := func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("want a whole number, %d to %d", least, most)
		}
		return n, nil
	}
	*to = value
	f.Var(&quantity[int]{to, parse, strconv.Itoa, "int"}, name, usage)
}

// Share is a probability or a share, in the form of files: 0.001, 0.1%, 1/1000.
func Share(to *float64) pflag.Value {
	parse := func(text string) (float64, error) {
		v, err := scenario.ParseRatio(text)
		if err == nil && v.Num > v.Den {
			err = fmt.Errorf("%q is more than 1", text)
		}
		return v.Float(), err
	}
	return &quantity[float64]{to, parse, func(v float64) string { return fmt.Sprint(v) }, "share"}
}
