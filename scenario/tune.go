package scenario

import (
	"reflect"
	"strconv"
	"strings"
)

// Tune is a search for better parameters of one fabric, for weft tune; a run does
// not read it.
type Tune struct {
	// Fabric is the name of the fabric that is tuned. It may be left out if the
	// scenario has one.
	Fabric string `yaml:"fabric,omitzero"`
	// Objective is the weights of the sum to minimise. The default is the time alone.
	Objective Objective `yaml:"objective,omitzero"`
	// Parameters are the fields that may change; all others stay.
	Parameters []Parameter `yaml:"parameters"`
	// Runs is the most simulations in all: the search, the sensitivity and the
	// proof.
	Runs int `yaml:"runs" range:"1..1000000"`
	// Seeds is the number of seeds of each candidate: run.seed and the next ones.
	Seeds int `yaml:"seeds" range:"1..1000"`
	// HeldOut is the number of further seeds, which the search never sees, that compare
	// the outcome with the scenario as it stands.
	HeldOut int `yaml:"held-out" range:"2..1000"`
	// Levels is the number of values of a range that its sensitivity is measured at.
	Levels int `yaml:"levels" range:"2..100"`
}

// Objective is the weights of a sum that the search makes small. Each term is a mean
// over sizes and seeds.
type Objective struct {
	// Time is the weight of the time of the operation, relative to the scenario as it
	// stands.
	Time Ratio `yaml:"time,omitzero"`
	// Tail is the weight of the 99th percentile of the completion of messages between
	// nodes, relative to the scenario as it stands.
	Tail Ratio `yaml:"tail,omitzero"`
	// Pauses is the weight of PFC pauses per 1000 packets.
	Pauses Ratio `yaml:"pauses,omitzero"`
	// Fairness is the weight of 1 less Jain's index of the rates of messages.
	Fairness Ratio `yaml:"fairness,omitzero"`
}

// Parameter is a field that may change: a number between two, or one of several
// values.
type Parameter struct {
	// Path is the path of the field, as --set has it: fabrics[0].ethernet.ecn.kmin.
	Path string `yaml:"path"`
	// From is the least value.
	From Value `yaml:"from,omitzero"`
	// To is the largest value.
	To Value `yaml:"to,omitzero"`
	// Scale is the spread of the values between. The default is log if to is at
	// least ten times from, and from is not 0.
	Scale Scale `yaml:"scale,omitzero"`
	// Step is the unit of which values are whole multiples, as a device takes them: 1Mbps.
	// The default is three significant digits.
	Step Value `yaml:"step,omitzero"`
	// Values are all values, instead of from and to.
	Values []Value `yaml:"values,omitzero"`
}

// Value is the value of any field, as a scenario writes it.
type Value string

// Scale is how the values of a range are spread.
type Scale string

// The scales.
const (
	Linear Scale = "linear"
	Log    Scale = "log"
)

// The defaults of a tuning: a search of minutes with simulations of a second, several seeds so that
// a single lucky one does not decide, and a proof with enough seeds for a narrow t interval.
const (
	usualRuns    = 300
	usualSeeds   = 3
	usualHeldOut = 10
	usualLevels  = 5
)

// logFrom is the minimum quotient of a range's ends for a logarithmic scale.
const logFrom = 10

// derive sets the defaults of a tuning.
func (r tuneRules) derive() {
	t := &r.Tune
	if !r.stated("tune") {
		return
	}
	if t.Objective == (Objective{}) {
		t.Objective.Time = Ratio{Num: 1, Den: 1}
	}
	for field, usual := range map[*int]int{&t.Runs: usualRuns, &t.Seeds: usualSeeds, &t.HeldOut: usualHeldOut, &t.Levels: usualLevels} {
		if *field == 0 {
			*field = usual
		}
	}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if rest, ok := strings.CutPrefix(p.Path, "fabric."); ok {
			p.Path = "fabrics[0]." + rest // as in the printed scenario
		}
	}
}

// TunedFabric is the index of the tuned fabric, -1 if the scenario does not determine it.
func (r *Resolved) TunedFabric() int {
	if r.Tune.Fabric == "" && len(r.Fabrics) == 1 {
		return 0
	}
	for i := range r.Fabrics {
		if r.Fabrics[i].Name == r.Tune.Fabric {
			return i
		}
	}
	return -1
}

// ValueAt is the value of the field at a path, in the form of a scenario; ok is false if there is
// no such single value.
func (r *Resolved) ValueAt(path string) (text string, ok bool) {
	v := reflect.ValueOf(r).Elem()
	for _, step := range steps(path) {
		if v = below(v, step); !v.IsValid() {
			return "", false
		}
	}
	if p, named := presets[v.Type()]; named {
		return v.Field(fieldByName(v.Type(), p.key)).String(), true
	}
	return writeScalar(v), isScalar(v.Type())
}

// below is the field or item of a value for a step of a path; the zero Value if there is none.
func below(v reflect.Value, step string) reflect.Value {
	if number, ok := strings.CutPrefix(step, "["); ok {
		i, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
		if err != nil || v.Kind() != reflect.Slice && v.Kind() != reflect.Array || i < 0 || i >= v.Len() {
			return reflect.Value{}
		}
		return v.Index(i)
	}
	if v.Kind() != reflect.Struct || v.Type() == ratioType {
		return reflect.Value{}
	}
	if c, ok := v.Interface().(CC); ok && c.fields[step] != nil {
		return c.field(step)
	}
	if i := fieldByName(v.Type(), step); i >= 0 {
		return v.Field(i)
	}
	return reflect.Value{}
}

// isScalar reports whether a field of the type is written as a single value.
func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return t == ratioType
	case reflect.Slice, reflect.Array:
		return false
	}
	return true
}
