package route

import (
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
)

// walked computes the loads of patterns by walking every path along the tables.
func walked(f *fabric) patternLoads {
	var ends []int
	for i := range f.ends {
		if f.ends[i].sw >= 0 {
			ends = append(ends, i)
		}
	}
	name := func(i int) string { return f.sub.Nodes[f.ends[i].at.Node].Name }
	slices.SortFunc(ends, func(a, b int) int { return subnet.CompareNames(name(a), name(b)) })
	type cable struct {
		sw   int32
		port uint8
	}
	var p patternLoads
	all := map[cable]int64{}
	for k := 1; k < len(ends); k++ {
		loads, most := map[cable]int32{}, int32(0)
		for i := range ends {
			from, to := &f.ends[ends[i]], &f.ends[ends[(i+k)%len(ends)]]
			for u := from.sw; u != to.sw; {
				c := cable{u, f.tab.LFT[u][to.lid]}
				loads[c]++
				all[c]++
				p.hops++
				most, p.all = max(most, loads[c]), max(p.all, all[c])
				u = f.sw[u].ports[c.port].sw
			}
		}
		if k == 1 {
			p.next = most
		}
		p.before, p.worst, p.sum = most, max(p.worst, most), p.sum+int64(most)
	}
	return p
}

// The loads by which trees are judged equal the loads counted along all paths.
func TestPatternLoadsEqualAWalkOfAllPaths(t *testing.T) {
	for name, spec := range map[string]topology.Spec{
		"two levels": topology.TwoLevel{Endpoints: 24, Radix: 8, LeafEndpoints: 4, Oversubscription: topology.Ratio{Down: 4, Up: 3}, Spines: 3},
		"torus":      topology.Torus{Dims: []int{3, 4}, SwitchEndpoints: 2},
		"k=4":        topology.KAry{K: 4},
	} {
		for _, engine := range []Name{"sssp", "minhop"} {
			g, err := spec.Build()
			if err != nil {
				t.Fatal(err)
			}
			s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.AssignLIDs(0); err != nil {
				t.Fatal(err)
			}
			f, err := newFabric(s)
			if err != nil {
				t.Fatal(err)
			}
			j, err := f.route(find(engine), Options{})
			if err != nil {
				t.Fatal(err)
			}
			f = j.fabric
			if got, want := *newSpanner(f).patterns(), walked(f); got != want {
				t.Errorf("%s, %s: patterns say %+v, a walk %+v", name, engine, got, want)
			}
			if trees := f.trees(); len(trees) != g.Endpoints {
				t.Errorf("%s, %s: %d trees for %d ends", name, engine, len(trees), g.Endpoints)
			}
		}
	}
}
