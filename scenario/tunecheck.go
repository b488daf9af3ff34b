package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
)

// check checks that the tuned parameters exist, can vary, and belong to the fabric. Whether
// values fit one another is checked when they are tried.
func (r tuneRules) check() {
	t := &r.Tune
	if !r.stated("tune") {
		return
	}
	k := r.TunedFabric()
	switch {
	case k >= 0:
	case t.Fabric == "":
		r.complain("tune", "the scenario has several fabrics: say which one is tuned with fabric: %s", oneOf(fabricNames(r.Fabrics)))
	default:
		r.complain("tune.fabric", "there is no fabric %q: want %s", t.Fabric, oneOf(fabricNames(r.Fabrics)))
	}
	if o := t.Objective; o.Time.Num+o.Tail.Num+o.Pauses.Num+o.Fairness.Num == 0 {
		r.complain("tune.objective", "every weight is 0: give time, tail, pauses or fairness one, such as {time: 1}")
	}
	switch n := len(t.Parameters); {
	case n == 0:
		r.complain("tune.parameters", "nothing may change: give parameters such as [{path: fabrics[0].ethernet.ecn.kmin, from: 50KB, to: 5MB}]")
	case n > maxParameters:
		r.complain("tune.parameters", "%d parameters are given: at most %d are searched", n, maxParameters)
		return
	}
	for i := range t.Parameters {
		at := fmt.Sprintf("tune.parameters[%d]", i)
		p := &t.Parameters[i]
		if r.checkPath(at, p, k) {
			r.checkValues(at, p, k, maxValues)
		}
		if j := slices.IndexFunc(t.Parameters, func(q Parameter) bool { return q.Path == p.Path }); j < i {
			r.complain(at+".path", "%s is given twice: first as parameters[%d]", p.Path, j)
		}
	}
}

func fabricNames(fabrics []Fabric) (names []string) {
	for i := range fabrics {
		names = append(names, fabrics[i].Name)
	}
	return names
}

// checkPath checks that a parameter is a field with a single value, of the tuned fabric or common
// to all fabrics.
func (r tuneRules) checkPath(at string, p *Parameter, fabric int) bool {
	at += ".path"
	first, _, _ := strings.Cut(p.Path, ".")
	switch {
	case p.Path == "":
		r.complain(at, "the parameter has no path: name a field as --set does, such as fabrics[0].ethernet.ecn.kmin")
		return false
	case first == "topology":
		r.complain(at, "name the topology of the fabric that is tuned: fabrics[%d].%s", max(0, fabric), p.Path)
		return false
	case slices.Contains([]string{"run", "tune", "isolation", "name", "faults"}, first):
		r.complain(at, "%s is no property of the network that can be tuned", p.Path)
		return false
	case strings.HasPrefix(first, "fabrics[") && fabric >= 0 && first != fmt.Sprintf("fabrics[%d]", fabric):
		r.complain(at, "%s is not the fabric that is tuned, which is fabrics[%d], %s", first, fabric, r.Fabrics[fabric].Name)
		return false
	}
	return r.checkField(at, p.Path)
}

// checkField checks that a field exists and has a single value.
func (r tuneRules) checkField(at, path string) bool {
	typ, err := fieldType(path)
	if err != nil {
		r.complain(at, "%v", err)
		return false
	}
	single := typ
	if typ.Kind() == reflect.Slice { // a value stands for a list of one
		single = typ.Elem()
	}
	_, named := presets[single]
	if text := single.Kind() == reflect.String && choices(single) == nil; text || !named && !isScalar(single) {
		r.complain(at, "%s takes %s: only a field with one number, one of several words, or a preset varies", path, wanted(typ))
		return false
	}
	if _, ok := r.ValueAt(path); !ok && !named && single == typ {
		r.complain(at, "this scenario has no %s", path)
		return false
	}
	return true
}

// fieldType is the type of the field at a path of a scenario.
func fieldType(path string) (reflect.Type, error) {
	t := reflect.TypeFor[Resolved]()
	for _, step := range steps(path) {
		switch {
		case step == "":
			return nil, fmt.Errorf("%q is not the path of a field: it is written like fabrics[0].ethernet.ecn.kmin", path)
		case step[0] == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
			t = t.Elem()
			continue
		case step[0] == '[' || t.Kind() != reflect.Struct || t == ratioType:
			return nil, fmt.Errorf("there is no such field: nothing is below the field before %s", step)
		}
		field, _ := fieldOf(reflect.New(t).Elem(), step)
		if !field.IsValid() {
			names := fieldNames(t)
			if near := cmp.Or(fieldBelow(t, step), catalog.Nearest(step, names)); near != "" {
				return nil, fmt.Errorf("there is no field %s: did you mean %s?", step, near)
			}
			return nil, fmt.Errorf("there is no field %s here: the fields are %s", step, strings.Join(names, ", "))
		}
		t = field.Type()
	}
	return t, nil
}

