package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"weft/units"
)

// Sweep is a scenario's variants, for weft sweep; a run does not read it. The scenario's
// fabrics and sizes are axes too: a variant is one fabric with one size.
type Sweep struct {
	// Axes are the fields that vary; all others stay.
	Axes []SweepAxis `yaml:"axes"`
	// Samples is the number of points that are drawn from the space of the axes. 0, the default,
	// takes all combinations.
	Samples int `yaml:"samples,omitzero" range:"0..1000000"`
	// Method is how points are drawn. The default is latin-hypercube.
	Method Sampling `yaml:"method,omitzero"`
	// Seeds is the number of seeds of each combination: run.seed and the next ones. The default is 1.
	Seeds int `yaml:"seeds,omitzero" range:"1..1000000"`
	// Where are conditions between axes that each variant fulfils: kmin < kmax, nodes * gpus <= 1024.
	Where []string `yaml:"where,omitzero"`
	// Keep are the quantities in the table. The default is all.
	Keep []SweepQuantity `yaml:"keep,omitzero"`
}

// SweepAxis is a field that varies: over values, or over points of a range.
type SweepAxis struct {
	// Name is the axis's name in where and in the table. The default is the last name of its path.
	Name string `yaml:"name,omitzero"`
	// Path is the path of the field, as --set has it: cluster.nodes.
	Path string `yaml:"path"`
	// Values are all values, instead of from and to.
	Values []Value `yaml:"values,omitzero"`
	// From is the first value of a range.
	From Value `yaml:"from,omitzero"`
	// To is the last value of a range.
	To Value `yaml:"to,omitzero"`
	// Points is the number of values of a range. Drawn points do not need it.
	Points int `yaml:"points,omitzero" range:"2..100000"`
	// Scale is the spread of the values. The default is log if to is at least ten times from, and
	// from is not 0.
	Scale Scale `yaml:"scale,omitzero"`
	// Step is the unit of which values are whole multiples. The default is three significant digits.
	Step Value `yaml:"step,omitzero"`
}

// Sampling is a way to draw points from the space of a sweep's axes.
type Sampling string

// The ways of drawing.
const (
	LatinHypercube Sampling = "latin-hypercube"
	Halton         Sampling = "halton"
)

// SweepQuantity is a quantity of a run in the table of a sweep, with its unit at the end of its name.
type SweepQuantity string

// reservedNames are the columns of a sweep's table that no axis may have as its name.
var reservedNames = []string{"variant", "fabric", "size", "seed", "status", "error"}

// parameter is the axis as a parameter of a search, which has the same values.
func (a *SweepAxis) parameter() Parameter {
	return Parameter{Path: concrete(a.Path), From: a.From, To: a.To, Scale: a.Scale, Step: a.Step, Values: a.Values}
}

// concrete is the path of a field in the resolved scenario, in which each fabric has a topology of
// its own.
func concrete(path string) string {
	if rest, ok := strings.CutPrefix(path, "fabric."); ok || path == "fabric" {
		return strings.TrimSuffix("fabrics[0]."+rest, ".")
	}
	if strings.HasPrefix(path, "topology.") {
		return "fabrics[0]." + path
	}
	return path
}

// SweepAxes are the axes of a sweep, in their order, each with its name.
func SweepAxes(r *Resolved) (out []Axis) {
	for i := range r.Sweep.Axes {
		s := &r.Sweep.Axes[i]
		p := s.parameter()
		a := r.axis(&p)
		a.typ, _ = fieldType(p.Path)
		a.Path, a.Name, a.Points = s.Path, s.Name, s.Points
		out = append(out, a)
	}
	return out
}

// Override gives the field of an axis a value.
func (a *Axis) Override(value string) Override {
	return Override{Path: a.Path, Value: value, Origin: a.Path + "=" + value}
}

// Number is a value of the axis as a number in the unit of Unit, or as a text if it is a word.
func (a *Axis) Number(value string) (x float64, ok bool) {
	if !isNumber(a.typ) {
		return 0, false
	}
	x, err := number(a.typ, value)
	return x, err == nil
}

// Ratio reports whether the axis's numbers are ratios; others are whole.
func (a *Axis) Ratio() bool { return a.typ == ratioType }

