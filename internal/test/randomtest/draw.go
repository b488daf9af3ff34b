package randomtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// draw is a scenario in the making with what later choices depend on.
type draw struct {
	*rand.Rand
	sheet
	calm     bool
	steady   bool
	resolved *scenario.Resolved // of the sheet
}

// odds reports true once in n times.
func (d *draw) odds(n int) bool { return d.IntN(n) == 0 }

// between is a number from lo to hi.
func (d *draw) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// one is one of several texts.
func (d *draw) one(of ...string) string { return of[d.IntN(len(of))] }

// oneOf is one of the texts that | separates.
func (d *draw) oneOf(list string) string {
	return strings.TrimSpace(d.one(strings.Split(list, "|")...))
}

// perhaps is a field with one of the values that | separates, once in n times, and else nothing.
func (d *draw) perhaps(n int, path, values string) []string {
	if !d.odds(n) {
		return nil
	}
	return []string{path, d.oneOf(values)}
}

// number is a field with a number from lo to hi.
func (d *draw) number(path string, lo, hi int) []string {
	return []string{path, strconv.Itoa(d.between(lo, hi))}
}

// some is fields, or none of them.
func (d *draw) some(pairs []string) []string {
	if d.odds(2) {
		return nil
	}
	return pairs
}

func join(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// try sets fields, as pairs of a path and a value. If the scenario is then refused, it stays as it
// was.
func (d *draw) try(pairs ...string) bool { return d.set(pairs) == nil }

// tryPlanned is try, for fields that the planner of the fabric may refuse.
func (d *draw) tryPlanned(pairs ...string) bool {
	before := *d
	if d.try(pairs...) && d.planned() {
		return true
	}
	*d = before
	return false
}

// set is try with the reasons of a refusal.
func (d *draw) set(pairs []string) error {
	next := d.with(pairs...)
	r, err := resolve(next.text())
	if err == nil {
		d.sheet, d.resolved = next, r
	}
	return err
}

// tryAll sets fields of which each may be refused. It leaves out those that the errors name; if they
// name none, it tries each half.
func (d *draw) tryAll(pairs []string) {
	if len(pairs) == 0 {
		return
	}
	err := d.set(pairs)
	if err == nil || len(pairs) == 2 {
		return
	}
	if good := without(pairs, err); len(good) < len(pairs) {
		d.tryAll(good)
		return
	}
	half := len(pairs) / 4 * 2
	d.tryAll(pairs[:half])
	d.tryAll(pairs[half:])
}

// without is the fields that an error does not name.
func without(pairs []string, err error) (good []string) {
	var refused scenario.Errors
	errors.As(err, &refused)
	for i := 0; i < len(pairs); i += 2 {
		named := slices.ContainsFunc(refused, func(e scenario.Error) bool {
			path := strings.Replace(e.Path, "fabrics[0]", "fabric", 1)
			return strings.HasPrefix(path, pairs[i]) || strings.HasPrefix(pairs[i], path+".")
		})
		if !named {
			good = append(good, pairs[i], pairs[i+1])
		}
	}
	return good
}

// resolve is the scenario of a text, if it is accepted and its topology can be built.
func resolve(text string) (*scenario.Resolved, error) {
	f, err := scenario.Decode("random.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	shape, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		return nil, err
	}
	_, err = shape.Build()
	return r, err
}

// fabric is the scenario's only fabric, and protocol its description.
func (d *draw) fabric() *scenario.Fabric     { return &d.resolved.Fabrics[0] }
func (d *draw) protocol() *protocol.Protocol { return protocol.Of(d.fabric().Kind) }

// nic is the name of a NIC by its number.
func (d *draw) nic(i int) string {
	per := d.resolved.Cluster.Node.NICs
	return fmt.Sprintf("node%d/nic%d", i/per, i%per)
}

// pair is two different NICs.
func (d *draw) pair() (from, to int) {
	n := d.resolved.Cluster.Endpoints()
	from = d.IntN(n)
	return from, (from + d.between(1, n-1)) % n
}
