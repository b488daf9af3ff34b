package contest

import (
	"slices"
	"strings"

	"weft/scenario"
)

// pair is two fabrics of a scenario, the slower one first, with the properties in which they differ.
type pair struct {
	r              *scenario.Resolved
	slower, faster *scenario.Fabric
	differ         []int // indices of properties
}

func pairOf(r *scenario.Resolved, slower, faster int) *pair {
	p := &pair{r: r, slower: &r.Fabrics[slower], faster: &r.Fabrics[faster]}
	for i := range properties {
		if properties[i].differs(p.slower, p.faster) {
			p.differ = append(p.differ, i)
		}
	}
	return p
}

// set is a set of properties by their indices.
type set uint32

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// with is the set with more properties.
func (s set) with(more ...int) set {
	for _, i := range more {
		s |= 1 << i
	}
	return s
}

// hybrid is the slower fabric with a set of properties of the faster. It reports false if no
// scenario can have it.
func (p *pair) hybrid(taken set) (*scenario.Fabric, bool) {
	base, other := p.slower, p.faster
	if taken.has(protocolStep) {
		base, other = other, base
	}
	f := *base
	for _, i := range p.differ {
		if taken.has(i) != taken.has(protocolStep) && !properties[i].give(&f, other) {
			return nil, false
		}
	}
	f.Name = "hybrid"
	return &f, p.valid(&f)
}

// valid reports whether the rules of scenarios accept a fabric.
func (p *pair) valid(f *scenario.Fabric) bool {
	own := *p.r
	own.Fabrics = []scenario.Fabric{*f}
	text, err := own.MarshalYAML()
	if err != nil {
		return false
	}
	_, err = scenario.Decode("hybrid", text)
	return err == nil
}

// Differences are the fields of a property in which two fabrics differ: the innermost ones, in the order of a
// scenario.
func Differences(a, b *scenario.Fabric, name string) (fields []string) {
	at := slices.IndexFunc(properties, func(p property) bool { return p.name == name })
	if at < 0 {
		return nil
	}
	for _, path := range scenario.FabricFields() {
		if !a.Same(b, path) && slices.ContainsFunc(properties[at].fields, func(f string) bool { return path == f || strings.HasPrefix(path, f+".") }) {
			fields = append(fields, path)
		}
	}
	return fields
}
