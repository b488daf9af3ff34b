package proof

import (
	"testing"

	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// In OpenSM's files the hops of minhop are the least everywhere, and each path has as many
// hops as the engine's matrix says.
func TestOpenSMsMatrixAgreesWithItsTables(t *testing.T) {
	for _, fabric := range routetest.Fabrics {
		for _, engine := range []string{"minhop", "updn", "dnup"} {
			if !routetest.Has(fabric, engine) {
				continue
			}
			s := routetest.Fabric(t, fabric)
			tables := routetest.Tables(t, s, fabric, engine, false)
			hops := routetest.Hops(t, s, fabric, engine)
			m, err := CheckMatrix(s, tables, hops)
			if err != nil {
				t.Fatal(err)
			}
			if m.Refuted() || m.Paths == 0 || m.Agree != m.Paths {
				t.Errorf("%s %s: %+v", fabric, engine, m)
			}
			if engine == "minhop" && m.Equal != m.Entries {
				t.Errorf("%s %s: %d of %d entries are the least", fabric, engine, m.Equal, m.Entries)
			}
		}
	}
}

// Without a cable, paths are longer than the old matrix allows.
func TestMatrixOfAnotherFabricIsRefuted(t *testing.T) {
	s := routetest.Fabric(t, "torus2d-4x4")
	tables := routetest.Tables(t, s, "torus2d-4x4", "minhop", false)
	hops := routetest.Hops(t, s, "torus2d-4x4", "minhop")
	cut := routetest.FirstCable(s)
	far := s.Peer(cut)
	s.Port(cut).Peer, s.Port(far).Peer = subnet.None, subnet.None
	m, err := CheckMatrix(s, tables, hops)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Refuted() || len(m.Impossible) == 0 {
		t.Fatalf("the matrix of the whole torus is accepted for a torus without a cable: %+v", m)
	}
	for _, h := range m.Impossible {
		if h.Says >= h.Is {
			t.Errorf("%+v is called impossible", h)
		}
	}
}

func TestMatrixOfOtherSizeIsAnError(t *testing.T) {
	s := routetest.Fabric(t, "torus2d-4x4")
	tables := routetest.Tables(t, s, "torus2d-4x4", "minhop", false)
	if _, err := CheckMatrix(s, tables, &subnet.Hops{}); err == nil {
		t.Error("a matrix for no switches is compared with 16")
	}
}
