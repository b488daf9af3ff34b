package scenario

import (
	"fmt"
	"slices"
	"strconv"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// OwnCC is the congestion control that a file of its own has registered, with the values of
// its parameters; nil where the algorithm is none of those.
func OwnCC(c *CC) (*cc.Own, cc.Values) {
	own := cc.Registered(string(c.Algorithm))
	if own == nil {
		return nil, nil
	}
	values := cc.Values{}
	for _, p := range own.Parameters {
		values[p.Name] = p.Default
	}
	for _, x := range c.Parameters {
		if i := slices.IndexFunc(own.Parameters, func(p cc.Parameter) bool { return p.Name == x.Name }); i >= 0 {
			if v, err := parameterOf(own.Parameters[i].Kind, x.Value); err == nil {
				values[x.Name] = v
			}
		}
	}
	return own, values
}

// checkOwn checks what a scenario says of a registered congestion control, and fills in
// the parameters that it leaves out.
func (r *resolver) checkOwn(at string, f *Fabric, own *cc.Own) {
	if f.Kind != RoCEv2Kind {
		r.complain(at, "%s is for RoCE v2: %s takes another, or none", own.Name, f.Kind)
	}
	var names []string
	for _, p := range own.Parameters {
		names = append(names, p.Name)
	}
	seen := map[string]bool{}
	for i, x := range f.CC.Parameters {
		here := fmt.Sprintf("%s.parameters[%d]", at, i)
		k := slices.Index(names, x.Name)
		switch {
		case k < 0 && len(names) == 0:
			r.complain(here+".name", "%s has no parameters", own.Name)
			continue
		case k < 0:
			r.complain(here+".name", "%s has no parameter %q: it has %s", own.Name, x.Name, oneOf(names))
			continue
		case seen[x.Name]:
			r.complain(here+".name", "%s is given twice", x.Name)
		}
		seen[x.Name] = true
		if _, err := parameterOf(own.Parameters[k].Kind, x.Value); err != nil {
			r.complain(here+".value", "%s: %v", x.Name, err)
		}
	}
	for _, p := range own.Parameters {
		if !seen[p.Name] {
			f.CC.Parameters = append(f.CC.Parameters, CCParameter{p.Name, parameterText(p.Kind, p.Default)})
		}
	}
}

// parameterOf reads a value in the unit of its kind.
func parameterOf(kind cc.Kind, text string) (int64, error) {
	switch kind {
	case cc.Duration:
		v, err := units.ParseTime(text)
		return int64(v), err
	case cc.Speed:
		v, err := units.ParseRate(text)
		return int64(v), err
	case cc.Size:
		v, err := units.ParseBytes(text)
		return int64(v), err
	case cc.Fraction:
		v, err := ParseRatio(text)
		return v.Mul(Ratio{65536, 1}).Of(1), err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is no whole number of 0 or more", text)
	}
	return v, nil
}

// parameterText is a value as a scenario writes it.
func parameterText(kind cc.Kind, v int64) string {
	switch kind {
	case cc.Duration:
		return units.Time(v).Exact()
	case cc.Speed:
		return units.Rate(v).Exact()
	case cc.Size:
		return units.Bytes(v).Exact()
	case cc.Fraction:
		return Ratio{v, 65536}.reduced().String()
	}
	return strconv.FormatInt(v, 10)
}
