package plan

import (
	"slices"
	"sort"

	"weft/internal/base/topology"
	"weft/scenario"
)

// Growth is the network at its later number of GPUs, and the ways to it.
type Growth struct {
	GPUs    int
	Text    []byte // of its scenario
	Name    string // of the later design; its own name unless a single switch becomes a tree
	Count   topology.Count
	Levels  int
	Problem string // why it cannot be built; Count and Levels are then empty
	Most    int    // maximum number of GPUs of the design, if that is less and known
	Holds   int    // GPUs up to which the switches of the present network are enough; of the first design of a protocol, as Ways
	Ways    []Way  // the first starts small

	choice choice
}

// growth is the network at the later size: of the same shape, or a tree with the same devices if one
// switch is too small.
func (c choice) growth(r *Request) *Growth {
	var found *Growth
	var why error
	for i, later := range c.later(r) {
		_, spec, count, err := later.resolve(later.text(r, r.Later))
		if err == nil {
			err = fits(later.shape, count)
		}
		if x := (draft{choice: later, spec: spec}); i > 0 && err == nil { // a new tree, all of whose cables are new
			if even := x.evenTree(); len(even) > 0 {
				later = even[0]
				_, _, count, err = later.resolve(later.text(r, r.Later))
			}
		}
		switch {
		case err != nil && why == nil:
			why = err
		case err == nil && (found == nil || count.TotalSwitches() < found.Count.TotalSwitches()):
			found = &Growth{GPUs: r.Later, Text: []byte(later.text(r, r.Later)), Name: later.name(), Count: count, Levels: Levels(count), choice: later}
		}
		if i == 0 && err == nil {
			break // what is there only becomes larger
		}
	}
	if found == nil {
		found = &Growth{GPUs: r.Later, Problem: shortReason(why)}
		if len(c.breaches(r)) == 0 { // otherwise more than the size must be relaxed
			found.Most = c.most(r)
		}
		return found
	}
	return found
}

// later are the choices that a choice can grow into: itself, and from a single switch the allowed trees of
// the same devices.
func (c choice) later(r *Request) []choice {
	out := []choice{c}
	if c.plane != scenario.SingleSwitch {
		return out
	}
	add := func(shape, plane scenario.Shape) {
		for _, ratio := range r.ratiosOf(plane) {
			x := c
			x.shape, x.plane, x.ratio = shape, plane, ratio
			if allowed(texts(r.Shapes), string(shape)) && ratio.Cmp(r.Oversubscription.Num, r.Oversubscription.Den) <= 0 {
				out = append(out, x)
			}
		}
	}
	for _, tree := range []scenario.Shape{scenario.RailOptimised, scenario.FatTree} {
		if c.shape == scenario.DualPlane {
			add(c.shape, tree)
		} else {
			add(tree, tree)
		}
	}
	return out
}

// most is the maximum number of GPUs that the design can grow to, in whole nodes; it is below the
// requested number.
func (c choice) most(r *Request) int {
	all := c.later(r)
	return c.largest(r, func(gpus int) bool {
		return slices.ContainsFunc(all, func(x choice) bool {
			_, _, _, err := x.resolve(x.text(r, gpus))
			return err == nil
		})
	})
}

// holds is the number of GPUs up to which the switches of the present network are enough, at most the
// later number.
func (c choice) holds(r *Request, now topology.Count) int {
	return c.largest(r, func(gpus int) bool {
		_, _, count, err := c.resolve(c.text(r, gpus))
		return err == nil && count.Switches == now.Switches
	})
}

// largest is the largest number of GPUs, from the present to the later one in whole nodes, for which ok holds. It holds
// up to some number.
func (c choice) largest(r *Request, ok func(gpus int) bool) int {
	per := c.machine.gpus
	nodes := r.GPUs / per
	beyond := sort.Search(r.Later/per-nodes, func(i int) bool { return !ok((nodes + i + 1) * per) })
	return (nodes + beyond) * per
}