// checkValues checks that the field can have the values, each by itself, and at most the given number.
func (r tuneRules) checkValues(at string, p *Parameter, fabric, most int) bool {
	before := len(r.errs)
	r.checkRange(at, p, fabric, most)
	return len(r.errs) == before
}

func (r tuneRules) checkRange(at string, p *Parameter, fabric, most int) {
	typ, _ := fieldType(p.Path)
	switch {
	case len(p.Values) > 0 && (p.From != "" || p.To != "" || p.Scale != "" || p.Step != ""):
		r.complain(at, "give from and to, with scale and step if need be, or values, not both")
		return
	case len(p.Values) > most:
		r.complain(at+".values", "%d values are given: at most %d are tried", len(p.Values), most)
		return
	case len(p.Values) > 0:
		r.checkEach(at, p, fabric)
		return
	case p.From == "" || p.To == "":
		r.complain(at, "the parameter has no range: give from and to, or values")
		return
	case !isNumber(typ):
		r.complain(at, "%s takes %s, and has no range: give values", p.Path, wanted(typ))
		return
	}
	fits := r.fits(at+".from", p.Path, p.From, fabric)
	if !r.fits(at+".to", p.Path, p.To, fabric) || !fits {
		return
	}
	from, _ := number(typ, string(p.From))
	to, _ := number(typ, string(p.To))
	switch {
	case to > mostCounted:
		r.complain(at+".to", "a range cannot end at %s: give values, or a lower end", p.To)
	case from >= to:
		r.complain(at+".from", "the range is the wrong way round: from %s is not less than to %s", p.From, p.To)
	case p.Scale == Log && from <= 0:
		r.complain(at+".from", "a logarithmic range cannot begin at 0: begin above it, or take scale: linear")
	}
	if p.Step == "" || !r.reads(at+".step", typ, p.Step) {
		return
	}
	if step, _ := number(typ, string(p.Step)); step <= 0 || step > to-from {
		r.complain(at+".step", "%s is no step of the range: want more than 0 and at most the difference of %s and %s", p.Step, p.From, p.To)
	}
}

// checkEach checks that the field can have each of the values, and that there are at least two.
func (r tuneRules) checkEach(at string, p *Parameter, fabric int) {
	if len(p.Values) == 1 {
		r.complain(at+".values", "one value is no choice: give several, or --set it")
	}
	for i, v := range p.Values {
		where := fmt.Sprintf("%s.values[%d]", at, i)
		if slices.Index(p.Values, v) < i {
			r.complain(where, "%s is given twice", v)
		}
		r.fits(where, p.Path, v, fabric)
	}
}

// isNumber reports whether fields of a type have numbers between two others.
func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return true
	}
	return t == ratioType
}

// fits decodes a value into an empty field of the path; errors are reported at the place of the
// parameter.
func (r tuneRules) fits(at, path string, value Value, fabric int) bool {
	typ, _ := fieldType(path)
	scout := newDecoder(r.file)
	if fabric >= 0 {
		scout.rate = r.Fabrics[fabric].Link.Rate()
	}
	scout.value(path, &node{kind: scalar, text: string(value), plain: true}, reflect.New(typ).Elem(), boundsOf(path))
	for _, e := range scout.errs {
		r.complain(at, "%s: %s", path, e.Msg)
	}
	return len(scout.errs) == 0
}

// reads reports whether a text is a value of the type, without the field's bounds.
func (r tuneRules) reads(at string, typ reflect.Type, value Value) bool {
	_, err := number(typ, string(value))
	if err != nil {
		r.complain(at, "%s", err)
	}
	return err == nil
}

// boundsOf is the range of the field at an existing path, "" if it has none.
func boundsOf(path string) string {
	t, bounds := reflect.TypeFor[Resolved](), ""
	for _, step := range steps(path) {
		if step[0] == '[' {
			t = t.Elem()
			continue
		}
		field, of := fieldOf(reflect.New(t).Elem(), step)
		t, bounds = field.Type(), of
	}
	return bounds
}
