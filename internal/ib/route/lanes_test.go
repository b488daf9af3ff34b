package route_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
)

// theirTables are the tables of an engine of OpenSM for a fabric.
func theirTables(t *testing.T, s *subnet.Subnet, fabric string, name route.Name) *subnet.Tables {
	t.Helper()
	file := string(name)
	if fabric != "ft2-16" && fabric != "real-plafrim" { // their references have no lanes
		switch name {
		case "dfsssp", "lash":
			file = "sa-" + file
		}
	}
	return routetest.Tables(t, s, fabric, file, false)
}

func check(t *testing.T, s *subnet.Subnet, tables *subnet.Tables) *proof.Report {
	t.Helper()
	r, err := proof.Check(s, tables, proof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ofOneRate reports whether all cables of a subnet are equally fast: the engines do not know rates.
func ofOneRate(s *subnet.Subnet) bool {
	rates := map[units.Rate]bool{}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Ports[p].Peer.Exists() {
				rates[s.Nodes[i].Ports[p].Link.Rate()] = true
			}
		}
	}
	return len(rates) == 1
}

// The rings and shifts of sssp and dfsssp are not judged: on tori and dragonflies
// some are better than OpenSM's and some worse (weft sm check shows them).
func TestLoadsAreNoWorseThanOpenSMs(t *testing.T) {
	for _, f := range routetest.Fabrics {
		for _, e := range []route.Name{"sssp", "dfsssp", "lash"} {
			s := routetest.Fabric(t, f)
			theirs := check(t, s, theirTables(t, s, f, e))
			r, err := route.Compute(s, e, route.Options{})
			if err != nil {
				t.Errorf("%s on %s: %v", e, f, err)
				continue
			}
			ours := check(t, s, r.Tables)
			if ours.Balance.Max > theirs.Balance.Max {
				t.Errorf("%s on %s: the most loaded cable has %d paths, OpenSM's %d", e, f, ours.Balance.Max, theirs.Balance.Max)
			}
			for i, p := range ours.Patterns {
				q := theirs.Patterns[i]
				if (e == "lash" || p.Name == "all-to-all") && (p.Contention > q.Contention || ofOneRate(s) && p.Bandwidth < q.Bandwidth) {
					t.Errorf("%s on %s, %s: contention %.2f and bandwidth %.3f, OpenSM's %.2f and %.3f", e, f, p.Name, p.Contention, p.Bandwidth, q.Contention, q.Bandwidth)
				}
			}
		}
	}
}

func TestPathsAreAsLongAsOpenSMsAndFreeOfDeadlock(t *testing.T) {
	for _, f := range routetest.Fabrics {
		for _, e := range []route.Name{"sssp", "dfsssp", "lash"} {
			s := routetest.Fabric(t, f)
			theirs := check(t, s, theirTables(t, s, f, e))
			for lmc := range uint8(3) {
				if err := s.AssignLIDs(lmc); err != nil {
					t.Fatal(err)
				}
				r, err := route.Compute(s, e, route.Options{})
				if err != nil {
					t.Errorf("%s on %s with LMC %d: %v", e, f, lmc, err)
					continue
				}
				ours := check(t, s, r.Tables)
				if e != "sssp" && !ours.Proven() || !ours.EndToEnd.Proven() || !ours.FromSwitches.Proven() || ours.Detours() > 0 {
					t.Errorf("%s on %s with LMC %d: %+v", e, f, lmc, ours)
				}
				for h, n := range theirs.Hops {
					if ours.Hops[h] != n<<lmc {
						t.Errorf("%s on %s with LMC %d: %d paths of %d hops, OpenSM has %d with one LID", e, f, lmc, ours.Hops[h], h, n)
					}
				}
			}
		}
	}
}

// drawSubnet is a random connected subnet, with some cables in parallel.
func drawSubnet(t *testing.T, r *rand.Rand) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	n := 2 + r.IntN(20)
	const ports = 24
	next := make([]uint8, n)
	free := func(sw int) subnet.End {
		next[sw]++
		return subnet.End{Node: int32(sw), Port: uint16(next[sw])}
	}
	guid := func() units.GUID { return units.GUID(r.Uint64()) }
	for i := range n {
		s.Add(subnet.Node{Kind: subnet.Switch, GUID: guid(), Name: fmt.Sprintf("sw%d", i)}, ports)
		s.Nodes[i].Ports[0].GUID = s.Nodes[i].GUID
	}
	for i := 1; i < n; i++ {
		s.Connect(free(i), free(max(0, i-1-r.IntN(3))), subnet.Link{})
	}
	for range n {
		a, b := r.IntN(n), r.IntN(n)
		if a != b && next[a] < 16 && next[b] < 16 {
			s.Connect(free(a), free(b), subnet.Link{})
		}
	}
	for i := range n {
		for range r.IntN(4) {
			at := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: guid(), Name: "h"}, 1)
			s.Nodes[at].Ports[1].GUID = guid()
			s.Connect(subnet.End{Node: at, Port: 1}, free(i), subnet.Link{})
		}
	}
	if err := s.AssignLIDs(uint8(r.IntN(3))); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnginesWithLanesProveOnAnyFabric(t *testing.T) {
	lanes := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := drawSubnet(t, r)
		for _, e := range []route.Name{"dfsssp", "lash"} {
			got, err := route.Compute(s, e, route.Options{Lanes: 15})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, e, err)
			}
			if p := check(t, s, got.Tables); !p.Proven() || p.Detours() > 0 || p.Lanes > got.Lanes {
				t.Errorf("seed %d, %s: %+v", seed, e, p)
			}
			lanes = max(lanes, got.Lanes)
		}
	}
	if lanes < 2 {
		t.Error("no fabric needed a second lane: the test checks nothing")
	}
}

func TestLanesThatDoNotSufficeAreARefusal(t *testing.T) {
	for _, e := range []route.Name{"dfsssp", "lash"} {
		s := routetest.Fabric(t, "torus3d-4x4x4")
		_, err := route.Compute(s, e, route.Options{Lanes: 1})
		var refusal *route.Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("%s on a torus with one lane: %v", e, err)
		}
	}
}
