package canon

import (
	"math"
	"reflect"
	"testing"
)

type inner struct {
	A int8
	B []string
}

type outer struct {
	On    bool
	N     uint64
	F     float64
	Name  string
	List  []inner
	Fixed [2]inner
	Next  *inner
	Raw   []byte
	Of    map[string]int
}

var full = outer{
	On: true, N: math.MaxUint64, F: -0.1, Name: "é", List: []inner{{A: -3}, {B: []string{}}}, Fixed: [2]inner{{A: 1}},
	Next: &inner{A: 7, B: []string{"x", ""}}, Raw: []byte{0, 255}, Of: map[string]int{"b": 2, "a": -1},
}

func TestDecodeReadsWhatAppendWrites(t *testing.T) {
	for _, want := range []outer{{}, full} {
		b, err := Append(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		var got outer
		if err := Decode(b, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %+v, want %+v", err, got, want)
		}
		for cut := range b {
			if err := Decode(b[:cut], new(outer)); err == nil {
				t.Errorf("%d of %d bytes were read as a whole value", cut, len(b))
			}
		}
		if err := Decode(append(b, 0), new(outer)); err == nil {
			t.Error("a byte more than the value was not seen")
		}
	}
}

// hidden has what Decode cannot read: unexported fields, and values in interfaces.
type hidden struct {
	of  map[string]any
	ptr *[2]float64
}

func TestDifferentValuesHaveDifferentBytes(t *testing.T) {
	seen := make(map[string]any)
	for _, v := range []any{
		[]int(nil),
		[]int{0},
		[]int{1},
		[][]int{{1}, {}},
		[][]int{{}, {1}},
		[][]int{nil, {1}},
		0.5, math.Float64frombits(1 << 63), "ab",
		[]string{"a", "b"},
		[]string{"ab", ""},
		hidden{},
		hidden{of: map[string]any{"a": 1}},
		hidden{of: map[string]any{"a": int64(1)}},
		hidden{of: map[string]any{"a": 2}},
		hidden{of: map[string]any{"b": 1}},
		hidden{ptr: &[2]float64{0, 1}},
		hidden{ptr: &[2]float64{1, 0}},
	} {
		b, err := Append([]byte(reflect.TypeOf(v).String()+" "), v)
		if err != nil {
			t.Fatal(err)
		}
		if other, same := seen[string(b)]; same {
			t.Errorf("%#v and %#v have equal bytes", v, other)
		}
		seen[string(b)] = v
	}
}

func TestAMapHasOneForm(t *testing.T) {
	of := make(map[string]any)
	for _, name := range []string{"e", "a", "d", "c", "b", "aa"} {
		of[name] = name
	}
	first, _ := Append(nil, hidden{of: of})
	for range 50 {
		if again, _ := Append(nil, hidden{of: of}); string(again) != string(first) {
			t.Fatalf("%q and %q are of one map", first, again)
		}
	}
}

func TestAFunctionHasNoBytes(t *testing.T) {
	if b, err := Append(nil, struct{ F func() }{}); err == nil {
		t.Errorf("a function became %q", b)
	}
}

func FuzzDecode(f *testing.F) {
	b, _ := Append(nil, full)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var v outer
		if Decode(b, &v) != nil {
			return
		}
		again, err := Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		var w outer
		if err := Decode(again, &w); err != nil {
			t.Fatalf("%v: %+v became %x", err, v, again)
		}
	})
}
