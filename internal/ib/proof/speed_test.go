package proof_test

import (
	"fmt"
	"math"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// pair is two leaves with two hosts each and one cable between the leaves, all with their links.
func pair(t *testing.T, host, between subnet.Link, slow subnet.Link) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	var leaves [2]int32
	for i := range leaves {
		guid := units.GUID(i + 1)
		leaves[i] = s.Add(subnet.Node{Kind: subnet.Switch, GUID: guid, Name: fmt.Sprintf("leaf%d", i)}, 4)
		s.Nodes[leaves[i]].Ports[0].GUID = guid
	}
	for h := range 4 {
		guid := units.GUID(16 + h)
		at := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: guid, Name: fmt.Sprintf("host%d", h)}, 1)
		s.Nodes[at].Ports[1].GUID = guid
		link := host
		if h == 0 {
			link = slow
		}
		s.Connect(subnet.End{Node: at, Port: 1}, subnet.End{Node: leaves[h/2], Port: uint16(h%2 + 1)}, link)
	}
	s.Connect(subnet.End{Node: leaves[0], Port: 4}, subnet.End{Node: leaves[1], Port: 4}, between)
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestACableCountsWithItsRate: by 2 both hosts of a leaf send over the one cable to the other leaf. At the hosts' rate it gives
// each a half, at twice that rate all, at half a quarter; of a host at half the rate it carries half as much.
func TestACableCountsWithItsRate(t *testing.T) {
	ndr, hdr, xdr := subnet.Link{Width: 4, Speed: subnet.NDR}, subnet.Link{Width: 4, Speed: subnet.HDR}, subnet.Link{Width: 4, Speed: subnet.XDR}
	for name, c := range map[string]struct {
		host, between, slow subnet.Link
		worst, all          float64
	}{
		"alike":             {ndr, ndr, ndr, 1. / 2, 3. / 4},
		"fast between":      {ndr, xdr, ndr, 1, 1},
		"slow between":      {ndr, hdr, ndr, 1. / 4, 3. / 8},
		"a slow host":       {ndr, ndr, hdr, 2. / 3, 3. / 4},
		"unknown is usual":  {ndr, subnet.Link{}, hdr, 2. / 3, 3. / 4},
		"bare rates":        {subnet.Bare(100 * units.Gbps), subnet.Bare(50 * units.Gbps), subnet.Bare(100 * units.Gbps), 1. / 4, 3. / 8},
		"no rate is known":  {subnet.Link{}, subnet.Link{}, subnet.Link{}, 1. / 2, 3. / 4},
		"one rate is known": {subnet.Link{}, hdr, subnet.Link{}, 1. / 2, 3. / 4},
	} {
		s := pair(t, c.host, c.between, c.slow)
		res, err := route.Compute(s, "minhop", route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			r, err := proof.Check(s, res.Tables, proof.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			worst, all := 1., 1.
			for _, p := range r.Patterns {
				if p.Name == "all-to-all" {
					all = p.Bandwidth
				} else {
					worst = min(worst, p.Bandwidth)
				}
			}
			if math.Abs(worst-c.worst) > 1e-9 || math.Abs(all-c.all) > 1e-9 {
				t.Errorf("%s: the worst shift %.3f, want %.3f; all-to-all %.3f, want %.3f", name, worst, c.worst, all, c.all)
			}
		}
	}
}
