package sweep

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"weft/units"
)

// conditions are the compiled conditions of a sweep, in the language of expr-lang.org.
type conditions []*vm.Program

// conditions compiles the conditions. Names are the axes, fabric, size and seed.
func (s *Space) conditions() (out conditions, err error) {
	if s.points == 0 {
		return nil, nil
	}
	first := s.at(0)
	for i, text := range s.Base.Sweep.Where {
		p, err := expr.Compile(text, expr.Env(s.environment(&first)), expr.AsBool())
		if err != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			return nil, s.file.ErrorAt(fmt.Sprintf("sweep.where[%d]", i), fmt.Errorf("%q is no condition: %s; names are %s", text, line, strings.Join(s.names(), ", ")))
		}
		out = append(out, p)
	}
	return out, nil
}

func (s *Space) names() (out []string) {
	for i := range s.Axes {
		out = append(out, s.Axes[i].Name)
	}
	return append(out, "fabric", "size", "seed")
}

// environment is a variant as a condition sees it: quantities in the units of the table, words as texts.
func (s *Space) environment(v *Variant) map[string]any {
	env := map[string]any{"fabric": v.Fabric, "size": int(v.Size), "seed": int(v.Seed), "quantity": parseQuantity}
	for k := range s.Axes {
		a := &s.Axes[k]
		env[a.Name] = v.Values[k]
		if x, ok := a.Number(v.Values[k]); ok {
			env[a.Name] = x
		}
	}
	return env
}

// parseQuantity reads a quantity with its unit: 400Gbps, 4KiB, 10us, 30m.
func parseQuantity(text string) (float64, error) {
	if x, err := units.ParseBytes(text); err == nil {
		return float64(x), nil
	}
	if x, err := units.ParseRate(text); err == nil {
		return float64(x), nil
	}
	if x, err := units.ParseTime(text); err == nil {
		return float64(x), nil
	}
	x, err := units.ParseLength(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no quantity: write 4KiB, 400Gbps, 10us or 30m", text)
	}
	return float64(x), nil
}

// hold reports whether a variant fulfils all conditions.
func (c conditions) hold(s *Space, v *Variant) (bool, error) {
	env := s.environment(v)
	for i, p := range c {
		got, err := expr.Run(p, env)
		if err != nil {
			line, _, _ := strings.Cut(err.Error(), "\n")
			return false, s.file.ErrorAt(fmt.Sprintf("sweep.where[%d]", i), fmt.Errorf("%s", line))
		}
		if got != true {
			return false, nil
		}
	}
	return true, nil
}
