package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
)

// fills are the colours of levels in Graphviz, leaves first.
var fills = []string{"#d5efe8", "#e0e5fb", "#fbe6d4", "#f3d9ec"}

// WriteDot writes a subnet for Graphviz: switches level by level, one box with the number of hosts
// at each switch, and one edge for all cables between two switches, as thick as their number.
func WriteDot(to io.Writer, s *subnet.Subnet) error {
	l := inspect.Lay(s)
	w := bufio.NewWriter(to)
	fmt.Fprint(w, "graph fabric {\n  graph [rankdir=BT, nodesep=0.3, ranksep=1.2, fontname=\"Helvetica\"]\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, color=\"#8492a6\", fillcolor=\"#eef1f5\"]\n  edge [color=\"#7c89d0\"]\n")
	top := slices.Max(append([]int{0}, l.Level...))
	for level := 0; level <= top; level++ {
		fmt.Fprint(w, "  { rank=same\n")
		for i := range s.Nodes {
			if s.Nodes[i].Kind == subnet.Switch && max(l.Level[i], 0) == level {
				fmt.Fprintf(w, "    n%d [label=%s, fillcolor=\"%s\", tooltip=\"%v\"]\n", i, quote(s.Nodes[i].Name), fills[min(level, len(fills)-1)], s.Nodes[i].GUID)
			}
		}
		fmt.Fprint(w, "  }\n")
	}
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch {
			writeDotEdges(w, s, int32(i))
		}
	}
	fmt.Fprint(w, "}\n")
	return w.Flush()
}

func writeDotEdges(w io.Writer, s *subnet.Subnet, node int32) {
	cables := map[int32]int{}
	var order []int32
	hosts := 0
	for p := range s.Nodes[node].Ports {
		far := s.Nodes[node].Ports[p].Peer
		switch {
		case !far.Exists():
		case s.Nodes[far.Node].Kind != subnet.Switch:
			hosts++
		case far.Node >= node:
			if cables[far.Node] == 0 {
				order = append(order, far.Node)
			}
			cables[far.Node]++
		}
	}
	if hosts > 0 {
		fmt.Fprintf(w, "  h%d [label=\"%d\", shape=ellipse]\n  h%d -- n%d [penwidth=1]\n", node, hosts, node, node)
	}
	for _, far := range order {
		n := cables[far]
		if far == node {
			n /= 2 // each cable was counted at both ends
		}
		fmt.Fprintf(w, "  n%d -- n%d [penwidth=%d", node, far, min(n, 8))
		if n > 1 {
			fmt.Fprintf(w, ", label=\"%d\", fontsize=9", n)
		}
		fmt.Fprint(w, "]\n")
	}
}

// quote is a string of the dot language. Graphviz copies control characters into its drawings,
// where XML forbids them.
func quote(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
