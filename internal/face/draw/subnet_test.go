package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// subnetOf is a subnet with the cables of a shape.
func subnetOf(t *testing.T, shape topology.Spec) *subnet.Subnet {
	t.Helper()
	return routetest.Build(t, shape, subnet.Link{Width: 4, Speed: subnet.NDR})
}

func TestDrawingsAreWellFormed(t *testing.T) {
	for _, shape := range []topology.Spec{
		topology.SingleSwitch{Endpoints: 9},
		topology.KAry{K: 8},
		topology.Rail{Nodes: 128, Rails: 8, Radix: 64},
		topology.Torus{Dims: []int{4, 4, 4}, SwitchEndpoints: 1},
		topology.Torus{Dims: []int{5, 3}, SwitchEndpoints: 1, Mesh: true},
		topology.Dragonfly{P: 2, A: 4, H: 2},
		topology.DragonflyPlus{Groups: 5, Leaves: 4, Spines: 4, LeafEndpoints: 4, SpineGlobals: 4},
	} {
		var out, again bytes.Buffer
		s := subnetOf(t, shape)
		for i := range s.Nodes { // a NodeDescription is any bytes
			s.Nodes[i].Name += " \x01\xff<&\">"
		}
		for _, w := range []io.Writer{&out, &again} {
			if err := Subnet(w, s); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("two drawings of one %T differ", shape)
		}
		d := xml.NewDecoder(&out)
		elements := 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%T: %v", shape, err)
			}
			if _, ok := token.(xml.StartElement); ok {
				elements++
			}
		}
		if elements < 10 {
			t.Errorf("%T: the drawing has %d elements, want 10 or more", shape, elements)
		}
	}
}

func TestSwitchesHaveTheirDistinguishingLabels(t *testing.T) {
	for name, want := range map[string]string{
		"MF0;rack7-leaf01:MQM9700/U1": "rack7-leaf01", "Voltaire 4036 # 4036-8C9E": "4036-8C9E",
		"Infiniscale-IV Mellanox Technologies": "Infiniscale-IV", "leaf 01": "leaf 01", "": "", "a;b": "a;b", "spine\x00": "spine\uFFFD",
	} {
		if got := label(name); got != want {
			t.Errorf("%q is labelled %q, want %q", name, got, want)
		}
	}
}

// Every switch of a drawn torus is joined to the next along each dimension.
func TestATorusIsDrawnInTheOrderOfItsCoordinates(t *testing.T) {
	s := subnetOf(t, topology.Torus{Dims: []int{4, 3, 5}, SwitchEndpoints: 1})
	g := graphOf(s, inspect.Lay(s))
	if !slices.Equal(g.Dims, []int{5, 4, 3}) || !g.Ring {
		t.Fatalf("it is drawn as %v, ring %v", g.Dims, g.Ring)
	}
	at := func(x, y, z int) topology.NodeID {
		return topology.NodeID(g.Endpoints + x%5 + 5*(y%4+4*(z%3)))
	}
	for x := range 5 {
		for y := range 4 {
			for z := range 3 {
				for _, next := range []topology.NodeID{at(x+1, y, z), at(x, y+1, z), at(x, y, z+1)} {
					found := false
					for p := range g.Nodes[at(x, y, z)].Cables {
						far, _, ok := g.Peer(topology.End{Node: at(x, y, z), Port: int32(p)})
						found = found || ok && far.Node == next
					}
					if !found {
						t.Fatalf("switch %d,%d,%d is not joined to node %d", x, y, z, next)
					}
				}
			}
		}
	}
}
