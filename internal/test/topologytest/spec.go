package topologytest

import "weft/internal/base/topology"

// Draw is a random number from lo to hi; the name appears in the message of a failure.
type Draw func(name string, lo, hi int) int

// Spec draws a fabric of any shape with at most a few hundred endpoints. Some are not legal: a test
// skips the Specs that Count refuses.
func Spec(draw Draw) topology.Spec {
	switch draw("shape", 0, 9) {
	case 0:
		n := draw("endpoints", 1, 100)
		return topology.SingleSwitch{Endpoints: n, Radix: n + draw("free", 0, 3), Spare: draw("spare", 0, 2), NodeNICs: draw("nics", 1, 8)}
	case 1:
		return TwoLevel(draw)
	case 2:
		return ThreeLevel(draw)
	case 3:
		return topology.KAry{K: 2 * draw("k/2", 1, 4)}
	case 4:
		return Rail(draw)
	case 5:
		return MultiPlane(draw)
	case 6:
		return Dragonfly(draw)
	case 7:
		return DragonflyPlus(draw)
	case 8:
		return Listed(draw)
	}
	return Torus(draw)
}

// Ratio draws an oversubscription.
func Ratio(draw Draw, name string) topology.Ratio {
	return topology.Ratio{Down: draw(name+" down", 1, 4), Up: draw(name+" up", 1, 2)}
}

// TwoLevel draws a fat tree of two levels.
func TwoLevel(draw Draw) topology.Spec {
	return topology.TwoLevel{
		Endpoints: draw("endpoints", 1, 200), Radix: draw("radix", 4, 40),
		Oversubscription: Ratio(draw, "leaf"), NodeNICs: draw("nics", 1, 8), Spare: draw("spare", 0, 30),
	}
}

// ThreeLevel draws a fat tree of three levels.
func ThreeLevel(draw Draw) topology.Spec {
	return topology.ThreeLevel{
		Endpoints: draw("endpoints", 1, 200), Radix: draw("radix", 6, 16),
		LeafOversubscription: Ratio(draw, "leaf"), SpineOversubscription: Ratio(draw, "spine"),
		Spare: draw("spare", 0, 30),
	}
}

// Rail draws a rail-optimised fabric, large enough for cores now and then.
func Rail(draw Draw) topology.Spec {
	ufm := draw("ufm", 0, 1) == 1
	return topology.Rail{
		Nodes: draw("nodes", 1, 60), Rails: draw("rails", 1, 8), Trays: draw("trays", 1, 2), Radix: draw("radix", 4, 24),
		UFM: ufm, Spare: draw("spare", 0, 9), LeafOversubscription: Ratio(draw, "leaf"),
	}
}

// MultiPlane draws planes of trees.
func MultiPlane(draw Draw) topology.Spec {
	m := topology.MultiPlane{Planes: draw("planes", 1, 3)}
	switch draw("plane", 0, 2) {
	case 0:
		m.Fabric = Rail(draw)
	case 1:
		m.Fabric = TwoLevel(draw)
	default:
		m.Fabric = ThreeLevel(draw)
	}
	return m
}

// Dragonfly draws a canonical dragonfly, balanced or not.
func Dragonfly(draw Draw) topology.Spec {
	return topology.Dragonfly{
		P: draw("p", 1, 3), A: draw("a", 1, 5), H: draw("h", 1, 3), Groups: draw("groups", 0, 12),
	}
}

// DragonflyPlus draws a dragonfly+.
func DragonflyPlus(draw Draw) topology.Spec {
	return topology.DragonflyPlus{
		Groups: draw("groups", 1, 8), Leaves: draw("leaves", 1, 4), Spines: draw("spines", 1, 4),
		LeafEndpoints: draw("endpoints of a leaf", 1, 3), SpineGlobals: draw("globals", 1, 4), Bundle: draw("bundle", 1, 2),
	}
}

// Torus draws a torus or a mesh of one to three dimensions.
func Torus(draw Draw) topology.Spec {
	t := topology.Torus{SwitchEndpoints: draw("endpoints of a switch", 1, 3), Bundle: draw("bundle", 1, 2), Mesh: draw("mesh", 0, 1) == 1}
	for range draw("dimensions", 1, 3) {
		t.Dims = append(t.Dims, draw("size", 2, 5))
	}
	return t
}

// Listed draws a fabric of any form: a chain of switches that connects them, more links between
// random switches, and endpoints.
func Listed(draw Draw) topology.Spec {
	nics := draw("nics", 1, 4)
	s := topology.Listed{Endpoints: nics * draw("nodes", 1, 20), NodeNICs: nics}
	switches := draw("switches", 1, 12)
	link := func(a, b int) {
		s.Links = append(s.Links, topology.ListedLink{A: a, B: b, Count: draw("count", 0, 3), Length: 1000})
	}
	for e := range s.Endpoints {
		s.Links = append(s.Links, topology.ListedLink{A: e, B: s.Endpoints + draw("switch", 0, switches-1), Length: 1000})
	}
	for i := 1; i < switches; i++ {
		link(s.Endpoints+i-1, s.Endpoints+i)
	}
	for range draw("links", 0, 2*switches) {
		link(s.Endpoints+draw("from", 0, switches-1), s.Endpoints+draw("to", 0, switches-1)) // to itself: refused
	}
	return s
}
