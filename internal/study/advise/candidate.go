package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/sim/protocol"
	"weft/internal/study/plan"
	"weft/scenario"
)

// Candidate is the design of a protocol with its measurements.
type Candidate struct {
	Kind     scenario.FabricKind
	Product  string // as it is sold; empty for the protocol
	Design   *plan.Design
	RuledOut string // why there is no design; the other fields are then empty

	Performance Performance
	Recovery    *Recovery // nil if nothing can break without cutting off nodes
	Reach       int       // number of NICs that two levels of the design's switch reach
	Makers      Makers

	tune   float64 // share of the work of tuning that the product leaves
	vendor string  // the only maker; empty for any
}

// Name is the product, or the protocol's title.
func (c *Candidate) Name() string { return cmp.Or(c.Product, protocol.Of(c.Kind).Title) }

// sides are the two compared protocols.
var sides = [2]scenario.FabricKind{scenario.InfiniBandKind, scenario.RoCEv2Kind}

// ErrNothing is the error for a profile whose constraints no design of any fabric meets.
var ErrNothing = errors.New("no design of any fabric meets the constraints")

// designsOf plans each protocol and takes the first design of each front: the least oversubscribed,
// then the fewest switches.
func designsOf(ctx context.Context, p *Profile, prices *plan.Prices) ([]*Candidate, error) {
	var out []*Candidate
	for _, kind := range sides {
		c := &Candidate{Kind: kind}
		out = append(out, c)
		if !slices.Contains(p.Design.Fabrics, kind) {
			c.RuledOut = "the profile does not allow it"
			continue
		}
		request := p.Design
		request.Fabrics = []scenario.FabricKind{kind}
		made, err := plan.Make(ctx, &request, prices)
		if err != nil {
			return nil, err
		}
		if len(made.Designs) == 0 {
			c.RuledOut = "no design meets the constraints" + relaxText(made)
			continue
		}
		c.Design = slices.MinFunc(made.Designs, plan.Preferred)
	}
	if !slices.ContainsFunc(out, func(c *Candidate) bool { return c.Design != nil }) {
		return nil, fmt.Errorf("%w: InfiniBand: %s; RoCE v2: %s", ErrNothing, out[0].RuledOut, out[1].RuledOut)
	}
	return out, nil
}

// relaxText says what else than the protocol keeps a protocol out: another protocol is no answer to why this one is.
func relaxText(p *plan.Plan) string {
	if len(p.Relax) == 0 {
		return ""
	}
	var ways []string
	for _, r := range p.Relax {
		var parts []string
		for _, b := range r.Breaches {
			parts = append(parts, fmt.Sprintf("%s is %s and would have to be %s", b.Field, b.Allowed, b.Needs))
		}
		if !slices.ContainsFunc(r.Breaches, func(b plan.Breach) bool { return b.Field == "fabrics" }) {
			ways = append(ways, strings.Join(parts, ", and "))
		}
	}
	if len(ways) > 0 {
		return ": " + strings.Join(ways, "; or ")
	}
	return fmt.Sprintf(": the NICs of %s do not speak it, or more than one constraint is against it", p.Request.Node)
}

// reachOf is the number of NICs that two levels of the design's switches reach.
func reachOf(d *plan.Design) int {
	ratio := topology.Ratio{Down: int(d.Oversubscription.Num), Up: int(d.Oversubscription.Den)}
	fits := func(endpoints int) bool {
		_, err := topology.TwoLevel{Endpoints: endpoints, Radix: d.Radix, Oversubscription: ratio}.Count()
		return err == nil
	}
	least, most := 1, 1<<22
	for least+1 < most {
		if middle := (least + most) / 2; fits(middle) {
			least = middle
		} else {
			most = middle
		}
	}
	return least
}
