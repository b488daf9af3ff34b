package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/base/topology"
	"weft/scenario"
)

// draft is a choice whose network is counted and not built.
type draft struct {
	choice
	place    int // among the choices
	resolved *scenario.Resolved
	spec     topology.Spec
	count    topology.Count
	same     string // drafts with the same have equal networks
}

// built is a network with its figures.
type built struct {
	graph  *topology.Graph
	merits Merits
}

// draft counts a choice; the error is the reason why it cannot be built.
func (c choice) draft(r *Request) (*draft, error) {
	resolved, spec, count, err := c.resolve(c.text(r, r.GPUs) + r.jobText())
	if err == nil {
		err = fits(c.shape, count)
	}
	if err != nil {
		return nil, err
	}
	return &draft{choice: c, resolved: resolved, spec: spec, count: count, same: fmt.Sprintf("%s %T %+[2]v", c.shape, spec)}, nil
}

// build builds the network of a draft.
func (x *draft) build() (*built, error) {
	graph, err := x.spec.Build()
	if err != nil {
		return nil, err
	}
	if err := topology.Validate(graph); err != nil {
		return nil, err
	}
	return &built{graph, merits(x.shape, graph)}, nil
}

// evened are choices with smaller scalable units, which take as many leaves and fewer switches. A leaf has an uplink for each
// node of a full unit, and spines divide them evenly: 260 nodes in five units of 64 take 32 spines, of 54 they take 18. The first has the
// fewest switches; the second the largest unit with at most a tenth more, so that more NICs of a rail share a leaf.
// Racks of several trays also have the largest unit that divides them evenly, whatever leaves it takes, as NVIDIA's GB300 on Ethernet: eight
// racks are four units of two, and not three, three and two.
func (x *draft) evened() (out []choice) {
	if out := x.evenTree(); len(out) > 0 {
		return out
	}
	planes, several := x.spec.(topology.MultiPlane)
	rail, is := x.onePlane().(topology.Rail)
	if !is || x.unit > 0 || x.unmanaged || x.count.Switches[2] > 0 {
		return nil
	}
	switches := map[int]int{} // by unit
	fewest, least, equal := 0, x.count.TotalSwitches(), 0
	for rail.UnitNodes = 1; rail.UnitNodes < rail.Radix; rail.UnitNodes++ {
		var spec topology.Spec = rail
		if several {
			planes.Fabric = rail
			spec = planes
		}
		count, err := spec.Count()
		n := count.TotalSwitches()
		if err == nil && rail.Trays > 1 && rail.Nodes%rail.UnitNodes == 0 && count.Switches[2] == 0 && rail.UnitNodes < rail.Nodes {
			if equal = rail.UnitNodes; count == x.count {
				equal = 0 // full units are
			}
		}
		if err != nil || count.Switches[0] != x.count.Switches[0] || n >= x.count.TotalSwitches() {
			continue
		}
		if switches[rail.UnitNodes] = n; n < least {
			fewest, least = rail.UnitNodes, n
		}
	}
	nearest := fewest
	for unit, n := range switches {
		if n*10 <= least*11 {
			nearest = max(nearest, unit)
		}
	}
	for _, unit := range distinct(fewest, nearest, equal) {
		own := x.choice
		if own.unit = unit; unit > 0 {
			out = append(out, own)
		}
	}
	return out
}

// uneven reports whether the spines of a two-level tree do not divide the uplinks of a leaf: bundles of cables then differ, and a hash
// loads the narrow ones as much as the wide ones.
func uneven(tree topology.TwoLevel) bool {
	n, err := tree.Count()
	return err == nil && n.Switches[1] > 0 && n.Cables[topology.LeafSpine]/n.Switches[0]%n.Switches[1] > 0
}

// onePlane is the network of a plane.
func (x *draft) onePlane() topology.Spec {
	if planes, several := x.spec.(topology.MultiPlane); several {
		return planes.Fabric
	}
	return x.spec
}

// evenTree is, for a fat-tree whose spines do not divide the uplinks of a leaf, the choice with so many NICs on a leaf that they do, and
// with the fewest switches.
func (x *draft) evenTree() (out []choice) {
	tree, is := x.onePlane().(topology.TwoLevel)
	if !is || x.unit > 0 || !uneven(tree) {
		return nil
	}
	least := 0
	for tree.LeafEndpoints = tree.Radix - 1; tree.LeafEndpoints > 0; tree.LeafEndpoints-- {
		count, err := tree.Count()
		if n := count.TotalSwitches(); err == nil && !uneven(tree) && (least == 0 || n < least) {
			own := x.choice
			own.unit, least = tree.LeafEndpoints, n
			out = []choice{own}
		}
	}
	return out
}

// designs makes the designs of choices, each at its place, or the reason why there is none. Choices with evened units follow
// those given. Equal networks, as of switches with the same ports, are built once, one after the other: a million GPUs take
// some hundred megabytes.
func designs(ctx context.Context, r *Request, prices *Prices, given []choice) (all []choice, out []*Design, errs []error, _ error) {
	var drafts []*draft
	all = slices.Clone(given)
	for i := 0; i < len(all); i++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		d, err := all[i].draft(r)
		errs = append(errs, err)
		if err != nil {
			continue
		}
		even := d.evened()
		all = append(all, even...)
		if len(even) > 0 && even[0].plane == scenario.FatTree {
			errs[i] = errors.New("its spines do not divide the uplinks of a full leaf; leaves with fewer NICs take their place")
			continue
		}
		d.place, d.filled = i, len(even) > 0
		drafts = append(drafts, d)
	}
	out = make([]*Design, len(all))
	sorting.StableFunc(drafts, func(a, b *draft) int { return cmp.Compare(a.same, b.same) })
	var last *built
	for i, d := range drafts {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		if i == 0 || drafts[i-1].same != d.same {
			last, errs[d.place] = d.build()
		} else if last == nil {
			errs[d.place] = errs[drafts[i-1].place]
		}
		if last != nil {
			out[d.place] = d.design(r, prices, last)
		}
	}
	return all, out, errs, nil
}
