package engine

import (
	"errors"
	"fmt"

	"weft/internal/subnet"
	"weft/internal/subnet/inspect"
)

// Auto asks Route to choose the engine from what the fabric is.
const Auto Name = "auto"

// choice is an engine that Auto tries, and what it means when it can route a fabric.
type choice struct {
	name Name
	why  string
	note string // what OpenSM needs to route like that; "" where its -R and the name do
}

// The engines that Auto tries: trees first, then what is made for the shape that the
// fabric has, then what fits any.
var (
	trees = []choice{
		{name: "ftree", why: "the fabric is a fat tree: shifts of all hosts get links of their own, and nothing can deadlock"},
	}
	tori = choice{
		"torus-2QoS", "the fabric is %s: dimension order keeps to shortest paths, lanes keep rings free of deadlock, and a broken cable or switch is passed by",
		"OpenSM needs -R torus-2QoS -Q and this torus' torus-2QoS.conf, which weft fabric convert --to torus-2QoS writes; without, it takes minhop",
	}
	dragonflies = choice{
		"dragonfly", "the fabric is %s: a path has one cable between groups at the most, and two lanes keep it free of deadlock",
		"OpenSM has no engine for dragonflies; the nearest is -R dfsssp -Q, by default it takes minhop",
	}
	anyShape = []choice{
		{name: "updn", why: "the fabric is no regular fat tree, but has switches equally far from all hosts, which serve as roots; nothing can deadlock"},
		{name: "dfsssp", why: "the fabric has no roots to be seen: shortest paths are balanced over all links, and lanes keep them free of deadlock"},
		{name: "lash", why: "the fabric has no roots to be seen, and dfsssp needs more lanes than there are: lash needs fewer"},
	}
)

// choose routes with the first engine that can route the fabric and reaches all
// of it. Its report says why that one, and why those before it were not chosen.
func choose(s *subnet.Subnet, o Options) (*Result, error) {
	o.AsOpenSM = false // an engine that fails is passed over
	passed := ""
	r, err := tryAll(s, o, trees, &passed)
	if r != nil || err != nil {
		return r, err
	}
	made, o := madeFor(s, o)
	r, err = tryAll(s, o, append(made, anyShape...), &passed)
	if r != nil || err != nil {
		return r, err
	}
	if r, err = Route(s, "minhop", o); err != nil {
		return nil, err
	}
	r.Report.Asked = Auto
	r.Report.Reason = "no engine that keeps the fabric free of deadlock can route it" + passed
	return r, nil
}

// madeFor is the engine that is made for the shape which the fabric is seen to have, if
// there is one, and the options with what it needs besides.
func madeFor(s *subnet.Subnet, o Options) ([]choice, Options) {
	l := inspect.Lay(s)
	if len(l.Report.Islands) != 1 {
		return nil, o
	}
	shape := &l.Report.Islands[0]
	c := dragonflies
	if torus := torusOf(s, l); torus != nil {
		c = tori
		if o.Torus == nil {
			o.Torus = torus
		}
	} else if shape.Family != inspect.Dragonfly {
		return nil, o
	}
	c.why = fmt.Sprintf(c.why, shape.What)
	return []choice{c}, o
}

// tryAll routes with the first of some engines that can and reaches all; nil where none
// does. It adds to passed why not those before.
func tryAll(s *subnet.Subnet, o Options, choices []choice, passed *string) (*Result, error) {
	for _, c := range choices {
		r, err := Route(s, c.name, o)
		var refusal *Refusal
		switch {
		case errors.As(err, &refusal):
			*passed += fmt.Sprintf("; not %s: %s", c.name, refusal.Reason)
			continue
		case err != nil:
			return nil, err
		case r.Report.UnreachablePairs > 0:
			*passed += fmt.Sprintf("; not %s: it leaves %d pairs of a switch and a host without a way", c.name, r.Report.UnreachablePairs)
			continue
		}
		r.Report.Asked, r.Report.Reason = Auto, c.why+*passed
		if c.note != "" {
			r.Report.Notes = append(r.Report.Notes, c.note)
		}
		return r, nil
	}
	return nil, nil
}
