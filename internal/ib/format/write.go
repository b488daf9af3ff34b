package format

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
)

// writing is a file in progress; end returns its first error.
type writing struct{ w *bufio.Writer }

func newWriting(w io.Writer) writing { return writing{bufio.NewWriterSize(w, 64<<10)} }

// f writes formatted text. The buffer keeps the first error for end.
func (w writing) f(format string, args ...any) { fmt.Fprintf(w.w, format, args...) }

func (w writing) end() error { return w.w.Flush() }

// writable returns an error for a subnet that no file can hold: two nodes with one GUID, or a line
// break in a name.
func writable(s *subnet.Subnet) error {
	nodes, ports := map[units.GUID]int32{}, map[units.GUID]int32{}
	for i := range s.Nodes {
		n, node := &s.Nodes[i], int32(i)
		if strings.ContainsAny(n.Name, "\n\r") {
			return fmt.Errorf("the name of %v has a line break in it, which no file can hold", n.GUID)
		}
		if before, twice := nodes[n.GUID]; twice {
			return fmt.Errorf("%s and %s have the same node GUID %v: a file could not tell them apart", s.NodeName(before), s.NodeName(node), n.GUID)
		}
		nodes[n.GUID] = node
		for j := range n.Ports {
			guid := n.Ports[j].GUID
			if before, twice := ports[guid]; twice && guid != 0 {
				return fmt.Errorf("%s and %s have the same port GUID %v: a file could not tell them apart", s.NodeName(before), s.NodeName(node), guid)
			}
			ports[guid] = node
		}
	}
	return nil
}

// opensmOrder lists the nodes for which keep is true, in OpenSM's order: by GUID, read backwards
// byte by byte.
func opensmOrder(s *subnet.Subnet, keep func(*subnet.Node) bool) []int32 {
	var order []int32
	for i := range s.Nodes {
		if keep(&s.Nodes[i]) {
			order = append(order, int32(i))
		}
	}
	sorting.StableFunc(order, func(a, b int32) int { return compareBackwards(s.Nodes[a].GUID, s.Nodes[b].GUID) })
	return order
}

func compareBackwards(a, b units.GUID) int {
	return cmp.Compare(bits.ReverseBytes64(uint64(a)), bits.ReverseBytes64(uint64(b)))
}

func isSwitch(n *subnet.Node) bool { return n.Kind == subnet.Switch }

// lidAt is the LID of the port at e; on a switch it is the LID of port 0.
func lidAt(s *subnet.Subnet, e subnet.End) units.LID {
	if s.Nodes[e.Node].Kind == subnet.Switch {
		return s.Nodes[e.Node].Ports[0].LID
	}
	return s.Port(e).LID
}

// guidAt is the GUID of the port at e in the tools' output; on a switch it is the GUID of port 0.
func guidAt(s *subnet.Subnet, e subnet.End) units.GUID {
	if s.Nodes[e.Node].Kind == subnet.Switch {
		return s.Nodes[e.Node].Ports[0].GUID
	}
	return s.Port(e).GUID
}
