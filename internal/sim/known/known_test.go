package known

import (
	"reflect"
	"strings"
	"testing"

	"weft/internal/sim/collective/nccl"
	"weft/internal/test/simtest"
	"weft/scenario"
)

// unread are the fields of a scenario that are not in a key, with the reason.
var unread = map[string]string{
	".Name":           "a part has no name",
	".Workload.Sizes": "a part has no list of sizes; a simulation is given its own",
	".Training":       "a part has no training job",
	".Serving":        "a part has no serving job",
	".Tune":           "a part has no search",
	".Sweep":          "a part has no variants",
	".Fabrics[].Name": "it is in messages about failures and progress alone",
}

func TestEveryFieldThatASimulationIsGivenIsInTheKey(t *testing.T) {
	r := new(scenario.Resolved)
	fill(reflect.ValueOf(r).Elem())
	before := keyOf(t, r, 0)
	seen := make(map[string]bool)
	leaves := 0
	each(reflect.ValueOf(r).Elem(), "", func(path string, v reflect.Value) {
		if leaves++; !v.CanSet() {
			if !hidden[path] {
				t.Errorf("%s is unexported: change it in a test of its own", path)
			}
			return
		}
		undo := change(v)
		after := keyOf(t, r, 0)
		undo()
		out := ""
		for prefix := range unread {
			if path == prefix || strings.HasPrefix(path, prefix+".") || strings.HasPrefix(path, prefix+"[") {
				out = prefix
				seen[prefix] = true
			}
		}
		if (after == before) != (out != "") {
			t.Errorf("%s was changed: the key is the same: %t, listed as unread: %q", path, after == before, out)
		}
	})
	if keyOf(t, r, 0) != before {
		t.Error("the test left a change behind")
	}
	if leaves < 300 || len(seen) != len(unread) {
		t.Errorf("%d leaves and %d of %d unread fields were changed", leaves, len(seen), len(unread))
	}
}

// hidden are the unexported fields, which the next test changes.
var hidden = map[string]bool{".Fabrics[].CC.fields": true, ".NCCL.figures": true}

func TestUnexportedFieldsAreInTheKey(t *testing.T) {
	const text = "cluster: {nodes: 2}\nfabric: {preset: roce-v2-400g, cc: {preset: dcqcn-paper, ai-rate: RATE}}\n"
	keys := make(map[Key]bool)
	for _, rate := range []string{"40Mbps", "41Mbps"} {
		r := simtest.Resolve(t, strings.Replace(text, "RATE", rate, 1))
		keys[keyOf(t, r, 0)] = true
		for i := range 2 {
			figures := new(nccl.Figures)
			figures[0] = float64(i)
			r.NCCL.SetFigures(figures)
			keys[keyOf(t, r, 0)] = true
		}
	}
	if len(keys) != 6 {
		t.Errorf("6 scenarios have %d keys", len(keys))
	}
}

func TestAnotherFabricIsNotInTheKey(t *testing.T) {
	r := new(scenario.Resolved)
	fill(reflect.ValueOf(r).Elem())
	r.Fabrics = append(r.Fabrics, r.Fabrics[0])
	before := [2]Key{keyOf(t, r, 0), keyOf(t, r, 1)}
	r.Fabrics[1].Link.ErrorRate.Num++
	if after := [2]Key{keyOf(t, r, 0), keyOf(t, r, 1)}; before[0] != before[1] || after[0] != before[0] || after[1] == before[1] {
		t.Errorf("keys before %x and after %x a change of the second fabric", before, after)
	}
}

func TestKindAndSizeAndSeedAreInTheKey(t *testing.T) {
	r := &scenario.Resolved{Fabrics: make([]scenario.Fabric, 1)}
	keys := make(map[Key]bool)
	for _, kind := range []string{"a", "b"} {
		for _, size := range []int64{1, 2} {
			for _, seed := range []uint64{0, 1} {
				k, err := PartOf(r, 0).WithSeed(seed).Key(kind, size)
				if err != nil {
					t.Fatal(err)
				}
				keys[k] = true
			}
		}
	}
	if len(keys) != 8 {
		t.Errorf("8 simulations have %d keys", len(keys))
	}
}

func keyOf(t *testing.T, r *scenario.Resolved, fabric int) Key {
	t.Helper()
	k, err := PartOf(r, fabric).Key("test", 1)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// fill gives each slice below v one element.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	}
}

// each calls with every leaf below v. An unexported field is one.
func each(v reflect.Value, path string, call func(string, reflect.Value)) {
	switch {
	case !v.CanSet():
		call(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), path+"."+v.Type().Field(i).Name, call)
		}
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		for i := range v.Len() {
			each(v.Index(i), path+"[]", call)
		}
	default:
		call(path, v)
	}
}

// change changes a leaf.
func change(v reflect.Value) (undo func()) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	undo = func() { v.Set(before) }
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	default:
		if v.CanInt() {
			v.SetInt(v.Int() + 1)
		} else {
			v.SetUint(v.Uint() + 1)
		}
	}
	return undo
}
