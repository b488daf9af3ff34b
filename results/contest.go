package results

// Contest is what was tested about the order of the fabrics: the reason of each lead, and whether
// the order depends on what is not known.
type Contest struct {
	// Trials are the tests of leads, in the order of sizes.
	Trials []Trial `json:"trials"`
	// Readings are the times of fabrics with another reading of one value.
	Readings []Reading `json:"readings,omitempty"`
	// NotTested says why nothing was tested: "with faults"; empty if leads were tested.
	NotTested string `json:"not_tested,omitempty"`
	// Unfit are readings that were left out, because the scenario refuses them: "path value of FABRIC".
	Unfit []string `json:"unfit,omitempty"`
	// Untested are the leads that were left out, each as "A over B at 64 MiB": the tests have bounds.
	Untested []string `json:"untested,omitempty"`
}

// Trial is the test of one lead: of the faster fabric over the slower at a size.
type Trial struct {
	Bytes  int64  `json:"bytes"`
	Faster string `json:"faster"`
	Slower string `json:"slower"`
	// Seeds is the number of seeds of each simulation, from the run's first on. All times are means
	// over them.
	Seeds    int   `json:"seeds"`
	FasterPs int64 `json:"faster_ps"`
	SlowerPs int64 `json:"slower_ps"`
	// Alone are the properties of the faster fabric that the slower one took alone.
	Alone []Swap `json:"alone"`
	// Steps are the properties that the slower fabric took one after the other; together they are the
	// lead. Reverse are the same in the reverse order.
	Steps   []Swap `json:"steps"`
	Reverse []Swap `json:"reverse"`
}

// Swap is a change of one property, or of several that cannot be changed apart.
type Swap struct {
	Property string `json:"property"`
	// EffectPs is the time that the change takes away: positive if it explains a part of the lead.
	EffectPs int64 `json:"effect_ps"`
}

// Lead is the time by which the faster fabric leads.
func (t *Trial) Lead() int64 { return t.SlowerPs - t.FasterPs }

// Cause is the property that takes the most of the lead away when the slower fabric takes it alone,
// at least half of the lead; of several that take the same part away, the first. It reports false if
// no property does.
func (t *Trial) Cause() (cause Swap, found bool) {
	lead := t.Lead()
	if lead <= 0 { // not with these seeds
		return Swap{}, false
	}
	for _, s := range t.Alone {
		if 2*s.EffectPs >= lead && (!found || s.EffectPs > cause.EffectPs && !near(s.EffectPs, cause.EffectPs, lead)) {
			cause, found = s, true
		}
	}
	return cause, found
}

// near reports whether two effects are the same as far as a lead can tell: a tenth of it.
func near(a, b, lead int64) bool { return 10*max(a-b, b-a) <= max(lead, a, b) }

// Effect is the time that a step of a property takes away in one order; false if the order has no
// such step.
func Effect(order []Swap, property string) (ps int64, ok bool) {
	for _, s := range order {
		if s.Property == property {
			return s.EffectPs, true
		}
	}
	return 0, false
}

// Reading is the times of a size on a fabric with another reading of one value.
type Reading struct {
	Bytes   int64   `json:"bytes"`
	Fabric  string  `json:"fabric"`
	Path    string  `json:"path"`  // of the value below the fabric
	Own     string  `json:"own"`   // the value of the run
	Value   string  `json:"value"` // the other reading
	Source  string  `json:"source"`
	TimesPs []int64 `json:"times_ps"` // by seed, from the run's first on
}

// Times are the times of a point by seed; one time if one seed was simulated.
func (p *Point) Times() []int64 {
	if p.Seeds != nil {
		return p.Seeds.TimesPs
	}
	return []int64{int64(p.Time)}
}
