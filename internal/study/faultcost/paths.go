package faultcost

import (
	"weft/internal/roce/lint"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// Paths are the equally short paths of each switch of a scenario's fabric, by its name, and how many of them BGP uses together.
func Paths(r *scenario.Resolved, f *scenario.Fabric) (map[string]*lint.Paths, error) {
	p, err := network.NewPlan(r, f)
	if err != nil {
		return nil, err
	}
	all, err := routing.Build(p.Graph)
	if err != nil {
		return nil, err
	}
	alike := all
	if m := network.Multipath(f, p.Graph); m != nil {
		clear(m.Most)
		if alike, err = all.Limited(p.Graph, m); err != nil {
			return nil, err
		}
	}
	out := map[string]*lint.Paths{}
	for sw := range p.Graph.Switches() {
		n := &p.Graph.Nodes[p.Graph.Endpoints+sw]
		paths := &lint.Paths{Ports: n.Cabled()}
		for dst := range p.Graph.Endpoints {
			has, together := len(all.Minimal(sw, dst)), len(alike.Minimal(sw, dst))
			if has > paths.Has || has == paths.Has && together < paths.Alike {
				paths.Has, paths.Alike = has, together
			}
		}
		out[n.Name] = paths
	}
	return out, nil
}
