package engine

import (
	"errors"
	"fmt"

	"weft/internal/subnet"
)

// Auto asks Route to choose the engine from what the fabric is.
const Auto Name = "auto"

// choices are the engines that Auto tries, best first, with what it means when
// one of them can route a fabric.
var choices = []struct {
	name Name
	why  string
}{
	{"ftree", "the fabric is a fat tree: shifts of all hosts get links of their own, and nothing can deadlock"},
	{"updn", "the fabric is no regular fat tree, but has switches equally far from all hosts, which serve as roots; nothing can deadlock"},
	{"dfsssp", "the fabric has no roots to be seen: shortest paths are balanced over all links, and lanes keep them free of deadlock"},
	{"lash", "the fabric has no roots to be seen, and dfsssp needs more lanes than there are: lash needs fewer"},
}

// choose routes with the first engine that can route the fabric and reaches all
// of it. Its report says why that one, and why those before it were not chosen.
func choose(s *subnet.Subnet, o Options) (*Result, error) {
	o.AsOpenSM = false // an engine that fails is passed over
	passed := ""
	for _, c := range choices {
		r, err := Route(s, c.name, o)
		var refusal *Refusal
		switch {
		case errors.As(err, &refusal):
			passed += fmt.Sprintf("; not %s: %s", c.name, refusal.Reason)
			continue
		case err != nil:
			return nil, err
		case r.Report.UnreachablePairs > 0:
			passed += fmt.Sprintf("; not %s: it leaves %d pairs of a switch and a host without a way", c.name, r.Report.UnreachablePairs)
			continue
		}
		r.Report.Asked, r.Report.Reason = Auto, c.why+passed
		return r, nil
	}
	r, err := Route(s, "minhop", o)
	if err != nil {
		return nil, err
	}
	r.Report.Asked = Auto
	r.Report.Reason = "no engine that keeps the fabric free of deadlock can route it" + passed
	return r, nil
}
