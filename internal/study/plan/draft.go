package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
func (d *draft) build() (*built, error) {
	graph, err := d.spec.Build()
	if err != nil {
		return nil, err
	}
	if err := topology.Validate(graph); err != nil {
		return nil, err
	}
	return &built{graph, merits(d.shape, graph)}, nil
}

// designs makes the designs of choices, each with its place, or the reason why there is none. Equal networks, as of switches with the
// same ports, are built once, one after the other: a million GPUs take some hundred megabytes.
func designs(ctx context.Context, r *Request, prices *Prices, all []choice) ([]*Design, []error, error) {
	out, errs := make([]*Design, len(all)), make([]error, len(all))
	var drafts []*draft
	for i, c := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		d, err := c.draft(r)
		if errs[i] = err; err == nil {
			d.place = i
			drafts = append(drafts, d)
		}
	}
	slices.SortStableFunc(drafts, func(a, b *draft) int { return cmp.Compare(a.same, b.same) })
	var last *built
	for i, d := range drafts {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
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
	return out, errs, nil
}
