package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
)

// keeps lists the parts of a subnet that only some formats keep. Every format keeps kinds,
// names, numbers and GUIDs of ports, LIDs, cables, widths and speeds.
type keeps struct {
	node bool // NodeGUID, SystemImageGUID, vendor and device
	lmc  bool // LMC
	idle bool // ports without a cable, and so the number of ports

	cabled bool // only nodes that have a cable
}

// canonical lists a subnet in an order that does not depend on the file.
func canonical(s *subnet.Subnet, k keeps) string {
	var out []string
	key := func(e subnet.End) string {
		n := &s.Nodes[e.Node]
		guid := n.Ports[e.Port].GUID
		if n.Kind == subnet.Switch {
			guid = n.Ports[0].GUID
		}
		return fmt.Sprintf("%v/%d", guid, e.Port)
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if k.cabled && !slices.ContainsFunc(n.Ports, func(p subnet.Port) bool { return p.Peer.Exists() }) {
			continue
		}
		head := fmt.Sprintf("%v %q", n.Kind, n.Name)
		if k.node {
			head += fmt.Sprintf(" %v %v %x %x %v", n.GUID, n.SystemGUID, n.VendorID, n.DeviceID, n.Enhanced)
		}
		if k.idle {
			head += fmt.Sprintf(" %d ports", n.NumPorts())
		}
		for j := range n.Ports {
			e := subnet.End{Node: int32(i), Port: uint16(j)}
			p := &n.Ports[j]
			if !p.Peer.Exists() && (j > 0 || n.Kind != subnet.Switch) {
				continue
			}
			line := fmt.Sprintf("%s %s lid %d", key(e), head, p.LID)
			if k.lmc {
				line += fmt.Sprintf(" lmc %d", p.LMC)
			}
			if p.Peer.Exists() {
				line += fmt.Sprintf(" %v -> %s", p.Link, key(p.Peer))
			}
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// same fails the test if two subnets differ in a part that the format keeps.
func same(t testing.TB, what string, got, want *subnet.Subnet, k keeps) {
	t.Helper()
	g, w := strings.Split(canonical(got, k), "\n"), strings.Split(canonical(want, k), "\n")
	if slices.Equal(g, w) {
		return
	}
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s: %d and %d lines, the first that differs:\n got %s\nwant %s", what, len(g), len(w), a, b)
			return
		}
	}
}
