package route_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// oddities are fabrics that draw seldom makes.
var oddities = []struct {
	name string
	make func(b *builder)
}{
	{"all hosts on one leaf", func(b *builder) {
		leaf, spine, empty := b.sw(8), b.sw(8), b.sw(8)
		b.join(leaf, spine)
		b.join(empty, spine)
		for range 3 {
			b.host(leaf)
		}
	}},
	{"a cable from a switch to itself", func(b *builder) {
		x, y := b.sw(8), b.sw(8)
		b.s.Connect(subnet.End{Node: x, Port: 2}, subnet.End{Node: x, Port: 5}, subnet.Link{Width: 4, Speed: subnet.HDR})
		b.join(x, y)
		b.host(x)
		b.host(y)
	}},
}

// Routers, adapters with two ports, gateways and cables from a switch to itself: every engine gives
// them the routes of the real OpenSM, or none as it does. WEFT_OPENSM_SEEDS=from-to selects seeds.
func TestOddNodesAreRoutedAsByTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	first, last := seedsOf(t, 6)
	routers := 0
	for seed := first; seed <= last; seed++ {
		odd := routetest.Odd(seed)
		if odd.Switches() == 0 {
			continue
		}
		for _, r := range runs {
			if r.roots {
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", seed, r.name), func(t *testing.T) {
				s := odd.Clone()
				want := bringUp(t, s, "-R", string(r.e), "-l", strconv.Itoa(int(r.lmc)))
				if err := s.AssignLIDs(r.lmc); err != nil {
					t.Fatal(err)
				}
				got, err := route.Compute(s, r.e, route.Options{AsOpenSM: true})
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(got.Report.Notes, dependsOnMemory) {
					t.Skip("the report says that weft cannot predict OpenSM's tables")
				}
				compare(t, s, got, want)
			})
		}
		if slices.ContainsFunc(odd.Nodes, func(n subnet.Node) bool { return n.Kind == subnet.Router }) {
			routers++
		}
	}
	if routers == 0 {
		t.Error("no fabric has a router")
	}
}

// OpenSM's matrix counts hops by groups of parallel cables, not by cables.
func TestCablesOfOnePairHaveEqualHopsInFTree(t *testing.T) {
	pairs := 0
	for seed := range uint64(300) {
		d := draw(seed)
		if err := d.s.AssignLIDs(0); err != nil {
			t.Fatal(err)
		}
		r, err := route.Compute(d.s, "ftree", route.Options{Roots: d.roots})
		if err != nil {
			continue // not every fabric is a tree
		}
		h := r.Hops()
		for node := range d.s.Nodes {
			if d.s.Nodes[node].Kind != subnet.Switch {
				continue
			}
			from := r.Tables.Dense[node]
			first := map[int32]int{} // the first port to each neighbour
			for p := 1; p < len(d.s.Nodes[node].Ports); p++ {
				peer := d.s.Nodes[node].Ports[p].Peer
				if !peer.Exists() || d.s.Nodes[peer.Node].Kind != subnet.Switch {
					continue
				}
				q, ok := first[peer.Node]
				if !ok {
					first[peer.Node] = p
					continue
				}
				pairs++
				for to, row := range h.At[from] {
					if row[p] != row[q] {
						t.Fatalf("%s: from switch %d to switch %d: %d hops by port %d, %d by port %d to the same neighbour", d.name, from, to, row[p], p, row[q], q)
					}
				}
			}
		}
	}
	if pairs == 0 {
		t.Fatal("no fabric has parallel cables")
	}
}

func TestOddFabricsAreRoutedAsByTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	for _, odd := range oddities {
		for _, e := range []route.Name{"minhop", "updn", "ftree"} {
			t.Run(odd.name+"/"+string(e), func(t *testing.T) {
				b := newBuilder(1, 3)
				odd.make(b)
				b.chooseManager()
				want := bringUp(t, b.s, "-R", string(e))
				if err := b.s.AssignLIDs(0); err != nil {
					t.Fatal(err)
				}
				got, err := route.Compute(b.s, e, route.Options{AsOpenSM: true})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, b.s, got, want)
			})
		}
	}
}
