package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/topology"
	"weft/internal/transport"
	"weft/scenario"
)

// segments are the VLANs and VRFs of an Ethernet fabric's NICs; nil where the scenario
// declares none, and all reach all.
type segments struct {
	fabric.Segments
	vrf []string // by segment
}

// segmentsOf are those of a scenario. A packet gets from one to another in its VRF, or
// by a leak between the two.
func segmentsOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph) *segments {
	declared := r.Isolation.Segments
	if f.Kind == scenario.InfiniBandKind || len(declared) == 0 {
		return nil
	}
	s := &segments{vrf: []string{scenario.DefaultVRF}}
	s.Of = make([]uint16, g.Endpoints)
	for i := range declared {
		s.vrf = append(s.vrf, declared[i].VRF)
		for _, name := range scenario.Expand(declared[i].Members) {
			nics, _ := r.Cluster.NICs(name)
			for _, nic := range nics {
				s.Of[nic] = uint16(i + 1)
			}
		}
	}
	s.Reach = make([][]bool, len(s.vrf))
	for a := range s.vrf {
		s.Reach[a] = make([]bool, len(s.vrf))
		for b := range s.vrf {
			s.Reach[a][b] = s.vrf[a] == s.vrf[b]
			for _, l := range r.Isolation.Leaks {
				s.Reach[a][b] = s.Reach[a][b] || l.From == s.vrf[a] && l.To == s.vrf[b]
			}
		}
	}
	return s
}

// enforced is what the switches check; nil is nothing.
func (s *segments) enforced() *fabric.Segments {
	if s == nil {
		return nil
	}
	return &s.Segments
}

// reaches reports whether packets get from a NIC to another.
func (s *segments) reaches(a, b int32) bool {
	return s == nil || s.Reach[s.Of[a]][s.Of[b]]
}

// apart is why messages from a NIC to another never end; "" if they do. A service that
// acknowledges needs the way back, too.
func (p *plan) apart(a, b int32) string {
	back := p.fabric.Kind.TCP() || p.verbs.service == transport.RC
	switch s := p.segments; {
	case p.keys.apart(a, b):
		return "share no partition: see ib.partitions"
	case !s.reaches(a, b):
		return fmt.Sprintf("are in the VRFs %s and %s, and no route leads from the one to the other: see isolation.segments", s.vrf[s.Of[a]], s.vrf[s.Of[b]])
	case back && !s.reaches(b, a):
		return fmt.Sprintf("are in the VRFs %s and %s, and no route leads back from the second to the first: see isolation.leaks", s.vrf[s.Of[a]], s.vrf[s.Of[b]])
	}
	return ""
}
