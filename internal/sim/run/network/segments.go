package network

import (
	"fmt"

	"weft/internal/base/topology"

	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport"
	"weft/scenario"
)

// Segments are the VLANs and VRFs of an Ethernet fabric's NICs; nil if the scenario declares none,
// so that all NICs reach each other.
type Segments struct {
	isolation.Segments
	VRF []string // by segment
}

// segmentsOf are the segments of a scenario. A packet gets from one to another in its VRF, or by a
// leak between two VRFs.
func segmentsOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph) *Segments {
	declared := r.Isolation.Segments
	if !protocol.Of(f.Kind).Ethernet() || len(declared) == 0 {
		return nil
	}
	s := &Segments{VRF: []string{scenario.DefaultVRF}}
	s.Of = make([]uint16, g.Endpoints)
	for i := range declared {
		s.VRF = append(s.VRF, declared[i].VRF)
		for _, name := range scenario.Expand(declared[i].Members) {
			nics, _ := r.Cluster.NICs(name)
			for _, nic := range nics {
				s.Of[nic] = uint16(i + 1)
			}
		}
	}
	s.Reach = make([][]bool, len(s.VRF))
	for a := range s.VRF {
		s.Reach[a] = make([]bool, len(s.VRF))
		for b := range s.VRF {
			s.Reach[a][b] = s.VRF[a] == s.VRF[b]
			for _, l := range r.Isolation.Leaks {
				s.Reach[a][b] = s.Reach[a][b] || l.From == s.VRF[a] && l.To == s.VRF[b]
			}
		}
	}
	return s
}

// enforced is the segments that the switches check; nil for none.
func (s *Segments) enforced() *isolation.Segments {
	if s == nil {
		return nil
	}
	return &s.Segments
}

// reaches reports whether packets get from one NIC to another.
func (s *Segments) reaches(a, b int32) bool {
	return s == nil || s.Reach[s.Of[a]][s.Of[b]]
}

// Apart is the reason why messages from one NIC to another never complete; "" if they do. A service
// with acknowledgements also needs the way back.
func (p *Plan) Apart(a, b int32) string {
	back := protocol.Of(p.Fabric.Kind).OnTCP() || p.Verbs.Service == transport.RC
	switch s := p.Segments; {
	case p.Keys.apart(a, b):
		return "share no partition: see ib.partitions"
	case !s.reaches(a, b):
		return fmt.Sprintf("are in the VRFs %s and %s, and no route leads from the one to the other: see isolation.segments", s.VRF[s.Of[a]], s.VRF[s.Of[b]])
	case back && !s.reaches(b, a):
		return fmt.Sprintf("are in the VRFs %s and %s, and no route leads back from the second to the first: see isolation.leaks", s.VRF[s.Of[a]], s.VRF[s.Of[b]])
	}
	return ""
}