// Unit is the unit of the axis's numbers: ps, bytes, bps or mm; empty for counts, ratios and words.
func (a *Axis) Unit() string {
	switch a.typ {
	case reflect.TypeFor[units.Time]():
		return "ps"
	case reflect.TypeFor[units.Bytes]():
		return "bytes"
	case reflect.TypeFor[units.Rate]():
		return "bps"
	case reflect.TypeFor[units.Length]():
		return "mm"
	}
	return ""
}

type sweepRules struct{ *rules }

// derive sets the defaults of a sweep.
func (r sweepRules) derive() {
	s := &r.Sweep
	if !r.stated("sweep") {
		return
	}
	s.Seeds = cmp.Or(s.Seeds, 1)
	if s.Samples > 0 {
		s.Method = cmp.Or(s.Method, LatinHypercube)
	}
	for i := range s.Axes {
		s.Axes[i].Name = cmp.Or(s.Axes[i].Name, nameOf(s.Axes[i].Path))
	}
}

// nameOf is the last name of a path that is no number, as an identifier.
func nameOf(path string) string {
	parts := steps(path)
	for len(parts) > 1 && strings.HasPrefix(parts[len(parts)-1], "[") {
		parts = parts[:len(parts)-1]
	}
	return strings.ReplaceAll(parts[len(parts)-1], "-", "_")
}

// check checks the axes. Whether values fit one another is checked when a variant is resolved.
func (r sweepRules) check() {
	s := &r.Sweep
	if !r.stated("sweep") {
		return
	}
	if len(s.Axes) > maxParameters {
		r.complain("sweep.axes", "%d axes are given: at most %d are swept", len(s.Axes), maxParameters)
		return
	}
	if s.Method != "" && s.Samples == 0 {
		r.complain("sweep.method", "%s draws points: say how many with samples", s.Method)
	}
	for i := range s.Axes {
		r.checkAxis(i)
	}
}

// checkAxis checks an axis by itself, and against the ones before it.
func (r sweepRules) checkAxis(i int) {
	s, a := &r.Sweep, &r.Sweep.Axes[i]
	at := fmt.Sprintf("sweep.axes[%d]", i)
	p := a.parameter()
	switch j := slices.IndexFunc(s.Axes[:i], func(b SweepAxis) bool { return b.Path == a.Path || b.Name == a.Name }); {
	case j >= 0 && s.Axes[j].Path == a.Path:
		r.complain(at+".path", "%s is given twice: first as axes[%d]", a.Path, j)
		return
	case j >= 0:
		r.complain(at, "axes[%d] has the name %s too: give each a name", j, a.Name)
	case a.Path == "": // said below
	case slices.Contains(reservedNames, a.Name) && a.Path != "run.seed" || !identifier(a.Name):
		r.complain(at, "%q cannot be the name of the axis: give it another, of letters, digits and _, and none of %s", abridged(a.Name), strings.Join(reservedNames, ", "))
	}
	if !r.checkSweptPath(at+".path", a.Path, p.Path) {
		return
	}
	if tuneRules(r).checkValues(at, &p, -1, maxList) && len(p.Values) == 0 && a.Points == 0 && s.Samples == 0 {
		r.complain(at, "the range has no points: say how many values it has with points, or draw points from all axes with samples")
	}
	if len(p.Values) > 0 && a.Points > 0 {
		r.complain(at+".points", "give the points of a range, or values, not both")
	}
}

// checkSweptPath checks that an axis is a field with a single value.
func (r sweepRules) checkSweptPath(at, written, path string) bool {
	first := strings.SplitN(path, ".", 2)[0]
	switch {
	case path == "":
		r.complain(at, "the axis has no path: name a field as --set does, such as cluster.nodes")
		return false
	case first == "serving" && r.Serving.Given(): // a variant is the job
	case slices.Contains([]string{"sweep", "tune", "isolation", "training", "serving", "name"}, first):
		r.complain(at, "%s has no effect on a run", written)
		return false
	case written == "run.seed" && r.Sweep.Seeds > 1:
		r.complain(at, "run.seed is varied by sweep.seeds already: leave one of the two out")
		return false
	}
	return tuneRules(r).checkField(at, path)
}

func identifier(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) || c > unicode.MaxASCII {
			return false
		}
	}
	return name != ""
}
